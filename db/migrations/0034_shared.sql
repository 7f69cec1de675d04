-- What most authors of a card state besides it, by value: which cards may be folded into which is told by it, without
-- reading what is counted of all cards of a kind. Cards that were made before have none until they are made again, which
-- the next start does.
alter table opportunities add column shared jsonb not null default '{}';
