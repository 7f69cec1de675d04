/** The operator's pages of cards and of payments. */
import { html } from "hono/html";
import { findCard, type OpportunityState, searchCards } from "../../db/corpus/opportunities.ts";
import { findPayments, paymentAnswer } from "../../db/ledger/lookups.ts";
import { PAYMENT_STATES } from "../../db/ledger/types.ts";
import type { Queryable } from "../../db/sql.ts";
import { adminFrame, adminTable, choiceField, facts, searchForm, textField } from "./html.ts";
import {
  cardReport,
  PAYMENT_COLUMNS,
  paymentCells,
  paymentQuery,
  paymentReport,
  type Report,
} from "./reports.ts";
import type { Html } from "../pages/layout.ts";

const ROWS = 200;
const CARD_STATES: readonly OpportunityState[] = ["active", "dormant", "forming", "merged"];

/** Text with its own line ends; nothing of the markup around it may come into it. */
const pre = (text: string): Html => html`<pre>${text}</pre>`;

function reportPage({ title, facts: rows, tables, texts }: Report, path: string): Html {
  return adminFrame(
    title,
    path,
    html`${facts(rows)}${
      tables.map(({ title, columns, rows }) =>
        html`<section><h2>${title}</h2>${
          adminTable(title, columns, rows, { whole: true })
        }</section>`
      )
    }${
      texts.map(({ title, text }) =>
        html`
          <section>
            <h2>${title}</h2>
            ${pre(text)}
          </section>
        `
      )
    }`,
  );
}

const named = <T extends string>(names: readonly T[], text: string | null): T | null =>
  names.find((name) => name === text) ?? null;

/** What is searched for; Postgres refuses a text with a NUL in it. */
const searchedText = (parameters: URLSearchParams): string =>
  parameters.get("q")?.replaceAll("\0", " ").trim().slice(0, 200) ?? "";

async function cards(sql: Queryable, parameters: URLSearchParams): Promise<Html> {
  const text = searchedText(parameters);
  const state = named(CARD_STATES, parameters.get("state"));
  const rows = await searchCards(sql, {
    words: text.split(/\s+/).filter(Boolean),
    state,
    limit: ROWS,
  });
  const count = rows.length === ROWS ? `The first ${ROWS}` : `${rows.length} found`;
  return adminFrame(
    "Cards",
    "/admin/cards",
    html`${
      searchForm("/admin/cards", [
        textField("q", "Words in title, summary, category or slug", text),
        choiceField("state", "State", CARD_STATES, state ?? ""),
      ])
    }<p>${count}; the best score first.</p>${
      adminTable(
        "Cards",
        ["card", "category", "score", "signals", "authors", "state", "last seen"],
        rows.map((row) => [
          { text: row.title, href: `/admin/cards/${encodeURIComponent(row.id)}` },
          row.category,
          row.score,
          row.signals,
          row.authors,
          row.state,
          row.lastSeen,
        ]),
        { whole: true },
      )
    }`,
  );
}

async function payments(sql: Queryable, parameters: URLSearchParams): Promise<Html> {
  const text = searchedText(parameters);
  const state = named(PAYMENT_STATES, parameters.get("state"));
  const rows = await findPayments(sql, paymentQuery(text, state), ROWS);
  const count = rows.length === ROWS ? `The newest ${ROWS}` : `${rows.length} found`;
  return adminFrame(
    "Payments",
    "/admin/payments",
    html`${
      searchForm("/admin/payments", [
        textField("q", "Payer, transaction, request id, payment id or payment-identifier", text),
        choiceField("state", "State", PAYMENT_STATES, state ?? ""),
      ])
    }<p>${count}; the newest first.</p>${
      adminTable(
        "Payments",
        PAYMENT_COLUMNS,
        rows.map((row) => paymentCells(row, (id) => `/admin/payments/${id}`)),
        { whole: true },
      )
    }`,
  );
}

/** The page at a path below /admin; null if there is none. */
export async function lookupPage(sql: Queryable, url: URL): Promise<Html | null> {
  const [, , room, name, ...more] = url.pathname.split("/");
  if (more.length > 0) return null;
  if (room === "cards") {
    if (name === undefined) return await cards(sql, url.searchParams);
    const row = await findCard(sql, name);
    return row === null ? null : reportPage(cardReport(row), "/admin/cards");
  }
  if (room === "payments") {
    if (name === undefined) return await payments(sql, url.searchParams);
    if (!/^\d{1,15}$/.test(name)) return null;
    const [row] = await findPayments(sql, paymentQuery(name, null), 1);
    if (row === undefined) return null;
    return reportPage(paymentReport(row, await paymentAnswer(sql, row)), "/admin/payments");
  }
  return null;
}
