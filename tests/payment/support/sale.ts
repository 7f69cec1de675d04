/** What tests of single sales share: payers, payments, and cases with a shop of their own. */
import { assertEquals } from "@std/assert";
import type { Database } from "../../../db/sql.ts";
import { newAccount } from "../../support/accounts.ts";
import { testBoth } from "../../support/database.ts";
import { payV2 } from "./buyer.ts";
import { openShop, type Shop, TERMS } from "./shop.ts";

/** A payment of somebody new. */
export const pay = (more: Record<string, unknown> = {}) => payV2(newAccount(), TERMS, more);

/** The word or code of an answer that is an error and charged nothing. */
export async function errorOf(response: Response, status: number): Promise<string> {
  const { error, charged } = await response.json();
  assertEquals(response.status, status);
  assertEquals(charged, false);
  return typeof error === "string" ? error : error.code;
}

export type SaleCases = Readonly<Record<string, (shop: Shop, database: Database) => Promise<void>>>;

/** Runs named cases in one process, each in a shop of its own and with payers of its own. */
export function testSales(name: string, cases: SaleCases): void {
  testBoth(name, async ({ database }, t) => {
    for (const [what, run] of Object.entries(cases)) {
      await t.step(what, async () => {
        await using shop = await openShop({ database });
        await run(shop, database);
      });
    }
  });
}
