/** One exchange over HTTP: what is read of an answer, and how it fails. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { exchange, ExchangeError } from "../../core/http.ts";

const LOCAL = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
const GET = { method: "GET", url: "http://site/", timeoutMs: 5_000, maxBytes: 1_000 } as const;

/** A body of these bytes, one after the other; then it ends, or breaks off. */
function bodyOf(bytes: Iterable<number>, breaks?: Error): ReadableStream<Uint8Array> {
  return new ReadableStream<Uint8Array>({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      if (breaks === undefined) controller.close();
      else controller.error(breaks);
    },
  });
}

const answering = (body: BodyInit, status = 200) => ({
  ...GET,
  fetch: () => Promise.resolve(new Response(body, { status })),
});

Deno.test("an error keeps its status where its body breaks off; a success is unavailable", async () => {
  const play = (status: number) =>
    exchange(answering(bodyOf([123], new TypeError("connection lost")), status));
  const refused = await play(403);
  assertEquals([refused.status, refused.text], [403, ""]);
  const error = await assertRejects(() => play(200), ExchangeError, "connection lost");
  assertEquals(error.kind, "unavailable");
});

Deno.test("what cannot be reached is told of without the address, which may hold a query", async () => {
  const url = "http://site/secret/search?q=desk+fan";
  const fetch = () =>
    Promise.reject(new TypeError(`error sending request for url (${url}): refused`));
  const error = await assertRejects(() => exchange({ ...GET, fetch, url }), ExchangeError);
  assertEquals(error.message, "error sending request for url (http://site): refused");
  assertEquals(error.cause, undefined);
});

Deno.test("text that is split inside a character is put together again", async () => {
  const answer = await exchange(answering(bodyOf(new TextEncoder().encode("é😀\u2028"))));
  assertEquals(answer.text, "é😀\u2028");
});

Deno.test("an answer that unpacks past its bound is not read to its end", async () => {
  const packed = new Response(
    new Blob([`"${"x".repeat(4_000_000)}"`]).stream()
      .pipeThrough(new CompressionStream("gzip")),
  );
  const body = await packed.bytes();
  let status = 200;
  await using server = Deno.serve(LOCAL, () =>
    new Response(body, {
      status,
      headers: { "content-encoding": "gzip", "content-length": String(body.byteLength) },
    }));
  const url = `http://127.0.0.1:${server.addr.port}`;
  const ask = () => exchange({ ...GET, fetch, url, maxBytes: 64_000 });
  const error = await assertRejects(ask, ExchangeError, "longer than");
  assertEquals(error.kind, "too_large");
  status = 500;
  assertEquals((await ask()).text, "");
});

Deno.test("of an error only as much is read as a reason takes", async () => {
  const long = "x".repeat(70_000);
  const read = async (status: number) =>
    (await exchange({ ...answering(long, status), maxBytes: 1_000_000 })).text.length;
  assertEquals([await read(200), await read(500)], [70_000, 0]);
});

Deno.test("a redirect is an answer and is not followed", async () => {
  await using server = Deno.serve(LOCAL, () => Response.redirect("http://site/other", 307));
  const url = `http://127.0.0.1:${server.addr.port}`;
  const { status, headers } = await exchange({ ...GET, fetch, url });
  assertEquals([status, headers.get("location")], [307, "http://site/other"]);
});

Deno.test("an answer that does not end is cut off by the deadline, or by the caller's reason", async () => {
  await using server = Deno.serve(
    LOCAL,
    () => new Response(new ReadableStream({ start: (c) => c.enqueue(Uint8Array.of(123)) })),
  );
  const url = `http://127.0.0.1:${server.addr.port}`;
  const late = await assertRejects(
    () => exchange({ ...GET, fetch, url, timeoutMs: 50 }),
    ExchangeError,
    "no answer in 50 ms",
  );
  assertEquals(late.kind, "timeout");
  const caller = new AbortController();
  const reason = new Error("gone");
  const asked = exchange({ ...GET, fetch, url, signal: caller.signal });
  caller.abort(reason);
  assert(await asked.catch((error) => error === reason));
});
