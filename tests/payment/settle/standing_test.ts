import { assertEquals } from "@std/assert";
import { EXPIRY_MARGIN_SECONDS, standingOf } from "../../../payment/settle/standing.ts";

const END = 1_700_000_000;

Deno.test("a proof says paid, cannot pay, or neither until the authorization has surely run out", () => {
  const transaction = "0xab";
  assertEquals(standingOf({ kind: "paid", transaction }, 0n), { kind: "paid", transaction });
  assertEquals(standingOf({ kind: "void" }, BigInt(END)), {
    kind: "cannotPay",
    reason: "invalid_exact_evm_nonce_already_used",
  });
  const last = END + EXPIRY_MARGIN_SECONDS;
  for (const blockTime of [END - 1, END, last]) {
    const unused = { kind: "unused", blockTime } as const;
    assertEquals(standingOf(unused, BigInt(END)), unused);
  }
  assertEquals(standingOf({ kind: "unused", blockTime: last + 1 }, BigInt(END)), {
    kind: "cannotPay",
    reason: "invalid_exact_evm_payload_authorization_valid_before",
  });
});
