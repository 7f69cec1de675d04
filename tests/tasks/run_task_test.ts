/** How tasks end. */
import { assertEquals } from "@std/assert";
import { errorLine } from "../../tasks/run_task.ts";

Deno.test("what a program that failed has said is one line, without its stack", () => {
  const deno = [
    "\x1b[31merror\x1b[0m: Writing an executable",
    "",
    "Caused by:",
    "    0: Setting up base binary.",
    "    1: no answer from https://example.com/base.zip: no such host",
    "    2: no such host",
    "",
    "Stack backtrace:",
    "   0: <unknown>",
  ];
  assertEquals(
    errorLine(deno.join("\n")),
    "Writing an executable: Setting up base binary.: no answer from https://example.com/base.zip: no such host",
  );
  assertEquals(errorLine("reading\ncompiling\nno room is left\n"), "no room is left");
  assertEquals(errorLine(""), "");
});
