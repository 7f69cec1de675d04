import { assert, assertEquals, assertRejects } from "@std/assert";
import { encodeFunctionData, parseAbi } from "viem";
import { createChainReader } from "../../../payment/evm/chain.ts";
import { transferWithAuthorization } from "../../../payment/evm/contracts.ts";
import type { Authorization } from "../../../payment/evm/authorization.ts";
import { showsTransfer } from "../../../payment/evm/proof.ts";
import { ChainUnavailable, createRpc } from "../../../payment/evm/rpc.ts";
import { type Hex, startChain, USDC } from "../../doubles/chain.ts";
import { startRpc } from "../../doubles/rpc.ts";
import { nowSeconds, sign, type SignedPayment } from "../support/buyer.ts";
import { PAY_TO } from "../support/shop.ts";

const TOKEN = USDC.toLowerCase();
const PAYEE = PAY_TO.toLowerCase();

const authorizationOf = ({ authorization }: SignedPayment): Authorization => ({
  from: authorization.from.toLowerCase(),
  to: authorization.to.toLowerCase(),
  value: BigInt(authorization.value),
  validAfter: BigInt(authorization.validAfter),
  validBefore: BigInt(authorization.validBefore),
  nonce: authorization.nonce,
});

const calldata = (signed: SignedPayment): Hex =>
  transferWithAuthorization(authorizationOf(signed), signed.signature) as Hex;

const expectedOf = ({ authorization }: SignedPayment, sinceBlock: number | null = null) => ({
  payer: authorization.from.toLowerCase(),
  nonce: authorization.nonce,
  payTo: PAYEE,
  amount: 10_000n,
  sinceBlock,
  validBefore: BigInt(authorization.validBefore),
});

Deno.test({
  name: "only a use with its own transfer to us is proof of payment",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using anvil = await startChain();
    await using double = startRpc(anvil.url);
    const chain = createChainReader(createRpc({ url: double.url, fetch, timeoutMs: 2_000 }), TOKEN);
    const payer = await anvil.account(1_000_000n);
    const terms = { payTo: PAY_TO, amount: 10_000 };

    const unused = await sign(payer, terms);
    const nothing = await chain.prove(expectedOf(unused));
    assertEquals(nothing.kind, "unused");

    const paid = await sign(payer, terms);
    const hash = await anvil.send(USDC, calldata(paid));
    assertEquals(await chain.prove(expectedOf(paid)), { kind: "paid", transaction: hash });
    assertEquals((await chain.prove({ ...expectedOf(paid), amount: 1n })).kind, "void");

    const elsewhere = await sign(payer, { payTo: payer.address, amount: 10_000 });
    await anvil.send(USDC, calldata(elsewhere));
    assertEquals((await chain.prove(expectedOf(elsewhere))).kind, "void");

    // Two authorizations in one transaction, and only one of them pays us.
    const batch = await anvil.batch();
    const ours = await sign(payer, terms);
    const own = await sign(payer, { payTo: payer.address, amount: 10_000 });
    const abi = parseAbi(["function both(address, bytes, bytes)"]);
    for (const [first, second] of [[ours, own]] as const) {
      const args = [USDC, calldata(first), calldata(second)] as const;
      await anvil.send(batch, encodeFunctionData({ abi, functionName: "both", args }));
    }
    assertEquals((await chain.prove(expectedOf(ours))).kind, "paid");
    assertEquals((await chain.prove(expectedOf(own))).kind, "void");

    // Used long before it was presented here: its buyer may be someone else.
    await anvil.rpc("anvil_mine", ["0x14"]);
    const head = await chain.blockNumber();
    assertEquals((await chain.prove(expectedOf(paid, head))).kind, "void");

    double.fault = "garbage";
    await assertRejects(() => chain.prove(expectedOf(paid)), ChainUnavailable);
    double.fault = "none";
    double.canned.set("eth_getLogs", []);
    await assertRejects(() => chain.prove(expectedOf(paid)), ChainUnavailable);
    double.canned.set("eth_call", "0x");
    await assertRejects(() => chain.prove(expectedOf(paid)), ChainUnavailable);
  },
});

