/** A session in front of a backend that fails. */
import { assertEquals, assertRejects } from "@std/assert";
import { Buffer } from "node:buffer";
import type { PGlite } from "@electric-sql/pglite";
import { BackendGate, Session } from "../../../db/embedded/session.ts";

const READY = Buffer.from([0x5a, 0, 0, 0, 5, 0x49]);

/** A protocol message: its type, if it has one, its length and its content. */
function message(type: string, content: string): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(4 + content.length);
  return Buffer.concat([Buffer.from(type), length, Buffer.from(content)]);
}
const STARTUP = message("", "\0\x03\0\0user\0postgres\0\0");
const QUERY = message("Q", "select 1\0");
const TERMINATE = message("X", "");

/** A backend that is always ready but at exchange number `failing`; it keeps what it was told beside. */
function backendThatFails(failing: number) {
  const told: string[] = [];
  let exchanges = 0;
  const backend = {
    runExclusive: <T>(work: () => Promise<T>) => work(),
    execProtocolRawStream: (
      _message: Uint8Array,
      { onRawData }: { onRawData: (data: Uint8Array) => void },
    ) => {
      if (++exchanges === failing) return Promise.reject(new Error("out of memory"));
      onRawData(READY);
      return Promise.resolve();
    },
    exec: (sql: string) => {
      told.push(sql);
      return Promise.resolve([]);
    },
  };
  return { backend: backend as unknown as PGlite, told };
}

function open(backend: PGlite, gate: BackendGate) {
  const heard: number[] = [];
  const ended: true[] = [];
  const session = new Session({
    backend,
    gate,
    send: (bytes) => void heard.push(bytes.length),
    ended: () => void ended.push(true),
    sync: () => {},
    idleInTransactionMs: 60_000,
  });
  return { session, heard, ended };
}

Deno.test("a session whose exchange fails rolls back, ends and gives way to others", async () => {
  const { backend, told } = backendThatFails(2);
  const gate = new BackendGate();
  const [first, second] = [open(backend, gate), open(backend, gate)];
  await first.session.feed(STARTUP);
  const error = await assertRejects(() => first.session.feed(QUERY));
  assertEquals(error.message, "out of memory");
  assertEquals([told, first.ended], [["rollback"], [true]]);

  await second.session.feed(STARTUP);
  await second.session.feed(QUERY);
  assertEquals(second.heard, [READY.length, READY.length]);
  // What a client still says, and that it leaves, changes nothing and is nobody's error.
  await first.session.feed(TERMINATE);
  await first.session.end();
  assertEquals([told, first.ended], [["rollback"], [true]]);
  await second.session.end();
  assertEquals(second.ended, [true]);
});

Deno.test("a client that says goodbye behind a statement that fails leaves nothing behind", async () => {
  const { backend } = backendThatFails(2);
  const gate = new BackendGate();
  const { session, ended } = open(backend, gate);
  await session.feed(STARTUP);
  await session.feed(Buffer.concat([QUERY, TERMINATE]));
  assertEquals(ended, [true]);
  (await gate.acquire())();
});
