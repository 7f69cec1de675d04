/**
 * Counters, gauges and histograms in Prometheus' text exposition format 0.0.4
 * (https://prometheus.io/docs/instrumenting/exposition_formats/). prom-client would do the
 * same on both runtimes, and bring 4.7 MB of packages for these hundred lines.
 */

type Labels = Readonly<Record<string, string>>;

interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: "counter" | "gauge" | "histogram";
  /** The sample lines. */
  lines(): string[];
}

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');

function keyOf(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function withLabel(key: string, name: string, value: string): string {
  const pair = `${name}="${value}"`;
  return key === "" ? `{${pair}}` : `${key.slice(0, -1)},${pair}}`;
}

interface Counter<L extends Labels> {
  add(labels: L): void;
  /** What was counted so far. */
  counts(): readonly (readonly [L, number])[];
}

interface Histogram {
  observe(labels: Labels, value: number): void;
}

/** A value of a gauge as it is exposed, with the labels that tell it from the metric's others. */
export type Sample = readonly [Labels, number];

/** Seconds; from an answer out of memory to a live verdict's whole budget. */
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20, 45];

/**
 * The metrics of one process, and their exposition. Counters and histograms have no sample before
 * the first event. Names are exposed as given, the values of labels escaped.
 */
export class MetricsRegistry {
  readonly #metrics: Metric[] = [];

  /** Registers a counter, which only goes up: one value for each set of labels. */
  counter<L extends Labels>(name: string, help: string): Counter<L> {
    const values = new Map<string, { readonly labels: L; count: number }>();
    this.#metrics.push({
      name,
      help,
      type: "counter",
      lines: () => [...values].map(([key, { count }]) => `${name}${key} ${count}`),
    });
    return {
      add: (labels) => {
        const key = keyOf(labels);
        const value = values.get(key);
        if (value === undefined) values.set(key, { labels, count: 1 });
        else value.count++;
      },
      counts: () => [...values.values()].map(({ labels, count }) => [labels, count]),
    };
  }

  /**
   * Registers a histogram; `buckets` are its upper bounds, ascending, in the unit of what is
   * observed (seconds, unless given).
   */
  histogram(name: string, help: string, buckets: readonly number[] = BUCKETS): Histogram {
    const values = new Map<string, { counts: number[]; sum: number; count: number }>();
    this.#metrics.push({
      name,
      help,
      type: "histogram",
      lines: () =>
        [...values].flatMap(([key, { counts, sum, count }]) => {
          let below = 0;
          const rows = buckets.map((bucket, index) => {
            below += counts[index] ?? 0;
            return `${name}_bucket${withLabel(key, "le", String(bucket))} ${below}`;
          });
          return [
            ...rows,
            `${name}_bucket${withLabel(key, "le", "+Inf")} ${count}`,
            `${name}_sum${key} ${sum}`,
            `${name}_count${key} ${count}`,
          ];
        }),
    });
    return {
      observe: (labels, value) => {
        const key = keyOf(labels);
        let entry = values.get(key);
        if (entry === undefined) {
          entry = { counts: buckets.map(() => 0), sum: 0, count: 0 };
          values.set(key, entry);
        }
        const index = buckets.findIndex((bucket) => value <= bucket);
        if (index >= 0) entry.counts[index] = (entry.counts[index] ?? 0) + 1;
        entry.sum += value;
        entry.count++;
      },
    };
  }

  /** Registers a gauge, whose samples `read` gives at each exposition. */
  gauge(name: string, help: string, read: () => readonly Sample[]): void {
    this.#metrics.push({
      name,
      help,
      type: "gauge",
      lines: () => read().map(([labels, value]) => `${name}${keyOf(labels)} ${value}`),
    });
  }

  /** The whole exposition. */
  render(): string {
    return this.#metrics.map(({ name, help, type, lines }) =>
      [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines()].join("\n")
    ).join("\n") + "\n";
  }
}
