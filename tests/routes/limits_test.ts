import { assert, assertEquals, assertThrows } from "@std/assert";
import { OperatorError } from "../../core/errors.ts";
import { clientKey, clientResolver, parseAddress } from "../../routes/pipeline/client_address.ts";
import { createLimits, Window } from "../../routes/pipeline/limits.ts";
import { RATE_LIMITS } from "../../routes/pipeline/route_table.ts";
import { appOf, movedClock } from "./support.ts";

for (
  const [path, limit] of [["/v1/categories", 30], ["/v1/sample/opportunity", 10], ["/health", 120]]
    .map(([path, limit]) => [String(path), Number(limit)] as const)
) {
  Deno.test(`${path} answers ${limit} calls a client in any minute`, async () => {
    const { advance, ...clocks } = movedClock();
    const call = appOf(clocks);
    for (let index = 0; index < limit; index++) {
      const { status, headers } = await call(path);
      assertEquals(status, 200);
      assertEquals(headers.get("RateLimit-Limit"), String(limit));
      assertEquals(headers.get("RateLimit-Remaining"), String(limit - index - 1));
      advance(100);
    }
    const refused = await call(path);
    assertEquals(refused.status, 429);
    assertEquals((await refused.json()).error.code, "rate_limited");
    const wait = Number(refused.headers.get("Retry-After"));
    assertEquals(wait, Math.ceil((60_000 - limit * 100) / 1000));
    assertEquals(refused.headers.get("RateLimit-Reset"), String(wait));
    assertEquals((await call(path, {}, "192.0.2.2")).status, 200);
    advance(wait * 1000);
    assertEquals((await call(path)).status, 200);
  });
}

Deno.test("behind a trusted proxy each forwarded client has its own limit", async () => {
  const rateLimits = { ...RATE_LIMITS, sample: 1 };
  const call = appOf({ settings: { rateLimits, trustedProxies: ["192.0.2.1"] } });
  const from = (client: string, peer?: string) =>
    call("/v1/sample/opportunity", { headers: { "X-Forwarded-For": client } }, peer);
  assertEquals((await from("203.0.113.1")).status, 200);
  assertEquals((await from("203.0.113.1")).status, 429);
  assertEquals((await from("203.0.113.2")).status, 200);
  assertEquals((await from("203.0.113.3", "198.51.100.1")).status, 200);
  assertEquals((await from("203.0.113.4", "198.51.100.1")).status, 429);
});

Deno.test("probes of the operator's own are not limited", async () => {
  const call = appOf();
  for (let index = 0; index < 200; index++) assertEquals((await call("/livez")).status, 200);
});

Deno.test("routes count apart, and refused calls do not count", async () => {
  const { advance, ...clocks } = movedClock();
  const call = appOf({ ...clocks, settings: { rateLimits: { ...RATE_LIMITS, sample: 1 } } });
  assertEquals((await call("/v1/sample/opportunity")).status, 200);
  for (let index = 0; index < 5; index++) {
    advance(10_000);
    assertEquals((await call("/v1/sample/opportunity")).status, 429);
  }
  assertEquals((await call("/v1/categories")).status, 200);
  advance(10_000);
  assertEquals((await call("/v1/sample/opportunity")).status, 200);
});

Deno.test("a clock that is set back keeps no client waiting", async () => {
  const { ticks, advance } = movedClock();
  let time = Date.parse("2026-11-20T12:00:00Z");
  const call = appOf({
    clock: { now: () => new Date(time) },
    ticks,
    settings: { rateLimits: { ...RATE_LIMITS, sample: 1 } },
  });
  assertEquals((await call("/v1/sample/opportunity")).status, 200);
  time -= 3_600_000;
  advance(60_000);
  assertEquals((await call("/v1/sample/opportunity")).status, 200);
});

Deno.test("never more than the limit in any sliding minute", () => {
  const window = new Window(7);
  const admitted: number[] = [];
  let seed = 1;
  for (let now = 0; now < 600_000; now += (seed = (seed * 48271) % 2147483647) % 9000) {
    if (window.take("a", now).allowed) admitted.push(now);
  }
  assert(admitted.length > 60, String(admitted.length));
  for (const start of admitted) {
    const within = admitted.filter((time) => time >= start && time < start + 60_000).length;
    assert(within <= 7, `${within} from ${start}`);
  }
});

