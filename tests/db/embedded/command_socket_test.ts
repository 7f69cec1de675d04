import { assertEquals } from "@std/assert";
import { Socket } from "node:net";
import { CommandSocket } from "../../../db/embedded/command_socket.ts";
import process from "node:process";

Deno.test("an error that comes after the close, as under Deno 2.4, is told before it", async () => {
  const inner = new Socket();
  const socket = new CommandSocket(inner);
  const told: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<void>();
  socket.on("error", ({ message }) => told.push(message));
  socket.on("close", () => {
    told.push("close");
    socket.removeAllListeners();
    resolve();
  });
  inner.emit("close", true);
  inner.emit("error", new Error("ENOENT"));
  await closed;
  assertEquals(told, ["ENOENT", "close"]);
});

const tick = () => new Promise<void>((resolve) => process.nextTick(resolve));

Deno.test("a refusal that comes before the driver listens reaches it, and escapes nowhere", async () => {
  const inner = new Socket();
  const socket = new CommandSocket(inner);
  inner.destroy(new Error("refused"));
  for (let ticks = 0; ticks < 5; ticks++) await tick();
  const error = await new Promise<Error>((resolve) => socket.once("error", resolve));
  assertEquals(error.message, "refused");
});
