/** What the tests of verdicts say of money: the day's spend on the model. */
import { modelSpendSince } from "../../db/admin.ts";
import type { Queryable } from "../../db/sql.ts";

/** Dollars spent or set aside on the day of `now`, the last there is. */
export async function spentToday(sql: Queryable, now: Date): Promise<number> {
  const days = await modelSpendSince(sql, now);
  return days.reduce((all, { usd }) => all + usd, 0);
}
