-- Before a claim is decided, all that it is decided by is locked: other connections may be moving
-- these payments on, and their rows are then read as those leave them. What claimed until now goes
-- on deciding, as decide_claims.
alter function claim_purchase(json, integer, integer, integer, integer, integer)
  rename to decide_claims;

-- The parameters and results are those of decide_claims (0010), which alone must not be called.
--
-- Everybody locks in one order, so that nobody waits in a circle: payers, by rail and address, then
-- payments, by id.
create function claim_purchase(
  input json, max_flights integer, max_costly integer, max_live integer, repeat_seconds integer,
  named_repeat_seconds integer
)
returns table (
  ord integer, outcome text, id bigint, fence integer, tx text, body text, has_answer boolean,
  named text, settled_seconds double precision, wait_seconds double precision, refusals integer,
  state text, since_block bigint, held numeric, signed json
)
language plpgsql as $$
#variable_conflict use_column
declare
  rails text[];
  addresses bytea[];
  nonces bytea[];
  purchases bytea[];
begin
  -- Once for all: answers come with the claims, and their text is long.
  select array_agg(x.rail), array_agg(decode(x.payer, 'hex')), array_agg(decode(x.nonce, 'hex')),
      array_agg(decode(x.purchase, 'hex')) filter (where not x.anew)
    into rails, addresses, nonces, purchases
    from json_to_recordset(input)
      as x(rail text, payer text, nonce text, purchase text, anew boolean);
  -- A row that is there is locked, and nothing is written to it.
  insert into payment_payers as p (rail, payer)
    select distinct a.rail, a.payer from unnest(rails, addresses) as a(rail, payer)
    order by a.rail, a.payer
    on conflict (rail, payer) do update set refusals = p.refusals where false;
  -- A statement of its own, which sees all that was committed before the payers were locked.
  -- Settled ones are final.
  perform from payments p
    where p.state <> 'settled' and p.id in (
      select q.id from unnest(rails, addresses, nonces) as a(rail, payer, nonce)
        join payments q using (rail, payer, nonce)
      union all
      select q.id from payments q where q.purchase = any(purchases))
    order by p.id for no key update;
  return query select * from decide_claims(
    input, max_flights, max_costly, max_live, repeat_seconds, named_repeat_seconds);
end $$;
