/** Buyers, replicas, faults and deaths by random numbers from fixed seeds: each charge has one answer. */
import { assert, assertEquals } from "@std/assert";
import { type PrivateKeyAccount } from "viem/accounts";
import type { Database } from "../../../db/sql.ts";
import { newAccount } from "../../support/accounts.ts";
import { testBoth } from "../../support/database.ts";
import { until } from "../../support/time.ts";
import { USDC } from "../../doubles/chain.ts";
import { encode, payloadV2, sign } from "../support/buyer.ts";
import {
  createModelChain,
  type ModelChain,
  randomOf,
  type SettleFate,
  useKey,
} from "../support/purchase_model.ts";
import { openShop, QUICK, type Shop, TERMS } from "../support/shop.ts";

interface Replica {
  readonly shop: Shop;
  readonly dead: { now: boolean };
  /** Ends it as kill -9 would: nothing it does from here on reaches anyone. */
  crash(): void;
}

/** A replica whose way to the database and to the outside can be cut for good. */
async function openReplica(database: Database, chain: ModelChain): Promise<Replica> {
  const dead = { now: false };
  const silence = new Promise<never>(() => {});
  const sql = new Proxy(database.sql, {
    apply: (target, self, args) =>
      dead.now && Array.isArray(args[0]) ? silence : Reflect.apply(target, self, args),
  });
  const shop = await openShop({
    database: {
      short: async (statement) => await statement(sql),
      durable: () => database.durable(),
      answers: () => database.answers(),
    },
    settings: { mode: "facilitator", facilitatorUrl: "http://f.test", rpcUrl: "http://r.test" },
    timing: {
      ...QUICK,
      leaseMs: 250,
      facilitator: { settleMs: 200, settleBudgetMs: 100, retryMs: 5 },
    },
    fetch: async (input, init) => {
      if (dead.now) return await silence;
      const response = await chain.fetch(String(input), init ?? {});
      return dead.now ? await silence : response;
    },
  });
  return { shop, dead, crash: () => void (dead.now = true) };
}

interface Payment {
  readonly account: PrivateKeyAccount;
  readonly headers: Record<string, string>;
  /** Bodies delivered to the payer, by the request they answered. */
  readonly delivered: Map<string, Set<string>>;
}

/** Another payment of the same payer's, as a client signs it that never got its answer. */
async function signAnew({ account, delivered }: Omit<Payment, "headers">): Promise<Payment> {
  const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(await sign(account, TERMS), TERMS)) };
  return { account, delivered, headers };
}

async function newPayment(chain: ModelChain): Promise<Payment> {
  const account = newAccount();
  chain.balances.set(account.address.toLowerCase(), 1_000_000n);
  return await signAnew({ account, delivered: new Map() });
}

/** How often the payer of a payment was charged. */
const charges = (chain: ModelChain, { account }: Payment): number =>
  [...chain.uses.keys()].filter((key) => key.startsWith(useKey(account.address, ""))).length;

/** One call; what a dead replica would have said counts as never said. */
async function call(
  chain: ModelChain,
  { shop, dead }: Replica,
  payment: Payment,
  query: string,
  path = "/v1/number",
): Promise<number | null> {
  const gone = new AbortController();
  const watch = setInterval(() => dead.now && gone.abort(), 5);
  try {
    const response = await fetch(`${shop.url}${path}${query}`, {
      headers: payment.headers,
      signal: gone.signal,
    });
    const text = await response.text();
    if (dead.now) return null;
    if (response.status === 200) {
      assertEquals(JSON.parse(text).charged, true);
      assert(charges(chain, payment) > 0, "an answer without a charge");
      const bodies = payment.delivered.get(query) ?? new Set();
      payment.delivered.set(query, bodies.add(text));
    }
    return response.status;
  } catch (error) {
    if (dead.now) return null;
    throw error;
  } finally {
    clearInterval(watch);
  }
}

const FATES: readonly SettleFate[] = [
  "paid",
  "paid",
  "paid",
  "lost before",
  "lost after",
  "refused",
  "pending",
  "lies",
];

