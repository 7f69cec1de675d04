-- One purchase, one charge, even where its retry is signed anew: payments are found by what they buy too.

-- What a payer buys: the first 16 bytes of a hash of rail, payer, method, path and input. Null in rows of
-- earlier versions.
alter table payments add column purchase bytea;
-- Whether the compute costs money or time.
alter table payments add column costs boolean not null default false;
-- With these a settlement that its owner left open is finished for a buyer who signed anew. They are null
-- again once the outcome is known.
alter table payments add column valid_after numeric(78);
alter table payments add column signature bytea;
create index payments_purchase on payments (purchase) where purchase is not null;

-- One row that is written where a write failed, to find out when writes succeed again.
create table ledger_probe (
  id integer primary key,
  filler text not null
);

-- Claims authorizations, as payment_claim does, which versions before this migration go on calling.
-- `input` is an array of what db/ledger/mod.ts calls a Claim. One row comes back for each, whose `outcome` is:
--   new       claimed for the caller, who computes, or settles where the answer came with the claim
--   resume    taken over from an owner that died or gave up; its answer is stored already
--   busy      its owner is at work on this very request
--   settled   bought already, by this very request
--   other     belongs to another request
--   unknown   known_only was asked, and there is nothing unresolved or settled
--   conflict  its payment_id names another payment
--   limited, cooling   the payer has too much in flight, or was refused a moment ago
--   balance   the payer has other payments in flight: say its balance
--   short     the balance does not cover them all
--   gone      the answer that came with the claim quotes what was removed: nothing was claimed
-- `resume`, `busy` and `settled` may be of another authorization of the payer's for the same purchase; a
-- `resume` then says which in `signed`. One that nobody works on and for which nothing was sent makes way.
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
  item record;
  payer_row payment_payers%rowtype;
  entry payments%rowtype;
  earlier payments%rowtype;
  known boolean;
  same boolean;
  expired boolean;
  moment timestamptz;
  flights integer;
  costly_flights integer;
  live_flights integer;
  resumes boolean;
