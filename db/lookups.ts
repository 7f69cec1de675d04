/** What an operator looks up: a card whatever its state, and a payment by whatever its buyer knows of it. */
import type { OpportunityState } from "./corpus/opportunities.ts";
import { MAX_REQUESTS } from "./ledger/requests.ts";
import type { Queryable } from "./sql.ts";

export interface CardRow {
  readonly id: string;
  readonly state: OpportunityState;
  /** The card that a merged one leads to. */
  readonly mergedInto: string | null;
  readonly slug: string | null;
  readonly changedAt: Date | null;
  /** As stored by `saveCards`; null of one that never had enough behind it. */
  readonly card: unknown;
  /** Slugs that it had before. */
  readonly formerSlugs: readonly string[];
}

/** A card by its id, or by a slug that it has or had. */
export async function findCard(sql: Queryable, idOrSlug: string): Promise<CardRow | null> {
  const [row] = await sql<CardRow[]>`
    select o.id, o.state, o.merged_into as "mergedInto", o.slug, o.changed_at as "changedAt", o.card,
      to_json(array(select s.slug from opportunity_slugs s
        where s.opportunity_id = o.id and s.slug is distinct from o.slug order by s.slug collate "C"))
        as "formerSlugs"
    from opportunities o
    where o.id = ${idOrSlug}
      or o.id = (select s.opportunity_id from opportunity_slugs s where s.slug = ${idOrSlug})
    limit 1`;
  return row ?? null;
}

export interface ListedCard {
  readonly id: string;
  readonly state: OpportunityState;
  readonly title: string;
  readonly category: string;
  readonly score: number;
  readonly signals: number;
  readonly authors: number;
  readonly lastSeen: string;
}

/** Cards in whose title, summary, category or slug all the words stand, the best first. */
export async function searchCards(
  sql: Queryable,
  { words, state, limit }: {
    readonly words: readonly string[];
    /** One state alone; null for all that have a card. */
    readonly state: OpportunityState | null;
    readonly limit: number;
  },
): Promise<ListedCard[]> {
  const patterns = words.map((word) => `%${word.replaceAll(/[\\%_]/g, "\\$&")}%`);
  return await sql<ListedCard[]>`
    select id, state, card->>'title' as title, coalesce(category, card->>'category') as category,
      score, (card->>'signalCount')::integer as signals,
      (card->>'distinctAuthors')::integer as authors, card->>'lastSeen' as "lastSeen"
    from opportunities
    where card is not null and (${state}::text is null or state = ${state})
      and concat_ws(' ', card->>'title', card->>'summary', card->>'category', slug)
        ilike all (${patterns}::text[])
    order by (state = 'active') desc, score desc, id collate "C" limit ${limit}`;
}

export const PAYMENT_STATES = [
  "claimed",
  "answered",
  "settling",
  "settled",
  "refused",
  "released",
] as const;
export type PaymentState = (typeof PAYMENT_STATES)[number];

export interface PaymentRow {
  readonly id: number;
  readonly state: PaymentState;
  readonly rail: string;
  readonly route: string;
  /** Token units. */
  readonly units: number;
  /** `0x` hex in both. */
  readonly payer: string;
  readonly payTo: string;
  readonly transaction: string | null;
  /** Why it was refused. */
  readonly reason: string | null;
  /** The buyer's own name for it. */
  readonly named: string | null;
  readonly createdAt: Date;
  readonly settledAt: Date | null;
  readonly checks: number;
  readonly checkAt: Date | null;
}

/**
 * How payments are looked up: by any of id, payer, transaction, request and name that is given (not null), or all of
 * them where none is.
 */
export interface PaymentQuery {
  readonly id: number | null;
  /** `0x` and 40 hexadecimal digits. */
  readonly payer: string | null;
  readonly transaction: string | null;
  readonly requestId: string | null;
  readonly named: string | null;
  /** The state they are in besides; null for any. */
  readonly state: PaymentState | null;
}

/** Payments, the newest first. Signatures, nonces and fingerprints stay where they are. */
export async function findPayments(
  sql: Queryable,
  query: PaymentQuery,
  limit: number,
): Promise<PaymentRow[]> {
  const { id, payer, transaction, requestId, named, state } = query;
  const isAny = [id, payer, transaction, requestId, named].every((known) => known === null);
  // Indexes begin with the rail: a payer is looked up on each there is.
  const known = isAny ? sql`` : sql`
      and id in (
        select id from payments where id = ${id}
        union all select id from payments
        where payer = decode(${payer?.slice(2).toLowerCase() ?? null}, 'hex') and rail = any(array(
          with recursive rails as (
            select min(rail) as rail from payments
            union all
            select (select min(p.rail) from payments p where p.rail > rails.rail) from rails
            where rails.rail is not null
          ) select rail from rails))
        union all select id from payments where tx = ${transaction?.toLowerCase() ?? null}
        union all select p.id from payment_requests r join payments p using (tx)
        where r.request_id = ${requestId}
        union all select id from payments where payment_id = ${named})`;
  return await sql<PaymentRow[]>`
    select id, state, rail, route, amount as units, '0x' || encode(payer, 'hex') as payer,
      '0x' || encode(pay_to, 'hex') as "payTo", tx as transaction, reason, payment_id as named,
      created_at as "createdAt", settled_at as "settledAt", checks, check_at as "checkAt"
    from payments
    where (${state}::text is null or state = ${state}) ${known}
    order by created_at desc, id desc limit ${limit}`;
}

export interface PaymentAnswer {
  /** The answer while it is kept; null once it is forgotten, or was removed with a post that it quotes. */
  readonly body: string | null;
  readonly storedAt: Date | null;
  readonly requests: readonly { readonly requestId: string; readonly answeredAt: Date }[];
}

/** What was answered for a payment, and to which requests. */
export async function paymentAnswer(
  sql: Queryable,
  { id, transaction }: Pick<PaymentRow, "id" | "transaction">,
): Promise<PaymentAnswer> {
  const [answer] = await sql<{ body: string | null; storedAt: Date }[]>`
    select body, stored_at as "storedAt" from payment_answers where payment_id = ${id}`;
  const requests = transaction === null ? [] : await sql<{ requestId: string; answeredAt: Date }[]>`
    select request_id as "requestId", answered_at as "answeredAt" from payment_requests
    where tx = ${transaction} order by answered_at limit ${MAX_REQUESTS}`;
  return { body: answer?.body ?? null, storedAt: answer?.storedAt ?? null, requests };
}
