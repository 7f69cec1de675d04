import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { createLog } from "../../core/log.ts";

function lineOf(format: "text" | "json", fields: Readonly<Record<string, unknown>>): string {
  const lines: string[] = [];
  const write = (line: string): void => void lines.push(line);
  createLog({ level: "info", format, now: () => new Date(0), write }).warn("event", fields);
  assertEquals(lines.length, 1);
  return lines[0] ?? "";
}

const refused = (): Error =>
  new Error("the server cannot be reached", {
    cause: new TypeError("fetch failed", { cause: new Error("connect ECONNREFUSED") }),
  });

for (const format of ["text", "json"] as const) {
  Deno.test(`an error is logged with all that caused it, wherever it stands (${format})`, () => {
    for (const fields of [{ error: refused() }, { of: { error: refused() } }]) {
      const line = lineOf(format, fields);
      for (const said of ["the server cannot be reached", "fetch failed", "connect ECONNREFUSED"]) {
        assertStringIncludes(line, said);
      }
      assert(!line.includes("\n"), "it is one line");
    }
    assertStringIncludes(
      lineOf(format, { error: new Error("x", { cause: "no error" }) }),
      "no error",
    );
  });

  Deno.test(`nothing that is logged ends the one who logs it (${format})`, () => {
    const own: Error & { cause?: unknown } = new Error("its own cause");
    own.cause = own;
    assertStringIncludes(lineOf(format, { error: own }), "its own cause");
    assertStringIncludes(lineOf(format, { wei: 5n, of: { wei: 7n } }), "7");
  });
}
