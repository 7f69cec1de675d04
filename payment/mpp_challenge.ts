/**
 * The challenges of MPP, the Payment HTTP authentication scheme (method `evm`, intent `charge`, credential
 * type `authorization`). They are not stored: the id is a keyed hash of all that a challenge says, so one
 * that comes back with its id unharmed is one of ours.
 */
import { Buffer } from "node:buffer";
import { createHash, createHmac, timingSafeEqual } from "node:crypto";
import { MAX_TIMEOUT_SECONDS } from "./challenge.ts";
import { toHex } from "./hex.ts";
import { keccak } from "./keccak.ts";
import { TOKEN_DECIMALS } from "./networks.ts";
import { decodeJson } from "./payload.ts";
import type { Rail } from "./rail.ts";

/** What a challenge says, as it is on the wire. */
export interface MppChallenge {
  readonly id: string;
  readonly realm: string;
  readonly method: string;
  readonly intent: string;
  /** What is to be paid: base64url of canonical JSON. */
  readonly request: string;
  /** ISO 8601. */
  readonly expires: string;
  /** Of the body that the challenge was given for; null where there was none. */
  readonly digest: string | null;
  /** Method and path of the route, and a random part: base64url of canonical JSON. */
  readonly opaque: string;
}

/** What a challenge is given for. */
export interface MppTarget {
  readonly method: string;
  readonly path: string;
  readonly body: Uint8Array;
}

export interface MppIssuer {
  readonly realm: string;
  /** A fresh challenge: the value of `WWW-Authenticate`. */
  issue(target: MppTarget): string;
  /** Whether a challenge is one of ours, given for this call; a body that could not be read fits none. */
  verify(challenge: MppChallenge, target: MppTarget): boolean;
}

export interface MppIssuerOptions {
  readonly rail: Rail;
  readonly baseUrl: string;
  /** Token units. */
  readonly amount: number;
  readonly secret: string;
  readonly random: (bytes: number) => Uint8Array;
  /** Whole seconds since 1970. */
  readonly nowSeconds: () => number;
  /** Told the nonce of each authorization that is asked for. */
  readonly issued: (nonce: string) => void;
}

export const MPP_METHOD = "evm";
export const MPP_INTENT = "charge";
export const MPP_CHALLENGE_HEADER = "WWW-Authenticate";

/** Of the part that makes each challenge one of its kind. */
const RANDOM_BYTES = 12;

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url");

/** Hash of a body, as a challenge names it; null for an empty one. */
export function bodyDigest(body: Uint8Array): string | null {
  if (body.length === 0) return null;
  return `sha-256=${createHash("sha256").update(body).digest("base64")}`;
}

/** The nonce of the authorization that answers a challenge: one challenge is one authorization a payer. */
export function challengeHash({ id, realm }: Pick<MppChallenge, "id" | "realm">): string {
  return toHex(keccak(new TextEncoder().encode(`${id}${realm}`)));
}

/** What challenges of a price ask for. The names are in the order of canonical JSON. */
export function chargeRequest(rail: Rail, amount: number): Readonly<Record<string, unknown>> {
  return {
    amount: String(amount),
    currency: rail.asset,
    methodDetails: {
      chainId: rail.network.chainId,
      credentialTypes: ["authorization"],
      decimals: TOKEN_DECIMALS,
    },
    recipient: rail.payTo,
  };
}

/** Makes what gives and knows the challenges of one price. */
export function createMppIssuer(options: MppIssuerOptions): MppIssuer {
  const { rail, secret, random, nowSeconds } = options;
  const realm = new URL(options.baseUrl).hostname;
  const request = base64url(chargeRequest(rail, options.amount));

  const idOf = (challenge: Omit<MppChallenge, "id">): Buffer =>
    createHmac("sha256", secret).update([
      challenge.realm,
      challenge.method,
      challenge.intent,
      challenge.request,
      challenge.expires,
      challenge.digest ?? "",
      challenge.opaque,
    ].join("|")).digest();

  return {
    realm,
    issue: ({ method, path, body }) => {
      const challenge = {
        realm,
        method: MPP_METHOD,
        intent: MPP_INTENT,
        request,
        expires: new Date((nowSeconds() + MAX_TIMEOUT_SECONDS) * 1000).toISOString(),
        digest: bodyDigest(body),
        opaque: base64url({
          method,
          path,
          random: Buffer.from(random(RANDOM_BYTES)).toString("base64url"),
        }),
      };
      const { digest, ...always } = challenge;
      const id = idOf(challenge).toString("base64url");
      options.issued(challengeHash({ id, realm }));
      const said = {
        id,
        ...always,
        ...(digest === null ? {} : { digest }),
      };
      // None of the values can hold a quote or a backslash.
      const parameters = Object.entries(said).map(([name, value]) => `${name}="${value}"`);
      return `Payment ${parameters.join(", ")}`;
    },
    verify: (challenge, { method, path, body }) => {
      if (challenge.realm !== realm || challenge.request !== request) return false;
      if (challenge.method !== MPP_METHOD || challenge.intent !== MPP_INTENT) return false;
      const given = Buffer.from(challenge.id, "base64url");
      const own = idOf(challenge);
      if (given.length !== own.length || !timingSafeEqual(given, own)) return false;
      // Other spellings of the same bytes would give the payment another nonce.
      if (challenge.id !== own.toString("base64url")) return false;
      const bound = decodeJson(challenge.opaque, "base64url");
      return bound !== undefined && bound["method"] === method && bound["path"] === path &&
        challenge.digest === bodyDigest(body);
    },
  };
}
