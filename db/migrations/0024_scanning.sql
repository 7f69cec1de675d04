-- A GIN index goes through all words of one condition for each row that has one of them, and matches each with each row
-- that waits in its list: a condition of forty words takes ten times what several of a few words do, whose results
-- the planner joins. So what is looked for comes as a list of ways, each a list of conditions that hold together.

-- The ways of `asked`, of which one is met by `texts`, an expression.
create function search_condition(asked jsonb, texts text) returns text
  language sql immutable parallel safe as $$
  select '(' || coalesce(string_agg((
    select string_agg(format('%s @@ %L::tsquery', texts, part), ' and ')
    from jsonb_array_elements_text(way) as part), ' or '), 'false') || ')'
  from jsonb_array_elements(asked) as way
$$;

-- Signals that `asked` finds, in their texts too where that is wanted; of each kind of rows `most` at most.
create function search_statement(asked jsonb, in_texts boolean, most integer) returns text
  language sql immutable parallel safe as $$
  select case when in_texts then format('(select ctid, heat, post_id from signal_index
      where body is not null and %s limit %L) union all (select ctid, heat, post_id from signal_index
      where body is null and %s limit %2$L)', search_condition(asked, '(words || body)'), most,
      search_condition(asked, 'words'))
    else format('select ctid, heat, post_id from signal_index where %s limit %L',
      search_condition(asked, 'words'), most) end
$$;

-- As before, by ways: the hottest.
create function signals_found(asked jsonb, in_texts boolean, most integer)
  returns table (at tid, heat double precision, post_id text)
  language plpgsql stable parallel safe set enable_seqscan = off as $$
begin
  return query execute format('select * from (%s) found order by heat desc, post_id limit %L',
    search_statement(asked, in_texts, null), most);
end
$$;

-- How many there are, `most` of each kind of rows at most.
create function signals_counted(asked jsonb, in_texts boolean, most integer) returns bigint
  language plpgsql stable parallel safe set enable_seqscan = off as $$
declare
  counted bigint;
begin
  execute format('select count(*) from (%s) found', search_statement(asked, in_texts, most)) into counted;
  return counted;
end
$$;

-- As before, each word's slices, a list of lists, in a condition of their own.
create function signals_sliced(asked tsquery, among jsonb, most integer)
  returns table (at tid, heat double precision, post_id text)
  language plpgsql stable parallel safe set enable_seqscan = off as $$
begin
  return query execute format('select s.ctid, s.heat, s.post_id from (
      select ctid, heat, post_id, words from signal_index where %s offset 0) s
    where s.words @@ %L limit %L',
    (select coalesce(string_agg(format('slices && %L::bigint[]', translate(word::text, '[]', '{}')), ' or '), 'false')
      from jsonb_array_elements(among) as word),
    asked, most);
end
$$;

-- Merges the words that wait in the lists of these indexes. Each condition of a search reads those lists through, so
-- whoever has stored many signals calls this. Only the owner of an index may, who stands for every user here.
create function merge_waiting_words(indexes regclass[]) returns bigint
  language sql volatile security definer set search_path = pg_catalog as $$
  select sum(gin_clean_pending_list(name))::bigint from unnest(indexes) as name
$$;
