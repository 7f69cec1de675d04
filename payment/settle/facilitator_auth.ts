/** How a facilitator is convinced that it is us: a bearer token, or a short-lived JWT for one call. */
import { Buffer } from "node:buffer";
import { OperatorError } from "../../core/errors.ts";

/** Gives the headers of one call. */
export type Authorize = (method: string, url: URL) => Promise<Readonly<Record<string, string>>>;

export interface AuthSettings {
  readonly token: string | null;
  readonly keyId: string | null;
  readonly keySecret: string | null;
}

export interface AuthOptions {
  readonly nowSeconds: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const LIFETIME_SECONDS = 120;
/** A token is used again for as long as it has this many seconds left. */
const REUSE_SECONDS = 60;

/** PKCS #8 around the 32 bytes of an Ed25519 seed (RFC 8410). */
const ED25519_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

interface Signer {
  readonly algorithm: "EdDSA" | "ES256";
  sign(text: string): Promise<string>;
}

const base64url = (value: unknown): string =>
  Buffer.from(JSON.stringify(value), "utf8").toString("base64url");

/**
 * Reads a secret: base64 of an Ed25519 seed (32 bytes, or 64 with the public half), or a PEM of an
 * Ed25519 or P-256 key in PKCS #8.
 */
async function importSecret(secret: string): Promise<Signer> {
  const pem = /-----BEGIN PRIVATE KEY-----([\s\S]*)-----END PRIVATE KEY-----/.exec(
    secret.replaceAll("\\n", "\n"),
  );
  if (pem === null) {
    const raw = Buffer.from(secret, "base64");
    if (raw.length !== 32 && raw.length !== 64) throw new TypeError("neither a key nor a PEM");
    return await importKey("EdDSA", Buffer.concat([ED25519_PREFIX, raw.subarray(0, 32)]));
  }
  const der = Buffer.from((pem[1] ?? "").replace(/\s/g, ""), "base64");
  const isEd25519 = der.includes(Buffer.from("06032b6570", "hex"));
  return await importKey(isEd25519 ? "EdDSA" : "ES256", der);
}

async function importKey(algorithm: Signer["algorithm"], der: Uint8Array): Promise<Signer> {
  const family = algorithm === "EdDSA"
    ? { name: "Ed25519" }
    : { name: "ECDSA", namedCurve: "P-256", hash: "SHA-256" };
  const key = await crypto.subtle.importKey("pkcs8", new Uint8Array(der), family, false, ["sign"]);
  return {
    algorithm,
    sign: async (text) => {
      const signature = await crypto.subtle.sign(family, key, new TextEncoder().encode(text));
      return Buffer.from(signature).toString("base64url");
    },
  };
}

/** Makes the authorization of a facilitator's calls. Rejects with OperatorError for a bad secret. */
export async function createAuthorize(
  settings: AuthSettings,
  options: AuthOptions,
): Promise<Authorize> {
  const { token, keyId, keySecret } = settings;
  if (token !== null) {
    const headers = { authorization: `Bearer ${token}` };
    return () => Promise.resolve(headers);
  }
  if (keyId === null || keySecret === null) return () => Promise.resolve({});
  let signer: Signer;
  try {
    signer = await importSecret(keySecret);
  } catch (error) {
    throw new OperatorError(
      "FACILITATOR_KEY_SECRET is no key: it should be base64 of an Ed25519 key, or a PEM (PKCS #8)",
      { cause: error },
    );
  }
  const cache = new Map<string, { readonly jwt: string; readonly until: number }>();
  return async (method, url) => {
    const bound = `${method} ${url.host}${url.pathname}`;
    const now = options.nowSeconds();
    const known = cache.get(bound);
    if (known !== undefined && known.until > now && known.until - now <= LIFETIME_SECONDS) {
      return { authorization: `Bearer ${known.jwt}` };
    }
    const nonce = Buffer.from(options.random(16)).toString("hex");
    const head = base64url({ alg: signer.algorithm, typ: "JWT", kid: keyId, nonce });
    const claims = base64url({
      sub: keyId,
      iss: "cdp",
      aud: ["cdp_service"],
      nbf: now,
      exp: now + LIFETIME_SECONDS,
      uri: bound,
      uris: [bound],
    });
    const jwt = `${head}.${claims}.${await signer.sign(`${head}.${claims}`)}`;
    cache.set(bound, { jwt, until: now + LIFETIME_SECONDS - REUSE_SECONDS });
    return { authorization: `Bearer ${jwt}` };
  };
}
