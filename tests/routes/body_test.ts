import { assertEquals, assertRejects } from "@std/assert";
import { ServiceError } from "../../core/errors.ts";
import { buffered } from "../../routes/pipeline/body.ts";
import { denoRuntime } from "../../runtime/deno.ts";

const requestOf = (body: BodyInit | null, headers: HeadersInit = {}): Request =>
  new Request("http://demand.test/v1/gauge?query=a", { method: "POST", body, headers });

function streamOf(start: (controller: ReadableStreamDefaultController<Uint8Array>) => void) {
  return new ReadableStream<Uint8Array>({ start });
}

Deno.test("a body within its bound is read whole, and the request is otherwise the same", async () => {
  const request = await buffered(requestOf("x".repeat(1024), { "X-PAYMENT": "p" }), 1024);
  assertEquals((await request.text()).length, 1024);
  assertEquals([request.method, request.url], ["POST", "http://demand.test/v1/gauge?query=a"]);
  assertEquals(request.headers.get("X-PAYMENT"), "p");
  const bare = requestOf(null);
  assertEquals(await buffered(bare, 1024), bare);
});

Deno.test("a body past its bound is refused, announced or not", async () => {
  const chunk = new Uint8Array(700);
  const unannounced = streamOf((controller) => {
    controller.enqueue(chunk);
    controller.enqueue(chunk);
    controller.close();
  });
  const announced = requestOf("small", { "Content-Length": "2000" });
  for (const request of [requestOf(unannounced), requestOf("x".repeat(1025)), announced]) {
    const error = await assertRejects(() => buffered(request, 1024), ServiceError);
    assertEquals([error.code, error.message], [
      "body_too_large",
      "The body may have at most 1 KB.",
    ]);
  }
});

Deno.test("a body that stalls is given up after its deadline", async () => {
  const stalled = streamOf((controller) => controller.enqueue(new Uint8Array(3)));
  const error = await assertRejects(() => buffered(requestOf(stalled), 1024, 30), ServiceError);
  assertEquals([error.code, error.message], ["invalid_body", "The body did not arrive in time."]);
});

Deno.test("a body of many pieces is read whole", async () => {
  const pieces = streamOf((controller) => {
    for (let i = 0; i < 200; i++) controller.enqueue(new Uint8Array(1));
    controller.close();
  });
  const whole = await buffered(requestOf(pieces), 64 * 1024);
  assertEquals((await whole.arrayBuffer()).byteLength, 200);
});

Deno.test("a body in countless pieces is refused, and its rest stays unread", async () => {
  let cancelled = false;
  const endless = new ReadableStream<Uint8Array>({
    pull: (controller) => controller.enqueue(new Uint8Array(1)),
    cancel: () => {
      cancelled = true;
    },
  });
  const error = await assertRejects(() => buffered(requestOf(endless), 16 * 1024), ServiceError);
  assertEquals([error.code, error.message], [
    "invalid_body",
    "The body came in more than 256 pieces.",
  ]);
  assertEquals(cancelled, false);
});

Deno.test("a body that breaks off is an invalid one", async () => {
  const broken = streamOf((controller) => controller.error(new Error("connection reset")));
  const error = await assertRejects(() => buffered(requestOf(broken), 1024), ServiceError);
  assertEquals([error.code, error.message], ["invalid_body", "The body broke off."]);
});

for (
  const [what, head, sent] of [
    ["is announced too large", "Content-Length: 5000", "abc"],
    ["comes in countless pieces", "Transfer-Encoding: chunked", "1\r\nx\r\n".repeat(3_000)],
    ["stalls", "Content-Length: 500", "abc"],
    ["no route reads", "Content-Length: 500", "abc"],
  ] as const
) {
  Deno.test(`a server stops while a client holds back a body that ${what}`, async () => {
    const server = await denoRuntime().serve({
      port: 0,
      hostname: "127.0.0.1",
      handler: async (request) => {
        if (what === "no route reads") return new Response("", { status: 400 });
        const error = await assertRejects(() => buffered(request, 1024, 30), ServiceError);
        return new Response(error.code, { status: 400 });
      },
      onError: () => new Response("", { status: 500 }),
      onRefusing: () => {},
    });
    using client = await Deno.connect({ hostname: "127.0.0.1", port: server.port });
    await client.write(
      new TextEncoder().encode(`POST / HTTP/1.1\r\nHost: x\r\n${head}\r\n\r\n${sent}`),
    );
    const answer = new Uint8Array(1_000);
    const length = await client.read(answer);
    const status = new TextDecoder().decode(answer.subarray(0, length ?? 0)).split("\r\n")[0];
    assertEquals(status, "HTTP/1.1 400 Bad Request");
    // The client has more to send, and keeps its connection.
    await server.drain();
  });
}
