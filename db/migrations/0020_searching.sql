-- The planner takes each word for one of two hundred rows where it knows nothing of it, and several of them
-- for a good part of the table: it reads that through, which takes seconds where the index takes
-- milliseconds. What verdicts search for is rare, whatever statistics say; these functions never read the
-- table through.

-- Signals that `asked` finds, in their texts too where that is wanted; the hottest, `most` of them at most.
create function signals_found(asked tsquery, in_texts boolean, most integer)
  returns table (at tid, heat double precision, post_id text)
  language sql stable parallel safe set enable_seqscan = off as $$
  (select ctid, heat, post_id from signal_index where not in_texts and words @@ asked
  union all
  select ctid, heat, post_id from signal_index
    where in_texts and body is not null and (words || body) @@ asked
  union all
  select ctid, heat, post_id from signal_index where in_texts and body is null and words @@ asked)
  order by heat desc, post_id limit most
$$;

-- The same in some slices. The offset keeps the planner from reading the index of words as well.
create function signals_sliced(asked tsquery, among bigint[], most integer)
  returns table (at tid, heat double precision, post_id text)
  language sql stable parallel safe set enable_seqscan = off as $$
  select s.at, s.heat, s.post_id from (
    select ctid as at, i.heat, i.post_id, i.words from signal_index i where i.slices && among offset 0) s
  where s.words @@ asked limit most
$$;

-- The kinds of `most` signals with a lexeme.
create function kinds_naming(stem text, most integer) returns table (kind text, signals integer)
  language sql stable parallel safe set enable_seqscan = off as $$
  select substr(k.term, 3), count(*)::int
  from (select words from signal_index where words @@ quote_literal(stem)::tsquery limit most) r
    cross join lateral unnest(tsvector_to_array(r.words)) as k (term)
  where k.term like 'k/%' group by 1
$$;

-- Whether a lexeme stands in any text.
create function stands(stem text) returns boolean
  language sql stable parallel safe set enable_seqscan = off as $$
  select exists (select from signal_index
    where body is not null and (words || body) @@ quote_literal(stem)::tsquery)
$$;

-- Lexemes of texts that share most trigrams with one; `most` of them at most.
create function similar_terms(stem text, most integer)
  returns table (term text, id bigint, signals bigint)
  language sql stable parallel safe set enable_seqscan = off as $$
  select t.term, t.id, t.signals from search_terms t
  where t.term % stem and t.term !~ '/' and t.signals >= 2
  order by similarity(t.term, stem) desc, t.signals desc, t.term limit most
$$;

-- Rows whose body is not indexed yet, which are none soon after an upgrade.
create index signal_index_unread on signal_index (post_id) where body is null;
