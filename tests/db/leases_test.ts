import { assert, assertEquals } from "@std/assert";
import { dropLease, holdLease, type Leasable, takeLease } from "../../db/leases.ts";
import { testBoth } from "../support/database.ts";

const NOW = new Date("2026-11-20T12:00:00.000Z");
const WHATS: readonly Leasable[] = [
  { table: "leases", key: "mining" },
  { table: "verdict_leases", key: new Uint8Array(32) },
];

testBoth("a lease that was given back is not held by a late renewal", async ({ database }) => {
  const { sql } = database;
  for (const what of WHATS) {
    const lease = await takeLease(sql, what, "one", NOW, 60);
    assert(lease !== null);
    assertEquals(await takeLease(sql, what, "two", NOW, 60), null);
    assert(await holdLease(sql, lease, NOW, 60));
    await dropLease(sql, lease);
    assertEquals(await holdLease(sql, lease, NOW, 60), false);
    assert(await takeLease(sql, what, "two", NOW, 60) !== null);
  }
});
