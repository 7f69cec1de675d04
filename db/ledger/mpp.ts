/** What MPP stores: the key of its challenges. And what its receipts need: the time of a settlement. */
import type { Database } from "../sql.ts";

/** The secret of this name, stored by the first caller. */
export async function storedSecret(
  { short, durable }: Pick<Database, "short" | "durable">,
  name: string,
  fresh: string,
): Promise<string> {
  const read = async (): Promise<string | undefined> => {
    const [row] = await short((sql) =>
      sql<{ secret: string }[]>`select secret from payment_secrets where name = ${name}`
    );
    return row?.secret;
  };
  const known = await read();
  if (known !== undefined) return known;
  await short((sql) =>
    sql`insert into payment_secrets (name, secret) values (${name}, ${fresh}) on conflict do nothing`
  );
  await durable();
  const kept = await read();
  if (kept === undefined) throw new Error(`the secret ${name} was not kept`);
  return kept;
}

/** When a payment was settled by this transaction; null where the ledger does not say so yet. */
export async function settlementTime(
  { short }: Pick<Database, "short">,
  rail: string,
  payer: string,
  transaction: string,
): Promise<Date | null> {
  const [row] = await short((sql) =>
    sql<{ at: Date }[]>`
    select settled_at as at from payments
    where rail = ${rail} and payer = decode(${payer.slice(2)}, 'hex') and tx = ${transaction}
      and settled_at is not null`
  );
  return row?.at ?? null;
}
