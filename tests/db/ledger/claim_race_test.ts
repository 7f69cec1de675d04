/** A claim on a payment that another connection is changing waits for that, and goes by it. */
import { assert, assertEquals } from "@std/assert";
import postgres from "postgres";
import { type Claim, type ClaimRequest, type Ledger, openLedger } from "../../../db/ledger/mod.ts";
import { openReconciliation, type ReconciliationStore } from "../../../db/ledger/reconciliation.ts";
import { DRIVER, type ShortStatement, type Sql } from "../../../db/sql.ts";
import { postgresUrl, testPostgres } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { assertPaid, newClaim, randomHex, takeClaim } from "../../payment/support/claims.ts";

const RAIL = "test:rail";
const ANSWER = { to: "settling", body: "{}", evidenceIds: [], leaseMs: 60_000 } as const;

/** One connection, and the ledger over it. */
interface Client {
  readonly sql: Sql;
  readonly ledger: Ledger;
  readonly reconciliation: ReconciliationStore;
  /** What its statements failed with, those included that were tried again. */
  readonly failures: unknown[];
}

interface Scene {
  readonly sql: Sql;
  readonly one: Client;
  readonly two: Client;
}

function connect(url: string): Client & AsyncDisposable {
  const sql = postgres(url, { ...DRIVER, max: 1 });
  const failures: unknown[] = [];
  const short: ShortStatement = async (statement) => {
    try {
      return await statement(sql);
    } catch (error) {
      failures.push(error);
      throw error;
    }
  };
  const parts = { short, durable: () => Promise.resolve() };
  return {
    sql,
    ledger: openLedger(parts),
    reconciliation: openReconciliation(parts, RAIL),
    failures,
    [Symbol.asyncDispose]: () => sql.end({ timeout: 0 }),
  };
}

/** Resolves when this many statements wait for a lock, or none has to since `isOver`. */
const waiting = (sql: Sql, count: number, isOver: () => boolean = () => false) =>
  until(async () => {
    const [row] = await sql<{ n: number }[]>`
      select count(*) as n from pg_stat_activity
      where datname = current_database() and wait_event_type = 'Lock'`;
    return row?.n === count || isOver();
  }, `${count} wait for a lock`);

/** Has `first` done by one connection, and committed while `second`, of the other, waits for it. */
async function during<T>(
  { sql, one }: Scene,
  first: () => Promise<unknown>,
  second: () => Promise<T>,
): Promise<T> {
  await one.sql`begin`;
  await first();
  let isOver = false;
  const result = second().finally(() => isOver = true);
  await waiting(sql, 1, () => isOver);
  await one.sql`commit`;
  return await result;
}

/** A claim whose owner seems dead. */
async function expired({ sql, one }: Scene, request: ClaimRequest): Promise<Claim> {
  const claim = await takeClaim(one.ledger, request);
  await sql`update payments set lease_until = now() where id = ${claim.id}`;
  return claim;
}

async function rowOf(sql: Sql, { id }: Claim) {
  const [row] = await sql<{ state: string; fence: number; tx: string | null; answer: string }[]>`
    select p.state, p.fence, p.tx, a.body as answer
    from payments p left join payment_answers a on a.payment_id = p.id where p.id = ${id}`;
  return row;
}

