import { assert, assertEquals, assertLess } from "@std/assert";
import { classify } from "../../../mining/classify/mod.ts";
import { exp, logistic, shares } from "../../../mining/classify/numbers.ts";
import { containsPersonal } from "../../../mining/classify/sentences.ts";
import { assertQuick } from "../../support/time.ts";
import cueTable from "../../../mining/classify/cues.txt" with { type: "text" };

const ASK = "Looking for a good backpack under $80, can anyone recommend one?";

/** Texts meant to hurt, each at least 100 KB long. */
const HOSTILE: readonly (readonly [string, string])[] = [
  ["one word", "a".repeat(120_000)],
  ["digits", "1".repeat(120_000)],
  ["digits and spaces", "12 ".repeat(40_000)],
  ["at signs", "a@".repeat(60_000)],
  ["dots", ".".repeat(120_000)],
  ["questions", "? ".repeat(60_000)],
  ["open brackets", "[(".repeat(60_000)],
  ["quote marks", "> ".repeat(60_000)],
  ["dashes", "-".repeat(120_000)],
  ["line ends", "\n".repeat(120_000)],
  ["cue words", "looking for a best recommend under ".repeat(3_500)],
  ["emoji", "😀".repeat(60_000)],
  ["half pairs", "\ud83d".repeat(120_000)],
  ["control characters", "\u0000\u0001\u0007\u001b[31m".repeat(15_000)],
  ["another script", "ищу хороший рюкзак ".repeat(6_000)],
  ["no spaces, another script", "探しているリュックサック".repeat(9_000)],
  ["line separators", "one two\u2028".repeat(15_000)],
];

for (const [name, body] of HOSTILE) {
  Deno.test(`a post of ${name} is judged in bounded time`, async () => {
    classify({ title: ASK, body: "", community: "" });
    const demand = await assertQuick(2_000, () => {
      classify({ title: body, body, community: body });
      containsPersonal(body.slice(0, 4000));
      return classify({ title: ASK, body, community: "" });
    }, name);
    if (demand !== null) {
      assert(ASK.includes(demand.quote) || body.includes(demand.quote));
      assert(demand.quote.length <= 300);
    }
  });
}

Deno.test("words past what is read change nothing", () => {
  const body = `${ASK} `.repeat(120);
  const longer = body + "I hate my broken toaster. ".repeat(2000);
  assertEquals(
    classify({ title: "Backpack", body: longer, community: "" }),
    classify({ title: "Backpack", body, community: "" }),
  );
});

Deno.test("the same post gets the same verdict, whatever was judged in between", () => {
  const post = {
    title: "Third blender that broke, need one that lasts",
    body: ASK,
    community: "x",
  };
  const first = classify(post);
  for (let i = 0; i < 50; i++) {
    classify({ title: `Number ${i}`, body: `word${i} ${ASK}`, community: "" });
  }
  assertEquals(classify(post), first);
});

Deno.test("an empty post is no demand", () => {
  assertEquals(classify({ title: "", body: "", community: "" }), null);
});

Deno.test("a post without a title is judged by its body", () => {
  const demand = classify({
    title: "",
    body: `${ASK} I need it for school and my budget is small.`,
    community: "",
  });
  assertEquals(demand?.pattern, "recommendation_request");
});

Deno.test("the weights are an artefact under 2 MB that says what made it", () => {
  const path = new URL("../../../mining/classify/weights.txt", import.meta.url);
  const text = Deno.readTextFileSync(path);
  assertLess(Deno.statSync(path).size, 2_000_000);
  assert(text.startsWith("# Weights of the classifier, made by `deno task train`"));
});

Deno.test("the exponential needs no help of the runtime's, and is as right", () => {
  for (let x = -50; x < 50; x += 0.37) {
    assertLess(Math.abs(exp(x) / Math.exp(x) - 1), 1e-12);
  }
  assertEquals(exp(-1000), 0);
  assertEquals(logistic(0), 0.5);
  const z = Float64Array.from([1000, 0, -1000]);
  shares(z);
  assertEquals([...z], [1, 0, 0]);
});

Deno.test("every alternative of a cue is something that a token can be", () => {
  const empty = cueTable.split("\n").filter((line) => !line.startsWith("# ")).flatMap((line) =>
    line.split(" ").filter((element) => element.includes("/") && element.split("/").includes(""))
  );
  assertEquals(empty, []);
});
