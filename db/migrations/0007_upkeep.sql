-- What is read at every scrape of the metrics and at every minute no longer grows with the ledger.
-- docs/data-model.md says which query uses which index.

-- When the payer last claimed something, to within an hour: whoever was not here for a day is forgotten.
-- Its table comes first, as in a claim, so that those of a running service do not wait in a circle.
alter table payment_payers add column claimed_at timestamptz not null default now();
alter table payment_payers alter column claimed_at set default '-infinity';
create index payment_payers_claimed on payment_payers (claimed_at);

-- Payments and revenue of the last days. Not by BRIN: rows move with each change of their state into what
-- vacuuming left free, so that their order is lost, and before a vacuum nothing new is in such an index.
drop index payments_settled;
create index payments_settled_at on payments (settled_at) where state = 'settled';
create index payments_created on payments (created_at);

-- As before, and notes when the payer claimed.
--
-- Claims authorizations. `input` is an array of what db/ledger/mod.ts calls a Claim; one row comes back for
-- each, whose `outcome` is:
--   new       claimed for the caller, who computes
--   resume    taken over from an owner that died or gave up; its answer is stored already
--   busy      its owner is at work on this very request
--   settled   bought already, by this very request
--   other     belongs to another request
--   unknown   known_only was asked, and there is nothing unresolved or settled
--   conflict  its payment_id names another payment
--   limited, cooling   the payer has too much in flight, or was refused a moment ago
--   balance   the payer has other payments in flight: say its balance
--   short     the balance does not cover them all
create or replace function payment_claim(input jsonb, max_flights integer, max_live integer)
returns table (
  ord integer, outcome text, id bigint, fence integer, tx text, body text, has_answer boolean,
  named text, settled_seconds double precision, wait_seconds double precision, refusals integer,
  state text, since_block bigint, held numeric
)
language plpgsql as $$
#variable_conflict use_column
declare
  item record;
  payer_row payment_payers%rowtype;
  entry payments%rowtype;
  known boolean;
  same boolean;
  expired boolean;
  moment timestamptz;
  flights integer;
  live_flights integer;
  resumes boolean;
