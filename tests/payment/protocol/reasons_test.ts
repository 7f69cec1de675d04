import { assert, assertEquals } from "@std/assert";
import { challengeSchema } from "../../../routes/openapi/schemas.ts";
import { OTHER_REASONS, REASON, REASON_MEANS } from "../../../payment/protocol/reasons.ts";

Deno.test("the document lists every reason of a 402, and no other", async () => {
  const page = await Deno.readTextFile(new URL("../../../docs/payment.md", import.meta.url));
  const section = page.split("\n## ").find((part) => part.startsWith("The reasons of a 402")) ?? "";
  const rows = [...section.matchAll(/^\| `(\w+)` +\| (.+?) +\|$/gm)].slice(1).map((
    [, word, means],
  ) => [
    word,
    means,
  ]);
  assertEquals(rows, Object.entries(REASON_MEANS));
  assertEquals(rows.map(([word]) => word).sort(), Object.values(REASON).toSorted());
  assert(section.replaceAll("\n", " ").includes(OTHER_REASONS));
});

Deno.test("the OpenAPI document says what each word of a 402 means", () => {
  const says = challengeSchema(true).shape.error.description ?? "";
  for (const [word, means] of Object.entries(REASON_MEANS)) {
    assert(says.includes(`\`${word}\`: ${means}`), word);
  }
});
