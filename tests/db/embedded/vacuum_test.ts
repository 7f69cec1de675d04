import { assert, assertEquals } from "@std/assert";
import { PGlite } from "@electric-sql/pglite";
import { BackendGate } from "../../../db/embedded/session.ts";
import { vacuum } from "../../../db/embedded/vacuum.ts";

const ROUNDS = 12;
const ROWS = 300;

Deno.test("a table whose rows come and go keeps its size, and the planner knows it", async () => {
  const backend = await PGlite.create();
  const options = { backend, gate: new BackendGate(), afterRows: 700 };
  await backend.exec(`create table answers (id integer primary key, body text);
    create table "Other's" (n integer);
    alter table answers alter column body set storage external;
    insert into answers select n, '' from generate_series(-1000, -1) n`);
  assertEquals(await vacuum(options), ["public.answers"], "what has not changed is left alone");
  const sizes: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    await backend.exec(`insert into answers
      select n, repeat('x', 6000) from generate_series(1, ${ROWS}) n`);
    await backend.exec("delete from answers where id > 0");
    const due = await vacuum(options);
    assertEquals(due, round % 2 === 0 ? [] : ["public.answers"], "a fifth of it and 700 rows");
    const { rows: [row] } = await backend.query<{ bytes: number }>(
      "select pg_total_relation_size('answers')::int as bytes",
    );
    sizes.push(row?.bytes ?? NaN);
  }
  const [early = NaN, late = NaN] = [Math.max(...sizes.slice(0, 3)), sizes.at(-1)];
  assert(early > ROWS * 6_000 && late <= early, sizes.join(" "));

  // Few rows are due as well, a day later.
  await backend.exec(`insert into "Other's" values (1)`);
  assertEquals(await vacuum(options), [`public."Other's"`], "it never was");
  await backend.exec(`insert into "Other's" values (2)`);
  assertEquals(await vacuum(options), []);
  const { rows: [known] } = await backend.query<{ rows: number }>(
    "select reltuples::int as rows from pg_class where relname = 'answers'",
  );
  assertEquals(known?.rows, 1000);
  await backend.close();
});
