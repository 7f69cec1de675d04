import { assertEquals, assertRejects } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { SourceError } from "../../../mining/sources/errors.ts";
import { Budget } from "../../../mining/sources/reddit/budget.ts";
import { exchange } from "../../../mining/sources/reddit/exchange.ts";
import { TokenStore } from "../../../mining/sources/reddit/token.ts";
import { AGENT, never } from "../../doubles/reddit_client.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";

const BOUNDS = { timeoutMs: 5000, maxBytes: 1000 };

function breaking(status: number): Response {
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('{"reason": "pri'));
      controller.error(new TypeError("connection lost"));
    },
  });
  return new Response(body, { status });
}

Deno.test("an error keeps its status where its body breaks off; a success is unavailable", async () => {
  const play = (status: number) =>
    exchange(() => Promise.resolve(breaking(status)), "http://site/", {}, BOUNDS, never);
  const refused = await play(403);
  assertEquals([refused.status, refused.text], [403, ""]);
  const error = await assertRejects(() => play(200), SourceError);
  assertEquals(error.kind, "unavailable");
});

Deno.test("a site that cannot be reached is told of without the address, which may hold a query", async () => {
  const url = "http://site/secret/search?q=desk+fan";
  const fail = () =>
    Promise.reject(new TypeError(`error sending request for url (${url}): refused`));
  const error = await assertRejects(() => exchange(fail, url, {}, BOUNDS, never), SourceError);
  assertEquals(
    error.message,
    "the site cannot be reached: error sending request for url (http://site): refused",
  );
  assertEquals(error.cause, undefined);
});

Deno.test("text that is split inside a character is put together again", async () => {
  const bytes = new TextEncoder().encode("é😀\u2028");
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const send = () => Promise.resolve(new Response(body));
  const answer = await exchange(send, "http://site/", {}, BOUNDS, never);
  assertEquals(answer.text, "é😀\u2028");
});

Deno.test("a token that was replaced meanwhile is not thrown away for its predecessor's refusal", async () => {
  const time = new JumpingTime();
  let issued = 0;
  const deps = {
    fetch: () =>
      Promise.resolve(Response.json({ access_token: `token-${++issued}`, expires_in: 3600 })),
    clock: time,
    sleep: time.sleep,
    random: () => 0,
    log: silentLog,
  };
  const settings = {
    tokenUrl: "http://site/t",
    clientId: "i",
    clientSecret: "s",
    userAgent: AGENT,
  };
  const tokens = new TokenStore(settings, deps, new Budget(time, time.sleep));
  const old = await tokens.get(never);
  tokens.reject(old);
  assertEquals(await tokens.get(never), "token-2");
  tokens.reject(old);
  assertEquals(await tokens.get(never), "token-2");
  const ended = AbortSignal.abort(new Error("gone"));
  tokens.reject("token-2");
  await assertRejects(() => tokens.get(ended), Error, "gone");
});