/** What the buyers of a story do. */
interface Habits {
  readonly path: string;
  /** Their requests, by how often they make them. */
  readonly queries: readonly string[];
  /** How often they sign anew what they send again. */
  readonly signsAnew: number;
}

/** One payment each, tried on two requests: one of them is answered. */
const ONE_PAYMENT: Habits = {
  path: "/v1/number",
  queries: ["?n=1", "?n=1", "?n=1", "?n=2"],
  signsAnew: 0,
};
/** One request each, however often it is signed for: it is sold once. */
const ONE_PURCHASE: Habits = { path: "/v1/number", queries: ["?n=1"], signsAnew: 0.4 };

async function story(database: Database, seed: number, habits: Habits): Promise<void> {
  const { path, queries, signsAnew } = habits;
  const random = randomOf(seed);
  const pick = <T>(items: readonly T[]): T => items[Math.floor(random() * items.length)] as T;
  const chain = createModelChain(USDC.toLowerCase(), seed);
  const all = [await openReplica(database, chain), await openReplica(database, chain)];
  const payments = await Promise.all(Array.from({ length: 5 }, () => newPayment(chain)));
  chain.fate = () => pick(FATES);
  chain.silent = () => random() < 0.15;
  const calls: Promise<unknown>[] = [];
  for (let turn = 0; turn < 60; turn++) {
    const living = all.filter(({ dead }) => !dead.now);
    const replica = pick(living);
    const deed = random();
    replica.shop.delayMs = pick([0, 0, 10, 40, 400]);
    replica.shop.failure = random() < 0.1 ? new Error("compute") : null;
    if (deed < 0.75) {
      const index = Math.floor(random() * payments.length);
      let payment = payments[index] as Payment;
      if (random() < signsAnew) payments.push(payment = await signAnew(payment));
      calls.push(call(chain, replica, payment, pick(queries), path));
    } else if (deed < 0.83) {
      replica.crash();
      all.push(await openReplica(database, chain));
    } else if (deed < 0.9) {
      await database.sql`update payments set check_at = now() where state = 'settling'`;
      calls.push(replica.shop.payments.reconcile());
    } else await new Promise((resolve) => setTimeout(resolve, random() * 120));
  }
  await Promise.all(
    calls.map((one) => Promise.race([one, new Promise((resolve) => setTimeout(resolve, 4_000))])),
  );

  // The storm is over: every payment is presented until it gets a plain answer.
  chain.fate = () => "paid";
  chain.silent = () => false;
  // What a reconciler died over is held for 20 s, all else for a quarter of one.
  await database.sql`
    update payments set lease_until = now() where lease_until > now() + interval '1 second'`;
  const last = await openReplica(database, chain);
  const anew = signsAnew > 0 ? await Promise.all(payments.slice(0, 5).map(signAnew)) : [];
  for (const payment of [...anew, ...payments]) {
    const before = charges(chain, payment);
    const ends = new Map<string, number>();
    for (const query of new Set(queries)) {
      let status: number | null = 503;
      for (let i = 0; i < 100 && (status === 503 || status === 429); i++) {
        status = await call(chain, last, payment, query, path);
        if (status === 503 || status === 429) await new Promise((r) => setTimeout(r, 40));
      }
      ends.set(query, status ?? 0);
    }
    const told = `seed ${seed}, ${JSON.stringify([...ends])}, charged before the end: ${before}`;
    const expected = [200, 402].slice(0, ends.size);
    assertEquals([...ends.values()].toSorted(), expected, `one request is answered: ${told}`);
    assertEquals(charges(chain, payment), 1, told);
    assertEquals(payment.delivered.size, 1, `one request was ever answered: ${told}`);
    const [bodies] = payment.delivered.values();
    assertEquals(bodies?.size, 1, `one computation was ever delivered: ${told}`);
  }
  const { settling } = await last.shop.unresolved();
  assertEquals(settling, 0);
  for (const { crash } of all) crash();
}

/** Tells stories of buyers with these habits, each with replicas, faults and deaths of its own. */
async function tell(database: Database, seeds: readonly number[], habits: Habits): Promise<void> {
  for (const seed of seeds) {
    await database.sql`truncate payments, payment_answers, payment_broadcasts, payment_payers`;
    await story(database, seed, habits);
  }
}

