import { assertEquals, assertRejects } from "@std/assert";
import { createAllowance } from "../../commands/mcp/allowance.ts";
import { OperatorError } from "../../core/errors.ts";

Deno.test("a torn line of the day stops spending, one of another day does not", async () => {
  const folder = await Deno.makeTempDir();
  try {
    const file = `${folder}/spent.txt`;
    await Deno.writeTextFile(file, "2026-01-01\n2026-01-02 400000\n");
    const allowance = createAllowance(file, 1_000_000, () => "2026-01-02");
    assertEquals(await allowance.left(), 600_000);
    await Deno.writeTextFile(file, "2026-01-02 400000\n2026-01-02\n");
    await assertRejects(() => allowance.left(), OperatorError, "has no amount");
  } finally {
    await Deno.remove(folder, { recursive: true });
  }
});
