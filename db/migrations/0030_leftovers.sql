-- What no running version calls any more: searches by one condition (0024 has those by ways), and words of a signal
-- made of its row (0015 has those of its parts).
drop function signals_found(tsquery, boolean, integer);
drop function signals_counted(tsquery, boolean, integer);
drop function signals_sliced(tsquery, bigint[], integer);
drop function signal_terms(signals, text, double precision);

-- As before, without the need, which has been null since wants are counted. The function with it stays, and so do
-- signals.need, brands and spoken and opportunities.signal_count: the version before this one calls the function and
-- writes the columns, and may run beside it. A later migration drops them.
create function signal_words(product text, kind text, stated text[], quote text, title text, category text,
    heat double precision) returns tsvector
  language sql immutable parallel safe as $$
  select setweight(to_tsvector('english'::regconfig, translate(concat_ws(' ', product, translate(kind, '-', ' '),
      array_to_string(stated, ' ')), '/', ' ')), 'A')
    || setweight(to_tsvector('english'::regconfig, translate(quote, '/', ' ')), 'B')
    || setweight(to_tsvector('english'::regconfig, translate(left(title, 300), '/', ' ')), 'C')
    || array_to_tsvector(array['k/' || kind, 'c/' || category, 'h/' || floor(heat * 8)])
$$;

-- As before, without brands and needs that are spoken of: every reading since wants are counted leaves them empty.
-- Rows that are indexed stay as they are.
create or replace function index_signals(ids text[]) returns void language sql as $$
  with source as materialized (
    select s.post_id, h.heat, s.voice, ts_delete(body_terms(p.body), s.ruled_out) as body,
      ts_delete(signal_words(s.product, s.kind, f.values, s.quote, p.title, s.category, h.heat), s.ruled_out)
        || product_terms(s.product, s.kind, f.prices) || ruled_out_terms(s.ruled_out) as words
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
    where c.lexeme !~ '^[ch]/'
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

drop function spoken_needs(text[]);

-- As before, without the columns of which the index has no words any more.
create or replace function signals_updated() returns trigger language plpgsql as $$
declare
  ids text[] := array(
    select n.post_id from new_rows n join old_rows o on o.post_id = n.post_id
    where (n.product, n.kind, n.facts, n.quote, n.category, n.intensity, n.wtp, n.confidence,
        n.created_at, n.voice, n.versions)
      is distinct from (o.product, o.kind, o.facts, o.quote, o.category, o.intensity, o.wtp,
        o.confidence, o.created_at, o.voice, o.versions));
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
