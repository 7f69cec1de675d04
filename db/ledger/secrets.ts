/** Secrets of payment that all replicas share, as the key of MPP's challenges. */
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
