/** `demand show CARD` and `demand payment ID`: what is sold, and to whom, without a browser. */
import { OperatorError } from "../core/errors.ts";
import { printable } from "../core/log.ts";
import { wrapped } from "./output.ts";
import { findCard, searchCards } from "../db/corpus/opportunities.ts";
import { findPayments, paymentAnswer } from "../db/ledger/lookups.ts";
import {
  cardReport,
  paymentCells,
  paymentQuery,
  paymentReport,
  type Report,
} from "../routes/admin/reports.ts";
import { type CommandContext, withStorage } from "./context.ts";
import type { OutputOptions } from "./reporting.ts";

const MANY = 20;

/** A cell as a terminal may show it: what others wrote cannot steer it. */
const textOf = (cell: Report["facts"][number][1]): string =>
  printable(typeof cell === "object" ? cell.text : String(cell));

function printReport({ print }: CommandContext, { title, facts, tables, texts }: Report): void {
  print(`${printable(title)}\n`);
  for (const [name, value] of facts.filter(([, value]) => textOf(value) !== "")) {
    print(wrapped(textOf(value), 2, `${name}: `));
  }
  for (const { title, columns, rows } of tables.filter(({ rows }) => rows.length > 0)) {
    print(`\n${printable(title)}\n`);
    for (const [first = "", ...others] of rows) {
      print(wrapped(textOf(first), 2));
      const rest = others.map((cell, index) => `${columns[index + 1] ?? ""} ${textOf(cell)}`);
      print(wrapped(rest.join("  "), 6));
    }
  }
  for (const { title, text } of texts) {
    print(`\n${title}\n${text.split("\n").map((line) => `  ${printable(line)}\n`).join("")}`);
  }
}

/** Beside a running service; where nothing was ever started there is nothing to look up. */
const STORAGE = { share: true, mustExist: true } as const;

/**
 * Prints a card by its id or slug, or the list of the cards that have these words in them. Gives
 * the exit code.
 * @throws OperatorError where there is none.
 */
export function runShow(
  context: CommandContext,
  words: readonly string[],
  { asJson }: OutputOptions,
): Promise<number> {
  const { print } = context;
  return withStorage(context, STORAGE, async ({ sql }) => {
    const row = await findCard(sql, words.join(" "));
    if (row !== null) {
      if (asJson) print(`${JSON.stringify(row)}\n`);
      else printReport(context, cardReport(row));
      return 0;
    }
    const found = await searchCards(sql, { words, state: null, limit: MANY });
    if (found.length === 0) {
      throw new OperatorError(
        `no card has the id or slug "${words.join(" ")}", or these words in it`,
      );
    }
    if (asJson) print(`${JSON.stringify(found)}\n`);
    else {
      for (const { id, title, score, state } of found) {
        print(`${id}  ${score.toFixed(1).padStart(5)}  ${state.padEnd(7)}  ${printable(title)}\n`);
      }
    }
    return 0;
  });
}

/**
 * Prints the payment that `text` names (its number, payer, transaction, payment identifier, or the
 * id of a request), or the list of the newest where it names several. Gives the exit code.
 * @throws OperatorError where there is none.
 */
export function runPayment(
  context: CommandContext,
  text: string,
  { asJson }: OutputOptions,
): Promise<number> {
  const { print } = context;
  return withStorage(context, STORAGE, async ({ sql }) => {
    const rows = await findPayments(sql, paymentQuery(text, null), MANY);
    const [row] = rows;
    if (row === undefined) throw new OperatorError(`no payment is known by "${text}"`);
    if (rows.length === 1) {
      const answer = await paymentAnswer(sql, row);
      if (asJson) print(`${JSON.stringify({ ...row, answer })}\n`);
      else printReport(context, paymentReport(row, answer));
    } else if (asJson) print(`${JSON.stringify(rows)}\n`);
    else for (const each of rows) print(`${paymentCells(each, null).map(textOf).join("  ")}\n`);
    return 0;
  });
}
