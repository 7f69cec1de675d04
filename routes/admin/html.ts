/** What every page of the operator's has: its head, its navigation, its tables. */
import { html, raw } from "hono/html";
import type { Html } from "../pages/layout.ts";

/** What stands in the page's style element, byte for byte: its hash is in the policy. */
export const STYLE = `
:root { color-scheme: light dark; --line: #8884; --soft: light-dark(#595959, #b4b4b4);
  --ground: light-dark(#fff, #121212); background: var(--ground); color: light-dark(#000, #fff); }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 960px; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin: 2.5rem 0 .25rem; }
p { margin: .25rem 0 .75rem; } nav ul { list-style: none; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem .75rem; }
a { color: light-dark(#0645ad, #9cc4ff); }
section > svg { width: 100%; height: auto; } .grid { stroke: var(--line); }
.axis { font-size: 11px; fill: var(--soft); }
.legend { list-style: none; display: flex; flex-wrap: wrap; gap: .25rem 1rem; padding: 0; font-size: .85rem; }
.legend svg { width: .8em; height: .8em; margin-right: .4em; }
.table { max-height: 22rem; overflow: auto; border: 1px solid var(--line); }
.table.whole { max-height: none; }
table { border-collapse: collapse; width: 100%; font-size: .85rem; }
th, td { text-align: left; padding: .25rem .6rem; border-bottom: 1px solid var(--line); vertical-align: top; }
thead th { position: sticky; top: 0; background: var(--ground); } td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; }
td { overflow-wrap: anywhere; } .none { color: var(--soft); }
form { display: flex; flex-wrap: wrap; gap: .5rem 1rem; align-items: end; margin: 1rem 0; }
label { display: grid; grid-template-columns: minmax(0, auto); gap: .2rem; font-size: .85rem; max-width: 100%; }
input, select, button { font: inherit; padding: .25rem .5rem; box-sizing: border-box; max-width: 100%; }
blockquote { margin: .5rem 0; padding-left: .75rem; border-left: 3px solid var(--line); }
pre { white-space: pre-wrap; overflow-wrap: anywhere; border: 1px solid var(--line); padding: .75rem; font-size: .8rem; }
`;

const PAGES = [["/admin", "Overview"], ["/admin/cards", "Cards"], ["/admin/payments", "Payments"]];

/** A whole page under a heading; `path` is that of the page, or of the one it belongs to. */
export function adminFrame(title: string, path: string, content: Html): Html {
  const links = PAGES.map(([href, name]) =>
    html`<li><a href="${href}" ${href === path ? html`aria-current="page"` : ""}>${name}</a></li>`
  );
  return html`
    <!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8">
        <title>${title} · Demand</title>
        <meta name="viewport" content="width=device-width">
        <meta name="robots" content="noindex">
        ${raw(`<style>${STYLE}</style>`)}
      </head>
      <body>
        <nav aria-label="Pages">
          <ul>${links}</ul>
        </nav>
        <main><h1>${title}</h1>${content}</main>
      </body>
    </html>
  `;
}

export type Cell = string | number | { readonly text: string; readonly href: string };

/** Whether a cell is a number, which tables set to the right. */
export const isNumber = (cell: Cell): boolean =>
  typeof cell === "number" || (typeof cell === "string" && /^-?\d+(\.\d+)?$/.test(cell));

const shown = (cell: Cell): Html | string =>
  typeof cell === "object" ? html`<a href="${cell.href}">${cell.text}</a>` : String(cell);

/** A table under a name for those who do not see it; it scrolls by itself, by keyboard too. */
export function adminTable(
  name: string,
  columns: readonly string[],
  rows: readonly (readonly Cell[])[],
  { whole = false }: { readonly whole?: boolean } = {},
): Html {
  if (rows.length === 0) return html`<p class="none">Nothing found.</p>`;
  const first = rows[0] ?? [];
  const numeric = columns.map((_, index) => isNumber(first[index] ?? ""));
  const kind = (index: number) => raw(numeric[index] === true ? ' class="n"' : "");
  return html`
    <div class="${whole ? "table whole" : "table"}" role="region" aria-label="${name}" tabindex="0">
      <table>
        <thead>
          <tr>${columns.map((column, index) =>
            html`
              <th scope="col" ${kind(index)}>${column}</th>
            `
          )}</tr>
        </thead>
        <tbody>${rows.map((row) =>
          html`<tr>${row.map((cell, index) => html`<td${kind(index)}>${shown(cell)}</td>`)}</tr>`
        )}</tbody>
      </table>
    </div>
  `;
}

/** Names and values, as a table whose first column heads its rows. */
export function facts(rows: readonly (readonly [string, Cell])[]): Html {
  return html`
    <table>
      <tbody>${rows.map(([name, cell]) =>
        html`
          <tr>
            <th scope="row">${name}</th>
            <td>${shown(cell)}</td>
          </tr>
        `
      )}</tbody>
    </table>
  `;
}

/** A field of a form that searches. */
export const textField = (name: string, label: string, value: string): Html =>
  html`<label>${label}<input type="search" name="${name}" value="${value}" size="48" maxlength="200"></label>`;

/** A choice of a form; the first stands for all. */
export const choiceField = (
  name: string,
  label: string,
  choices: readonly string[],
  value: string,
): Html =>
  html`<label>${label}<select name="${name}"><option value="">all</option>${
    choices.map((choice) =>
      html`<option ${choice === value ? html`selected` : ""}>${choice}</option>`
    )
  }</select></label>`;

/** A form that searches at `path`. */
export const searchForm = (path: string, fields: readonly Html[]): Html =>
  html`<form method="get" action="${path}" role="search">${fields}<button>Search</button></form>`;
