import { assert, assertEquals, assertNotEquals, assertThrows } from "@std/assert";
import { Buffer } from "node:buffer";
import { OperatorError } from "../../../core/errors.ts";
import { createAuthorize } from "../../../payment/settle/facilitator_auth.ts";

const options = (now = () => 1_700_000_000) => ({
  nowSeconds: now,
  random: (bytes: number) => crypto.getRandomValues(new Uint8Array(bytes)),
});
const settings = { token: null, keyId: "key-1", keySecret: null };
const SETTLE = new URL("https://facilitator.example/platform/v2/x402/settle");

const part = (jwt: string, index: number): Record<string, unknown> =>
  JSON.parse(Buffer.from(jwt.split(".")[index] ?? "", "base64url").toString());

function jwtOf(keySecret: string, now?: () => number): string {
  const authorize = createAuthorize({ ...settings, keySecret }, options(now));
  const { authorization = "" } = authorize("POST", SETTLE);
  return authorization.replace("Bearer ", "");
}

async function verifies(jwt: string, key: CryptoKey, algorithm: object): Promise<boolean> {
  const signed = jwt.slice(0, jwt.lastIndexOf("."));
  const signature = new Uint8Array(Buffer.from(jwt.split(".")[2] ?? "", "base64url"));
  const name = algorithm as EcdsaParams;
  return await crypto.subtle.verify(name, key, signature, new TextEncoder().encode(signed));
}

const pem = (der: ArrayBuffer): string =>
  `-----BEGIN PRIVATE KEY-----\n${
    Buffer.from(der).toString("base64")
  }\n-----END PRIVATE KEY-----\n`;

Deno.test("an Ed25519 key signs a short-lived token bound to method, host and path", async () => {
  const pair = await crypto.subtle.generateKey("Ed25519", true, [
    "sign",
    "verify",
  ]) as CryptoKeyPair;
  const der = await crypto.subtle.exportKey("pkcs8", pair.privateKey);
  const seed = Buffer.from(der).subarray(-32);
  const open = await crypto.subtle.exportKey("raw", pair.publicKey);
  const both = Buffer.concat([seed, Buffer.from(open)]).toString("base64");
  for (
    const secret of [both, seed.toString("base64"), pem(der), pem(der).replaceAll("\n", "\\n")]
  ) {
    const jwt = jwtOf(secret);
    assert(await verifies(jwt, pair.publicKey, { name: "Ed25519" }));
    const { nonce, ...head } = part(jwt, 0);
    assertEquals(head, { alg: "EdDSA", typ: "JWT", kid: "key-1" });
    assertEquals(String(nonce).length, 32);
    const { uris, nbf, exp } = part(jwt, 1);
    assertEquals(uris, ["POST facilitator.example/platform/v2/x402/settle"]);
    assertEquals([nbf, exp], [1_700_000_000, 1_700_000_120]);
  }
});

Deno.test("a P-256 key signs with ES256", async () => {
  const family = { name: "ECDSA", namedCurve: "P-256" };
  const pair = await crypto.subtle.generateKey(family, true, ["sign", "verify"]);
  const jwt = jwtOf(pem(await crypto.subtle.exportKey("pkcs8", pair.privateKey)));
  assertEquals(part(jwt, 0)["alg"], "ES256");
  assert(await verifies(jwt, pair.publicKey, { name: "ECDSA", hash: "SHA-256" }));
});

Deno.test("a token is used again for a minute, for its own method and path only", () => {
  let now = 1_700_000_000;
  const keySecret = Buffer.from(new Uint8Array(32).fill(7)).toString("base64");
  const authorize = createAuthorize({ ...settings, keySecret }, options(() => now));
  const first = authorize("POST", SETTLE);
  assertEquals(authorize("POST", SETTLE), first);
  assertNotEquals(authorize("GET", SETTLE), first);
  now += 61;
  assertNotEquals(authorize("POST", SETTLE), first);
});

Deno.test("a bearer token is sent as it is, and nothing where nothing is set", () => {
  const bearer = createAuthorize({ token: "t", keyId: null, keySecret: null }, options());
  assertEquals(bearer("POST", SETTLE), { authorization: "Bearer t" });
  const open = createAuthorize({ token: null, keyId: null, keySecret: null }, options());
  assertEquals(open("POST", SETTLE), {});
});

Deno.test("a secret that is no key stops the start, and is not repeated", () => {
  for (
    const secret of ["", "hunter2", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
  ) {
    const error = assertThrows(() => jwtOf(secret), OperatorError, "FACILITATOR_KEY_SECRET");
    assert(secret === "" || !error.message.includes(secret));
  }
});

Deno.test("a key of another kind stops the start", async () => {
  const family = { name: "ECDSA", namedCurve: "P-384" };
  const pair = await crypto.subtle.generateKey(family, true, ["sign"]) as CryptoKeyPair;
  const secret = pem(await crypto.subtle.exportKey("pkcs8", pair.privateKey));
  assertThrows(() => jwtOf(secret), OperatorError, "FACILITATOR_KEY_SECRET");
});
