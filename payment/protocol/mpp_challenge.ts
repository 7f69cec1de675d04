/**
 * The challenges of MPP, the Payment HTTP authentication scheme (method `evm`, intent `charge`, credential
 * type `authorization`). They are not stored: the id is a keyed hash (HMAC) of the challenge's content, which
 * verifies a challenge that comes back.
 */
import { Buffer } from "node:buffer";
import { createHash, timingSafeEqual } from "node:crypto";
import { TOKEN_DECIMALS } from "../../db/ledger/types.ts";
import { MAX_TIMEOUT_SECONDS } from "./payment_required.ts";
import { keccak, toHex } from "../evm/hex.ts";
import { decodeJson, encodeJson } from "./payment_payload.ts";
import type { Rail } from "./rail.ts";

/** The fields of a challenge, as transmitted. */
export interface MppChallenge {
  readonly id: string;
  readonly realm: string;
  readonly method: string;
  readonly intent: string;
  /** The payment request: base64url of canonical JSON. */
  readonly request: string;
  /** ISO 8601. */
  readonly expires: string;
  /** Digest of the request body that the challenge was issued for; null without a body. */
  readonly digest: string | null;
  /** Method and path of the route, and a random part: base64url of canonical JSON. */
  readonly opaque: string;
}

/** The route that a challenge is issued for. */
interface MppRoute {
  readonly method: string;
  readonly path: string;
}

/** The request that a challenge is issued for. */
export interface MppTarget extends MppRoute {
  readonly body: Uint8Array;
}

export interface MppIssuer {
  /**
   * Returns a function that issues the challenges of a route: from a request body to the value of
   * `WWW-Authenticate`.
   */
  issuing(route: MppRoute): (body: Uint8Array) => string;
  /** Whether we issued a challenge for this request; an unreadable body matches none. */
  verify(challenge: MppChallenge, target: MppTarget): boolean;
}

interface MppIssuerOptions {
  readonly rail: Rail;
  readonly baseUrl: string;
  /** Token units. */
  readonly amount: number;
  readonly secret: string;
  readonly random: (bytes: number) => Uint8Array;
  /** Whole seconds since 1970. */
  readonly nowSeconds: () => number;
  /** Called with the nonce that each issued challenge asks for. */
  readonly issued: (nonce: string) => void;
}

export const MPP_METHOD = "evm";
const MPP_INTENT = "charge";
export const MPP_CHALLENGE_HEADER = "WWW-Authenticate";

/** Length of the random part of a challenge, in base64url. */
const RANDOM_CHARACTERS = 16;
/** Random bytes drawn at once, for 64 challenges. */
const DRAWN_BYTES = 12 * 64;
/** The block size of SHA-256. */
const BLOCK_BYTES = 64;

/** Hash of a body, as a challenge names it; null for an empty one. */
function bodyDigest(body: Uint8Array): string | null {
  if (body.length === 0) return null;
  return `sha-256=${createHash("sha256").update(body).digest("base64")}`;
}

/** The nonce of the authorization that answers a challenge, so that each challenge is one authorization a payer. */
export function challengeHash({ id, realm }: Pick<MppChallenge, "id" | "realm">): string {
  return toHex(keccak(`${id}${realm}`));
}

/** The payment request of a price, with its names in the order of canonical JSON. */
function chargeRequest(rail: Rail, amount: number): Readonly<Record<string, unknown>> {
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

/**
 * HMAC-SHA256 (RFC 2104) of texts with a common prefix, as base64url. Key and prefix are hashed once, and the hash
 * state is copied for each text, which takes a third of the time of `createHmac` under Deno.
 */
export function createPrefixedHmac(key: string, prefix: string): (rest: string) => string {
  const given = Buffer.from(key, "utf8");
  const block = Buffer.alloc(BLOCK_BYTES);
  block.set(given.length > BLOCK_BYTES ? createHash("sha256").update(given).digest() : given);
  const inner = createHash("sha256").update(block.map((byte) => byte ^ 0x36)).update(prefix);
  const outer = createHash("sha256").update(block.map((byte) => byte ^ 0x5c));
  return (rest) => outer.copy().update(inner.copy().update(rest).digest()).digest("base64url");
}

/** Draws random text of `RANDOM_CHARACTERS`, many at a time, since a single draw costs as much as a hash. */
function createDraw(random: (bytes: number) => Uint8Array): () => string {
  let drawn = "";
  let at = 0;
  return () => {
    if (at >= drawn.length) {
      drawn = Buffer.from(random(DRAWN_BYTES)).toString("base64url");
      at = 0;
    }
    return drawn.slice(at, at += RANDOM_CHARACTERS);
  };
}

/** Creates the issuer of the challenges of one price. */
export function createMppIssuer(options: MppIssuerOptions): MppIssuer {
  const { rail, secret, random, nowSeconds } = options;
  const realm = new URL(options.baseUrl).hostname;
  const request = encodeJson(chargeRequest(rail, options.amount));
  const mac = createPrefixedHmac(secret, `${realm}|${MPP_METHOD}|${MPP_INTENT}|${request}|`);
  const draw = createDraw(random);

  /** The id of a challenge whose realm, method, intent and request are ours. */
  const idOf = (expires: string, digest: string | null, opaque: string): string =>
    mac(`${expires}|${digest ?? ""}|${opaque}`);

  return {
    issuing: ({ method, path }) => {
      // None of the values can hold a quote or a backslash.
      const always = `realm="${realm}", method="${MPP_METHOD}", intent="${MPP_INTENT}", ` +
        `request="${request}"`;
      const bound = JSON.stringify({ method, path, random: "" }).slice(0, -2);
      return (body) => {
        const expires = new Date((nowSeconds() + MAX_TIMEOUT_SECONDS) * 1000).toISOString();
        const digest = bodyDigest(body);
        const opaque = Buffer.from(`${bound}${draw()}"}`, "utf8").toString("base64url");
        const id = idOf(expires, digest, opaque);
        options.issued(challengeHash({ id, realm }));
        const own = digest === null ? "" : `, digest="${digest}"`;
        return `Payment id="${id}", ${always}, expires="${expires}", opaque="${opaque}"${own}`;
      };
    },
    verify: (challenge, { method, path, body }) => {
      if (challenge.realm !== realm || challenge.request !== request) return false;
      if (challenge.method !== MPP_METHOD || challenge.intent !== MPP_INTENT) return false;
      const given = Buffer.from(challenge.id, "base64url");
      const own = idOf(challenge.expires, challenge.digest, challenge.opaque);
      const ownBytes = Buffer.from(own, "base64url");
      if (given.length !== ownBytes.length || !timingSafeEqual(given, ownBytes)) return false;
      // Other spellings of the same bytes would give the payment another nonce.
      if (challenge.id !== own) return false;
      const bound = decodeJson(challenge.opaque);
      return bound !== undefined && bound["method"] === method && bound["path"] === path &&
        challenge.digest === bodyDigest(body);
    },
  };
}
