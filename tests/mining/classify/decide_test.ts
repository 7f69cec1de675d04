import { assert, assertEquals } from "@std/assert";
import { decide, type Decision } from "../../../mining/classify/decide.ts";
import { PATTERNS } from "../../../mining/types.ts";
import { tune } from "../../../tasks/train/tune.ts";

const DECISION: Decision = {
  threshold: 0.4,
  gates: PATTERNS.map(() => 1),
  lifts: PATTERNS.map((pattern) => pattern === "repeat_failure" ? 10 : 2),
  also: 0.7,
  slope: 1,
  offset: 0,
};

/** Probabilities of the patterns named; the rest is none about a product. */
function classesOf(shares: Readonly<Record<string, number>>): Float64Array {
  const classes = new Float64Array(PATTERNS.length + 2);
  PATTERNS.forEach((pattern, c) => classes[c] = shares[pattern] ?? 0);
  classes[PATTERNS.length] = 1 - classes.reduce((sum, share) => sum + share, 0);
  return classes;
}

Deno.test("a pattern that stands by itself makes a post demand though all together stay under the threshold", () => {
  assertEquals(decide(classesOf({ repeat_failure: 0.11 }), DECISION)?.pattern, "repeat_failure");
  assertEquals(decide(classesOf({ repeat_failure: 0.09 }), DECISION), null);
  assertEquals(decide(classesOf({ frustration: 0.3 }), DECISION), null);
});

Deno.test("lifts choose among patterns where one stands by itself, and plain probabilities where none does", () => {
  const stands = classesOf({ repeat_failure: 0.12, frustration: 0.4 });
  assertEquals(decide(stands, DECISION)?.pattern, "repeat_failure");
  const none = classesOf({ repeat_failure: 0.09, frustration: 0.4 });
  assertEquals(decide(none, DECISION)?.pattern, "frustration");
});

Deno.test("tuning lifts a rare pattern that is drowned in none, and leaves none alone where it is not", () => {
  const label = (pattern: (typeof PATTERNS)[number] | null) => ({
    id: "",
    physical: true,
    pattern,
    also: null,
    intensity: 1 as const,
    wtp: 0 as const,
    product: null,
  });
  const outcomes = Array.from({ length: 400 }, (_, i) => {
    if (i % 20 === 0) {
      return { classes: classesOf({ workaround: 0.25 }), label: label("workaround") };
    }
    if (i % 2 === 0) {
      return {
        classes: classesOf({ recommendation_request: 0.9 }),
        label: label("recommendation_request"),
      };
    }
    return {
      classes: classesOf({ recommendation_request: 0.1, workaround: 0.05 }),
      label: label(null),
    };
  });
  const decision = tune(outcomes);
  const answers = outcomes.map(({ classes }) => decide(classes, decision)?.pattern ?? null);
  assert(answers.every((answer, i) => answer === outcomes[i]!.label.pattern));
});
