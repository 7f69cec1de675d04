-- A language model reads every signal, and not only unsure ones. docs/data-model.md says which query uses
-- which index.

-- When a model was asked about the post with today's question; null where the built-in reading is all there is.
-- signals.versions says which of the two is stored.
drop index signals_unsure;
-- The newest first: db/corpus/readings.ts asks for them in the same words.
create index signals_unread on signals (created_at desc, post_id) where reviewed_at is null;
