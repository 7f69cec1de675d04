/** What an operator sees of one card and of one payment, for the pages and the command line alike. */
import type { CardRow } from "../../db/corpus/opportunities.ts";
import type { PaymentAnswer, PaymentQuery, PaymentRow } from "../../db/ledger/lookups.ts";
import type { PaymentState } from "../../db/ledger/types.ts";
import { DOLLAR_UNITS } from "../../db/ledger/types.ts";
import { type Card, readCard } from "../../mining/cards/types.ts";
import { SCORE_VERSION, weighedAuthors } from "../../mining/cards/score.ts";
import type { Cell } from "./html.ts";

interface ReportTable {
  readonly title: string;
  readonly columns: readonly string[];
  readonly rows: readonly (readonly Cell[])[];
}

export interface Report {
  readonly title: string;
  readonly facts: readonly (readonly [name: string, value: Cell])[];
  readonly tables: readonly ReportTable[];
  /** Text that is shown as it is. */
  readonly texts: readonly { readonly title: string; readonly text: string }[];
}

const NAMES = {
  frequency: "frequency: how many ask, and how lately",
  intensity: "intensity: how far they are failed by what there is",
  wtp: "willingness to pay: what they would spend against the kind's middle",
} as const;

/** A value of a fact in a line: lists by semicolons, objects as their fields, without those that hold nothing. */
function inLine(value: unknown): string {
  if (Array.isArray(value)) return value.map(inLine).join("; ");
  if (typeof value !== "object" || value === null) return String(value ?? "");
  return Object.entries(value).map(([name, inner]) => [name, inLine(inner)])
    .filter(([, inner]) => inner !== "").map((field) => field.join(" ")).join(", ");
}

const percent = (share: number): string => `${Math.round(100 * share)}%`;

/** What each component counts; the formulas are in docs/scoring.md. Null of a card that another version made. */
function countsBehind(
  { facts, scoring }: Card,
): Readonly<Record<keyof typeof NAMES, string>> | null {
  if (facts === undefined || scoring.version !== SCORE_VERSION) return null;
  const { authors, askingForProduct, unmet, failures, budgets: [budget], product } = facts;
  const weighed = weighedAuthors(scoring.components.frequency).toFixed(1);
  const failed = Math.max(0, ...failures.map((failure) => failure.authors));
  const sums = budget === undefined
    ? "none of them names a sum"
    : `${budget.authors} name a sum, the middle ${budget.currency.toUpperCase()} ${budget.median}` +
      (budget.marketMedian === null ? "" : ` (of all for ${product}: ${budget.marketMedian})`) +
      `, ${budget.ceilings} of them as a ceiling alone`;
  return {
    frequency: `${authors} authors, weighed by age and certainty: ${weighed}`,
    intensity:
      `${authors} of ${askingForProduct} who ask for ${product}; ${unmet.authors} of the ` +
      `${authors} failed by what there is or without any (of all who ask: ${
        percent(unmet.marketShare)
      }); ${failed} by the same problem; and how strongly they say it`,
    wtp:
      `${sums}; ${facts.wouldPayMore} would pay more, ${facts.cheap} want it cheap; and how many ` +
      `of all for ${product} name a sum`,
  };
}

function scoreTable(card: Card): ReportTable {
  const { score, scoring: { version, components, weights } } = card;
  const names = ["frequency", "intensity", "wtp"] as const;
  const behind = countsBehind(card);
  const factors = names.map((name) => (components[name] ** weights[name]).toFixed(4));
  return {
    title: `Why it scores ${score}: 100 x ${factors.join(" x ")} (formula ${version})`,
    columns: ["component", "value", "to the power of", "gives", ...(behind ? ["counted:"] : [])],
    rows: names.map((name, index) => [
      NAMES[name],
      components[name].toFixed(4),
      weights[name].toFixed(2),
      factors[index] ?? "",
      ...(behind ? [behind[name]] : []),
    ]),
  };
}

/** The facts that are known; `lift` is explained where it stands. */
function factsTable(facts: Readonly<Record<string, unknown>>): ReportTable {
  const rows = Object.entries(facts).map(([name, value]) => [name, inLine(value)])
    .filter(([, value]) => value !== "");
  const hasLift = rows.some(([, value = ""]) => value.includes("lift "));
  const lift = "; lift: how many times as often as among all who ask for the product";
  return {
    title: `Facts (numbers of authors${hasLift ? lift : ""})`,
    columns: ["fact", "counted"],
    rows,
  };
}

