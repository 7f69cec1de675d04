import { assert, assertEquals, assertMatch } from "@std/assert";
import { colour, createProgress, duration, type Progress } from "../../core/terminal.ts";

const at = (fraction: number | null, posts: number): Progress => ({
  fraction,
  posts,
  signals: Math.floor(posts / 10),
  bad: 0,
  skipped: 0,
});

function stage(isTerminal: boolean, columns = 100) {
  const written: string[] = [];
  let time = 1_700_000_000_000;
  const progress = createProgress({
    write: (text) => written.push(text),
    isTerminal,
    columns: () => columns,
    now: () => new Date(time),
  });
  return { written, progress, wait: (ms: number) => (time += ms) };
}

Deno.test("on a terminal one line is redrawn with bar, posts, rate, signals and time left", () => {
  const { written, progress, wait } = stage(true);
  progress.update(at(0, 0));
  wait(2_000);
  progress.update(at(0.25, 5_000));
  progress.finish();
  assertEquals(written, [
    "\x1b[?25l",
    "\r\x1b[2K[------------------------]   0%  0 posts  0 signals",
    "\r\x1b[2K[######------------------]  25%  5,000 posts  2,500/s  500 signals  6 s left",
    "\n\x1b[?25h",
  ]);
});

Deno.test("a terminal is redrawn at most ten times a second, and the last state is shown", () => {
  const { written, progress, wait } = stage(true);
  for (let i = 0; i <= 1_000; i++) {
    progress.update(at(i / 1_000, i));
    wait(1);
  }
  const redraws = written.filter((text) => text.startsWith("\r")).length;
  assert(redraws >= 10 && redraws <= 11, `${redraws} redraws in a second`);
  progress.update(at(1, 4_321));
  progress.finish();
  assert(written.some((text) => text.includes("4,321 posts")));
});

Deno.test("elsewhere a plain line comes every five seconds, without control sequences", () => {
  const { written, progress, wait } = stage(false, 10);
  for (let second = 0; second <= 12; second++) {
    progress.update(at(second / 20, second * 1_000));
    wait(1_000);
  }
  progress.finish();
  assertEquals(written, [
    "25%  5,000 posts  1,000/s  500 signals  15 s left\n",
    "50%  10,000 posts  1,000/s  1,000 signals  10 s left\n",
    "60%  12,000 posts  1,000/s  1,200 signals  8 s left\n",
  ]);
});

Deno.test("the rate follows a change of pace, and a resumed job does not count what was done", () => {
  const { written, progress, wait } = stage(false);
  let posts = 0;
  const run = (seconds: number, perSecond: number) => {
    for (let i = 0; i < seconds; i++) {
      wait(1_000);
      posts += perSecond;
      progress.update(at(0.5 + posts / 10_000_000, posts));
    }
  };
  progress.update(at(0.5, 0));
  run(10, 100);
  assertMatch(written.at(-1) ?? "", /\b100\/s/);
  assertMatch(written.at(-1) ?? "", /13 h 53 min left/);
  run(60, 9_000);
  assertMatch(written.at(-1) ?? "", /\b9,000\/s/);
});

Deno.test("what is left out and bad is told once there is any", () => {
  const { written, progress } = stage(true, 200);
  progress.update({ fraction: null, posts: 5, signals: 1, bad: 2, skipped: 1_234 });
  assertEquals(written.at(-1), "\r\x1b[2K5 posts  1 signal  1,234 left out  2 bad lines");
});

Deno.test("a narrow terminal gets a line that fits", () => {
  for (const columns of [1, 5, 20, 40, 59, 60, 61, 80]) {
    const { written, progress, wait } = stage(true, columns);
    progress.update(at(0, 0));
    wait(1_000);
    progress.update({ fraction: 0.5, posts: 9_999_999, signals: 888_888, bad: 7, skipped: 7 });
    const line = (written.at(-1) ?? "").slice("\r\x1b[2K".length);
    assert(line.length < Math.max(columns, 2), `${columns}: ${line}`);
  }
});

Deno.test("finishing gives the cursor back once, and nothing is drawn after it", () => {
  const { written, progress, wait } = stage(true);
  progress.update(at(0.5, 10));
  progress.finish();
  const length = written.length;
  wait(60_000);
  progress.update(at(1, 20));
  progress.finish();
  assertEquals(written.length, length);
  assertEquals(written.filter((text) => text.includes("\x1b[?25h")).length, 1);
  const idle = stage(true);
  idle.progress.finish();
  assertEquals(idle.written, []);
});

Deno.test("times are said as people say them", () => {
  assertEquals([0, 59.4, 60, 185, 3_600, 7_842].map(duration), [
    "0 s",
    "59 s",
    "1 min 00 s",
    "3 min 05 s",
    "1 h 00 min",
    "2 h 10 min",
  ]);
});

Deno.test("colours are for terminals whose user does not refuse them", () => {
  assertEquals(colour(true).red("no"), "\x1b[31mno\x1b[39m");
  assertEquals(colour(true, "").bold("no"), "\x1b[1mno\x1b[22m");
  assertEquals(colour(true, "1").red("no"), "no");
  assertEquals(colour(false).red("no"), "no");
});
