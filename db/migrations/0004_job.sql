-- Reading a live source and forgetting what was removed there. docs/data-model.md says which query uses
-- which index.

-- How far each community was read.
create table communities (
  -- Lower case.
  name text primary key,
  -- The creation time of the newest post of the last complete reading; null before the first.
  read_to timestamptz,
  -- When the last complete reading ended.
  read_at timestamptz,
  -- When it was last asked for, with or without success: the longest waiting goes first.
  tried_at timestamptz,
  -- When posts were last out of the source's reach, between one reading and the one before.
  missed_at timestamptz,
  -- Why the source does not show it (private, banned, ...), and when it is asked for again.
  closed_reason text,
  retry_at timestamptz
);

-- A source that was out of order, and when it is tried again.
create table source_pauses (
  source text primary key,
  failures integer not null,
  retry_at timestamptz not null,
  reason text not null
);

alter table posts
  -- Whether a quote of it is shown in a card, the sample or a kept answer. Set in the transaction that
  -- stores the quote, cleared by the next mining run after the last one went.
  add column served boolean not null default false,
  -- When the source first did not know it any more; null while it does.
  add column absent_at timestamptz;
update posts set served = true where id in (
  select jsonb_array_elements_text(card -> 'evidenceIds') from opportunities
    where state = 'active' and card is not null
  union select jsonb_array_elements_text(card -> 'evidenceIds') from sample);

-- The removal job looks up the longest unchecked first: those behind served quotes, then all.
create index posts_served on posts (checked_at nulls first, id) where served;
drop index posts_unchecked;
create index posts_unchecked on posts (checked_at nulls first, id);

-- The last runs are asked for by kind.
create index mining_runs_kind on mining_runs (kind, id);
