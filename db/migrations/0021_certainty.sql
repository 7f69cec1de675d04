-- As before, without the facts that are less likely than what cards say.
create or replace function counted_facts(facts jsonb, pattern text, category text, product text,
    intensity smallint, wtp smallint, created_at timestamptz, confidence real)
  returns table (type text, value text)
  language sql immutable parallel safe as $$
  select f ->> 't', f ->> 'v' from jsonb_array_elements(facts) as f where (f ->> 'c')::real >= 0.4
  union all
  select 'problem_of', (f ->> 'v') || E'\t' || (f ->> 'o') from jsonb_array_elements(facts) as f
    where f ? 'o' and (f ->> 'c')::real >= 0.4
  union all values ('pattern', pattern), ('category', category), ('product', product),
    ('intensity', intensity::text), ('wtp', wtp::text),
    ('unmet', case when pattern in ('repeat_failure', 'workaround', 'unmet_need', 'replacement_hunt',
      'frustration') or exists (select from jsonb_array_elements(facts) as f
        where f ->> 't' = 'problem' and (f ->> 'c')::real >= 0.4) then 'yes' else 'no' end),
    ('month', to_char(created_at at time zone 'utc', 'YYYY-MM') || '|'
      || least(10, round(confidence * 10))::int)
$$;

-- What is counted already, counted so.
delete from want_facts;
insert into want_facts (want_id, type, value, authors)
  select case when n.all_kinds then 'all' else w.id end, f.type, f.value, count(*)
  from wants w join want_statements s on s.want_id = w.id and s.counted
    join signals g on g.post_id = s.post_id
    cross join (values (false), (true)) as n (all_kinds)
    cross join lateral counted_facts(g.facts, g.pattern, g.category, g.product, g.intensity, g.wtp,
      g.created_at, g.confidence) f
  where case when n.all_kinds then w.value = '' and f.type <> 'product' else w.kept end
  group by 1, 2, 3;
update wants set dirty = true where kept;
