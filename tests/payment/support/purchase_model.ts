/** A chain and a facilitator as plain values, reached through `fetch`: for tests that need thousands of turns. */
import { numberToHex, pad, toEventSelector } from "viem";
import type { Hex } from "../../doubles/chain.ts";

/** How the next settlement goes. */
export type SettleFate = "paid" | "lost before" | "lost after" | "refused" | "pending" | "lies";

interface Use {
  readonly transaction: string;
  readonly payTo: string;
  readonly value: bigint;
  readonly block: number;
}

export interface ModelChain {
  /** Uses by payer and nonce; a second use of one is impossible, as on the real chain. */
  readonly uses: Map<string, Use>;
  readonly balances: Map<string, bigint>;
  /** Picks the fate of each settlement. */
  fate: () => SettleFate;
  /** Whether the next question to the chain goes unanswered. */
  silent: () => boolean;
  /** Uses an authorization, as anyone can who has seen it: the transaction, or null. */
  use(authorization: Authorization): string | null;
  /** Settlements that were tried after the authorization had been used. */
  wasted: number;
  fetch(input: string, init?: { body?: BodyInit | null }): Promise<Response>;
}

export const useKey = (payer: string, nonce: string): string =>
  `${payer.toLowerCase()}/${nonce.toLowerCase()}`;

interface Authorization {
  readonly from: string;
  readonly to: string;
  readonly value: string;
  readonly nonce: string;
}

const USED = toEventSelector("AuthorizationUsed(address,bytes32)");
const TRANSFER = toEventSelector("Transfer(address,address,uint256)");
const word = (value: bigint): Hex => numberToHex(value, { size: 32 });
/** The transaction of whatever failed. */
const REVERTED = word(0xdeadn);

/** Mulberry32: the same numbers in every run. */
export function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** A chain that takes its time, by the numbers of `seed`, for each answer. */
export function createModelChain(token: string, seed = 1): ModelChain {
  const random = randomOf(seed);
  let block = 100;
  const uses = new Map<string, Use>();
  const balances = new Map<string, bigint>();

  const use = ({ from, to, value, nonce }: Authorization): string | null => {
    const key = useKey(from, nonce);
    const amount = BigInt(value);
    const held = balances.get(from.toLowerCase()) ?? 0n;
    if (uses.has(key)) {
      chain.wasted++;
      return null;
    }
    if (held < amount) return null;
    balances.set(from.toLowerCase(), held - amount);
    const transaction = word(BigInt(uses.size + 1));
    uses.set(key, { transaction, payTo: to.toLowerCase(), value: amount, block: ++block });
    return transaction;
  };

  const settle = (body: string): Response => {
    const { authorization } = JSON.parse(body).paymentPayload.payload;
    const no = (errorReason: string, transaction = ""): Response =>
      Response.json({ success: false, errorReason, transaction, network: "eip155:8453" });
    const reverted = (): Response => no("invalid_exact_evm_transaction_failed", REVERTED);
    const fate = chain.fate();
    if (fate === "lost before") throw new TypeError("connection reset");
    if (fate === "refused") return reverted();
    if (fate === "pending") return no("settlement_pending");
    const transaction = use(authorization);
    if (fate === "lost after") throw new TypeError("connection reset");
    if (fate === "lies" || transaction === null) return reverted();
    return Response.json({ success: true, transaction, network: "eip155:8453" });
  };

  const logsOf = (key: string): unknown[] => {
    const found = uses.get(key);
    if (found === undefined) return [];
    const [payer = "", nonce = ""] = key.split("/");
    const base = {
      address: token,
      blockNumber: `0x${found.block.toString(16)}`,
      transactionHash: found.transaction,
    };
    return [
      { ...base, topics: [USED, pad(payer as Hex), nonce], data: "0x", logIndex: "0x0" },
      {
        ...base,
        topics: [TRANSFER, pad(payer as Hex), pad(found.payTo as Hex)],
        data: word(found.value),
        logIndex: "0x1",
      },
    ];
  };

  const answer = (method: string, params: readonly unknown[]): unknown => {
    const [first] = params as [Record<string, string> & { topics: string[] }];
    switch (method) {
      case "eth_chainId":
        return "0x2105";
      case "eth_blockNumber":
        return `0x${block.toString(16)}`;
      case "eth_getBlockByNumber":
        return {
          number: `0x${block.toString(16)}`,
          timestamp: `0x${Math.floor(Date.now() / 1000).toString(16)}`,
        };
      case "eth_call": {
        const data = first["data"] ?? "";
        const payer = `0x${data.slice(34, 74)}`;
        if (data.length === 74) return word(balances.get(payer) ?? 0n);
        const found = uses.get(useKey(payer, `0x${data.slice(74)}`));
        return word(found !== undefined && found.block <= Number(params[1]) ? 1n : 0n);
      }
      case "eth_getLogs": {
        const [, payer = "", nonce = ""] = first.topics;
        return logsOf(useKey(`0x${payer.slice(26)}`, nonce)).slice(0, 1);
      }
      case "eth_getTransactionReceipt": {
        if (String(first) === REVERTED) return { status: "0x0", logs: [] };
        for (const [key, { transaction }] of uses) {
          if (transaction === String(first)) return { status: "0x1", logs: logsOf(key) };
        }
        return null;
      }
    }
    return null;
  };

  const chain: ModelChain = {
    uses,
    balances,
    fate: () => "paid",
    silent: () => false,
    use,
    wasted: 0,
    fetch: async (input, init) => {
      await new Promise((resolve) => setTimeout(resolve, random() * 4));
      const body = await new Response(init?.body).text();
      if (input.endsWith("/supported")) {
        return Response.json({
          kinds: [{ x402Version: 2, scheme: "exact", network: "eip155:8453" }],
        });
      }
      if (input.endsWith("/verify")) return Response.json({ isValid: true });
      if (input.endsWith("/settle")) return settle(body);
      if (chain.silent()) throw new TypeError("connection reset");
      const { id, method, params } = JSON.parse(body);
      return Response.json({ jsonrpc: "2.0", id, result: answer(method, params) });
    },
  };
  return chain;
}
