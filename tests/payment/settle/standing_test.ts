import { assertEquals } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import type { Proof } from "../../../payment/evm/proof.ts";
import { ChainUnavailable } from "../../../payment/evm/rpc.ts";
import {
  EXPIRY_MARGIN_SECONDS,
  standingOf,
  standingOnChain,
} from "../../../payment/settle/standing.ts";

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

Deno.test("without a chain an authorization is unused until it has run out; without an answer nothing is proven", async () => {
  const expected = {
    payer: "0xaa",
    nonce: "0x01",
    payTo: "0xbb",
    amount: 1n,
    sinceBlock: null,
    validBefore: BigInt(END),
  };
  const standing = (prove: (() => Promise<Proof>) | null, now = END) =>
    standingOnChain(
      { chain: prove === null ? null : { prove }, log: silentLog, nowSeconds: () => now },
      1,
      expected,
    );
  assertEquals(await standing(null), { kind: "unused", blockTime: END });
  const late = await standing(null, END + EXPIRY_MARGIN_SECONDS + 1);
  assertEquals(late.kind, "cannotPay");
  assertEquals(await standing(() => Promise.resolve({ kind: "paid", transaction: "0xab" })), {
    kind: "paid",
    transaction: "0xab",
  });
  for (
    const [error, chainIsUnavailable] of [[new ChainUnavailable("away"), true], [
      new TypeError("ours"),
      false,
    ]] as const
  ) {
    const unproven = await standing(() => Promise.reject(error), END + 1_000);
    assertEquals(unproven, { kind: "unproven", chainIsUnavailable });
  }
});