Deno.test("memory stays bounded however many clients come", () => {
  const window = new Window(2, 100);
  window.take("busy", 0);
  window.take("busy", 0);
  for (let index = 0; index < 99; index++) window.take(`c${index}`, 1);
  assertEquals(window.take("busy", 2).allowed, false);
  for (let index = 0; index < 5000; index++) window.take(`d${index}`, 3 + index);
  assertEquals(window.size, 100);
  window.take("late", 200_000);
  for (let index = 0; index < 40; index++) window.take("late", 200_001);
  assert(window.size <= 97, String(window.size));
});

Deno.test("a limit of the service remembers 10,000 clients", () => {
  const { free } = createLimits(RATE_LIMITS);
  for (let index = 0; index < 10_100; index++) free.take(`c${index}`, 0);
  assertEquals(free.size, 10_000);
});

Deno.test("a look counts nothing", () => {
  const window = new Window(1);
  assertEquals(window.look("a", 0).allowed, true);
  assertEquals(window.take("a", 0).allowed, true);
  assertEquals(window.look("a", 1).allowed, false);
});

Deno.test("addresses are read in their usual forms, and nothing else is", () => {
  assertEquals(parseAddress(" 192.0.2.1:443 "), "192.0.2.1");
  assertEquals(parseAddress("[2001:db8::1]:80"), "2001:db8::1");
  assertEquals(parseAddress("fe80::1%eth0"), "fe80::1");
  assertEquals(parseAddress("::"), "::");
  for (
    const wrong of ["", "unknown", "256.1.1.1", "1:2:3", "1::2::3", "1:2:3:4:5:6:7:8:9", "g::"]
  ) {
    assertEquals(parseAddress(wrong), undefined, wrong);
  }
});

Deno.test("an IPv6 client is its /64, a mapped IPv4 one its address", () => {
  assertEquals(clientKey("2001:db8:0:1::5"), clientKey("2001:db8:0:1:ffff::9"));
  assert(clientKey("2001:db8:0:1::5") !== clientKey("2001:db8:0:2::5"));
  assertEquals(clientKey("2001:0DB8::1:0:0:0:5"), "2001:db8:0:1::/64");
  assertEquals(clientKey("::1"), "0:0:0:0::/64");
  assertEquals(clientKey("::ffff:192.0.2.7"), "192.0.2.7");
  assertEquals(clientKey("::ffff:c000:207"), "192.0.2.7");
  assertEquals(clientKey("not an address"), "unknown");
});

Deno.test("a forwarded address is believed only from a trusted proxy, from the right", () => {
  const none = clientResolver([]);
  assertEquals(none("10.0.0.1", "203.0.113.9"), "10.0.0.1");
  const client = clientResolver(["10.0.0.0/8", "2001:db8::/32"]);
  assertEquals(client("10.0.0.1", "203.0.113.9"), "203.0.113.9");
  assertEquals(client("198.51.100.1", "203.0.113.9"), "198.51.100.1");
  assertEquals(client("10.0.0.1", "1.1.1.1, 203.0.113.9, 10.9.9.9"), "203.0.113.9");
  assertEquals(client("2001:db8::5", "203.0.113.9"), "203.0.113.9");
  assertEquals(client("::ffff:10.0.0.1", "203.0.113.9"), "203.0.113.9");
  assertEquals(clientResolver(["::/0"])("192.0.2.1", "203.0.113.9"), "203.0.113.9");
  assertEquals(client("10.0.0.1", null), "10.0.0.1");
  assertEquals(client("10.0.0.1", "203.0.113.9, garbage"), "10.0.0.1");
  assertEquals(client("10.0.0.1", "10.0.0.2"), "10.0.0.2");
  assertEquals(clientResolver(["192.0.2.128/25"])("192.0.2.1", "203.0.113.9"), "192.0.2.1");
  assertEquals(clientResolver(["192.0.2.128/25"])("192.0.2.200", "203.0.113.9"), "203.0.113.9");
});

Deno.test("of a forwarded list that is too long, the 32 addresses nearest to us are read", () => {
  const client = clientResolver(["10.0.0.0/8"]);
  const padding = new Array<string>(40).fill("1.1.1.1");
  assertEquals(client("10.0.0.1", [...padding, "203.0.113.9"].join(", ")), "203.0.113.9");
  const proxies = Array.from({ length: 32 }, (_, n) => `10.0.1.${n}`);
  assertEquals(client("10.0.0.1", ["203.0.113.9", ...proxies].join(", ")), "10.0.1.0");
});

Deno.test("a trusted proxy that is no address stops the start with its name", () => {
  for (const wrong of ["proxy.local", "10.0.0.0/33", "10.0.0.0/x", "::/129", "1.2.3.4/8/9", ""]) {
    assertThrows(() => clientResolver([wrong]), OperatorError, "TRUSTED_PROXIES");
  }
});
