/** The serving thread's side of the embedded database, where its worker goes wrong. */
import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { OperatorError } from "../../../core/errors.ts";
import { startEmbedded } from "../../../db/embedded/client.ts";
import type { FromWorker, ToWorker } from "../../../db/embedded/messages.ts";

/** A worker that opens at once, answers nothing else, and dies when it is told to. */
class FakeWorker {
  static last: FakeWorker | null = null;
  readonly heard: ToWorker["type"][] = [];
  isTerminated = false;
  onmessage: (event: { readonly data: FromWorker }) => void = () => {};
  onerror: (event: { readonly message: string; preventDefault(): void }) => void = () => {};

  constructor() {
    FakeWorker.last = this;
  }

  postMessage(message: ToWorker): void {
    this.heard.push(message.type);
    if (message.type !== "open") return;
    queueMicrotask(() => this.onmessage({ data: { type: "opened", listening: false } }));
  }

  terminate(): void {
    this.isTerminated = true;
  }

  die(): void {
    this.onerror({ message: "out of memory", preventDefault: () => {} });
  }
}

Deno.test("a worker that died is waited for by nobody: neither then nor later", async () => {
  const real = globalThis.Worker;
  globalThis.Worker = FakeWorker as unknown as typeof Worker;
  try {
    const client = await startEmbedded("data", null);
    const under = client.sync();
    await Promise.resolve();
    FakeWorker.last?.die();
    await assertRejects(() => under, OperatorError, "out of memory");
    await assertRejects(() => client.sync(), OperatorError, "out of memory");
    assertThrows(() => client.socket(), OperatorError, "out of memory");
    assertEquals(client.silence(), Infinity);
    assertEquals(FakeWorker.last?.heard, ["open", "sync"]);
    await client.close(60_000);
  } finally {
    globalThis.Worker = real;
  }
});

Deno.test("a worker that does not close is ended after the time it has for that", async () => {
  const real = globalThis.Worker;
  globalThis.Worker = FakeWorker as unknown as typeof Worker;
  try {
    const client = await startEmbedded("data", null);
    await client.close(20);
    assertEquals(FakeWorker.last?.heard, ["open", "close"]);
    assertEquals(FakeWorker.last?.isTerminated, true);
  } finally {
    globalThis.Worker = real;
  }
});
