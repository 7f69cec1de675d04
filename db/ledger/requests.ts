/** Which requests a payment answered: written with every sale, beside the ledger's transitions. */
import { createGroup } from "../group.ts";
import type { ShortStatement } from "../sql.ts";

/** A request that was answered with a receipt. */
interface AnsweredRequest {
  readonly requestId: string;
  readonly transaction: string;
  readonly at: Date;
}

/** Requests kept with a payment: an answer is given again as often as it is asked for. */
export const MAX_REQUESTS = 50;

/** Statements of a second's sales at the most. */
const GROUP = { limit: 500, spacingMs: 1_000 };

/**
 * Makes what writes down which request a payment answered, the first ones alone; it may fail without harm to the
 * sale.
 */
export function rememberRequests(
  short: ShortStatement,
): (request: AnsweredRequest) => Promise<unknown> {
  const group = createGroup<AnsweredRequest, true>(GROUP, async (requests) => {
    const rows = JSON.stringify(requests);
    await short((sql) =>
      sql`
      insert into payment_requests (request_id, tx, answered_at)
      select "requestId", transaction, at from (
        select *, row_number() over (partition by transaction order by at, "requestId") as ordinal
        from json_to_recordset(${rows}::text::json)
          as r("requestId" text, transaction text, at timestamptz)
      ) r
      where ordinal + (select count(*) from payment_requests where tx = transaction) <= ${MAX_REQUESTS}
      on conflict do nothing`
    );
    return requests.map(() => true);
  });
  return (request) => group.add(request);
}
