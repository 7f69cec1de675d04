/** Stacked bars as SVG: no script, readable without colour by its titles and the table under it. */
import { html } from "hono/html";
import type { Html } from "../pages/layout.ts";

/** Bars over time, stacked by series. */
export interface Chart {
  readonly unit: string;
  readonly points: readonly {
    readonly x: string;
    readonly series: string;
    readonly value: number;
  }[];
}

const WIDTH = 900;
const HEIGHT = 220;
const LEFT = 56;
const BOTTOM = 44;
const TOP = 10;
const MAX_LABELS = 12;
const MAX_SERIES = 8;

/** Okabe and Ito's palette, told apart by most people who see colours differently. */
const COLOURS = [
  "#0072b2",
  "#e69f00",
  "#009e73",
  "#cc79a7",
  "#56b4e9",
  "#d55e00",
  "#8a8a00",
  "#666666",
];

/** The next of 1, 2 and 5 times a power of ten. */
export function niceCeiling(value: number): number {
  if (value <= 0) return 1;
  const power = 10 ** Math.floor(Math.log10(value));
  return ([1, 2, 5, 10].find((step) => step * power >= value * 0.999999) ?? 10) * power;
}

const shown = (value: number): string =>
  value >= 100 ? Math.round(value).toLocaleString("en-US") : String(Number(value.toPrecision(3)));

/** The largest series by themselves, the rest as "others". */
function seriesOf(chart: Chart): { names: string[]; of: (series: string) => string } {
  const totals = new Map<string, number>();
  for (const { series, value } of chart.points) {
    totals.set(series, (totals.get(series) ?? 0) + value);
  }
  const names = [...totals].sort((a, b) => b[1] - a[1]).map(([name]) => name);
  if (names.length <= MAX_SERIES) return { names, of: (series) => series };
  const kept = names.slice(0, MAX_SERIES - 1);
  return { names: [...kept, "others"], of: (s) => kept.includes(s) ? s : "others" };
}

/** Draws a chart; nothing where there is nothing to draw. */
export function drawChart(chart: Chart, title: string): Html {
  const xs = [...new Set(chart.points.map(({ x }) => x))];
  if (xs.length === 0) return html``;
  const { names, of } = seriesOf(chart);
  const values = new Map<string, number>();
  const stacks = new Map<string, number>();
  for (const { x, series, value } of chart.points) {
    const key = JSON.stringify([x, of(series)]);
    values.set(key, (values.get(key) ?? 0) + value);
    stacks.set(x, (stacks.get(x) ?? 0) + value);
  }
  const top = niceCeiling(Math.max(...stacks.values()));
  const slot = (WIDTH - LEFT) / xs.length;
  const bar = Math.max(1, Math.min(48, slot * 0.8));
  const y = (value: number): number => TOP + (HEIGHT - TOP - BOTTOM) * (1 - value / top);
  const parts: Html[] = [];
  for (const share of [0, 0.5, 1]) {
    const line = y(top * share).toFixed(1);
    parts.push(
      html`
        <line x1="${LEFT}" x2="${WIDTH}" y1="${line}" y2="${line}" class="grid" />
      `,
      html`
        <text x="${LEFT - 6}" y="${line}" class="axis" text-anchor="end"
          dominant-baseline="middle">${shown(top * share)}</text>
      `,
    );
  }
  const every = Math.ceil(xs.length / MAX_LABELS);
  for (const [index, x] of xs.entries()) {
    const middle = LEFT + slot * (index + 0.5);
    let below = 0;
    for (const [order, name] of names.entries()) {
      const value = values.get(JSON.stringify([x, name])) ?? 0;
      if (value <= 0) continue;
      const from = y(below + value);
      const height = Math.max(0.5, y(below) - from);
      below += value;
      parts.push(
        html`
          <rect x="${(middle - bar / 2).toFixed(1)}" y="${from.toFixed(1)}" width="${bar.toFixed(
            1,
          )}" height="${height.toFixed(1)}" fill="${COLOURS[order % COLOURS.length]}">
            <title>${x}, ${name}: ${shown(value)} ${chart.unit}</title>
          </rect>
        `,
      );
    }
    if (index % every !== 0) continue;
    const label = x.length > 16 ? `${x.slice(0, 15)}…` : x;
    parts.push(
      html`<text x="${middle.toFixed(1)}" y="${
        HEIGHT - BOTTOM + 14 + (index / every % 2) * 14
      }" class="axis" text-anchor="middle">${label}</text>`,
    );
  }
  const legend = names.map((name, order) =>
    html`<li><svg viewBox="0 0 1 1" aria-hidden="true"><rect width="1" height="1" fill="${
      COLOURS[order % COLOURS.length]
    }"/></svg>${name}</li>`
  );
  return html`
    <svg viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img"
      aria-label="${title}, ${chart.unit}">${parts}</svg>
    <ul class="legend">${legend}</ul>
  `;
}
