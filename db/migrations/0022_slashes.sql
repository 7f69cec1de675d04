-- As before, with words that a slash joins ("maternity/nursing bra", "keyboard/mouse") as words of their own: the
-- parser takes them for the name of a file. Texts of posts, where slashes are mostly those of addresses, stay as
-- they are. Rows that were indexed before get it when their posts are read again.
create or replace function signal_words(product text, kind text, need text, brands text[], quote text, title text,
    category text, heat double precision) returns tsvector
  language sql immutable parallel safe as $$
  select setweight(to_tsvector('english'::regconfig, translate(concat_ws(' ', product, translate(kind, '-', ' '),
      translate(need, '-', ' '), array_to_string(brands, ' ')), '/', ' ')), 'A')
    || setweight(to_tsvector('english'::regconfig, translate(quote, '/', ' ')), 'B')
    || setweight(to_tsvector('english'::regconfig, translate(left(title, 300), '/', ' ')), 'C')
    || array_to_tsvector(array['k/' || kind, 'c/' || category, 'h/' || floor(heat * 8)])
$$;

create or replace function product_terms(product text, kind text, prices text[]) returns tsvector
  language sql immutable parallel safe as $$
  select array_to_tsvector(array(
    select 'p/' || lexeme from unnest(to_tsvector('english'::regconfig,
      translate(concat_ws(' ', product, kind), '/', ' ')))
    union select 'e/' || lexeme from unnest(to_tsvector('english'::regconfig,
      concat_ws(' ', substring(product from '[^\s/-]+$'), substring(kind from '[^\s/-]+$'))))
    union select 'm/' || floor(2 * ln(greatest(1, substring(price from '(\d{1,9})(?:\.\d+)? [a-z]{3}$')::float8))
      / ln(2.0::float8)) from unnest(prices) as price where price ~ '\d [a-z]{3}$'))
$$;
