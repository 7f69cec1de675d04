-- What verdicts are made from and kept in: the search index over signals, the verdict cache with its
-- leases, and what the model has cost. docs/verdicts.md explains the index and the numbers in it.

create extension if not exists pg_trgm;

-- The strength of a signal as evidence, as a binary logarithm and without the query's part in it: it
-- grows by one for each half-life of 180 days, so that the order of two signals never changes with
-- time. gauge/score.ts has the same formula.
create function signal_heat(created_at timestamptz, intensity smallint, wtp smallint,
    upvotes integer, confidence real) returns double precision
  language sql immutable parallel safe as $$
  select extract(epoch from created_at)::float8 / (86400 * 180)
    + ln(greatest(confidence, 0.01) * (0.5 + (intensity + wtp) / 6.0::float8)
      * (1 + least(10, ln(1 + greatest(upvotes, 0)) / ln(2.0::float8)) / 10)) / ln(2.0::float8)
$$;

-- The words of a signal: what it is about (weight A), its quote (B) and its post's title (C), stemmed;
-- and as lexemes that no text yields: its kind (k/), its category (c/), and its heat in eighths (h/).
create function signal_words(product text, kind text, need text, brands text[], quote text, title text,
    category text, heat double precision) returns tsvector
  language sql immutable parallel safe as $$
  select setweight(to_tsvector('english'::regconfig, concat_ws(' ', product, translate(kind, '-', ' '),
      translate(need, '-', ' '), array_to_string(brands, ' '))), 'A')
    || setweight(to_tsvector('english'::regconfig, quote), 'B')
    || setweight(to_tsvector('english'::regconfig, left(title, 300)), 'C')
    || array_to_tsvector(array['k/' || kind, 'c/' || category, 'h/' || floor(heat * 8)])
$$;

create table signal_index (
  post_id text primary key,
  heat double precision not null,
  voice bytea not null,
  words tsvector not null,
  -- For words that are frequent: the word's id times 65,536 plus the heat in eighths, so that the
  -- hottest signals of a frequent word are found without reading all of them.
  slices bigint[] not null
);
-- Every search reads the pending list through, once for each of its words: it stays short.
create index signal_index_words on signal_index using gin (words)
  with (gin_pending_list_limit = 64);
create index signal_index_slices on signal_index using gin (slices)
  with (gin_pending_list_limit = 64);

-- In how many signals each lexeme stands: rare words are looked up first, and typing errors are
-- matched against what is there.
create table search_terms (
  -- Compared byte by byte, so that a prefix is a range everywhere.
  term text collate "C" primary key,
  id bigint generated always as identity,
  signals bigint not null
) with (fillfactor = 80);
create index search_terms_similar on search_terms using gin (term gin_trgm_ops);

-- A word has slices in signals stored after its 100th; it is looked up by them only once it has many
-- more. Terms are counted in their order, so that two writers never wait for each other in a circle.
create function index_signals(ids text[]) returns void language sql as $$
  with source as materialized (
    select post_id, heat, voice,
      signal_words(product, kind, need, brands, quote, title, category, heat) as words
    from (
      select s.*, p.title,
        signal_heat(s.created_at, s.intensity, s.wtp, s.upvotes, s.confidence) as heat
      from signals s join posts p on p.id = s.post_id
      where s.post_id = any(ids)
    ) s
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

create function unindex_signals(ids text[]) returns void language plpgsql as $$
declare
  terms text[];
begin
  with gone as (delete from signal_index where post_id = any(ids) returning words)
  select array_agg(term) into terms from gone, unnest(tsvector_to_array(words)) as term;
  insert into search_terms as t (term, signals)
  select term, -count(*) from unnest(terms) as term group by term order by term
  on conflict (term) do update set signals = t.signals + excluded.signals;
  delete from search_terms where term = any(terms) and signals <= 0;
end $$;

create function signals_inserted() returns trigger language plpgsql as $$
begin
  perform index_signals(array(select post_id from new_rows));
  return null;
end $$;

create function signals_deleted() returns trigger language plpgsql as $$
begin
  perform unindex_signals(array(select post_id from old_rows));
  return null;
end $$;

-- Moving a signal to another card, the most frequent change, costs nothing here. Votes, the next, only
-- move its heat: the lexemes that help to find it may stay a little behind.
create function signals_updated() returns trigger language plpgsql as $$
declare
  ids text[] := array(
    select n.post_id from new_rows n join old_rows o on o.post_id = n.post_id
    where (n.product, n.kind, n.need, n.brands, n.quote, n.category, n.intensity, n.wtp,
        n.confidence, n.created_at, n.voice)
      is distinct from (o.product, o.kind, o.need, o.brands, o.quote, o.category, o.intensity, o.wtp,
        o.confidence, o.created_at, o.voice));
begin
  update signal_index i
  set heat = signal_heat(n.created_at, n.intensity, n.wtp, n.upvotes, n.confidence)
  from new_rows n join old_rows o on o.post_id = n.post_id
  where i.post_id = n.post_id and n.upvotes <> o.upvotes;
  if cardinality(ids) > 0 then
    perform unindex_signals(ids);
    perform index_signals(ids);
  end if;
  return null;
end $$;

create trigger signals_inserted after insert on signals
  referencing new table as new_rows for each statement execute function signals_inserted();
create trigger signals_deleted after delete on signals
  referencing old table as old_rows for each statement execute function signals_deleted();
create trigger signals_updated after update on signals
  referencing old table as old_rows new table as new_rows
  for each statement execute function signals_updated();

select index_signals(array(select post_id from signals));

-- Answers, for seven days each.
create table verdicts (
  -- SHA-256 of the normalised query and category.
  key bytea primary key,
  verdict jsonb not null,
  -- Every post that counted in it: when one is removed, the verdict goes.
  post_ids text[] not null,
  expires_at timestamptz not null
);
create index verdicts_posts on verdicts using gin (post_ids);
create index verdicts_expiry on verdicts (expires_at);

-- Who is computing an answer now, so that it is computed once, whichever replica is asked.
create table verdict_leases (
  key bytea primary key,
  owner text not null,
  -- Another with every change of hands: an answer made under a former number is not kept.
  fence bigint not null,
  expires_at timestamptz not null,
  -- How the last attempt failed: those who waited for it fail alike.
  failure jsonb
);
create index verdict_leases_expiry on verdict_leases (expires_at);

-- What the model has cost, by UTC day, all replicas together; reservations included.
create table model_spend (
  day date primary key,
  usd double precision not null default 0,
  calls bigint not null default 0,
  tokens_in bigint not null default 0,
  tokens_out bigint not null default 0
);
