-- A post is about one need and may speak of others ("quiet" in the body of one about a keyboard that does
-- not break): the search finds it by those too. Signals of before have none until they are mined again.

alter table signals add column spoken text[] not null default '{}';

-- As lexemes that no text yields (n/), like a kind's.
create function spoken_needs(spoken text[]) returns tsvector
  language sql immutable parallel safe as $$
  select array_to_tsvector(array(select 'n/' || id from unnest(spoken) as id))
$$;

-- As before, with the needs that are spoken of.
create or replace function index_signals(ids text[]) returns void language sql as $$
  with source as materialized (
    select post_id, heat, voice,
      signal_words(product, kind, need, brands, quote, title, category, heat)
        || spoken_needs(spoken) as words
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

-- As before, with the needs that are spoken of.
create or replace function signals_updated() returns trigger language plpgsql as $$
declare
  ids text[] := array(
    select n.post_id from new_rows n join old_rows o on o.post_id = n.post_id
    where (n.product, n.kind, n.need, n.brands, n.spoken, n.quote, n.category, n.intensity, n.wtp,
        n.confidence, n.created_at, n.voice)
      is distinct from (o.product, o.kind, o.need, o.brands, o.spoken, o.quote, o.category,
        o.intensity, o.wtp, o.confidence, o.created_at, o.voice));
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
