-- How many signals the words of a query find, `most` at most: what finds more is not worth finding to the end, since
-- signals_found reads all of them to tell which are the hottest.
create function signals_counted(asked tsquery, in_texts boolean, most integer) returns bigint
  language sql stable parallel safe set enable_seqscan = off as $$
  select count(*) from (
    (select from signal_index where not in_texts and words @@ asked limit most)
    union all
    (select from signal_index
      where in_texts and body is not null and (words || body) @@ asked limit most)
    union all
    (select from signal_index where in_texts and body is null and words @@ asked limit most)) found
$$;
