/** The second wire: MPP, the Payment HTTP authentication scheme, over the ledger and settlement of the first. */
import { Buffer } from "node:buffer";
import type { Log } from "../../core/log.ts";
import { keptSecret, settlementTime } from "../../db/ledger/mpp.ts";
import type { Database } from "../../db/sql.ts";
import { createMppIssuer, MPP_METHOD, type MppIssuer } from "./mpp_challenge.ts";
import type { SettlementRecord } from "./outcome.ts";
import type { Rail } from "./terms.ts";
import type { PaymentSettings } from "./types.ts";

export interface Mpp {
  /** Reads the key of the challenges, and has it made where there is none; tried again until it is there. */
  load(): Promise<void>;
  /** What gives and knows the challenges of a price; null until the key is there. */
  issuer(amount: number): MppIssuer | null;
  /** Whether a challenge that was given here, as far as that is remembered, asks for this nonce. */
  asksFor(nonce: string): boolean;
  /** The header of the receipt of a settlement, the same whenever it is asked for. */
  receipt(payer: string, settlement: SettlementRecord): Promise<Record<string, string>>;
}

export interface MppOptions {
  readonly settings: Pick<PaymentSettings, "baseUrl" | "mppSecretKey">;
  readonly database: Pick<Database, "short" | "durable">;
  readonly rail: Rail;
  readonly log: Log;
  readonly random: (bytes: number) => Uint8Array;
  readonly now: () => Date;
}

export const MPP_RECEIPT_HEADER = "Payment-Receipt";

const SECRET_BYTES = 32;
/** Challenges remembered at least: more than are good at a time, unless somebody floods us. */
const REMEMBERED = 20_000;

/** Makes the wire. */
export function createMpp(options: MppOptions): Mpp {
  const { settings, database, rail, log, random, now } = options;
  const issuers = new Map<number, MppIssuer>();
  // Two sets in turn: taking the oldest out of one gets slow, since its place is still looked at.
  let nonces = new Set<string>();
  let earlier = new Set<string>();
  const issued = (nonce: string): void => {
    if (nonces.size >= REMEMBERED) [earlier, nonces] = [nonces, new Set()];
    nonces.add(nonce);
  };
  let secret = settings.mppSecretKey;
  let isMissed = false;
  return {
    load: async () => {
      if (secret !== null) return;
      const fresh = Buffer.from(random(SECRET_BYTES)).toString("hex");
      try {
        secret = await keptSecret(database, "mpp", fresh);
      } catch (cause) {
        if (isMissed) return;
        isMissed = true;
        log.warn("the key of MPP challenges cannot be read: calls are challenged by x402 alone", {
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
      const made = createMppIssuer({ rail, baseUrl, amount, secret, random, nowSeconds, issued });
      issuers.set(amount, made);
      return made;
    },
    asksFor: (nonce) => nonces.has(nonce) || earlier.has(nonce),
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
      const value = Buffer.from(JSON.stringify(receipt), "utf8").toString("base64url");
      return { [MPP_RECEIPT_HEADER]: value };
    },
  };
}