begin
  for item in
    select x.ord, x.rail, decode(x.payer, 'hex') as payer, decode(x.nonce, 'hex') as nonce,
      decode(x.fingerprint, 'hex') as fingerprint, decode(x.purchase, 'hex') as purchase, x.anew,
      x.named, x.owner, x.lease_ms * interval '1 millisecond' as lease, x.route, x.costs, x.live,
      x.amount, decode(x.pay_to, 'hex') as pay_to, x.valid_after, x.valid_before,
      decode(x.signature, 'hex') as signature, x.since_block, x.balance, x.held_before,
      x.check_balance, x.known_only, x."to", x.body, x.evidence_ids
    from json_to_recordset(input) as x(
      ord integer, rail text, payer text, nonce text, fingerprint text, purchase text, anew boolean,
      named text, owner text, lease_ms integer, route text, costs boolean, live boolean,
      amount bigint, pay_to text, valid_after numeric, valid_before numeric, signature text,
      since_block bigint, balance numeric, held_before numeric, check_balance boolean,
      known_only boolean, "to" text, body text, evidence_ids text[])
    order by x.rail, x.payer, x.ord
  loop
    ord := item.ord; id := null; fence := null; tx := null; body := null; has_answer := false;
    named := null; settled_seconds := null; wait_seconds := null; state := null;
    since_block := null; held := 0; signed := null;

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
    end if;

    -- Another authorization of this payer's for the same purchase: the one that was paid, or that may be.
    if item.purchase is not null and not item.anew then
      select p.* into earlier from payments p
        where p.purchase = item.purchase and p.rail = item.rail and p.payer = item.payer
          and p.nonce <> item.nonce
          and (p.state in ('claimed', 'answered', 'settling') or (p.state = 'settled'
            and p.settled_at > moment - interval '1 second' *
              case when p.payment_id = item.named then named_repeat_seconds else repeat_seconds end
            and exists (select from payment_answers a where a.payment_id = p.id)))
        order by p.state = 'settled' desc,
          p.state = 'settling' or p.lease_until > moment desc, p.id desc
        limit 1;
      if found then
        expired := earlier.lease_until <= moment;
        if earlier.state = 'settled' then
          id := earlier.id; fence := earlier.fence; tx := earlier.tx; named := earlier.payment_id;
          state := earlier.state; since_block := earlier.seen_block;
          select a.body, true into body, has_answer
            from payment_answers a where a.payment_id = earlier.id;
          outcome := 'settled';
          settled_seconds := extract(epoch from moment - earlier.settled_at);
          return next; continue;
        end if;
        -- One without a signature was claimed by an earlier version: its own buyer or the chain ends it.
        if not expired or (earlier.state = 'settling' and earlier.signature is null) then
          outcome := 'busy'; return next; continue;
        end if;
        if earlier.state = 'settling' then
          update payments p set owner = item.owner, fence = p.fence + 1,
              lease_until = moment + item.lease
            where p.id = earlier.id;
          id := earlier.id; fence := earlier.fence + 1; tx := earlier.tx; named := earlier.payment_id;
          state := earlier.state; since_block := earlier.seen_block;
          select a.body, true into body, has_answer
            from payment_answers a where a.payment_id = earlier.id;
          has_answer := coalesce(has_answer, false);
          signed := json_build_object('nonce', '0x' || encode(earlier.nonce, 'hex'),
            'payTo', '0x' || encode(earlier.pay_to, 'hex'), 'amount', earlier.amount::text,
            'validAfter', earlier.valid_after::text, 'validBefore', earlier.valid_before::text,
            'signature', '0x' || encode(earlier.signature, 'hex'));
          outcome := 'resume'; return next; continue;
        end if;
        if not item.known_only then
          -- Nothing was sent for any of these, and their owners, should they wake up, may send nothing more.
          with left_behind as (
            update payments p set state = 'released', payment_id = null, check_at = null,
                signature = null, valid_after = null, fence = p.fence + 1
              where p.purchase = item.purchase and p.rail = item.rail and p.payer = item.payer
                and p.nonce <> item.nonce and p.state in ('claimed', 'answered')
                and p.lease_until <= moment
              returning p.id
          )
          delete from payment_answers a using left_behind l where a.payment_id = l.id;
        end if;
      end if;
    end if;

    if known and same and entry.state in ('answered', 'refused') then
      select a.body, true into body, has_answer from payment_answers a where a.payment_id = entry.id;
      resumes := body is not null;
      has_answer := resumes;
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
    select count(*), count(*) filter (where p.costs), count(*) filter (where p.live),
        coalesce(sum(p.amount), 0)
      into flights, costly_flights, live_flights, held
      from payments p
      where p.rail = item.rail and p.payer = item.payer
        and p.state in ('claimed', 'answered', 'settling')
        and (p.state = 'settling' or p.lease_until > moment)
        and (not known or p.id <> entry.id);
    if flights >= max_flights or (item.costs and costly_flights >= max_costly)
      or (item.live and live_flights >= max_live)
    then
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
          lease_until = moment + item.lease, reason = null, check_at = null, checks = 0,
          signature = item.signature, valid_after = item.valid_after
        where p.id = entry.id
        returning p.fence, p.state into fence, state;
      outcome := 'resume'; return next; continue;
    end if;
    if item.body is not null and exists (
      select from seen_posts s where s.id = any(item.evidence_ids) and s.forgotten)
    then
      outcome := 'gone'; return next; continue;
    end if;
    body := null; tx := null; has_answer := false;
    if known then
      delete from payment_answers a where a.payment_id = entry.id;
      update payments p set state = item."to", fingerprint = item.fingerprint,
          purchase = item.purchase, payment_id = item.named, owner = item.owner,
          fence = p.fence + 1, lease_until = moment + item.lease, route = item.route,
          costs = item.costs, live = item.live, amount = item.amount, pay_to = item.pay_to,
          valid_after = item.valid_after, valid_before = item.valid_before,
          signature = item.signature, seen_block = item.since_block, tx = null, reason = null,
          check_at = case when item.body is not null then moment end, checks = 0
        where p.id = entry.id
        returning p.id, p.fence, p.state into id, fence, state;
    else
      insert into payments (rail, payer, nonce, fingerprint, purchase, payment_id, state, owner,
          lease_until, route, costs, live, amount, pay_to, valid_after, valid_before, signature,
          seen_block, check_at, created_at)
        values (item.rail, item.payer, item.nonce, item.fingerprint, item.purchase, item.named,
          item."to", item.owner, moment + item.lease, item.route, item.costs, item.live,
          item.amount, item.pay_to, item.valid_after, item.valid_before, item.signature,
          item.since_block, case when item.body is not null then moment end, moment)
        returning payments.id, payments.fence, payments.state into id, fence, state;
    end if;
    if item.body is not null then
      insert into payment_answers (payment_id, body, evidence_ids, stored_at)
        values (id, item.body, item.evidence_ids, moment);
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
