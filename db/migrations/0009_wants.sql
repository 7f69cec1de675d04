-- Wants: a kind of product and one thing stated of it. A post states several; each want counts its distinct
-- authors and what else they state, so that a card is made of counts and not of its posts. What a version
-- before this one writes stays (signals.opportunity_id, need, brands, spoken, sureness, names_product), so
-- that it can run beside this one; nothing reads it any more.

alter table signals
  -- What the post states: [{"t": type, "v": value, "s": start, "e": end, "c": certainty, "o": product}],
  -- offsets in title, line feed, body; "o" names the product that a problem is of.
  add column facts jsonb not null default '[]',
  alter column opportunity_id drop not null,
  alter column brands set default '{}';
-- Those that an earlier version read are read again.
create index signals_versions on signals (versions, post_id);

create table wants (
  id text primary key,
  -- '' for all kinds together.
  kind text not null,
  -- '' for the market of the kind: all who want one, whatever they state.
  value text not null,
  -- Distinct authors and texts.
  authors integer not null default 0,
  -- Whether want_facts holds its counts: from the second author on.
  kept boolean not null default false,
  -- Statements came or went since its card was made.
  dirty boolean not null default true
);
create index wants_dirty on wants (id) where dirty;
create index wants_of_kind on wants (kind, id) where kept;

-- Which post states which want.
create table want_statements (
  want_id text not null references wants (id),
  post_id text not null references signals (post_id) on delete cascade,
  -- The author's hash, or where the source names none, the text's.
  author bytea not null,
  text_key bytea not null,
  created_at timestamptz not null,
  -- How well its quote shows the want, 0-1000; null where none may be shown.
  shown smallint,
  -- The quote, in title, line feed, body.
  quote_start integer,
  quote_end integer,
  -- Whether it is the newest of its author and of its text: copies and repeats count once.
  counted boolean not null default false,
  primary key (want_id, post_id)
);
create index want_statements_post on want_statements (post_id);
create index want_statements_author on want_statements (want_id, author, created_at, post_id);
create index want_statements_text on want_statements (want_id, text_key, created_at, post_id);
create index want_statements_time on want_statements (want_id, created_at) where counted;
create index want_statements_shown on want_statements (want_id, shown desc, created_at desc, post_id)
  where counted and shown is not null;

-- How many authors of a want state what; types are those of facts and of counted_facts() below.
create table want_facts (
  want_id text not null,
  type text not null,
  value text not null,
  authors integer not null,
  primary key (want_id, type, value)
);
create index want_facts_most on want_facts (want_id, type, authors desc, value);

-- What is counted of a signal: its facts; 'problem_of', a problem with the product that has it; and of the
-- reading itself 'pattern', 'category', 'product', 'intensity', 'wtp', 'unmet' (whether the author is
-- failed, does without or makes do), and 'month' with the tenths of
-- certainty, which the age of the want is told from.
create function counted_facts(facts jsonb, pattern text, category text, product text,
    intensity smallint, wtp smallint, created_at timestamptz, confidence real)
  returns table (type text, value text)
  language sql immutable parallel safe as $$
  select f ->> 't', f ->> 'v' from jsonb_array_elements(facts) as f
  union all
  select 'problem_of', (f ->> 'v') || E'\t' || (f ->> 'o') from jsonb_array_elements(facts) as f
    where f ? 'o'
  union all values ('pattern', pattern), ('category', category), ('product', product),
    ('intensity', intensity::text), ('wtp', wtp::text),
    ('unmet', case when pattern in ('repeat_failure', 'workaround', 'unmet_need', 'replacement_hunt',
      'frustration') or facts @> '[{"t": "problem"}]' then 'yes' else 'no' end),
    ('month', to_char(created_at at time zone 'utc', 'YYYY-MM') || '|'
      || least(10, round(confidence * 10))::int)
$$;

alter table corpus
  -- The version of the reading that the catalogue was made of; null for one of before.
  add column read_version text,
  -- The number of authors that its cards were made for.
  add column min_authors integer;

-- Wants of the same kind that a card tells as well, since mostly the same people state them.
alter table opportunities add column covers jsonb not null default '[]';

-- As before, with the values of what the post states.
create function signal_terms(s signals, title text, heat double precision) returns tsvector
  language sql immutable parallel safe as $$
  select signal_words(s.product, s.kind, null,
    s.brands || array(select f ->> 'v' from jsonb_array_elements(s.facts) as f), s.quote, title,
    s.category, heat) || spoken_needs(s.spoken)
$$;

create or replace function index_signals(ids text[]) returns void language sql as $$
  with source as materialized (
    select s.post_id, h.heat, s.voice, signal_terms(s, p.title, h.heat) as words
    from signals s join posts p on p.id = s.post_id
      cross join lateral (select signal_heat(s.created_at, s.intensity, s.wtp, s.upvotes, s.confidence)
        as heat) h
    where s.post_id = any(ids)
  ), added as (
    insert into signal_index (post_id, heat, voice, words, slices)
    select post_id, heat, voice, words, array_remove(array(
      select (select t.id * 65536 + floor(heat * 8)::bigint from search_terms t
        where t.term = lexeme and t.signals >= 100 and t.term !~ '^[ch]/')
      from unnest(tsvector_to_array(words)) as lexeme), null)
    from source
    on conflict (post_id) do nothing
    returning words
  )
  insert into search_terms as t (term, signals)
  select term, count(*) from added, unnest(tsvector_to_array(words)) as term
  group by term order by term
  on conflict (term) do update set signals = t.signals + excluded.signals
$$;
