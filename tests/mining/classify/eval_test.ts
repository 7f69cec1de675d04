import { assertAlmostEquals, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OperatorError } from "../../../core/errors.ts";
import { figures, levels } from "../../../tasks/eval/metrics.ts";
import { readLabelledPosts, readLabels } from "../../../tasks/train/data.ts";
import { foldCommunities } from "../../../tasks/train/folds.ts";
import { learnVectors } from "../../../tasks/train/vectors.ts";
import { hashWord } from "../../../mining/classify/hash.ts";

const HEADER = "id\tphysical\tpattern\talso\tintensity\twtp\tproduct\n";

function inFile(text: string, use: (path: string) => void): void {
  const path = Deno.makeTempFileSync();
  try {
    Deno.writeTextFileSync(path, text);
    use(path);
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("precision, recall and F1 count what they should", () => {
  const pair = (gold: number, found: number) => ({ gold, found, confidence: found < 0 ? 0 : 0.5 });
  const all = figures([pair(0, 0), pair(0, 1), pair(1, 1), pair(-1, 1), pair(6, -1), pair(-1, -1)]);
  assertAlmostEquals(all.demand.precision, 3 / 4);
  assertAlmostEquals(all.demand.recall, 3 / 4);
  assertAlmostEquals(all.patterns.repeat_failure!.f1, 2 / 3);
  assertAlmostEquals(all.patterns.workaround!.precision, 1 / 3);
  assertAlmostEquals(all.patterns.workaround!.f1, 1 / 2);
  assertEquals(all.patterns.recommendation_request!.support, 1);
  assertAlmostEquals(all.macroF1, (2 / 3 + 1 / 2) / 8);
  assertEquals(all.confusion[0]!.slice(0, 2), [1, 1]);
});

Deno.test("confidence that is right as often as it says has no calibration error, else the distance", () => {
  const answers = (confidence: number) =>
    Array.from({ length: 100 }, (_, i) => ({ gold: i % 5 === 0 ? -1 : 2, found: 2, confidence }));
  assertAlmostEquals(figures(answers(0.8)).calibrationError, 0);
  assertAlmostEquals(figures(answers(0.5)).calibrationError, 0.3);
});

Deno.test("rank correlation gives ties their mean rank", () => {
  assertAlmostEquals(levels([0, 1, 2, 3], [0, 1, 2, 3]).rank, 1);
  assertAlmostEquals(levels([0, 1, 2, 3], [3, 2, 1, 0]).rank, -1);
  assertAlmostEquals(levels([1, 1, 2], [0, 1, 1]).rank, 0.5);
  assertAlmostEquals(levels([0, 2], [1, 2]).mae, 0.5);
});

Deno.test("a bad label names its file and line", () => {
  inFile(`${HEADER}a\t1\tfrustration\t-\t1\t0\tchair\nb\t1\tsadness\t-\t1\t0\t-\n`, (path) => {
    const error = assertThrows(() => readLabels(path), OperatorError);
    assertStringIncludes(error.message, `${path}:3`);
  });
  inFile("id\tpattern\n", (path) => {
    assertStringIncludes(assertThrows(() => readLabels(path), OperatorError).message, `${path}:1`);
  });
});

Deno.test("a bad post names its file and line", () => {
  inFile('{"id":"a","title":"t","selftext":"b","subreddit":"c"}\n\n{"id":', (path) => {
    assertStringIncludes(
      assertThrows(() => readLabelledPosts(path), OperatorError).message,
      `${path}:3`,
    );
  });
});

Deno.test("labels are read as the guidelines define them", () => {
  inFile(
    `${HEADER}a\t1\tworkaround\tfrustration\t3\t2\tdesk lamp\r\nb\t0\tnone\t-\t0\t0\t-\n`,
    (path) => {
      assertEquals(readLabels(path), [
        {
          id: "a",
          physical: true,
          pattern: "workaround",
          also: "frustration",
          intensity: 3,
          wtp: 2,
          product: "desk lamp",
        },
        {
          id: "b",
          physical: false,
          pattern: null,
          also: null,
          intensity: 0,
          wtp: 0,
          product: null,
        },
      ]);
    },
  );
});

Deno.test("folds keep communities whole and of about one size", () => {
  const posts = Array.from({ length: 600 }, (_, i) => `c${i % 37}`);
  const fold = foldCommunities(posts, 5);
  assertEquals(fold.size, 37);
  const load = [0, 0, 0, 0, 0];
  for (const community of posts) load[fold.get(community)!]!++;
  for (const size of load) assertAlmostEquals(size, 120, 20);
});

Deno.test("words that stand in like places get like vectors, the same ones every time", () => {
  const posts = Array.from({ length: 60 }, (_, i) => {
    const thing = ["kettle", "toaster", "blender"][i % 3]!;
    const animal = ["cat", "dog", "horse"][i % 3]!;
    const words = i % 2 === 0
      ? `my ${thing} broke in the kitchen`
      : `our ${animal} ran over the field`;
    return Int32Array.from(words.split(" "), hashWord);
  });
  const { keys, values } = learnVectors(posts, 4);
  assertEquals(learnVectors(posts, 4).values, values);
  const vector = (word: string): number[] => {
    const row = keys.indexOf(hashWord(word));
    return [...values.subarray(row * 4, row * 4 + 4)];
  };
  const like = (a: string, b: string): number => {
    const [x, y] = [vector(a), vector(b)];
    const dot = (p: number[], q: number[]): number =>
      p.reduce((sum, value, i) => sum + value * q[i]!, 0);
    return dot(x, y) / Math.sqrt(dot(x, x) * dot(y, y));
  };
  assertEquals(like("kettle", "toaster") > like("kettle", "dog"), true);
});
