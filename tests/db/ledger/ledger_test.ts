import { assert, assertEquals } from "@std/assert";
import { type ClaimRequest, openLedger } from "../../../db/ledger/mod.ts";
import { cleanUpLedger, dropAnswersQuoting } from "../../../db/ledger/cleanup.ts";
import type { Database } from "../../../db/sql.ts";
import { testBoth } from "../../support/database.ts";
import { assertPaid, newClaim, randomHex, takeClaim } from "../../payment/support/claims.ts";

const CASES: Record<string, (database: Database) => Promise<void>> = {
  "a claim that was taken over obeys its new owner alone": async (database) => {
    const ledger = openLedger(database);
    const claim = newClaim();
    const first = await takeClaim(ledger, claim);
    assertEquals(first.fencingToken, 1);
    assertEquals((await ledger.claim({ ...claim, owner: "two" })).outcome, "busy");
    await database.sql`update payments set lease_until = now() where id = ${first.id}`;
    const second = await takeClaim(ledger, { ...claim, owner: "two", leaseMs: 10_000 });
    const { id } = first;
    assertEquals([second.id, second.fencingToken], [id, 2]);
    const answer = { id, to: "settling", body: "{}", evidenceIds: [], leaseMs: 10_000 } as const;
    assertEquals(await ledger.storeAnswer({ ...answer, fencingToken: 1 }), "lost");
    assertEquals(await ledger.release({ id, fencingToken: 1 }), false);
    assertEquals(await ledger.storeAnswer({ ...answer, fencingToken: 2 }), "stored");
    assertEquals(
      await ledger.release({ id, fencingToken: 2 }),
      false,
      "what is settling is not released",
    );
    assertEquals(await ledger.settle({ id, fencingToken: 1, transaction: "0x1" }), null);
    assert(await ledger.settle({ id, fencingToken: 2, transaction: "0x2" }) instanceof Date);
    assertEquals(await ledger.settle({ id, fencingToken: 2, transaction: "0x3" }), null);
    assertPaid(await ledger.claim(claim), "0x2", "{}");
  },

  "what may only join what is known leaves no trace of a payer it has not heard of": async (
    database,
  ) => {
    const ledger = openLedger(database);
    const stranger = newClaim({ knownOnly: true });
    assertEquals((await ledger.claim(stranger)).outcome, "unknown");
    const payer = database.sql`payer = decode(${stranger.payer}, 'hex')`;
    assertEquals([...await database.sql`select rail from payment_payers where ${payer}`], []);
    const claim = newClaim();
    await ledger.claim(claim);
    assertEquals((await ledger.claim({ ...claim, knownOnly: true })).outcome, "busy");
  },

  "payers of whom nothing is left are all forgotten at once, however many": async (database) => {
    const rail = "test:many";
    await database.sql`
      insert into payment_payers (rail, payer)
      select ${rail}, decode(lpad(to_hex(n), 40, '0'), 'hex') from generate_series(1, 25000) n`;
    await cleanUpLedger(database, rail, null);
    const [left] = await database.sql`
      select count(*)::int as n from payment_payers where rail = ${rail}`;
    assertEquals(left?.["n"], 0);
  },

  "a payer is remembered for 25 hours after its last claim": async (database) => {
    const rail = "test:hours";
    await database.sql`
      insert into payment_payers (rail, payer, claimed_at)
      select ${rail}, decode(lpad(to_hex(hours), 40, '0'), 'hex'), now() - hours * interval '1 hour'
      from unnest(array[24, 26]) as hours`;
    await cleanUpLedger(database, rail, null);
    const left = await database.sql`
      select encode(payer, 'hex') as payer from payment_payers where rail = ${rail}`;
    assertEquals(left.map(({ payer }) => parseInt(payer, 16)), [24]);
  },

  "a claim is given up however often that was done before": async (database) => {
    const ledger = openLedger(database);
    const held = await takeClaim(ledger, newClaim());
    const more = { to: "settling", body: "{}", evidenceIds: [], leaseMs: 10_000 } as const;
    await ledger.storeAnswer({ ...held, ...more });
    await database.sql`update payments set checks = 1024`;
    assertEquals(await ledger.abandon(held), true);
  },

  "a lease that is renewed is not taken over": async (database) => {
    const ledger = openLedger(database);
    const claim = newClaim();
    const held = await takeClaim(ledger, claim);
    await database.sql`update payments set lease_until = now() where id = ${held.id}`;
    await ledger.renew([held], 10_000);
    assertEquals((await ledger.claim(claim)).outcome, "busy");
    await ledger.renew([{ ...held, fencingToken: 9 }], 0);
    assertEquals((await ledger.claim(claim)).outcome, "busy");
  },

  "refusals in a row double the payer's pause, and a success ends it": async (database) => {
    const ledger = openLedger(database);
    const payer = randomHex(20);
    const pauses: number[] = [];
    for (let i = 0; i < 3; i++) {
      await database
        .sql`update payment_payers set cool_until = now() where payer = decode(${payer}, 'hex')`;
      const held = await takeClaim(ledger, newClaim({ payer }));
      await ledger.storeAnswer({
        ...held,
        to: "answered",
        body: "{}",
        evidenceIds: [],
        leaseMs: 1_000,
      });
      await ledger.refuse(held, { reason: "no", recheckSeconds: null, penalty: true });
      const [row] = await database.sql<{ pause: number }[]>`
        select extract(epoch from q.cool_until - p.lease_until)::float8 as pause
        from payments p join payment_payers q using (rail, payer) where p.id = ${held.id}`;
      pauses.push(Math.round((row?.pause ?? 0) * 20) / 20);
    }
    assertEquals(pauses, [0.25, 0.5, 1]);
    await database.sql`
      update payment_payers set cool_until = now() + interval '100 seconds'
      where payer = decode(${payer}, 'hex')`;
    const cooling = await ledger.claim(newClaim({ payer }));
    assert(cooling.outcome === "cooling" && cooling.waitSeconds > 10);
    await ledger.forgive("test:rail", payer);
    assertEquals((await ledger.claim(newClaim({ payer }))).outcome, "new");
  },

  "a refused payment that may land is claimed again with the block of its first claim": async (
    database,
  ) => {
    const ledger = openLedger(database);
    const claim = newClaim({ sinceBlock: 100 });
    const held = await takeClaim(ledger, claim);
    const answer = { to: "settling", body: "{}", evidenceIds: ["post"], leaseMs: 1_000 } as const;
    await ledger.storeAnswer({ ...held, ...answer });
    await ledger.refuse(held, { reason: "no", recheckSeconds: 300, penalty: false });
    await dropAnswersQuoting(database.sql, ["post"]);
    const again = await takeClaim(ledger, { ...claim, sinceBlock: 200 });
    assertEquals([again.id, again.sinceBlock], [held.id, 100]);
  },

  "money in flight is held against the balance": async (database) => {
    const ledger = openLedger(database);
    const payer = randomHex(20);
    const claim = (more: Partial<ClaimRequest>) =>
      ledger.claim(newClaim({ payer, checkBalance: true, ...more }));
    assertEquals((await claim({})).outcome, "new");
    const asked = await claim({});
    assertEquals(asked, { outcome: "balance", isKnown: false, inFlight: "10000" });
    assertEquals((await claim({ balance: "19999" })).outcome, "short");
    assertEquals((await claim({ balance: "20000", inFlightBefore: "30000" })).outcome, "short");
    assertEquals((await claim({ balance: "20000", inFlightBefore: "10000" })).outcome, "new");
  },

  "the cleanup releases what died and forgets what nobody can ask for": async (database) => {
    const ledger = openLedger(database);
    const { sql } = database;
    const dead = await takeClaim(ledger, newClaim());
    const claim = newClaim();
    const held = await takeClaim(ledger, claim);
    await ledger.storeAnswer({ ...held, to: "settling", body: "{}", evidenceIds: [], leaseMs: 1 });
    await ledger.settle({ ...held, transaction: "0x1" });
    assertEquals(await cleanUpLedger(database, "test:rail", null), { released: 0, forgotten: 0 });
    await sql`update payments set lease_until = lease_until - interval '1 hour',
    settled_at = settled_at - interval '1 hour'`;
    await sql`update payment_answers set stored_at = stored_at - interval '1 hour'`;
    assertEquals(await cleanUpLedger(database, "test:rail", null), { released: 1, forgotten: 1 });
    const found = await ledger.claim(claim);
    assert(found.outcome === "settled" && found.answer === null);
    await sql`update payments set valid_before = 1 where id = ${dead.id}`;
    await cleanUpLedger(database, "test:rail", null);
    assertEquals(
      (await sql`select id from payments`).length,
      1,
      "an unpaid one that ran out is gone",
    );
  },
};

testBoth("the ledger", async ({ database }, t) => {
  for (const [name, run] of Object.entries(CASES)) {
    await database.sql`truncate payments, payment_answers, payment_broadcasts, payment_payers`;
    await t.step(name, () => run(database));
  }
});
