-- Posts that carry a signal, what they say, and the cards made of them. Planned for 10 million signals:
-- docs/data-model.md says which query uses which index.

-- Every post ever read, so that reading it again changes nothing. Posts without a signal are kept here only.
create table seen_posts (
  id text primary key,
  seen_on date not null,
  -- Set when the post was removed at its source: it must not come back from an archive.
  forgotten boolean not null default false
);
create index seen_posts_age on seen_posts using brin (seen_on);

create table posts (
  id text primary key,
  community text not null,
  title text not null,
  body text not null,
  author_hash bytea,
  upvotes integer not null,
  comments integer not null,
  permalink text not null,
  created_at timestamptz not null,
  -- 'demo', 'archive' or 'live'
  origin text not null,
  -- When the source last confirmed that the post stands; null for never.
  checked_at timestamptz
);
-- The removal job looks up the longest unchecked first.
create index posts_unchecked on posts (checked_at nulls first);

create table opportunities (
  id text primary key,
  -- Canonical product kind and need: what makes two signals the same want.
  key text not null unique,
  state text not null default 'forming' check (state in ('forming', 'active', 'dormant', 'merged')),
  merged_into text references opportunities (id),
  -- Signals came or went since the card was made.
  dirty boolean not null default true,
  slug text,
  category text,
  score double precision not null default 0,
  signal_count integer not null default 0,
  -- The card as it is served (mining/cards/types.ts), null while forming.
  card jsonb,
  changed_at timestamptz
);
create index opportunities_dirty on opportunities (id) where dirty;
create index opportunities_active on opportunities (id) where state = 'active';
-- What a category's date of change is read from.
create index opportunities_carded on opportunities (category) where changed_at is not null;

-- Every slug a card ever had: old ones keep resolving.
create table opportunity_slugs (
  slug text primary key,
  opportunity_id text not null references opportunities (id)
);
create index opportunity_slugs_owner on opportunity_slugs (opportunity_id);

create table signals (
  post_id text primary key references posts (id) on delete cascade,
  opportunity_id text not null references opportunities (id),
  pattern text not null,
  also text,
  category text not null,
  product text not null,
  kind text not null,
  need text,
  brands text[] not null,
  intensity smallint not null check (intensity between 0 and 3),
  wtp smallint not null check (wtp between 0 and 3),
  confidence real not null,
  quote text not null,
  -- Whether the quote says what it is about: such quotes are shown first.
  names_product boolean not null default false,
  -- Who speaks: the author's hash, or where the source names none, the text's.
  voice bytea not null,
  -- Of the normalised text: copies of one text count once, whoever posts them.
  text_key bytea not null,
  upvotes integer not null,
  created_at timestamptz not null,
  versions text not null
);
-- A card reads its newest signals.
create index signals_of_card on signals (opportunity_id, created_at desc, post_id);

create table imports (
  fingerprint text primary key,
  path text not null,
  lines_done bigint not null default 0,
  posts bigint not null default 0,
  signals bigint not null default 0,
  duplicates bigint not null default 0,
  skipped bigint not null default 0,
  bad bigint not null default 0,
  finished_at timestamptz
);

create table mining_runs (
  id bigint generated always as identity primary key,
  kind text not null,
  started_at timestamptz not null,
  finished_at timestamptz,
  -- What it read and made (db/corpus/runs.ts), growing while it runs.
  stats jsonb not null default '{}',
  error text
);

-- Who may mine: an owner for a while, and a number that is another with every change of hands.
create table leases (
  name text primary key,
  owner text not null,
  fence bigint not null,
  expires_at timestamptz not null
);

create table sample (
  singleton boolean primary key default true check (singleton),
  card jsonb not null,
  card_as_of timestamptz not null
);

create table corpus (
  singleton boolean primary key default true check (singleton),
  -- Grows with every change of what is served; replicas compare it with their catalogue's.
  revision bigint not null default 0,
  -- 'none', 'demo' or 'real': the demonstration corpus leaves when anything real arrives.
  origin text not null default 'none',
  -- Ages count from here; null until something was mined.
  as_of timestamptz,
  last_mined_at timestamptz,
  -- When what is served was last made: every replica's `fetchedAt`.
  built_at timestamptz,
  -- 'wall' once a live source was read, else 'archive': --as-of or the newest post.
  clock text not null default 'archive',
  -- The day the scores were computed for: age decays by whole days.
  scored_on date,
  author_hash_key bytea,
  first_started_at timestamptz
);
insert into corpus default values;
