-- The community of a post as a lexeme of its own, "r/backpacking", for what goes without saying there. It needs no
-- slices: nobody asks for a community alone.
create or replace function index_signals(ids text[]) returns void language sql as $$
  with source as materialized (
    select s.post_id, h.heat, s.voice, ts_delete(body_terms(p.body), s.ruled_out || s.unsaid) as body,
      ts_delete(signal_words(s.product, s.kind, f.values, s.quote, p.title, s.category, h.heat),
          s.ruled_out || s.unsaid)
        || product_terms(s.product, s.kind, f.prices) || ruled_out_terms(s.ruled_out)
        || array_to_tsvector(array['r/' || lower(p.community)]) as words
    from signals s join posts p on p.id = s.post_id
      cross join lateral (select signal_heat(s.created_at, s.intensity, s.wtp, s.upvotes, s.confidence)
        as heat) h
      cross join lateral (
        select coalesce(array_agg(f ->> 'v'), '{}') as values,
          coalesce(array_agg(f ->> 'v') filter (where f ->> 't' = 'price'), '{}') as prices
        from jsonb_array_elements(s.facts) as f) f
    where s.post_id = any(ids)
  ), lexemes as materialized (
    select post_id, lexeme from source, unnest(tsvector_to_array(words)) as lexeme
  ), counted as materialized (
    select lexeme, count(*) as signals from lexemes group by lexeme
  ), frequent as materialized (
    select c.lexeme, t.id from counted c cross join lateral (
      select id from search_terms where term = c.lexeme and signals >= 100 offset 0) t
    where c.lexeme !~ '^[chr]/'
  ), sliced as materialized (
    select post_id, array_agg(id) as ids from lexemes join frequent using (lexeme) group by post_id
  ), added as (
    insert into signal_index (post_id, heat, voice, words, body, slices)
    select post_id, heat, voice, words, body, array(
      select id * 65536 + floor(heat * 8)::bigint from unnest(sliced.ids) as id)
    from source left join sliced using (post_id)
    on conflict (post_id) do nothing
    returning words
  )
  insert into search_terms as t (term, signals)
  select term, count(*) from added, unnest(tsvector_to_array(words)) as term
  group by term order by term
  on conflict (term) do update set signals = t.signals + excluded.signals
$$;

with added as (
  update signal_index i set words = words || array_to_tsvector(array['r/' || lower(p.community)])
  from posts p where p.id = i.post_id
  returning lower(p.community) as community
)
insert into search_terms as t (term, signals)
select 'r/' || community, count(*) from added group by community order by community
on conflict (term) do update set signals = t.signals + excluded.signals;
