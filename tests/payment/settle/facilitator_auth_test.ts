import { assert, assertEquals, assertNotEquals, assertRejects } from "@std/assert";
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

async function jwtOf(keySecret: string, now?: () => number): Promise<string> {
  const authorize = await createAuthorize({ ...settings, keySecret }, options(now));
  const { authorization = "" } = await authorize("POST", SETTLE);
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
    const jwt = await jwtOf(secret);
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
  const jwt = await jwtOf(pem(await crypto.subtle.exportKey("pkcs8", pair.privateKey)));
  assertEquals(part(jwt, 0)["alg"], "ES256");
  assert(await verifies(jwt, pair.publicKey, { name: "ECDSA", hash: "SHA-256" }));
});

Deno.test("a token is used again for a minute, for its own method and path only", async () => {
  let now = 1_700_000_000;
  const keySecret = Buffer.from(new Uint8Array(32).fill(7)).toString("base64");
  const authorize = await createAuthorize({ ...settings, keySecret }, options(() => now));
  const first = await authorize("POST", SETTLE);
  assertEquals(await authorize("POST", SETTLE), first);
  assertNotEquals(await authorize("GET", SETTLE), first);
  now += 61;
  assertNotEquals(await authorize("POST", SETTLE), first);
});

Deno.test("a bearer token is sent as it is, and nothing where nothing is set", async () => {
  const bearer = await createAuthorize({ token: "t", keyId: null, keySecret: null }, options());
  assertEquals(await bearer("POST", SETTLE), { authorization: "Bearer t" });
  const open = await createAuthorize({ token: null, keyId: null, keySecret: null }, options());
  assertEquals(await open("POST", SETTLE), {});
});

Deno.test("a secret that is no key stops the start, and is not repeated", async () => {
  for (
    const secret of ["", "hunter2", "-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----"]
  ) {
    const error = await assertRejects(() => jwtOf(secret), OperatorError, "FACILITATOR_KEY_SECRET");
    assert(secret === "" || !error.message.includes(secret));
  }
});