Deno.test({
  name: "a use is found however many blocks came after it",
  sanitizeOps: false,
  sanitizeResources: false,
  fn: async () => {
    await using anvil = await startChain();
    await using double = startRpc(anvil.url);
    const chain = createChainReader(createRpc({ url: double.url, fetch, timeoutMs: 2_000 }), TOKEN);
    const payer = await anvil.account(1_000_000n);
    const terms = { payTo: PAY_TO, amount: 10_000 };
    const before = await chain.blockNumber();
    const signed = await sign(payer, terms);
    const transaction = await anvil.send(USDC, calldata(signed));
    const open = { ...terms, validBefore: nowSeconds() + 365 * 86_400 };
    const openSigned = await sign(payer, open);
    const openTransaction = await anvil.send(USDC, calldata(openSigned));

    // Four days and a half: far more than is searched for logs.
    double.ahead = 200_000;
    const ask = async (expected: ReturnType<typeof expectedOf>) => {
      double.methods.length = 0;
      const proof = await chain.prove(expected);
      return [proof, double.methods.filter((method) => method === "eth_getLogs").length];
    };
    const proof = { kind: "paid", transaction } as const;
    assertEquals(await ask(expectedOf(signed, before)), [proof, 1], "near the claim");
    assertEquals(
      await ask(expectedOf(signed)),
      [proof, 1],
      "in its time, where no block was known",
    );
    assertEquals(
      await ask(expectedOf(openSigned, before)),
      [{ kind: "paid", transaction: openTransaction }, 1],
      "near the claim, where its time has not ended",
    );
    await assertRejects(() => chain.prove(expectedOf(openSigned)), ChainUnavailable, "not found");

    double.ahead = 0;
    // A node that ignores what was asked for, and another contract's event about the same
    // authorization.
    const all = await anvil.rpc("eth_getLogs", [{ fromBlock: "0x0" }]) as { topics: string[] }[];
    const foreign = all.filter(({ topics }) => topics.includes(openSigned.authorization.nonce))
      .map((log) => ({ ...log, address: PAY_TO, transactionHash: `0x${"00".repeat(32)}` }));
    assertEquals(foreign.length, 1);
    double.canned.set("eth_getLogs", [...foreign, ...all]);
    assertEquals(await chain.prove(expectedOf(openSigned, before)), {
      kind: "paid",
      transaction: openTransaction,
    });
    double.canned.clear();

    double.ahead = -1;
    assertEquals((await chain.prove(expectedOf(openSigned))).kind, "unused", "a block behind");
  },
});

Deno.test("a transfer proves one use at most, in whichever order a token writes its events", () => {
  const expected = {
    payer: `0x${"aa".repeat(20)}`,
    nonce: `0x${"01".repeat(32)}`,
    payTo: PAYEE,
    amount: 5n,
  };
  const pad = (address: string): string => `0x${address.slice(2).padStart(64, "0")}`;
  const log = (topics: string[], data = "0x") => ({
    address: TOKEN,
    topics,
    data,
    block: 1,
    transaction: "0x",
  });
  const USED = "0x98de503528ee59b575ef0c0a2576a82497bfc029a5685b209e9ec333479b10a5";
  const TRANSFER = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
  const used = log([USED, pad(expected.payer), expected.nonce]);
  const otherUse = log([USED, pad(expected.payer), `0x${"02".repeat(32)}`]);
  const five = `0x${"5".padStart(64, "0")}`;
  const toUs = log([TRANSFER, pad(expected.payer), pad(PAYEE)], five);
  const toSelf = log([TRANSFER, pad(expected.payer), pad(expected.payer)], five);
  const foreign = { ...toUs, address: `0x${"bb".repeat(20)}` };
  const proves = (...logs: (typeof used)[]) => showsTransfer(logs, TOKEN, expected);
  assert(proves(used, toUs));
  assert(proves(toUs, used));
  assert(!proves(otherUse, toUs, used, toSelf));
  assert(!proves(used, toSelf, otherUse, toUs));
  assert(!proves(otherUse, toUs, used));
  assert(!proves(used, foreign));
  assert(!proves(toUs));
  assert(!proves(used));
});
