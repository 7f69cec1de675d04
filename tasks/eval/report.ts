/** The figures as a table for people. */
import { PATTERNS } from "../../mining/types.ts";
import type { Classification, Prf } from "./metrics.ts";

/** Everything an evaluation found out. */
export interface Evaluation extends Classification {
  /** How the verdicts came about. */
  readonly method: string;
  readonly intensityMae: number;
  readonly intensityRank: number;
  readonly wtpMae: number;
  readonly wtpRank: number;
  /** Share of second patterns named, and of those named that are right, as one F1. */
  readonly alsoF1: number;
  readonly postsPerSecond: number;
  /** The same classifier on posts drawn by chance, cross-validated beside the others. */
  readonly chance?: { readonly posts: number; readonly demand: Prf };
  readonly learningCurve?: readonly {
    readonly labels: number;
    readonly demandF1: number;
    readonly macroF1: number;
  }[];
}

const NAME = 24;

/** Prints one table. */
export function table(e: Evaluation): string {
  const lines: string[] = [`${e.posts} labelled posts, ${e.method}`, ""];
  const row = (name: string, ...cells: (string | number)[]): void => {
    lines.push(name.padEnd(NAME) + cells.map((cell) => number(cell).padStart(11)).join(""));
  };
  row("", "precision", "recall", "F1", "95 % from", "to", "posts");
  row("demand or none", e.demand.precision, e.demand.recall, e.demand.f1, ...e.demand.interval);
  if (e.chance !== undefined) {
    const { precision, recall, f1 } = e.chance.demand;
    row("the same by chance", precision, recall, f1, "", "", String(e.chance.posts));
  }
  for (const name of PATTERNS) {
    const p = e.patterns[name]!;
    row(name, p.precision, p.recall, p.f1, ...p.interval, String(p.support));
  }
  row("macro-F1", "", "", e.macroF1, ...e.macroInterval);
  row("second pattern", "", "", e.alsoF1);
  lines.push("");
  row("", "error", "rank corr.");
  row("intensity", e.intensityMae, e.intensityRank);
  row("willingness to pay", e.wtpMae, e.wtpRank);
  lines.push("", "label down, answer across");
  const short = [...PATTERNS.map((name) => name.slice(0, 8)), "none"];
  lines.push("".padEnd(NAME) + short.map((name) => name.padStart(9)).join(""));
  e.confusion.forEach((cells, i) => {
    lines.push(
      (PATTERNS[i] ?? "none").padEnd(NAME) + cells.map((n) => String(n).padStart(9)).join(""),
    );
  });
  lines.push("");
  row("confidence", "stated", "right", "answers");
  for (const bin of e.calibration) row("", bin.confidence, bin.right, String(bin.count));
  row("calibration error", e.calibrationError);
  if (e.learningCurve !== undefined) {
    lines.push("");
    row("labels trained on", "demand F1", "macro-F1");
    for (const point of e.learningCurve) row(String(point.labels), point.demandF1, point.macroF1);
  }
  lines.push(
    "",
    `${e.postsPerSecond} posts a second through the classifier, one thread, processor time`,
  );
  return lines.join("\n");
}

function number(cell: string | number): string {
  return typeof cell === "number" ? cell.toFixed(3) : cell;
}