testBoth("whatever happens in whatever order, each charge has one answer", async ({ database }) => {
  await tell(database, database.kind === "postgres" ? [1, 2, 3, 4, 5] : [6, 7], ONE_PAYMENT);
});

testBoth(
  "whatever happens and however often it is signed for, a purchase has one charge",
  async ({ database }) => {
    const seeds = database.kind === "postgres" ? [11, 12, 13, 14, 15] : [16, 17];
    await tell(database, seeds, ONE_PURCHASE);
    await tell(database, seeds.map((seed) => seed + 10), { ...ONE_PURCHASE, path: "/v1/read" });
  },
);

testBoth(
  "a refusal that turns out to have been paid gives its answer after all",
  async ({ database }) => {
    const chain = createModelChain(USDC.toLowerCase());
    const { shop } = await openReplica(database, chain);
    const account = newAccount();
    chain.balances.set(account.address.toLowerCase(), 10_000n);
    const signed = await sign(account, TERMS);
    const headers = { "PAYMENT-SIGNATURE": encode(payloadV2(signed, TERMS)) };
    chain.fate = () => "refused";
    const refused = await shop.get("number", "?n=1", headers);
    assertEquals([refused.status, (await refused.json()).charged], [402, false]);
    const [row] = await database.sql<{ state: string; later: boolean }[]>`
    select state, check_at > to_timestamp(valid_before) as later from payments`;
    assertEquals(row, { state: "refused", later: true });
    chain.use(signed.authorization);
    await database.sql`update payments set check_at = now(), lease_until = now()`;
    assertEquals(await shop.payments.reconcile(), { looked: 1, settled: 1, refused: 0 });
    const answer = await shop.get("number", "?n=1", headers);
    assertEquals([answer.status, (await answer.json()).count], [200, 1]);
    await shop[Symbol.asyncDispose]();
  },
);

testBoth("stopping waits for the calls under way and takes no more", async ({ database }) => {
  const chain = createModelChain(USDC.toLowerCase());
  const { shop } = await openReplica(database, chain);
  const payment = await newPayment(chain);
  shop.delayMs = 300;
  const call = shop.get("number", "?n=1", payment.headers);
  await until(() => shop.payments.status().inFlight > 0, "the call is under way");
  const stopped = shop.payments.stop();
  const late = await shop.get("number", "?n=2", (await newPayment(chain)).headers);
  assertEquals([late.status, (await late.json()).charged], [503, false]);
  await stopped;
  assertEquals((await (await call).json()).charged, true);
  await shop[Symbol.asyncDispose]();
});

testBoth(
  "a payment that meets no ledger is not charged, and an open question where the ledger knew it",
  async ({ database }) => {
    const chain = createModelChain(USDC.toLowerCase());
    let away = false;
    const sql = new Proxy(database.sql, {
      apply: (target, self, args) =>
        away && Array.isArray(args[0])
          ? Promise.reject(Object.assign(new Error("gone"), { code: "CONNECTION_CLOSED" }))
          : Reflect.apply(target, self, args),
    });
    await using shop = await openShop({
      database: {
        short: async (statement) => await statement(sql),
        durable: () => database.durable(),
        answers: () => database.answers(),
      },
      settings: { mode: "facilitator", facilitatorUrl: "http://f.test", rpcUrl: "http://r.test" },
      fetch: (input, init) => chain.fetch(String(input), init ?? {}),
    });
    const payment = await newPayment(chain);
    for (const isFirst of [true, false]) {
      away = true;
      const lost = await shop.get("number", "?n=1", payment.headers);
      const { error, charged } = await lost.json();
      const told = isFirst ? ["overloaded", false] : ["settlement_pending", null];
      assertEquals([lost.status, error.code, charged], [503, ...told]);
      away = false;
      const answer = await shop.get("number", "?n=1", payment.headers);
      assertEquals([answer.status, (await answer.json()).count, isFirst], [200, 1, isFirst]);
    }
    assertEquals(chain.uses.size, 1);
  },
);