const CASES: Record<string, (scene: Scene) => Promise<void>> = {
  "a payment that begins to settle for one request is not claimed for another": async (scene) => {
    const { one, two, sql } = scene;
    const request = newClaim();
    const held = await expired(scene, request);
    const other = { ...request, fingerprint: randomHex(32), owner: "two" };
    const { outcome } = await during(
      scene,
      () => one.ledger.storeAnswer({ ...held, ...ANSWER }),
      () => two.ledger.claim(other),
    );
    assertEquals(outcome, "other");
    assertEquals(await rowOf(sql, held), { state: "settling", fence: 1, tx: null, answer: "{}" });
    assertEquals(await one.ledger.settle({ ...held, transaction: "0x1" }) instanceof Date, true);
  },

  "the claims beside it are not lost, whatever answers come with them": async (scene) => {
    const { one, two } = scene;
    const request = newClaim();
    const held = await expired(scene, request);
    const prepared = { to: "settling", body: "other", evidenceIds: [] } as const;
    const outcomes = await during(
      scene,
      () => one.ledger.storeAnswer({ ...held, ...ANSWER }),
      () =>
        Promise.all([
          two.ledger.claim(newClaim({ prepared })),
          two.ledger.claim({ ...request, fingerprint: randomHex(32), prepared }),
          two.ledger.claim(newClaim({ prepared })),
        ].map(async (claim) => (await claim).outcome)),
    );
    assertEquals(outcomes, ["new", "other", "new"]);
  },

  "a refused payment that turns out to be settled stays so": async (scene) => {
    const { one, two, sql } = scene;
    const request = newClaim();
    const held = await takeClaim(one.ledger, request);
    await one.ledger.storeAnswer({ ...held, ...ANSWER });
    await one.ledger.refuse(held, { reason: "no", recheckSeconds: 0, penalty: false });
    const [due = held] = await one.reconciliation.takeDue("job", 1, 60_000);
    const found = await during(
      scene,
      () => one.reconciliation.settleRefused(due, "0x1"),
      () => two.ledger.claim(request),
    );
    assertPaid(found, "0x1", "{}");
    assertEquals(await rowOf(sql, held), { state: "settled", fence: 2, tx: "0x1", answer: "{}" });
  },

  "a purchase that begins to settle is not bought again by one signed anew": async (scene) => {
    const { one, two } = scene;
    const request = newClaim({ purchaseKey: randomHex(16) });
    const held = await expired(scene, request);
    await one.ledger.storeAnswer({ ...held, ...ANSWER, to: "answered", leaseMs: 0 });
    const found = await during(
      scene,
      () => one.ledger.beginSettling(held, 60_000),
      () => two.ledger.claim({ ...request, nonce: randomHex(32) }),
    );
    assertEquals(found.outcome, "busy");
  },

  "a purchase whose answer is being stored is found by one signed anew": async (scene) => {
    const { one, two } = scene;
    const request = newClaim({ purchaseKey: randomHex(16) });
    const held = await expired(scene, request);
    const found = await during(
      scene,
      async () => {
        await one.ledger.storeAnswer({ ...held, ...ANSWER });
        await one.ledger.settle({ ...held, transaction: "0x1" });
      },
      () => two.ledger.claim({ ...request, nonce: randomHex(32) }),
    );
    assertPaid(found, "0x1", "{}");
  },

  "a claim that is taken over has the token that its row has": async (scene) => {
    const { one, two, sql } = scene;
    const request = newClaim();
    const held = await expired(scene, request);
    await one.ledger.storeAnswer({ ...held, ...ANSWER, leaseMs: 0 });
    const found = await during(
      scene,
      async () => await one.reconciliation.giveBack(await one.reconciliation.takeDue("job", 1, 1)),
      () => two.ledger.claim(request),
    );
    assert(found.outcome === "resume");
    assertEquals(found.claim.fencingToken, 3);
    assertEquals((await rowOf(sql, held))?.fence, 3);
  },

  "a row that the cleanup deletes is claimed as a new one": async (scene) => {
    const { one, two, sql } = scene;
    const request = newClaim();
    const held = await expired(scene, request);
    await one.ledger.release(held);
    const found = await during(
      scene,
      () => one.sql`delete from payments where id = ${held.id}`,
      () => two.ledger.claim(request),
    );
    assert(found.outcome === "new");
    assertEquals((await rowOf(sql, found.claim))?.state, "claimed");
  },

  "answers and settlements are kept of payments whose leases are renewed": async (scene) => {
    const { one, two, sql } = scene;
    const claims = [await expired(scene, newClaim()), await expired(scene, newClaim())];
    const stored = await during(
      scene,
      () => one.ledger.renew(claims, 60_000),
      () => Promise.all(claims.map((claim) => two.ledger.storeAnswer({ ...claim, ...ANSWER }))),
    );
    assertEquals(stored, ["stored", "stored"]);
    const settled = await during(
      scene,
      () => one.ledger.renew(claims, 60_000),
      () => Promise.all(claims.map((claim) => two.ledger.settle({ ...claim, transaction: "0x1" }))),
    );
    assertEquals(settled.map((at) => at instanceof Date), [true, true]);
    const [row] = await sql`
      select count(*) as n from payments p join payment_answers a on a.payment_id = p.id
      where p.state = 'settled' and p.tx = '0x1'`;
    assertEquals(row?.["n"], 2);
  },

  "two claims of a payer nobody has heard of come one after the other": async (scene) => {
    const { one, two } = scene;
    const request = newClaim({ purchaseKey: randomHex(16) });
    const found = await during(
      scene,
      () => one.ledger.claim(request),
      () => two.ledger.claim({ ...request, nonce: randomHex(32) }),
    );
    assertEquals(found.outcome, "busy");
  },
};

