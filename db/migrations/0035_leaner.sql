-- What folding reads of each card of a kind that changed: a card is kilobytes, which lie apart from its row.
alter table opportunities
  add column last_seen text generated always as (card ->> 'lastSeen') stored,
  add column evidence_ids jsonb generated always as (card -> 'evidenceIds') stored;

-- Changed wants are made into cards kind by kind: what is counted of a kind's market is read once for all of them.
drop index wants_dirty;
create index wants_dirty on wants (kind, id) where dirty;

-- As before, without what nothing is made of: how willing to pay posts are, and who lacks nothing.
create function counted_facts(facts jsonb, pattern text, category text, product text,
    intensity smallint, created_at timestamptz, confidence real)
  returns table (type text, value text)
  language sql immutable parallel safe as $$
  select f ->> 't', f ->> 'v' from jsonb_array_elements(facts) as f where (f ->> 'c')::real >= 0.4
  union all
  select 'problem_of', (f ->> 'v') || E'\t' || (f ->> 'o') from jsonb_array_elements(facts) as f
    where f ? 'o' and (f ->> 'c')::real >= 0.4
  union all values ('pattern', pattern), ('category', category), ('product', product),
    ('intensity', intensity::text),
    ('month', to_char(created_at at time zone 'utc', 'YYYY-MM') || '|'
      || least(10, round(confidence * 10))::int)
  union all
  select 'unmet', 'yes' where pattern in ('repeat_failure', 'workaround', 'unmet_need', 'replacement_hunt',
    'frustration') or exists (select from jsonb_array_elements(facts) as f
      where f ->> 't' = 'problem' and (f ->> 'c')::real >= 0.4)
$$;
-- Replicas of the version before call this one.
create or replace function counted_facts(facts jsonb, pattern text, category text, product text,
    intensity smallint, wtp smallint, created_at timestamptz, confidence real)
  returns table (type text, value text)
  language sql immutable parallel safe as $$
  select * from counted_facts(facts, pattern, category, product, intensity, created_at, confidence)
$$;
delete from want_facts where type = 'wtp' or (type = 'unmet' and value = 'no');
