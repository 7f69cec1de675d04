/**
 * The ledger of payments. Every transition names the id, the fencing token and the state it starts
 * from: an owner that lost its claim changes nothing. What locks several rows locks payers before
 * payments, and payments by id, or skips those that are locked: so no two wait for each other.
 */
import { randomBytes } from "node:crypto";
import { createGroup } from "../group.ts";
import type { Database, ShortStatement } from "../sql.ts";
import { readClaim, writeAnswers, writeClaims, writeSettled } from "./batches.ts";
import {
  abandon,
  beginSettling,
  forgive,
  refuse,
  release,
  renew,
  type Transition,
} from "./transitions.ts";
import {
  type Claim,
  type ClaimRequest,
  type ClaimResult,
  IN_FLIGHT_LIMITS,
  type InFlightLimits,
  type Refusal,
  type Settled,
  type StoredAnswer,
  type StoredState,
} from "./types.ts";

export type * from "./types.ts";

/** Statements of one kind start this far apart when calls are many; a lone call waits for nothing. */
const GROUP = { limit: 200, spacingMs: 4 };

/** Moves resolve to false where the claim was lost to another owner. */
export interface Ledger {
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** claimed → answered or settling, where it is still held and what it quotes still stands. */
  storeAnswer(answer: StoredAnswer): Promise<StoredState>;
  /** answered → settling. */
  beginSettling(claim: Claim, leaseMs: number): Promise<boolean>;
  /** answered or settling → settled: when, or null where the claim was lost. */
  settle(settled: Settled): Promise<Date | null>;
  /** answered or settling → refused. */
  refuse(claim: Claim, refusal: Refusal): Promise<boolean>;
  /** claimed or answered → released: the authorization is free for any request. */
  release(claim: Claim): Promise<boolean>;
  /** Gives a claim up: one of unknown outcome is left to reconciliation, one not begun to a retry. */
  abandon(claim: Claim): Promise<boolean>;
  /** Lengthens the leases of claims that are worked on. */
  renew(claims: readonly Claim[], leaseMs: number): Promise<void>;
  /** Resets a payer's count of refusals. */
  forgive(rail: string, payer: string): Promise<void>;
}

/**
 * Whether the ledger has an authorization, or another one for the same purchase. Reads only, so that made-up keys
 * leave no rows.
 */
async function isKnown(short: ShortStatement, request: ClaimRequest): Promise<boolean> {
  const { rail, payer, nonce } = request;
  const purchase = request.forceNew ? null : request.purchaseKey;
  const rows = await short((sql) =>
    sql`
    select id from payments
    where rail = ${rail} and payer = decode(${payer}, 'hex') and nonce = decode(${nonce}, 'hex')
    union all
    select id from payments
    where purchase = decode(${purchase}, 'hex') and rail = ${rail}
      and payer = decode(${payer}, 'hex')
    limit 1`
  );
  return rows.length > 0;
}

/** Opens the ledger of a database; each transition is durable when its promise resolves. */
export function openLedger(
  database: Pick<Database, "short" | "durable">,
  limits: InFlightLimits = IN_FLIGHT_LIMITS,
): Ledger {
  const { short } = database;
  const durable = <I, O>(write: (items: readonly I[]) => Promise<readonly O[]>) =>
    createGroup<I, O>(GROUP, async (items) => {
      const results = await write(items);
      await database.durable();
      return results;
    });
  const claims = durable(writeClaims(short, limits));
  const answers = durable(writeAnswers(short));
  const settlements = durable(writeSettled(short));
  /** Whether a transition changed its row. */
  const moved = async (transition: Transition): Promise<boolean> => {
    const { length } = await short(transition);
    await database.durable();
    return length > 0;
  };
  return {
    claim: async (request) =>
      request.knownOnly && !(await isKnown(short, request))
        ? { outcome: "unknown", isKnown: false }
        : readClaim(await claims.add(request)),
    storeAnswer: (answer) => answers.add(answer),
    settle: (settled) => settlements.add(settled),
    beginSettling: (claim, leaseMs) => moved(beginSettling(claim, leaseMs)),
    refuse: (claim, refusal) => moved(refuse(claim, refusal)),
    release: (claim) => moved(release(claim)),
    abandon: (claim) => moved(abandon(claim)),
    renew: async (claims, leaseMs) => void await short(renew(claims, leaseMs)),
    forgive: async (rail, payer) => void await short(forgive(rail, payer)),
  };
}

/** Base64 of this many bytes is stored in pages of its own, which a full disk has none of. */
const FILLER_BYTES = 48 * 1024;

/** Writes a row that takes new pages, to the disk. @throws the database's error where it cannot. */
export async function probeWrite(database: Pick<Database, "short" | "durable">): Promise<void> {
  const filler = randomBytes(FILLER_BYTES).toString("base64");
  await database.short((sql) =>
    sql`
    insert into ledger_probe (id, filler) values (1, ${filler})
    on conflict (id) do update set filler = excluded.filler`
  );
  await database.durable();
}
