/** Authorization of requests to a facilitator: a bearer token, or a short-lived JWT for one endpoint. */
import { Buffer } from "node:buffer";
import { createPrivateKey, type KeyObject, sign } from "node:crypto";
import { wrongSetting } from "../../core/settings.ts";
import { encodeJson } from "../protocol/payment_payload.ts";

/** Returns the authorization headers of one request. */
export type Authorize = (method: string, url: URL) => Readonly<Record<string, string>>;

export interface AuthSettings {
  readonly token: string | null;
  readonly keyId: string | null;
  readonly keySecret: string | null;
}

interface AuthOptions {
  readonly nowSeconds: () => number;
  readonly random: (bytes: number) => Uint8Array;
}

const LIFETIME_SECONDS = 120;
/** A token is reused while it has this many seconds left. */
const REUSE_SECONDS = 60;

/** PKCS #8 around the 32 bytes of an Ed25519 seed (RFC 8410). */
const ED25519_PREFIX = Buffer.from("302e020100300506032b657004220420", "hex");

interface JwtKey {
  readonly algorithm: "EdDSA" | "ES256";
  readonly key: KeyObject;
}

/**
 * Reads a secret: base64 of an Ed25519 seed (32 bytes, or 64 with the public half), or a PEM of an Ed25519 or
 * P-256 key.
 */
function readSecret(secret: string): JwtKey {
  const key = secret.includes("-----BEGIN")
    ? createPrivateKey(secret.replaceAll("\\n", "\n"))
    : readSeed(Buffer.from(secret, "base64"));
  if (key.asymmetricKeyType === "ed25519") return { algorithm: "EdDSA", key };
  if (key.asymmetricKeyDetails?.namedCurve === "prime256v1") return { algorithm: "ES256", key };
  throw new TypeError("a key of neither Ed25519 nor P-256");
}

function readSeed(raw: Buffer): KeyObject {
  if (raw.length !== 32 && raw.length !== 64) throw new TypeError("neither a key nor a PEM");
  const der = Buffer.concat([ED25519_PREFIX, raw.subarray(0, 32)]);
  return createPrivateKey({ key: der, format: "der", type: "pkcs8" });
}

function signJwt({ algorithm, key }: JwtKey, text: string): string {
  const bytes = Buffer.from(text, "utf8");
  const signature = algorithm === "EdDSA"
    ? sign(null, bytes, key)
    : sign("sha256", bytes, { key, dsaEncoding: "ieee-p1363" });
  return signature.toString("base64url");
}

/** Creates the authorization of a facilitator's requests. @throws SettingsError for a bad secret. */
export function createAuthorize(settings: AuthSettings, options: AuthOptions): Authorize {
  const { token, keyId, keySecret } = settings;
  if (token !== null) {
    const headers = { authorization: `Bearer ${token}` };
    return () => headers;
  }
  if (keyId === null || keySecret === null) return () => ({});
  let key: JwtKey;
  try {
    key = readSecret(keySecret);
  } catch (error) {
    throw wrongSetting(
      "FACILITATOR_KEY_SECRET",
      "should be base64 of an Ed25519 key, or a PEM (PKCS #8)",
      { cause: error },
    );
  }
  const cache = new Map<string, { readonly jwt: string; readonly until: number }>();
  return (method, url) => {
    const bound = `${method} ${url.host}${url.pathname}`;
    const now = options.nowSeconds();
    const known = cache.get(bound);
    if (known !== undefined && known.until > now && known.until - now <= LIFETIME_SECONDS) {
      return { authorization: `Bearer ${known.jwt}` };
    }
    const nonce = Buffer.from(options.random(16)).toString("hex");
    const head = encodeJson({ alg: key.algorithm, typ: "JWT", kid: keyId, nonce });
    const claims = encodeJson({
      sub: keyId,
      iss: "cdp",
      aud: ["cdp_service"],
      nbf: now,
      exp: now + LIFETIME_SECONDS,
      uri: bound,
      uris: [bound],
    });
    const jwt = `${head}.${claims}.${signJwt(key, `${head}.${claims}`)}`;
    cache.set(bound, { jwt, until: now + LIFETIME_SECONDS - REUSE_SECONDS });
    return { authorization: `Bearer ${jwt}` };
  };
}
