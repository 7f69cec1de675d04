import { assertEquals } from "@std/assert";
import { Socket } from "node:net";
import { CommandSocket } from "../../../db/embedded/command_socket.ts";

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
