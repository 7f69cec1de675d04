/** A facilitator made of the official classes, on loopback, that can be told to misbehave. */
import { Buffer } from "node:buffer";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createPublicClient, createWalletClient, http, publicActions } from "viem";
import { privateKeyToAccount } from "viem/accounts";
import { base } from "viem/chains";
import { RICH_KEYS } from "./chain.ts";

export type Network = `${string}:${string}`;

/** What happens to one /settle: done as asked, or one of the ways in which it goes wrong. */
export type Fault =
  | "none"
  | "hang"
  | "garbage"
  | "error-500"
  | "pending"
  | "refuse"
  | "lose-broadcast"
  | "cut"
  | "huge"
  | "settle-then-500"
  | "settle-then-hang"
  | "settle-then-cut"
  | "lie-refused"
  | Failure
  /** A success, though nothing was settled, with these fields in place of the right ones. */
  | { readonly success: Readonly<Record<string, unknown>> };

/** An answer that the settlement failed. */
export interface Failure {
  readonly reason: string;
  /** Whether it settles first. */
  readonly settles?: boolean;
  /** Whether it names the transaction of that. */
  readonly names?: boolean;
}

export interface FacilitatorDouble extends AsyncDisposable {
  readonly url: string;
  /** Faults of the next settlements, in order; `none` when there are no more. */
  readonly faults: Fault[];
  /** ERC-6492 factories whose wallets it deploys. */
  readonly factories: string[];
  /** What was asked: the paths, and the bodies and authorization headers of /settle and /verify. */
  readonly calls: { path: string; body: unknown; authorization: string | null }[];
  /** Changes what /supported says; null for an answer that is no list. */
  supports: Network | null;
  /** When true every request is cut without an answer. */
  away: boolean;
  /**
   * The status of answers to /verify and /settle without a verdict, while /supported works; null
   * for proper ones.
   */
  broken: number | null;
  settles(): number;
}

interface Settlement {
  paymentPayload: Parameters<x402Facilitator["settle"]>[0];
  paymentRequirements: Parameters<x402Facilitator["settle"]>[1];
}

const YES = { success: true, transaction: `0x${"ab".repeat(32)}` };

type SettleResponse = Awaited<ReturnType<x402Facilitator["settle"]>>;

type Answer = { readonly status: number; readonly body: string } | "cut" | "hang";

