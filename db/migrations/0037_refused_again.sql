-- A refused payment that may land after all stays one when it is tried again: it is settling then,
-- and not answered, so that whoever dies meanwhile leaves it to the chain, and not to the cleanup,
-- which gives it to any request. The state of such a claim is 'refused'; versions before this one
-- take it for 'settling'. One that is computed again keeps the block from which on its use is ours.
create or replace function decide_claims(
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
  may_land boolean;
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

    -- This authorization: it bought something, or is under way, or may be on its way.
    select * into entry from payments p
      where p.rail = item.rail and p.payer = item.payer and p.nonce = item.nonce;
    known := found;
    resumes := false;
    may_land := false;
    if known then
      same := entry.fingerprint = item.fingerprint;
      may_land := entry.state = 'refused' and entry.check_at is not null;
      expired := entry.lease_until <= moment;
      id := entry.id; fence := entry.fence; tx := entry.tx; named := entry.payment_id;
      state := entry.state; since_block := entry.seen_block;

      if not same and entry.payment_id = item.named and entry.state <> 'released' then
        outcome := 'conflict'; return next; continue;
      end if;
      -- It may land after all until it was looked at once more, and then it bought what it was for.
      if not same and may_land then
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

    -- Nothing was bought before: the claim is made, unless something stands against it.
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
      update payments p set state = case when may_land then 'settling' else 'answered' end,
          owner = item.owner, fence = p.fence + 1, lease_until = moment + item.lease, reason = null,
          check_at = case when may_land then moment end, checks = 0, signature = item.signature,
          valid_after = item.valid_after
        where p.id = entry.id
        returning p.fence into fence;
      state := case when may_land then 'refused' else 'answered' end;
      outcome := 'resume'; return next; continue;
    end if;
    if item.body is not null and exists (
      select from seen_posts s where s.id = any(item.evidence_ids) and s.forgotten)
    then
      outcome := 'gone'; return next; continue;
    end if;
    body := null; tx := null; has_answer := false;
    since_block := case when may_land then entry.seen_block else item.since_block end;
    if known then
      delete from payment_answers a where a.payment_id = entry.id;
      update payments p set state = item."to", fingerprint = item.fingerprint,
          purchase = item.purchase, payment_id = item.named, owner = item.owner,
          fence = p.fence + 1, lease_until = moment + item.lease, route = item.route,
          costs = item.costs, live = item.live, amount = item.amount, pay_to = item.pay_to,
          valid_after = item.valid_after, valid_before = item.valid_before,
          signature = item.signature, seen_block = since_block, tx = null, reason = null,
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
          since_block, case when item.body is not null then moment end, moment)
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
    outcome := 'new';
    return next;
  end loop;
end $$;
