-- The statements of a post lie side by side in the indexes by which their post, author or text is looked up: a new post
-- touches one place of each, and not one for each of its wants. All are made before the others are dropped, since
-- statements can be read meanwhile.
create unique index want_statements_key on want_statements (post_id, want_id);
create index want_statements_by_author on want_statements (author, want_id, created_at, post_id);
create index want_statements_by_text on want_statements (text_key, want_id, created_at, post_id);
-- All statements of a want, and when those were made that count.
create index want_statements_by_time on want_statements (want_id, counted, created_at);
alter table want_statements drop constraint want_statements_pkey;
alter table want_statements
  add constraint want_statements_pkey primary key using index want_statements_key;
drop index want_statements_post, want_statements_author, want_statements_text, want_statements_time;
alter index want_statements_by_author rename to want_statements_author;
alter index want_statements_by_text rename to want_statements_text;
alter index want_statements_by_time rename to want_statements_time;
