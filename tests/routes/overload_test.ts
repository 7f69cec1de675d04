/** What happens when more calls come than are worked on at once. */
import { assert, assertEquals, assertThrows } from "@std/assert";
import { ServiceError } from "../../core/errors.ts";
import { Places } from "../../routes/pipeline/limits.ts";
import { testBoth } from "../support/database.ts";
import { startService } from "./shop.ts";
import { appOf, VERDICTS } from "./support.ts";

const PROBES = ["/health", "/livez", "/readyz"];
const body = (query: string): RequestInit => ({
  method: "POST",
  headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ query }),
});

testBoth(
  "beyond the bound a call gets an uncharged 503, and none that was let in is cut",
  async ({ database }) => {
    const started = Promise.withResolvers<void>();
    const goOn = Promise.withResolvers<void>();
    let computed = 0;
    const verdicts: typeof VERDICTS = {
      ...VERDICTS,
      gauge: async (query, signal) => {
        computed++;
        started.resolve();
        await goOn.promise;
        return await VERDICTS.gauge(query, signal);
      },
    };
    await using service = await startService({ database, verdicts, settings: { maxAtOnce: 1 } });
    const paid = service.pay("/v1/gauge", body("kettle that leaks"));
    await started.promise;
    const refused = [
      () => service.call("/v1/categories"),
      () => service.call("/v1/brief"),
      () => service.call("/mcp", { method: "POST", body: "{}" }),
      () => service.pay("/v1/gauge", body("another kettle")),
    ];
    for (const call of refused) {
      const response = await call();
      const { error, charged } = await response.json();
      assertEquals([response.status, error.code, charged], [503, "overloaded", false]);
      assertEquals(error.retryable, true);
      assert(Number(response.headers.get("Retry-After")) >= 1);
      assert(response.headers.has("X-Request-Id"));
    }
    for (const path of PROBES) {
      const response = await service.call(path);
      await response.body?.cancel();
      assertEquals(response.status, 200, path);
    }
    goOn.resolve();
    const answer = await paid;
    assertEquals([answer.status, (await answer.json()).charged], [200, true]);
    assertEquals(computed, 1);
    const after = await service.pay("/v1/opportunities/trending");
    assertEquals([after.status, (await after.json()).charged], [200, true]);
    const { refused: refusals, ...totals } = count(service.records.map(({ code }) => code));
    assertEquals([refusals, totals.other], [4, 0]);
  },
);

/** How many records say `overloaded`, and how many another error than the challenge. */
function count(codes: readonly (string | undefined)[]): { refused: number; other: number } {
  const errors = codes.filter((code) => code !== undefined && code !== "payment_required");
  const refused = errors.filter((code) => code === "overloaded").length;
  return { refused, other: errors.length - refused };
}

Deno.test("whoever sends a body slowly keeps nobody out but other slow senders", async () => {
  const call = appOf({
    settings: { maxAtOnce: 1 },
    payments: { paid: () => async (request) => new Response(await request.text()) },
  });
  let send: ReadableStreamDefaultController<Uint8Array> | undefined;
  const slow = new ReadableStream<Uint8Array>({ start: (controller) => void (send = controller) });
  const waiting = call("/v1/gauge", { method: "POST", body: slow });
  assertEquals((await call("/v1/categories")).status, 200);
  assertEquals((await call("/v1/brief")).status, 200);
  const second = await call("/v1/gauge", { method: "POST", body: "{}" });
  assertEquals([second.status, (await second.json()).error.code], [503, "overloaded"]);
  send?.enqueue(new TextEncoder().encode("arrived"));
  send?.close();
  assertEquals(await (await waiting).text(), "arrived");
  assertEquals((await call("/v1/gauge", { method: "POST", body: "{}" })).status, 200);
});

Deno.test("a place is given back however the work ends", async () => {
  const places = new Places(1);
  const fails = (): never => {
    throw new Error("no");
  };
  assertThrows(() => places.hold(fails), Error, "no");
  assertEquals(places.hold(() => 1), 1);
  await Promise.resolve(places.hold(() => Promise.reject(new Error("later")))).catch(() => {});
  const held = places.hold(() => new Promise<number>((resolve) => setTimeout(resolve, 5, 2)));
  assertThrows(() => places.hold(() => 3), ServiceError);
  assertEquals(await held, 2);
  assertEquals(places.hold(() => 3), 3);
});
