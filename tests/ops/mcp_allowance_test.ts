import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Allowance, createAllowance } from "../../commands/mcp/allowance.ts";
import { OperatorError } from "../../core/errors.ts";
import { temporaryDirectory } from "../support/database.ts";

const open = (folder: string, today = () => "2026-01-02"): Allowance =>
  createAllowance(`${folder}/spent`, 1_000_000, today, () => crypto.randomUUID());

Deno.test("a torn line of the day stops spending, one of another day does not", async () => {
  using folder = temporaryDirectory();
  const allowance = open(folder.path);
  assert(await allowance.reserve(400_000));
  const file = (day: string): string => `${folder.path}/spent/${day}.txt`;
  await Deno.writeTextFile(file("2026-01-01"), "2026-01-01\n");
  assertEquals(await allowance.left(), 600_000);
  for (const torn of ["2026-01-02", "2026-01-02 402026-01-02 50 id", "20262026-01-02 50 id"]) {
    await Deno.writeTextFile(file("2026-01-02"), `2026-01-02 400000 id\n${torn}\n`);
    await assertRejects(() => allowance.left(), OperatorError, "has no day or no amount");
    await assertRejects(() => allowance.reserve(1), OperatorError, "has no day or no amount");
  }
});

Deno.test("sessions that reserve at the same time never pass the day's allowance", async () => {
  for (let round = 0; round < 20; round++) {
    using folder = temporaryDirectory();
    const sessions = Array.from({ length: 4 }, () => open(folder.path));
    const reserved = await Promise.all(
      Array.from({ length: 24 }, (_, n) => sessions[n % 4]?.reserve(150_000)),
    );
    const reservations = reserved.filter((one) => one !== null);
    const fits = reservations.length;
    assertEquals([fits > 0, fits <= 6], [true, true], `${fits} of 150,000 in 1,000,000`);
    const [allowance] = sessions;
    assertEquals(await allowance?.left(), 1_000_000 - fits * 150_000);
    // What others tried at the same time is no more in the way of what fits.
    for (let left = fits; left < 6; left++) assert(await allowance?.reserve(150_000));
    assertEquals(await allowance?.reserve(150_000), null);
    await reservations[0]?.release();
    assert(await allowance?.reserve(150_000));
  }
});

Deno.test("what is released after midnight adds nothing to the next day", async () => {
  using folder = temporaryDirectory();
  let day = "2026-01-01";
  const allowance = open(folder.path, () => day);
  const reservation = await allowance.reserve(900_000);
  day = "2026-01-02";
  await reservation?.release();
  assertEquals(await allowance.left(), 1_000_000);
  day = "2026-01-01";
  assertEquals(await allowance.left(), 1_000_000);
});

Deno.test("two days of spending are kept, whoever else spends while the others go", async () => {
  using folder = temporaryDirectory();
  let day = "2026-02-27";
  const sessions = Array.from({ length: 4 }, () => open(folder.path, () => day));
  const foreign = `${folder.path}/spent/2025-notes.txt`;
  for (day of ["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]) {
    const reserved = await Promise.all(
      Array.from({ length: 12 }, (_, n) => sessions[n % 4]?.reserve(150_000)),
    );
    const fits = reserved.filter((one) => one !== null).length;
    for (const session of sessions) assertEquals(await session.left(), 1_000_000 - fits * 150_000);
    await Deno.writeTextFile(foreign, "not ours to remove");
  }
  const kept = [...Deno.readDirSync(`${folder.path}/spent`)].map(({ name }) => name).sort();
  assertEquals(kept, ["2025-notes.txt", "2026-03-01.txt", "2026-03-02.txt"]);
});

Deno.test("a transaction is known after midnight", async () => {
  using folder = temporaryDirectory();
  let day = "2025-12-31";
  const sessions = [open(folder.path, () => day), open(folder.path, () => day)];
  assertEquals(await sessions[0]?.isNew("0x1"), true);
  day = "2026-01-01";
  for (const session of sessions) assertEquals(await session.isNew("0x1"), false);
});

Deno.test("a transaction is new to one of all who ask for it at the same time", async () => {
  using folder = temporaryDirectory();
  const sessions = Array.from({ length: 4 }, () => open(folder.path));
  for (let round = 0; round < 20; round++) {
    const asked = await Promise.all(sessions.map((session) => session.isNew(`0x${round}`)));
    assertEquals(asked.filter((isNew) => isNew).length, 1);
    assertEquals(await open(folder.path).isNew(`0x${round}`), false);
  }
  assertEquals(await open(folder.path).left(), 1_000_000);
});