/** Starts it on the chain behind `rpcUrl`; with `yes` it says yes to everything at once instead. */
export async function startFacilitator(
  rpcUrl: string | null,
  network: Network = "eip155:8453",
): Promise<FacilitatorDouble> {
  const factories: string[] = [];
  const official = rpcUrl === null ? null : createOfficial(rpcUrl, network, factories);
  const state: Pick<
    FacilitatorDouble,
    "faults" | "factories" | "calls" | "supports" | "away" | "broken"
  > = {
    faults: [],
    factories,
    calls: [],
    supports: network,
    away: false,
    broken: null,
  };
  const settle = async (settlement: Settlement): Promise<Answer> => {
    const fault = state.faults.shift() ?? "none";
    const fail = (reason: string, status = 200, transaction = ""): Answer => ({
      status,
      body: JSON.stringify({ success: false, errorReason: reason, transaction, network }),
    });
    const really = async (): Promise<SettleResponse> => {
      const { paymentPayload, paymentRequirements } = settlement;
      if (official !== null) return await official.settle(paymentPayload, paymentRequirements);
      return { ...YES, network };
    };
    if (typeof fault === "object" && "success" in fault) {
      return { status: 200, body: JSON.stringify({ ...YES, network, ...fault.success }) };
    }
    if (typeof fault === "object") {
      const { transaction } = fault.settles === true ? await really() : { transaction: "" };
      return fail(fault.reason, 200, fault.names === true ? transaction : "");
    }
    switch (fault) {
      case "hang":
        return "hang";
      case "garbage":
        return { status: 502, body: "<html>502 Bad Gateway</html>" };
      case "error-500":
        return fail("unexpected_settle_error", 500);
      case "pending":
        return fail("settlement_pending", 500);
      case "refuse":
        return fail("insufficient_funds");
      case "lose-broadcast":
        return fail("invalid_exact_evm_transaction_failed");
      case "cut":
        return "cut";
      case "huge":
        return { status: 200, body: `{"success":true,"padding":"${"x".repeat(1_000_000)}"}` };
      case "settle-then-500":
        await really();
        return { status: 500, body: "oops" };
      case "settle-then-hang":
        await really();
        return "hang";
      case "settle-then-cut":
        await really();
        return "cut";
      case "lie-refused":
        await really();
        return fail("insufficient_funds");
      case "none":
        return { status: 200, body: JSON.stringify(await really()) };
    }
  };

  const answer = async (path: string, body: unknown): Promise<Answer> => {
    if (state.away) return "cut";
    if (path === "/supported") {
      if (state.supports === null) return { status: 503, body: "not now" };
      const kinds = [{ x402Version: 2, scheme: "exact", network: state.supports }];
      return { status: 200, body: JSON.stringify({ kinds, extensions: [], signers: {} }) };
    }
    if (state.broken !== null) return { status: state.broken, body: '{"message":"no verdict"}' };
    const settlement = body as Settlement;
    if (path === "/settle") return await settle(settlement);
    if (path !== "/verify") return { status: 404, body: "nothing here" };
    const { paymentPayload, paymentRequirements } = settlement;
    const verdict = official === null
      ? { isValid: true }
      : await official.verify(paymentPayload, paymentRequirements);
    return { status: 200, body: JSON.stringify(verdict) };
  };

  const server = createServer(async (request, response) => {
    const chunks: Uint8Array[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString("utf8");
    const path = request.url ?? "";
    const body: unknown = text === "" ? null : JSON.parse(text);
    state.calls.push({ path, body, authorization: request.headers.authorization ?? null });
    const result = await answer(path, body);
    if (result === "cut") response.socket?.destroy();
    if (typeof result === "string") return;
    response.writeHead(result.status, { "content-type": "application/json" });
    response.end(result.body);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return Object.assign(state, {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    settles: () => state.calls.filter(({ path }) => path === "/settle").length,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}

function createOfficial(
  rpcUrl: string,
  network: Network,
  eip6492AllowedFactories: string[],
): x402Facilitator {
  const account = privateKeyToAccount(RICH_KEYS[0] ?? "0x");
  const transport = http(rpcUrl);
  const wallet = createWalletClient({ account, chain: base, transport, pollingInterval: 40 })
    .extend(publicActions);
  const reader = createPublicClient({ chain: base, transport, pollingInterval: 40 });
  // Each takes the nonce behind what the chain has: one that was given out to a transaction that was never sent would
  // be missing for good, and nothing after it be mined.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(send: () => Promise<T>): Promise<T> => {
    const sent = last.then(send);
    last = sent.catch(() => {});
    return sent;
  };
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => reader.getCode(args),
    readContract: (args) => reader.readContract({ ...args, args: args.args ?? [] }),
    verifyTypedData: (args) =>
      reader.verifyTypedData(args as Parameters<typeof reader.verifyTypedData>[0]),
    writeContract: (args) =>
      inTurn(() =>
        wallet.writeContract({
          ...args,
          args: args.args ?? [],
          account,
          chain: base,
          gas: 200_000n,
        })
      ),
    sendTransaction: (args) =>
      inTurn(() => wallet.sendTransaction({ ...args, account, chain: base })),
    waitForTransactionReceipt: (args) => reader.waitForTransactionReceipt(args),
  });
  return new x402Facilitator().register(
    network,
    new ExactEvmScheme(signer, { eip6492AllowedFactories }),
  );
}