/** Everything of a card. */
export function cardReport(
  { id, state, slug, mergedInto, formerSlugs, card: stored }: CardRow,
): Report {
  const names: Report["facts"] = [
    ["id", id],
    ["state", mergedInto === null ? state : `${state} into ${mergedInto}`],
    ["slug", slug ?? "none"],
    ...(formerSlugs.length === 0 ? [] : [["earlier slugs", formerSlugs.join(", ")] as const]),
  ];
  const card = readCard(stored);
  if (card === null) {
    const why = stored === null
      ? "Not enough authors state this want for a card."
      : "The card was made by another version, and is remade when its want changes.";
    return { title: id, facts: [...names, ["card", why]], tables: [], texts: [] };
  }
  const authors = card.authorsKnown ? "distinct authors" : "distinct texts (authors unknown)";
  return {
    title: card.title,
    facts: [
      ...names,
      ["category", card.category],
      ["signals", card.signalCount],
      [authors, card.distinctAuthors],
      ["signals of the last 7 days, and of the 28 before", `${card.signals7d}, ${card.signals28d}`],
      ["first and last seen", `${card.firstSeen} to ${card.lastSeen}`],
      ["last updated", card.lastUpdated],
      ["summary", card.summary],
      ["product angle", card.productAngle],
    ],
    tables: [
      scoreTable(card),
      factsTable(card.facts ?? {}),
      {
        title: "Authors by pattern",
        columns: ["pattern", "authors"],
        rows: Object.entries(card.scoring.patterns),
      },
      {
        title: "Evidence",
        columns: ["quote", "community", "upvotes", "post"],
        rows: card.evidence.map(({ quote, subreddit, upvotes, permalink }) => [
          quote,
          subreddit,
          upvotes,
          // A permalink comes from the source: one with another scheme, such as javascript:, must not become a link.
          /^https?:/.test(permalink) ? { text: permalink, href: permalink } : permalink,
        ]),
      },
    ],
    texts: [],
  };
}

/** Dollars of token units, with their cents alone where there is no less. */
export const dollarsOf = (units: number): string =>
  (units / DOLLAR_UNITS).toFixed(units % 10_000 ? 6 : 2);

const STATES: Readonly<Record<PaymentState, string>> = {
  claimed: "claimed: the answer is being computed, or its process died",
  answered: "answered: computed, and not yet taken to settlement",
  settling: "settling: taken to settlement, outcome not known yet",
  settled: "settled: paid, and answered",
  refused: "refused at settlement: nothing was paid, nothing delivered",
  released: "released: the computation failed or was cut short, nothing was paid",
};

const time = (at: Date | null): string => at?.toISOString() ?? "";

/** Everything of a payment except secrets. */
export function paymentReport(row: PaymentRow, answer: PaymentAnswer): Report {
  const known: readonly (readonly [string, Cell | null])[] = [
    ["state", STATES[row.state]],
    ["reason", row.reason],
    ["route", row.route],
    ["usd", dollarsOf(row.units)],
    ["payer", row.payer],
    ["paid to", row.payTo],
    ["network and token", row.rail],
    ["transaction", row.transaction],
    ["payment-identifier", row.paymentIdentifier],
    ["claimed", time(row.createdAt)],
    ["settled", time(row.settledAt)],
    ["asked of the chain", row.checks === 0 ? null : `${row.checks} times`],
    ["asked next", row.state === "settling" ? time(row.checkAt) : null],
    ["answer stored", time(answer.storedAt)],
    ["answer", answer.body === null ? "not kept any more, or none was made" : null],
  ];
  return {
    title: `Payment ${row.id}`,
    facts: known.flatMap(([name, value]) =>
      value === null || value === "" ? [] : [[name, value] as const]
    ),
    tables: [{
      title: "Requests that were answered for it",
      columns: ["request id", "answered"],
      rows: answer.requests.map(({ requestId, answeredAt }) => [requestId, time(answeredAt)]),
    }],
    texts: answer.body === null
      ? []
      : [{ title: "What was answered", text: indented(answer.body) }],
  };
}

function indented(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2);
  } catch {
    return body;
  }
}

/** Payments in a list. */
export const PAYMENT_COLUMNS = [
  "payment",
  "claimed",
  "state",
  "route",
  "usd",
  "payer",
  "transaction",
];

/** A payment's row in a list; `href` makes the link to it. */
export const paymentCells = (row: PaymentRow, href: ((id: number) => string) | null): Cell[] => [
  href === null ? row.id : { text: String(row.id), href: href(row.id) },
  time(row.createdAt),
  row.state,
  row.route,
  dollarsOf(row.units),
  row.payer,
  row.transaction ?? "",
];

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * What a payment is looked up by: its number, payer, transaction, a request's id, or the buyer's
 * payment-identifier, which may look like any of the others but the number.
 */
export function paymentQuery(text: string, state: PaymentState | null): PaymentQuery {
  const id = /^\d{1,15}$/.test(text) ? Number(text) : null;
  return {
    id,
    payer: /^0x[0-9a-f]{40}$/i.test(text) ? text : null,
    transaction: /^0x[0-9a-f]{64}$/i.test(text) ? text : null,
    requestId: UUID.test(text) ? text.toLowerCase() : null,
    paymentIdentifier: text === "" || id !== null ? null : text,
    state,
  };
}
