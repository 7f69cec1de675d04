/** The operator's overview and its tables as CSV. */
import { html } from "hono/html";
import { drawChart } from "./chart.ts";
import type { Dataset } from "./datasets.ts";
import { adminFrame, adminTable, facts, isNumber } from "./html.ts";
import type { Html } from "../pages/layout.ts";
import { SERVICE_NAME } from "../pipeline/words.ts";

function section(data: Dataset, days: number): Html {
  const { name, title, about, chart, columns, rows, isOverTime } = data;
  // The newest first: the charts read left to right, people from the top.
  const shown = isOverTime ? rows.toReversed() : rows;
  return html`
    <section
      id="${name}"><h2>${title}</h2><p>${about} <a href="/admin/${name}.csv?days=${days}" aria-label="${title} as CSV">CSV</a></p>${chart ===
          null
        ? ""
        : drawChart(chart, title)}${adminTable(title, columns, shown)}</section>
  `;
}

export interface PageFacts {
  readonly version: string;
  readonly days: number;
  readonly status: readonly (readonly [string, string])[];
}

const SPANS = [7, 30, 90, 365];

/** The whole page. */
export function adminPage(datasets: readonly Dataset[], about: PageFacts): Html {
  const spans = SPANS.map((days) =>
    days === about.days
      ? html`<li><strong>${days} days</strong></li>`
      : html`<li><a href="/admin?days=${days}">${days} days</a></li>`
  );
  const sections = datasets.map(({ name, title }) =>
    html`<li><a href="#${name}">${title}</a></li>`
  );
  return adminFrame(
    `${SERVICE_NAME}, version ${about.version}`,
    "/admin",
    html`
      ${facts(about.status)}<nav aria-label="Time shown">
        <ul>${spans}</ul>
      </nav>
      <nav aria-label="Sections">
        <ul>${sections}</ul>
      </nav>${datasets.map((data) => section(data, about.days))}
    `,
  );
}

/** A cell that a spreadsheet would take for a formula is kept from being one. */
function csvCell(cell: string | number): string {
  const text = typeof cell === "string" && /^[=+\-@\t\r]/.test(cell) && !isNumber(cell)
    ? `'${cell}`
    : String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

/** A table as CSV (RFC 4180). */
export function csvOf({ columns, rows }: Dataset): string {
  return [columns, ...rows].map((row) => `${row.map(csvCell).join(",")}\r\n`).join("");
}
