-- What the choice of quotes and the weight of voices need. `shown` says how well the quote alone shows the
-- want, where `names_product` only said that it names the product. That column is no longer read; it stays
-- until the version before this one, which writes it, is gone everywhere.
alter table signals
  -- How likely the kind of product is right, 0-1.
  add column sureness real not null default 0.8,
  -- How well the quote alone shows the want, 0-1.
  add column shown real not null default 0.5;
