/** Trains how far the words about a span speak for it to name what is wanted, beside what class the span is of. */
import { HashTable } from "../../../mining/classify/table.ts";
import { mayName } from "../../../mining/extract/product/candidates.ts";
import { kindNameOf, nameOf } from "../../../mining/extract/product/names.ts";
import { companyOf, MAX_SPARSE, sparseOf } from "../../../mining/extract/spans/span_features.ts";
import type { SpanWeights } from "../../../mining/extract/spans/spans.ts";
import { seeded, shuffle } from "../random.ts";
import { isRight } from "./choices.ts";
import type { CandidatePost } from "./second.ts";

const EPOCHS = 5;
const RATE = 0.05;
const DROPOUT = 0.5;
const DECAY = 0.00003;
/** Pulls that are too weak to be worth a step. */
const LEAST_PULL = 0.002;
/** Added to sums of squares, so that first steps are small. */
const EASE = 0.05;

/** A post whose candidates were given classes. */
interface ClassedPost extends CandidatePost {
  readonly read: readonly Float64Array[];
}

/** A post's spans that may name what is wanted, as rows of features. */
interface Mentions {
  readonly rows: readonly Int32Array[];
  readonly right: readonly boolean[];
}

/** Gives the second look its weights of what is wanted, from posts that its classes were read in. */
export function withWanted(spans: SpanWeights, posts: readonly ClassedPost[]): SpanWeights {
  const table = new HashTable(spans.keys);
  const given = posts.filter(({ post }) => post.label.demand === 1)
    .map((post) => mentionsOf(post, table));
  const weights = descend(given, spans.keys.length);
  const top = weights.map(Math.abs).sort()[Math.floor(weights.length * 0.9995)] ?? 1;
  const scale = Math.max(1e-6, top / 127);
  const whole = (value: number): number => Math.max(-127, Math.min(127, Math.round(value / scale)));
  return { ...spans, wanted: Int8Array.from(weights, whole), wantedScale: scale };
}

function mentionsOf(
  { post: { post, label }, candidates, read }: ClassedPost,
  table: HashTable,
): Mentions {
  const room = new Int32Array(MAX_SPARSE);
  const company = companyOf(post, candidates);
  const { text, start, end } = post.tokens;
  const rows: Int32Array[] = [];
  const right: boolean[] = [];
  candidates.forEach((candidate, k) => {
    if (!mayName(candidate, read[k]!)) return;
    const span = text.slice(start[candidate.from]!, end[candidate.to - 1]!);
    right.push(isRight(label, { kind: kindNameOf(span), product: nameOf(span) }));
    const keys = room.subarray(0, sparseOf(post, candidates, k, company, room));
    rows.push(keys.map((key) => table.row(key)).filter((row) => row >= 0));
  });
  return { rows, right };
}

/** A softmax over each post's spans and none of them, by AdaGrad. */
function descend(given: readonly Mentions[], size: number): Float32Array {
  const random = seeded(7);
  const weights = new Float32Array(size);
  const squares = new Float32Array(size);
  const mean = new Float32Array(size);
  const order = Int32Array.from(given, (_, i) => i);
  const keep = 1 - DROPOUT;
  let none = 0, noneSquares = EASE, averaged = 0;
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    shuffle(order, random);
    const rate = RATE * (1 - 0.85 * epoch / EPOCHS);
    for (const at of order) {
      const { rows, right } = given[at]!;
      if (rows.length === 0) continue;
      const used = rows.map((row) => row.filter(() => random() < keep));
      const scores = used.map((row) => row.reduce((sum, k) => sum + weights[k]!, 0) / keep);
      const top = Math.max(none, ...scores);
      const likely = scores.map((score) => Math.exp(score - top));
      const sum = likely.reduce((all, one) => all + one, Math.exp(none - top));
      const mass = likely.reduce((all, one, i) => all + (right[i] === true ? one : 0), 0);
      used.forEach((row, i) => {
        const pull = likely[i]! / sum - (right[i] === true ? likely[i]! / mass : 0);
        if (Math.abs(pull) < LEAST_PULL) return;
        for (const k of row) {
          const square = squares[k]! + pull * pull;
          squares[k] = square;
          weights[k] = weights[k]! * (1 - DECAY) - rate * pull / Math.sqrt(square + EASE);
        }
      });
      const pull = Math.exp(none - top) / sum - (mass > 0 ? 0 : 1);
      noneSquares += pull * pull;
      none -= rate * pull / Math.sqrt(noneSquares);
    }
    if (epoch >= EPOCHS / 2) {
      averaged++;
      for (let k = 0; k < size; k++) mean[k]! += weights[k]!;
    }
  }
  return mean.map((sum) => sum / averaged);
}
