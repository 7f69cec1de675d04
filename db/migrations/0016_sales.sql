-- Which request was answered for which payment: what a buyer who asks about a call can name. Written a moment
-- after the answer, beside the ledger, so that no sale waits for it.
create table payment_requests (
  request_id text primary key,
  -- The transaction of the receipt that the answer carried.
  tx text not null,
  answered_at timestamptz not null
);
create index payment_requests_tx on payment_requests (tx);
-- A payment by its transaction.
create index payments_tx on payments (tx) where tx is not null;
