-- Posts whose authors show what they made: builders of what others want. Most of them want nothing, and have no
-- signal; all of a post's own is in posts, and leaves with it.
create table showings (
  post_id text primary key references posts (id) on delete cascade,
  -- The kind of product that was made.
  kind text not null,
  -- The sentence that says so, verbatim.
  quote text not null,
  -- The words of the title and of the quote, lower case and singular: a want is met where they hold its words.
  words text[] not null,
  -- The author's hash, or where the source names none, the text's.
  author_key bytea not null,
  created_at timestamptz not null,
  -- Came since the cards of its kind were made.
  fresh boolean not null default true
);
create index showings_of_kind on showings (kind, created_at desc, post_id);
create index showings_fresh on showings (kind) where fresh;

-- What no version reads that can run beside this one; opportunity_id, need, brands and spoken still are read.
alter table signals drop column names_product, drop column sureness, drop column shown;
