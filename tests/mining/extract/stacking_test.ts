import { assert, assertAlmostEquals, assertEquals } from "@std/assert";
import { Lexemes } from "../../../mining/classify/lexemes.ts";
import type { Candidate } from "../../../mining/extract/spans/candidates.ts";
import { CLASSES, NONE_CLASS } from "../../../mining/extract/spans/spans.ts";
import {
  STACK_INPUTS,
  StackedReader,
  stackInputs,
} from "../../../mining/extract/spans/stacking.ts";
import { TYPES } from "../../../mining/extract/tagger.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { factPost, tokensIn } from "../../../tasks/train/facts/corpus.ts";
import { toLabel } from "../../../tasks/train/facts/labels.ts";
import { learnLexemes } from "../../../tasks/train/facts/lexemes.ts";
import { fitStack, type LookedAt } from "../../../tasks/train/facts/stacking.ts";

const ATTRIBUTE = FACT_TYPES.indexOf("attribute");
const PRICE = FACT_TYPES.indexOf("price");

const WORDS = new Lexemes(
  learnLexemes([{ community: "", title: "Looking for a kettle", body: "It should be quiet." }]),
);

/** What the second look gives a candidate: so much for one type, the rest for none. */
function looked(type: number, p: number): Float64Array {
  const out = new Float64Array(CLASSES + 1);
  out[type] = p;
  out[NONE_CLASS] = 1 - p;
  return out;
}

/** A post that may state a trait, beside a sum that it surely states or surely does not. */
function post(i: number, isSure: boolean): LookedAt {
  const trait = ["quiet", "sturdy", "small", "light"][i % 4]!;
  const sum = `under $${20 + i}`;
  const source = {
    id: `p${i}`,
    community: "",
    title: "Looking for a kettle",
    body: `It should be ${trait} and ${sum} in all.`,
  };
  const facts = isSure
    ? [
      { type: "attribute", span: trait, value: trait },
      { type: "price", span: sum, value: `<=${20 + i} usd` },
    ]
    : [];
  const label = toLabel(
    { id: source.id, demand: 1, product: "kettle", head: "kettle", product_span: "kettle", facts },
    source,
  );
  const made = factPost(source, label, WORDS);
  const { tokens } = made.post;
  const candidates = [trait, sum].map((span): Candidate => {
    const at = tokens.text.indexOf(span);
    const [from, to] = tokensIn(tokens, at, at + span.length)!;
    const support = new Float64Array(2 * TYPES + 1);
    return { from, to, sentence: tokens.sentence[from]!, group: ATTRIBUTE, support };
  });
  return {
    post: made,
    candidates,
    read: [looked(ATTRIBUTE, 0.5), looked(PRICE, isSure ? 0.95 : 0.02)],
  };
}

Deno.test("a doubtful span is a fact where a sure one stands beside it, and none where none does", () => {
  const posts = Array.from({ length: 1000 }, (_, i) => post(i, i % 2 === 0));
  const weights = fitStack(posts);
  assertEquals(fitStack(posts), weights);
  const reader = new StackedReader(weights);
  const traitOf = ({ post, candidates, read }: LookedAt): Float64Array =>
    reader.read(post.post, candidates, read)[0]!;
  const beside = traitOf(post(500, true));
  const alone = traitOf(post(501, false));
  assert(beside[ATTRIBUTE]! > 0.7, `${beside[ATTRIBUTE]}`);
  assert(alone[NONE_CLASS]! > 0.7, `${alone[NONE_CLASS]}`);
  assertAlmostEquals(beside.reduce((sum, p) => sum + p, 0), 1, 1e-9);
});

Deno.test("a candidate's inputs fill its row to the last", () => {
  const { post: { post: prepared }, candidates, read } = post(1, true);
  const out = new Float64Array((candidates.length + 1) * STACK_INPUTS);
  for (const { support } of candidates) support[support.length - 1] = 0.625;
  stackInputs(prepared, candidates, read, out);
  candidates.forEach((_, k) => assertEquals(out[(k + 1) * STACK_INPUTS - 1], 0.625));
  assert(out.subarray(candidates.length * STACK_INPUTS).every((value) => value === 0));
});
