/** The operator's page and its tables as CSV. */
import { drawChart, escapeHtml } from "./chart.ts";
import type { Cell, Dataset } from "./datasets.ts";

/** What stands in the page's style element, byte for byte: its hash is in the policy. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: #888; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .25rem; }
p { margin: .25rem 0 .75rem; } nav a { margin-right: .75rem; }
section > svg { width: 100%; height: auto; } .grid { stroke: var(--line); }
.axis { font-size: 11px; fill: var(--soft); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; font-size: .85rem; }
.legend svg { width: .8em; height: .8em; margin-right: .4em; }
.table { max-height: 22rem; overflow: auto; border: 1px solid var(--line); }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); }
th { position: sticky; top: 0; background: Canvas; } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
.none { color: var(--soft); }
`;

const isNumber = (cell: Cell): boolean => typeof cell === "number" || /^-?\d+(\.\d+)?$/.test(cell);

function table({ columns, rows, isOverTime }: Dataset): string {
  if (rows.length === 0) return `<p class="none">Nothing in this time.</p>`;
  const first = rows[0] ?? [];
  const kind = (index: number): string => isNumber(first[index] ?? "") ? ` class="n"` : "";
  const head = columns.map((name, i) => `<th scope="col"${kind(i)}>${escapeHtml(name)}</th>`);
  // The newest first: the charts read left to right, people from the top.
  const shown = isOverTime ? rows.toReversed() : rows;
  const body = shown.map((row) =>
    `<tr>${row.map((cell, i) => `<td${kind(i)}>${escapeHtml(String(cell))}</td>`).join("")}</tr>`
  );
  return `<div class="table" tabindex="0"><table><thead><tr>${head.join("")}</tr></thead><tbody>${
    body.join("")
  }</tbody></table></div>`;
}

function section(data: Dataset, days: number): string {
  const { name, title, about, chart } = data;
  return `<section id="${name}"><h2>${escapeHtml(title)}</h2><p>${
    escapeHtml(about)
  } <a href="/admin/${name}.csv?days=${days}">CSV</a></p>${
    chart === null ? "" : drawChart(chart, title)
  }${table(data)}</section>`;
}

export interface PageFacts {
  readonly version: string;
  readonly days: number;
  readonly status: readonly (readonly [string, string])[];
}

const SPANS = [7, 30, 90, 365];

/** The whole page. */
export function adminPage(datasets: readonly Dataset[], facts: PageFacts): string {
  const spans = SPANS.map((days) =>
    days === facts.days
      ? `<strong>${days} days</strong>`
      : `<a href="/admin?days=${days}">${days} days</a>`
  );
  const sections = datasets.map(({ name, title }) => `<a href="#${name}">${escapeHtml(title)}</a>`);
  const status = facts.status.map(([name, value]) =>
    `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`
  );
  return `<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Demand: operator</title>
<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">
<style>${STYLE}</style></head><body><h1>Demand Intelligence, version ${
    escapeHtml(facts.version)
  }</h1>
<table>${status.join("")}</table><nav><p>${spans.join(" · ")}</p><p>${sections.join(" ")}</p></nav>
<main>${datasets.map((data) => section(data, facts.days)).join("\n")}</main></body></html>`;
}

/** A cell that a spreadsheet would take for a formula is kept from being one. */
function csvCell(cell: Cell): string {
  const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) && !isNumber(cell)
    ? `'${cell}`
    : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table as CSV (RFC 4180). */
export function csvOf({ columns, rows }: Dataset): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}
