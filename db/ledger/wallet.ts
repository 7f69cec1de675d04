/** The broadcasting wallet's nonces and transactions, one sequence for all replicas. */
import type { Claim } from "./mod.ts";
import type { Database, Sql } from "../sql.ts";

export interface Broadcast {
  readonly chainNonce: number;
  readonly paymentId: number;
  readonly hash: string;
  /** The signed transaction, `0x` hex. */
  readonly raw: string;
  /** Wei per gas that it offers at most. */
  readonly maxFee: bigint;
}

export interface WalletStore {
  /** The next nonce; `chainNonce` (the chain's own count) is taken where none is known yet. */
  nextNonce(chainNonce: number): Promise<number>;
  /**
   * answered (or settling, again) → settling, with the signed transaction that will pay. `taken`: another
   * replica has the nonce; `lost`: the claim is another owner's.
   */
  store(
    claim: Claim,
    signed: { readonly nonce: number; hash: string; raw: string; maxFee: bigint },
    leaseMs: number,
  ): Promise<"stored" | "taken" | "lost">;
  /** Replaces a stuck transaction by one with a higher fee. */
  replace(chainNonce: number, signed: { hash: string; raw: string; maxFee: bigint }): Promise<void>;
  /** Transactions that are not final yet, lowest nonce first. */
  pending(): Promise<Broadcast[]>;
  /** The transaction with which a payment is being settled. */
  ofPayment(paymentId: number): Promise<Broadcast | null>;
  /** Deletes one that is final. */
  buried(chainNonce: number): Promise<void>;
}

interface Row {
  readonly chain_nonce: number;
  readonly payment_id: number;
  readonly hash: string;
  readonly raw: string;
  readonly max_fee: string;
}

const broadcast = (row: Row): Broadcast => ({
  chainNonce: row.chain_nonce,
  paymentId: row.payment_id,
  hash: row.hash,
  raw: row.raw,
  maxFee: BigInt(row.max_fee),
});

/** `wallet` names the chain and the address. */
export function openWallet(
  database: Pick<Database, "short" | "durable">,
  wallet: string,
): WalletStore {
  const { short } = database;
  const columns = (sql: Sql) => sql`chain_nonce, payment_id, hash, raw, max_fee::text as max_fee`;
  return {
    nextNonce: async (chainNonce) => {
      await short((sql) =>
        sql`
        insert into payment_wallets as w (wallet, next_nonce) values (${wallet}, ${chainNonce})
        on conflict (wallet) do update set next_nonce = excluded.next_nonce
        where w.next_nonce < excluded.next_nonce`
      );
      const [row] = await short((sql) =>
        sql<{ next_nonce: number }[]>`
        select next_nonce from payment_wallets where wallet = ${wallet}`
      );
      return row?.next_nonce ?? chainNonce;
    },
    store: async ({ id, fencingToken }, { nonce, hash, raw, maxFee }, leaseMs) => {
      const [row] = await short((sql) =>
        sql<{ held: boolean; stored: boolean }[]>`
        with mine as (
          select id from payments
          where id = ${id} and fence = ${fencingToken} and state in ('answered', 'settling') for update
        ), taken as (
          update payment_wallets set next_nonce = next_nonce + 1
          where wallet = ${wallet} and next_nonce = ${nonce} and exists (select 1 from mine)
          returning wallet
        ), sent as (
          insert into payment_broadcasts
            (wallet, chain_nonce, payment_id, hash, raw, max_fee, sent_at)
          select wallet, ${nonce}::bigint, ${id}::bigint, ${hash}, ${raw},
            ${maxFee.toString()}::numeric, clock_timestamp() from taken
        ), moved as (
          update payments set state = 'settling', tx = ${hash}, check_at = clock_timestamp(),
            lease_until = clock_timestamp() + ${leaseMs}::integer * interval '1 millisecond'
          where id = ${id} and exists (select 1 from taken) returning id
        )
        select exists (select 1 from mine) as held, exists (select 1 from moved) as stored`
      );
      await database.durable();
      if (row?.held !== true) return "lost";
      return row.stored ? "stored" : "taken";
    },
    replace: async (chainNonce, { hash, raw, maxFee }) => {
      await short((sql) =>
        sql`
        with moved as (
          update payment_broadcasts set hash = ${hash}, raw = ${raw},
            max_fee = ${maxFee.toString()}::numeric, sent_at = clock_timestamp()
          where wallet = ${wallet} and chain_nonce = ${chainNonce} returning payment_id
        )
        update payments set tx = ${hash}
        where id in (select payment_id from moved) and state = 'settling'`
      );
      await database.durable();
    },
    pending: async () => {
      const rows = await short((sql) =>
        sql<Row[]>`
        select ${columns(sql)} from payment_broadcasts where wallet = ${wallet}
        order by chain_nonce limit 200`
      );
      return rows.map(broadcast);
    },
    ofPayment: async (paymentId) => {
      const [row] = await short((sql) =>
        sql<Row[]>`
        select ${columns(sql)} from payment_broadcasts where payment_id = ${paymentId}
        order by chain_nonce desc limit 1`
      );
      return row === undefined ? null : broadcast(row);
    },
    buried: async (chainNonce) => {
      await short((sql) =>
        sql`
        delete from payment_broadcasts where wallet = ${wallet} and chain_nonce = ${chainNonce}`
      );
    },
  };
}