/** As many payments as it takes for rows to be looked up one by one, as they are named. */
async function fill(sql: Sql): Promise<void> {
  await sql`
    insert into payments (rail, payer, nonce, fingerprint, state, owner, lease_until, route, live,
      amount, pay_to, valid_before, created_at)
    select 'test:other', sha224(n::text::bytea), sha256(n::text::bytea), '', 'settled', 'one',
      now(), 'GET /v1/number', false, 1, '', 1, now()
    from generate_series(1, 20000) n`;
  await sql`analyze payments`;
}

/** What writes more than one row, and whether of claims whose answers are stored. */
const WRITES: Record<string, {
  readonly areStored: boolean;
  readonly write: (ledger: Ledger, claims: readonly [Claim, Claim]) => Promise<unknown>;
}> = {
  "answers": {
    areStored: false,
    write: (ledger, claims) =>
      Promise.all(claims.map((claim) => ledger.storeAnswer({ ...claim, ...ANSWER }))),
  },
  "settlements": {
    areStored: true,
    write: (ledger, claims) =>
      Promise.all(claims.map((claim) => ledger.settle({ ...claim, transaction: "0x1" }))),
  },
  "renewed leases": {
    areStored: false,
    write: (ledger, claims) => ledger.renew(claims, 60_000),
  },
  "a refusal, which makes its payer pause,": {
    areStored: true,
    write: (ledger, [, claim]) =>
      ledger.refuse(claim, { reason: "no", recheckSeconds: null, penalty: true }),
  },
};

for (const [what, { areStored, write }] of Object.entries(WRITES)) {
  CASES[`${what} and claims of the same payments never block each other`] = async (scene) => {
    const { sql, one, two } = scene;
    await fill(sql);
    // Whoever notices a deadlock fails; it must be the one that is not tried again.
    await one.sql`set deadlock_timeout = '50ms'`;
    await two.sql`set deadlock_timeout = '1min'`;
    for (const isWrittenFirst of [true, false]) {
      const requests = [newClaim(), newClaim()] as const;
      const [older, newer] = [await expired(scene, requests[0]), await expired(scene, requests[1])];
      if (areStored) {
        for (const claim of [older, newer]) await one.ledger.storeAnswer({ ...claim, ...ANSWER });
      }
      const both = [
        () => write(one.ledger, [newer, older]),
        () => Promise.all(requests.map((request) => two.ledger.claim(request))),
      ];
      const ends: Promise<unknown>[] = [];
      await sql.begin(async (tx) => {
        await tx`select from payments where id = ${older.id} for update`;
        for (const begin of isWrittenFirst ? both : both.toReversed()) {
          ends.push(begin());
          await waiting(sql, ends.length);
        }
      });
      await Promise.all(ends);
    }
    assertEquals([...one.failures, ...two.failures], []);
  };
}

Deno.test({
  name: "claims on payments that change at that moment (Postgres)",
  ignore: postgresUrl === undefined,
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async (t) => {
    await using test = await testPostgres();
    const { sql } = test.database;
    for (const [name, run] of Object.entries(CASES)) {
      await sql`truncate payments, payment_answers, payment_broadcasts, payment_payers`;
      await t.step(name, async () => {
        await using one = connect(test.env["DATABASE_URL"] ?? "");
        await using two = connect(test.env["DATABASE_URL"] ?? "");
        await run({ sql, one, two });
      });
    }
  },
});
