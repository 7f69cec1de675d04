import { assertEquals, assertRejects } from "@std/assert";
import { ChainRefusal, ChainUnavailable, createRpc, type Rpc } from "../../../payment/evm/rpc.ts";

/** A node that answers everything with this error. */
const failing = (code: number, message: string): Rpc =>
  createRpc({
    url: "http://node.test",
    timeoutMs: 1_000,
    fetch: () =>
      Promise.resolve(Response.json({ jsonrpc: "2.0", id: 1, error: { code, message } })),
  });

Deno.test("a node's own trouble is no refusal of the payment, whatever its code", async () => {
  const troubles: readonly [number, string][] = [
    [-32000, "server busy"],
    [-32000, "too many requests"],
    [-32000, "missing trie node 6a1c (path ) state 0x6a1c is not available"],
    [-32000, "unknown block"],
    [-32000, "header not found"],
    [-32000, "daily request count exceeded, request rate limited"],
    [-32000, "execution timeout"],
    [-32005, "limit exceeded"],
    [-32603, "internal error"],
    [3, "internal error: state unavailable"],
  ];
  for (const [code, message] of troubles) {
    const rpc = failing(code, message);
    await assertRejects(() => rpc.call("eth_call", []), ChainUnavailable, message);
  }
});

Deno.test("a revert and a transaction that is turned down are refusals", async () => {
  const refusals: readonly [number, string][] = [
    [3, "execution reverted: FiatTokenV2: invalid signature"],
    [-32000, "execution reverted"],
    [-32000, "VM Exception while processing transaction: revert"],
    [-32000, "nonce too low: next nonce 5, tx nonce 4"],
    [-32000, "already known"],
    [-32000, "replacement transaction underpriced"],
    [-32000, "insufficient funds for gas * price + value: balance 0"],
    [-32000, "gas required exceeds allowance (21000)"],
    [-32000, "intrinsic gas too low"],
    [-32000, "max fee per gas less than block base fee"],
    [-32003, "transaction rejected"],
    [-32015, "VM execution error"],
  ];
  for (const [code, message] of refusals) {
    const rpc = failing(code, message);
    const error = await assertRejects(() => rpc.call("eth_call", []), ChainRefusal, message);
    assertEquals(error.code, code);
  }
});
