-- What a language model said of a card's quotes (mining/cards/review.ts); null where none was asked, or about
-- others than today's.
alter table opportunities add column review jsonb;
