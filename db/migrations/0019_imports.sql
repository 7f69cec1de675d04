-- What an import left out because its community is not followed: an import that was killed goes on with its counts.
create table import_communities (
  fingerprint text not null references imports (fingerprint) on delete cascade,
  community text not null,
  posts bigint not null,
  primary key (fingerprint, community)
);
-- Null where an earlier version began the import: it counted all that was left out as one.
alter table imports add column not_followed bigint;
