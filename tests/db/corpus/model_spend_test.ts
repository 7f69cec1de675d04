/** What the language model may cost in a day. */
import { assert, assertEquals } from "@std/assert";
import { DAY_MS } from "../../../core/clock.ts";
import { reserveSpend, settleSpend } from "../../../db/corpus/model_spend.ts";
import { testOnce } from "../../support/database.ts";
import { NOW } from "../../gauge/support/corpus.ts";
import { spentToday } from "../../gauge/support/gauge.ts";

const days = (count: number): Date => new Date(NOW.getTime() + count * DAY_MS);

testOnce("calls at once never set aside more than the day's budget", async ({ database }) => {
  const { sql } = database;
  const answers = await Promise.all(
    Array.from({ length: 10 }, () => reserveSpend(sql, NOW, 0.3, 1)),
  );
  assertEquals(answers.filter(Boolean).length, 3);
  await settleSpend(sql, NOW, 0.3, { usd: 0.05, tokensIn: 900, tokensOut: 100 });
  assertEquals(Math.round(1e6 * await spentToday(sql, NOW)), 650_000);
  assert(await reserveSpend(sql, NOW, 0.3, 1));
  assertEquals(await reserveSpend(sql, NOW, 0.3, 1), false);
  assert(await reserveSpend(sql, days(1), 0.3, 1), "a new day has a new budget");
  assert(await reserveSpend(sql, NOW, 5, null), "without a budget there is no bound");
  assertEquals(await reserveSpend(sql, days(2), 2, 1), false);
});
