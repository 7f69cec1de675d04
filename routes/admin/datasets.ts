/** What the operator's page shows: each a table, and what of it makes a chart. */
import { DAY_MS } from "../../core/clock.ts";
import { communityFreshness } from "../../db/corpus/communities.ts";
import { modelSpendSince } from "../../db/corpus/model_spend.ts";
import { signalsByWeek } from "../../db/corpus/signals.ts";
import { paymentsByDay, revenueSince, unresolvedPayments } from "../../db/ledger/lookups.ts";
import { runsSince } from "../../db/corpus/runs.ts";
import type { Sql } from "../../db/sql.ts";
import type { RequestCount } from "../pipeline/deps.ts";
import type { Chart } from "./chart.ts";

export interface Dataset {
  readonly name: string;
  readonly title: string;
  /** What to read from it, in a sentence. */
  readonly about: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly (string | number)[])[];
  /** True where the rows go from the oldest to the newest. */
  readonly isOverTime: boolean;
  readonly chart: Chart | null;
}

export interface AdminSources {
  readonly sql: Sql;
  readonly now: () => Date;
  readonly mode: "test" | "live";
  /** The one that is configured. */
  readonly rail: string;
  /** Requests answered by this process. */
  readonly requests: () => readonly RequestCount[];
}

const ROWS = 200;

const time = (at: Date | null): string => at === null ? "" : at.toISOString();
const dollars = (amount: number): string => amount.toFixed(2);

type Make = (sources: AdminSources, since: Date) => Promise<Omit<Dataset, "name">>;

const revenue: Make = async ({ sql, mode }, since) => {
  const rows = await revenueSince(sql, since, mode);
  return {
    title: mode === "test" ? "Revenue that would have been (mode test)" : "Revenue",
    isOverTime: true,
    about: "What was settled, by UTC day and route.",
    columns: ["day", "route", "payments", "usd"],
    rows: rows.map((row) => [row.day, row.route, row.payments, dollars(row.dollars)]),
    chart: {
      unit: "USD",
      points: rows.map((row) => ({ x: row.day, series: row.route, value: row.dollars })),
    },
  };
};

const payments: Make = async ({ sql }, since) => {
  const rows = await paymentsByDay(sql, since);
  return {
    title: "Payments by what became of them",
    isOverTime: true,
    about: "Settled ones paid; released ones did not, because computing failed or was cut short; " +
      "refused ones were turned down at settlement.",
    columns: ["day", "state", "payments"],
    rows: rows.map((row) => [row.day, row.name, row.count]),
    chart: {
      unit: "payments",
      points: rows.map((row) => ({ x: row.day, series: row.name, value: row.count })),
    },
  };
};

const calls: Make = ({ requests }) => {
  const rows = [...requests()].map((row) => ({ ...row, answer: `${row.method} ${row.status}` }));
  rows.sort((a, b) =>
    a.route < b.route ? -1 : a.route > b.route ? 1 : a.answer < b.answer ? -1 : 1
  );
  return Promise.resolve({
    title: "Calls and errors of this process",
    isOverTime: false,
    about: "Since it started; the metrics listener has every replica's over time.",
    columns: ["route", "method", "status", "calls"],
    rows: rows.map((row) => [row.route, row.method, row.status, row.count]),
    chart: {
      unit: "calls",
      points: rows.map((row) => ({ x: row.route, series: row.answer, value: row.count })),
    },
  });
};

const unresolved: Make = async ({ sql, rail }) => {
  const rows = await unresolvedPayments(sql, ROWS);
  return {
    title: "Unresolved settlements",
    isOverTime: false,
    about:
      "Their outcome is asked of the chain until it is known, where their rail is configured; " +
      "each buyer is told to send the same payment again.",
    columns: ["id", "rail", "route", "usd", "since", "checks", "next check", "transaction"],
    rows: rows.map((row) => [
      row.id,
      row.rail === rail ? rail : `${row.rail}, not configured`,
      row.route,
      dollars(row.dollars),
      time(row.createdAt),
      row.checks,
      time(row.checkAt),
      row.transaction ?? "",
    ]),
    chart: null,
  };
};

