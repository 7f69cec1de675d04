-- Verdicts find posts by the words of their texts, and products by their own words, whatever kind they
-- were read as. What the version before looks for stays in signal_index.words, so that it can run beside
-- this one.

-- The words of the post's body without places (about 1,800 characters of it), apart from the others: most
-- searches never read them. Null in rows that were indexed before; reading their posts again fills it.
alter table signal_index
  add column body tsvector,
  -- Rows of about 2 kB: the body's words are fetched where they are asked for alone, and without unpacking.
  alter column body set storage external;

-- Every search reads the pending list through, once for each of its words: it stays short.
create index signal_index_texts on signal_index using gin ((words || body))
  with (gin_pending_list_limit = 64) where body is not null;

-- Lexemes that no text yields: the words of the product (p/), the noun that its name and its kind's end with
-- (e/; "phone case" ends with "case" and is no phone), and the most that would be spent, in half-octaves (m/).
create function product_terms(product text, kind text, prices text[]) returns tsvector
  language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select 'p/' || lexeme from unnest(to_tsvector('english'::regconfig, concat_ws(' ', product, kind)))
    union select 'e/' || lexeme from unnest(to_tsvector('english'::regconfig,
      concat_ws(' ', substring(product from '[^\s-]+$'), substring(kind from '[^\s-]+$'))))
    union select 'm/' || floor(2 * ln(greatest(1, substring(price from '(\d{1,9})(?:\.\d+)? [a-z]{3}$')::float8))
      / ln(2.0::float8)) from unnest(prices) as price where price ~ '\d [a-z]{3}$'))
$$;

create function body_terms(body text) returns tsvector
  language sql immutable parallel safe as $$
  select strip(to_tsvector('english'::regconfig, left(body, 1800)))
$$;

create or replace function signal_terms(s signals, title text, heat double precision) returns tsvector
  language sql immutable parallel safe as $$
  select signal_words(s.product, s.kind, null,
    s.brands || array(select f ->> 'v' from jsonb_array_elements(s.facts) as f), s.quote, title,
    s.category, heat) || spoken_needs(s.spoken) || product_terms(s.product, s.kind,
      array(select f ->> 'v' from jsonb_array_elements(s.facts) as f where f ->> 't' = 'price'))
$$;

create or replace function index_signals(ids text[]) returns void language sql as $$
  with source as materialized (
    select s.post_id, h.heat, s.voice, signal_terms(s, p.title, h.heat) as words,
      body_terms(p.body) as body
    from signals s join posts p on p.id = s.post_id
      cross join lateral (select signal_heat(s.created_at, s.intensity, s.wtp, s.upvotes, s.confidence)
        as heat) h
    where s.post_id = any(ids)
  ), added as (
    insert into signal_index (post_id, heat, voice, words, body, slices)
    select post_id, heat, voice, words, body, array_remove(array(
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

-- As before; whatever reads a post again indexes it again.
create or replace function signals_updated() returns trigger language plpgsql as $$
declare
  ids text[] := array(
    select n.post_id from new_rows n join old_rows o on o.post_id = n.post_id
    where (n.product, n.kind, n.need, n.brands, n.spoken, n.facts, n.quote, n.category, n.intensity,
        n.wtp, n.confidence, n.created_at, n.voice, n.versions)
      is distinct from (o.product, o.kind, o.need, o.brands, o.spoken, o.facts, o.quote, o.category,
        o.intensity, o.wtp, o.confidence, o.created_at, o.voice, o.versions));
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
