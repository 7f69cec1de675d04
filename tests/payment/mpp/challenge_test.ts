/** The keyed hash of MPP's challenges, and how many are remembered. */
import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { createHmac, randomBytes } from "node:crypto";
import { silentLog } from "../../../core/log.ts";
import { createMpp } from "../../../payment/protocol/mpp.ts";
import { challengeHash, createPrefixedHmac } from "../../../payment/protocol/mpp_challenge.ts";
import { createRail } from "../../../payment/protocol/rail.ts";
import { TEST_SETTINGS } from "../support/shop.ts";

Deno.test("the hash of a prefix and a rest is HMAC-SHA256 of both, for keys of every length", () => {
  for (const length of [1, 32, 63, 64, 65, 200]) {
    const key = randomBytes(length).toString("hex").slice(0, length);
    const mac = createPrefixedHmac(key, "realm|evm|");
    for (const rest of ["", "a", "é|".repeat(100), "x".repeat(1_000)]) {
      const whole = createHmac("sha256", key).update(`realm|evm|${rest}`).digest("base64url");
      assertEquals(mac(rest), whole, `${length} ${rest.length}`);
    }
  }
});

const wire = () =>
  createMpp({
    settings: { baseUrl: "https://shop.example", mppSecretKey: "s".repeat(32) },
    database: {
      short: () => Promise.reject(new Error("not asked")),
      durable: () => Promise.resolve(),
    },
    rail: createRail(TEST_SETTINGS),
    log: silentLog,
    random: (bytes) => new Uint8Array(randomBytes(bytes)),
    now: () => new Date(),
  });

Deno.test("each challenge is another, and the last 20,000 are remembered", () => {
  const mpp = wire();
  const issue = mpp.issuer(10_000)?.issuing({ method: "GET", path: "/v1/number" });
  assert(issue !== undefined);
  const empty = new Uint8Array();
  const ids: string[] = [];
  for (let n = 0; n < 45_000; n++) ids.push(/id="([^"]+)"/.exec(issue(empty))?.[1] ?? "");
  assertEquals(new Set(ids).size, ids.length);
  const asked = (id: string): boolean =>
    mpp.hasIssued(challengeHash({ id, realm: "shop.example" }));
  assert(ids.slice(-20_000).every(asked));
  assert(!asked(ids[0] ?? ""), "and not all that there ever were");
});

Deno.test("a challenge is one for its own route and body alone", () => {
  const mpp = wire();
  const issuer = mpp.issuer(10_000);
  assert(issuer !== null);
  const body = new TextEncoder().encode("{}");
  const route = { method: "POST", path: "/v1/posted" };
  const said = issuer.issuing(route)(body);
  const read = (name: string): string => new RegExp(`${name}="([^"]*)"`).exec(said)?.[1] ?? "";
  const challenge = {
    ...{ id: read(" id"), realm: read("realm"), method: read("method"), intent: read("intent") },
    ...{ request: read("request"), expires: read("expires"), opaque: read("opaque") },
    digest: read("digest"),
  };
  assertNotEquals(challenge.digest, "");
  assert(issuer.verify(challenge, { ...route, body }));
  assert(!issuer.verify(challenge, { ...route, body: new Uint8Array() }));
  assert(!issuer.verify(challenge, { ...route, path: "/v1/other", body }));
  assert(!issuer.verify({ ...challenge, expires: "2099-01-01T00:00:00.000Z" }, { ...route, body }));
  assert(!issuer.verify({ ...challenge, id: `${challenge.id}=` }, { ...route, body }));
});
