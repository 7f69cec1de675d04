/** A database of a benchmark's own, on the Postgres that BENCH_DATABASE_URL names. */
import postgres from "postgres";

interface OwnDatabase {
  readonly url: string;
  drop(): Promise<void>;
}

/** Makes `bench_NAME`, empty; one of an earlier run is dropped. Ends the process, and says why, without a Postgres. */
export async function ownDatabase(name: string): Promise<OwnDatabase> {
  const server = Deno.env.get("BENCH_DATABASE_URL");
  if (server === undefined) {
    console.log("no Postgres here: left out");
    Deno.exit(0);
  }
  const database = `bench_${name}`;
  const admin = postgres(server, { max: 1, onnotice: () => {} });
  await admin`drop database if exists ${admin(database)} with (force)`;
  await admin`create database ${admin(database)}`;
  const url = new URL(server);
  url.pathname = `/${database}`;
  return {
    url: url.href,
    drop: async () => {
      await admin`drop database ${admin(database)} with (force)`;
      await admin.end();
    },
  };
}
