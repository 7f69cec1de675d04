/** A facilitator made of the official classes, on loopback, that can be told to misbehave. */
import { x402Facilitator } from "@x402/core/facilitator";
import { toFacilitatorEvmSigner } from "@x402/evm";
import { ExactEvmScheme } from "@x402/evm/exact/facilitator";
import { createPublicClient, createWalletClient, http, nonceManager, publicActions } from "viem";
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
  | "cut"
  | "huge"
  | "settle-then-500"
  | "settle-then-hang"
  | "settle-then-cut"
  | "lie-refused";

export interface FacilitatorDouble extends AsyncDisposable {
  readonly url: string;
  /** Faults of the next settlements, in order; `none` when there are no more. */
  readonly faults: Fault[];
  /** What was asked: the paths, and the bodies and authorization headers of /settle and /verify. */
  readonly calls: { path: string; body: unknown; authorization: string | null }[];
  /** Changes what /supported says; null for an answer that is no list. */
  supports: Network | null;
  /** When true every request is cut without an answer. */
  away: boolean;
  settles(): number;
}

interface Settlement {
  paymentPayload: Parameters<x402Facilitator["settle"]>[0];
  paymentRequirements: Parameters<x402Facilitator["settle"]>[1];
}

/** Starts it on the chain behind `rpcUrl`; with `yes` it says yes to everything at once instead. */
export function startFacilitator(
  rpcUrl: string | null,
  network: Network = "eip155:8453",
): FacilitatorDouble {
  const official = rpcUrl === null ? null : createOfficial(rpcUrl, network);
  const state: Pick<FacilitatorDouble, "faults" | "calls" | "supports" | "away"> = {
    faults: [],
    calls: [],
    supports: network,
    away: false,
  };
  const hanging = new AbortController();
  const hang = (): Promise<Response> =>
    new Promise((resolve) =>
      hanging.signal.addEventListener("abort", () => resolve(new Response("late")))
    );

  const settle = async (settlement: Settlement): Promise<Response> => {
    const fault = state.faults.shift() ?? "none";
    const fail = (reason: string, status = 200): Response =>
      Response.json({ success: false, errorReason: reason, transaction: "", network }, { status });
    const really = async (): Promise<unknown> => {
      const { paymentPayload, paymentRequirements } = settlement;
      if (official !== null) return await official.settle(paymentPayload, paymentRequirements);
      return { success: true, transaction: `0x${"ab".repeat(32)}`, network };
    };
    switch (fault) {
      case "hang":
        return await hang();
      case "garbage":
        return new Response("<html>502 Bad Gateway</html>", { status: 502 });
      case "error-500":
        return fail("unexpected_settle_error", 500);
      case "pending":
        return fail("settlement_pending", 500);
      case "refuse":
        return fail("insufficient_funds");
      case "cut":
        return cutResponse();
      case "huge":
        return new Response(`{"success":true,"padding":"${"x".repeat(1_000_000)}"}`);
      case "settle-then-500":
        await really();
        return new Response("oops", { status: 500 });
      case "settle-then-hang":
        await really();
        return await hang();
      case "settle-then-cut":
        await really();
        return cutResponse();
      case "lie-refused":
        await really();
        return fail("insufficient_funds");
      case "none":
        return Response.json(await really());
    }
  };

  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const { pathname } = new URL(request.url);
      const body = request.method === "POST" ? await request.json() : null;
      state.calls.push({
        path: pathname,
        body,
        authorization: request.headers.get("authorization"),
      });
      if (state.away) return cutResponse();
      if (pathname === "/supported") {
        if (state.supports === null) return new Response("not now", { status: 503 });
        return Response.json({
          kinds: [{ x402Version: 2, scheme: "exact", network: state.supports }],
          extensions: [],
          signers: {},
        });
      }
      const settlement = body as Settlement;
      if (pathname === "/settle") return await settle(settlement);
      if (pathname !== "/verify") return new Response("nothing here", { status: 404 });
      if (official === null) return Response.json({ isValid: true });
      return Response.json(
        await official.verify(settlement.paymentPayload, settlement.paymentRequirements),
      );
    },
  );
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.addr.port}`,
    settles: () => state.calls.filter(({ path }) => path === "/settle").length,
    [Symbol.asyncDispose]: async () => {
      hanging.abort();
      await server.shutdown();
    },
  });
}

/** An answer whose body breaks off, as a cut connection does. */
function cutResponse(): Response {
  return new Response(
    new ReadableStream({
      pull: (controller) => controller.error(new Error("cut")),
    }),
    { status: 200, headers: { "content-type": "application/json" } },
  );
}

function createOfficial(rpcUrl: string, network: Network): x402Facilitator {
  const account = privateKeyToAccount(RICH_KEYS[0] ?? "0x", { nonceManager });
  const transport = http(rpcUrl);
  const wallet = createWalletClient({ account, chain: base, transport, pollingInterval: 40 })
    .extend(publicActions);
  const reader = createPublicClient({ chain: base, transport, pollingInterval: 40 });
  const signer = toFacilitatorEvmSigner({
    address: account.address,
    getCode: (args) => reader.getCode(args),
    readContract: (args) => reader.readContract({ ...args, args: args.args ?? [] }),
    verifyTypedData: (args) =>
      reader.verifyTypedData(args as Parameters<typeof reader.verifyTypedData>[0]),
    writeContract: (args) =>
      wallet.writeContract({ ...args, args: args.args ?? [], account, chain: base, gas: 200_000n }),
    sendTransaction: (args) => wallet.sendTransaction({ ...args, account, chain: base }),
    waitForTransactionReceipt: (args) => reader.waitForTransactionReceipt(args),
  });
  return new x402Facilitator().register(network, new ExactEvmScheme(signer));
}