const runs: Make = async ({ sql }, since) => {
  const rows = await runsSince(sql, since);
  const seconds = (run: (typeof rows)[number]): number =>
    run.finishedAt === null ? 0 : (run.finishedAt.getTime() - run.startedAt.getTime()) / 1000;
  return {
    title: "Mining runs",
    isOverTime: true,
    about: "Imports and the demonstration count as runs too. The chart shows the last 200.",
    columns: ["started", "kind", "seconds", "result", "counts"],
    rows: rows.map((run) => [
      time(run.startedAt),
      run.kind,
      seconds(run).toFixed(1),
      run.error ?? (run.finishedAt === null ? "under way, or cut short" : "done"),
      Object.entries(run.stats).filter(([, value]) => typeof value === "number")
        .map(([key, value]) => `${key} ${value}`).join(", "),
    ]),
    chart: {
      unit: "seconds",
      points: rows.slice(-ROWS).map((run) => ({
        x: time(run.startedAt).slice(0, 16).replace("T", " "),
        series: run.error === null ? run.kind : "failed",
        value: seconds(run),
      })),
    },
  };
};

const freshness: Make = async ({ sql, now }, since) => {
  const rows = await communityFreshness(sql, since);
  const hours = (at: Date): number => Math.max(0, (now().getTime() - at.getTime()) / 3_600_000);
  return {
    title: "Freshness of communities",
    isOverTime: false,
    about: "Hours since the newest post that carried a signal; a community not listed had none.",
    columns: ["community", "posts", "newest", "hours ago"],
    rows: rows.map((row) => [
      row.community,
      row.posts,
      time(row.newest),
      hours(row.newest).toFixed(1),
    ]),
    chart: {
      unit: "hours",
      points: rows.slice(0, 40).map((row) => ({
        x: row.community,
        series: "hours since the newest",
        value: hours(row.newest),
      })),
    },
  };
};

const signals = (by: "pattern" | "category"): Make => async ({ sql }, since) => {
  const totals = new Map<string, { week: string; name: string; count: number }>();
  for (const row of await signalsByWeek(sql, since)) {
    const key = `${row.week} ${row[by]}`;
    const total = totals.get(key) ?? { week: row.week, name: row[by], count: 0 };
    totals.set(key, { ...total, count: total.count + row.count });
  }
  const rows = [...totals.values()];
  return {
    title: `Signals by ${by}`,
    isOverTime: true,
    about: `By the week (from Monday, UTC) in which the post was written.`,
    columns: ["week", by, "signals"],
    rows: rows.map((row) => [row.week, row.name, row.count]),
    chart: {
      unit: "signals",
      points: rows.map((row) => ({ x: row.week, series: row.name, value: row.count })),
    },
  };
};

const model: Make = async ({ sql }, since) => {
  const rows = await modelSpendSince(sql, since);
  return {
    title: "Model spend",
    isOverTime: true,
    about: "By UTC day, at the prices that the settings name.",
    columns: ["day", "calls", "usd", "tokens in", "tokens out"],
    rows: rows.map((row) => [
      row.day,
      row.calls,
      row.usd.toFixed(4),
      row.tokensIn,
      row.tokensOut,
    ]),
    chart: {
      unit: "USD",
      points: rows.map((row) => ({ x: row.day, series: "model", value: row.usd })),
    },
  };
};

const DATASETS: Readonly<Record<string, Make>> = {
  revenue,
  payments,
  calls,
  unresolved,
  runs,
  freshness,
  patterns: signals("pattern"),
  categories: signals("category"),
  model,
};

export const DATASET_NAMES: readonly string[] = Object.keys(DATASETS);

/** One table over the last `days` days; undefined for an unknown name. */
export async function dataset(
  name: string,
  sources: AdminSources,
  days: number,
): Promise<Dataset | undefined> {
  const make = Object.hasOwn(DATASETS, name) ? DATASETS[name] : undefined;
  if (make === undefined) return undefined;
  const today = Math.floor(sources.now().getTime() / DAY_MS) * DAY_MS;
  return { name, ...await make(sources, new Date(today - (days - 1) * DAY_MS)) };
}
