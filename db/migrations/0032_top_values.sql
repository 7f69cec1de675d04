-- What is stated most beside a want, and the statements that show it best, are read in the order of their indexes, ties
-- by the bytes of a value or an id: the indexes had them in the order of the database's own collation, so that all of a
-- large want was read and sorted.
drop index want_facts_most;
create index want_facts_most on want_facts (want_id, type, authors desc, value collate "C");
drop index want_statements_shown;
create index want_statements_shown on want_statements
  (want_id, shown desc, created_at desc, post_id collate "C") where counted and shown is not null;
