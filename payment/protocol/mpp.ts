/** MPP, the Payment HTTP authentication scheme, over the same ledger and settlement as x402. */
import { Buffer } from "node:buffer";
import type { Log } from "../../core/log.ts";
import { createRecentSet } from "../../core/recent.ts";
import { settlementTime } from "../../db/ledger/lookups.ts";
import { storedSecret } from "../../db/ledger/secrets.ts";
import type { Database } from "../../db/sql.ts";
import { isObject, type JsonObject } from "../../core/json.ts";
import { withOrderedKeys } from "./fingerprint.ts";
import {
  createMppIssuer,
  MPP_CHALLENGE_HEADER,
  MPP_METHOD,
  type MppIssuer,
} from "./mpp_challenge.ts";
import type { SettlementRecord } from "./outcome.ts";
import { decodeJson, encodeJson, isHarmless } from "./payment_payload.ts";
import type { Rail } from "./rail.ts";
import type { PaymentSettings } from "./types.ts";

export interface Mpp {
  /** Loads the key of the challenges, creating it if there is none; to be called until it succeeds. */
  load(): Promise<void>;
  /** The issuer of the challenges of a price; null until the key is loaded. */
  issuer(amount: number): MppIssuer | null;
  /** Whether a challenge that this process issued, and still remembers, asks for this nonce. */
  hasIssued(nonce: string): boolean;
  /** The receipt header of a settlement, the same each time. */
  receipt(payer: string, settlement: SettlementRecord): Promise<Record<string, string>>;
}

interface MppOptions {
  readonly settings: Pick<PaymentSettings, "baseUrl" | "mppSecretKey">;
  readonly database: Pick<Database, "short" | "durable">;
  readonly rail: Rail;
  readonly log: Log;
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => Date;
}

const MPP_RECEIPT_HEADER = "Payment-Receipt";

const SECRET_BYTES = 32;
/** The least number of challenges remembered: more than are valid at a time under any usual load. */
const REMEMBERED = 20_000;

/** Creates the MPP side of payment. */
export function createMpp(options: MppOptions): Mpp {
  const { settings, database, rail, log, random, now } = options;
  const issuers = new Map<number, MppIssuer>();
  const nonces = createRecentSet(REMEMBERED);
  let secret = settings.mppSecretKey;
  let isMissed = false;
  return {
    load: async () => {
      if (secret !== null) return;
      const fresh = Buffer.from(random(SECRET_BYTES)).toString("hex");
      try {
        secret = await storedSecret(database, "mpp", fresh);
      } catch (cause) {
        if (isMissed) return;
        isMissed = true;
        log.warn("the key of MPP challenges cannot be read: payments are accepted by x402 only", {
          cause,
        });
      }
    },
    issuer: (amount) => {
      if (secret === null) return null;
      const known = issuers.get(amount);
      if (known !== undefined) return known;
      const nowSeconds = (): number => Math.floor(now().getTime() / 1000);
      const { baseUrl } = settings;
      const made = createMppIssuer({
        rail,
        baseUrl,
        amount,
        secret,
        random,
        nowSeconds,
        issued: nonces.add,
      });
      issuers.set(amount, made);
      return made;
    },
    hasIssued: nonces.has,
    receipt: async (payer, { transaction, settledAt }) => {
      const at = settledAt ??
        await settlementTime(database, rail.key, payer, transaction).catch((cause) => {
          log.warn("the time of a settlement cannot be read", { transaction, cause });
          return null;
        });
      const receipt = {
        method: MPP_METHOD,
        reference: transaction,
        status: "success",
        timestamp: (at ?? now()).toISOString(),
      };
      return { [MPP_RECEIPT_HEADER]: encodeJson(receipt) };
    },
  };
}

/** The challenge of a response, its request decoded; null if there is none. */
export function mppChallengeObject(headers: Headers): JsonObject | null {
  const header = headers.get(MPP_CHALLENGE_HEADER);
  if (header === null) return null;
  const said: Record<string, unknown> = {};
  for (const [, name = "", value] of header.matchAll(/(\w+)="([^"]*)"/g)) said[name] = value;
  return { ...said, request: decodeJson(String(said["request"])) ?? {} };
}

/** The receipt of a response; null if there is none. */
export function mppReceiptObject(headers: Headers): JsonObject | null {
  return decodeJson(headers.get(MPP_RECEIPT_HEADER) ?? "") ?? null;
}

/** The value of `Authorization` that a credential stands for, whatever it is. */
export function mppCredentialHeader(credential: unknown): string {
  const challenge = isObject(credential) ? credential["challenge"] : undefined;
  const sent = isObject(credential) && isObject(challenge) && isObject(challenge["request"])
    ? { ...credential, challenge: { ...challenge, request: encoded(challenge["request"]) } }
    : credential;
  return `Payment ${encoded(sent)}`;
}

/**
 * What is harmful is not ordered, which would overflow the stack: it is refused where it is read.
 */
const encoded = (value: unknown): string =>
  encodeJson(isHarmless(value) ? withOrderedKeys(value) : value);
