-- The statements of a post lie side by side in the indexes by which its post, author or text is looked up: a new post
-- touches one place of each, and not one for each of its wants.
alter table want_statements drop constraint want_statements_pkey;
drop index want_statements_post;
alter table want_statements add primary key (post_id, want_id);
drop index want_statements_author;
create index want_statements_author on want_statements (author, want_id, created_at, post_id);
drop index want_statements_text;
create index want_statements_text on want_statements (text_key, want_id, created_at, post_id);
-- All statements of a want, and when those were made that count.
drop index want_statements_time;
create index want_statements_time on want_statements (want_id, counted, created_at);
