-- As before, with the most that would be spent in eighths of an octave (s/), so that 500 is not under 400: half-octaves
-- (m/) held both. What is added keeps powers of two on their side. Rows that were indexed before get it when their
-- posts are read again.
create or replace function product_terms(product text, kind text, prices text[]) returns tsvector
  language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select 'p/' || lexeme from unnest(to_tsvector('english'::regconfig,
      translate(concat_ws(' ', product, kind), '/', ' ')))
    union select 'e/' || lexeme from unnest(to_tsvector('english'::regconfig,
      concat_ws(' ', substring(product from '[^\s/-]+$'), substring(kind from '[^\s/-]+$'))))
    union select 's/' || floor(8 * ln(greatest(1, substring(price from '(\d{1,9})(?:\.\d+)? [a-z]{3}$')::float8))
      / ln(2.0::float8) + 1e-9) from unnest(prices) as price where price ~ '\d [a-z]{3}$'))
$$;