begin
  for item in
    select x.ord, x.rail, decode(x.payer, 'hex') as payer, decode(x.nonce, 'hex') as nonce,
      decode(x.fingerprint, 'hex') as fingerprint, x.named, x.owner,
      x.lease_ms * interval '1 millisecond' as lease, x.route, x.live, x.amount,
      decode(x.pay_to, 'hex') as pay_to, x.valid_before, x.since_block, x.balance,
      x.held_before, x.check_balance, x.known_only
    from jsonb_to_recordset(input) as x(
      ord integer, rail text, payer text, nonce text, fingerprint text, named text, owner text,
      lease_ms integer, route text, live boolean, amount bigint, pay_to text, valid_before numeric,
      since_block bigint, balance numeric, held_before numeric, check_balance boolean,
      known_only boolean)
    order by x.rail, x.payer, x.ord
  loop
    ord := item.ord; id := null; fence := null; tx := null; body := null; has_answer := false;
    named := null; settled_seconds := null; wait_seconds := null; state := null;
    since_block := null; held := 0;

    select * into payer_row from payment_payers p
      where p.rail = item.rail and p.payer = item.payer for update;
    if not found then
      insert into payment_payers (rail, payer) values (item.rail, item.payer) on conflict do nothing;
      select * into payer_row from payment_payers p
        where p.rail = item.rail and p.payer = item.payer for update;
    end if;
    refusals := payer_row.refusals;
    moment := clock_timestamp();

    select * into entry from payments p
      where p.rail = item.rail and p.payer = item.payer and p.nonce = item.nonce;
    known := found;
    resumes := false;
    if known then
      same := entry.fingerprint = item.fingerprint;
      expired := entry.lease_until <= moment;
      id := entry.id; fence := entry.fence; tx := entry.tx; named := entry.payment_id;
      state := entry.state; since_block := entry.seen_block;

      if not same and entry.payment_id = item.named and entry.state <> 'released' then
        outcome := 'conflict'; return next; continue;
      end if;
      -- It may land after all until it was looked at once more, and then it bought what it was for.
      if not same and entry.state = 'refused' and entry.check_at is not null then
        outcome := 'other'; return next; continue;
      end if;
      if entry.state = 'settled' or (entry.state in ('claimed', 'answered', 'settling') and not expired)
        or entry.state = 'settling'
      then
        if not same then
          outcome := 'other'; return next; continue;
        end if;
        if entry.state <> 'settled' and not expired then
          outcome := 'busy'; return next; continue;
        end if;
        select a.body, true into body, has_answer from payment_answers a where a.payment_id = entry.id;
        has_answer := coalesce(has_answer, false);
        if entry.state = 'settled' then
          outcome := 'settled';
          settled_seconds := extract(epoch from moment - entry.settled_at);
          return next; continue;
        end if;
        fence := entry.fence + 1;
        update payments p set owner = item.owner, fence = p.fence + 1, lease_until = moment + item.lease
          where p.id = entry.id;
        outcome := 'resume'; return next; continue;
      end if;
      if same and entry.state in ('answered', 'refused') then
        select a.body, true into body, has_answer from payment_answers a where a.payment_id = entry.id;
        resumes := body is not null;
        has_answer := resumes;
      end if;
    end if;

    if item.known_only then
      outcome := 'unknown'; return next; continue;
    end if;
    if item.named is not null and exists (
      select 1 from payments p
      where p.rail = item.rail and p.payer = item.payer and p.payment_id = item.named
        and p.nonce <> item.nonce and p.state not in ('released', 'refused')
    ) then
      outcome := 'conflict'; return next; continue;
    end if;
    if payer_row.cool_until > moment then
      outcome := 'cooling';
      wait_seconds := extract(epoch from payer_row.cool_until - moment);
      return next; continue;
    end if;
    select count(*), count(*) filter (where p.live), coalesce(sum(p.amount), 0)
      into flights, live_flights, held
      from payments p
      where p.rail = item.rail and p.payer = item.payer
        and p.state in ('claimed', 'answered', 'settling')
        and (p.state = 'settling' or p.lease_until > moment)
        and (not known or p.id <> entry.id);
    if flights >= max_flights or (item.live and live_flights >= max_live) then
      outcome := 'limited'; return next; continue;
    end if;
    if item.check_balance and held > 0 and item.balance is null then
      outcome := 'balance'; return next; continue;
    end if;
    -- What was held before the balance was read may have landed after: it is held still.
    if item.balance < greatest(held, item.held_before) + item.amount then
      outcome := 'short'; return next; continue;
    end if;

    if resumes then
      update payments p set state = 'answered', owner = item.owner, fence = p.fence + 1,
          lease_until = moment + item.lease, reason = null, check_at = null, checks = 0
        where p.id = entry.id
        returning p.fence, p.state into fence, state;
      outcome := 'resume'; return next; continue;
    end if;
    body := null; tx := null;
    if known then
      delete from payment_answers a where a.payment_id = entry.id;
      update payments p set state = 'claimed', fingerprint = item.fingerprint,
          payment_id = item.named, owner = item.owner, fence = p.fence + 1,
          lease_until = moment + item.lease, route = item.route, live = item.live,
          amount = item.amount, pay_to = item.pay_to, valid_before = item.valid_before,
          seen_block = item.since_block, tx = null, reason = null, check_at = null, checks = 0
        where p.id = entry.id
        returning p.id, p.fence, p.state into id, fence, state;
    else
      insert into payments (rail, payer, nonce, fingerprint, payment_id, state, owner, lease_until,
          route, live, amount, pay_to, valid_before, seen_block, created_at)
        values (item.rail, item.payer, item.nonce, item.fingerprint, item.named, 'claimed',
          item.owner, moment + item.lease, item.route, item.live, item.amount, item.pay_to,
          item.valid_before, item.since_block, moment)
        returning payments.id, payments.fence, payments.state into id, fence, state;
    end if;
    -- Not at each claim: a day is told from an hour more than one.
    if payer_row.claimed_at < moment - interval '1 hour' then
      update payment_payers p set claimed_at = moment
        where p.rail = item.rail and p.payer = item.payer;
    end if;
    since_block := item.since_block;
    outcome := 'new';
    return next;
  end loop;
end $$;
