-- What a language model made better, where one is configured. docs/data-model.md says which query uses
-- which index.

-- When a model read the post and decided; null where the classifier's word stands.
alter table signals add column reviewed_at timestamptz;
-- The unsure ones, newest first: db/refinement.ts asks for them in the same words.
create index signals_unsure on signals (created_at desc, post_id)
  where reviewed_at is null and confidence < 0.5;

-- A card's words as a model wrote them, with the posts they were written from (mining/refine/words.ts).
-- They leave with any of those posts.
alter table opportunities add column words jsonb;
