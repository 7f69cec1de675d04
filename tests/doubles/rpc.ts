/** A JSON-RPC endpoint that passes calls on to a chain, or misbehaves as told. */

export type RpcFault = "none" | "hang" | "garbage" | "error" | "away";

export interface RpcDouble extends AsyncDisposable {
  readonly url: string;
  /** How every call is answered from now on. */
  fault: RpcFault;
  /** Methods that are answered 429, whatever the others are. */
  readonly limited: Set<string>;
  /** Methods asked for so far. */
  readonly methods: string[];
  /** Canned results by method, instead of asking the chain. */
  readonly canned: Map<string, unknown>;
  /** Empty blocks, two seconds each, that seem to follow the chain's own; below zero, how many of those it lags behind. */
  ahead: number;
}

/** The block that a call is about by that name or number, where the chain seems to have as many as `head`. */
const blockOf = (named: unknown, head: number): number => named === "latest" ? head : Number(named);
const hex = (number: number): string => `0x${number.toString(16)}`;
const EMPTY_BLOCK_SECONDS = 2;

/** Asks the chain at `target` as if it had other blocks at its end. */
async function askAhead(
  ask: (method: string, params: readonly unknown[]) => Promise<unknown>,
  { method, params }: { readonly method: string; readonly params: readonly unknown[] },
  ahead: number,
): Promise<unknown> {
  const real = Number(await ask("eth_blockNumber", []));
  const head = real + ahead;
  const existing = (named: unknown): string => hex(Math.min(real, blockOf(named, head)));
  switch (method) {
    case "eth_blockNumber":
      return hex(head);
    case "eth_call":
      return await ask(method, [params[0], existing(params[1])]);
    case "eth_getBlockByNumber": {
      const number = blockOf(params[0], head);
      const block = await ask(method, [existing(params[0]), params[1]]);
      const { timestamp } = block as { timestamp: string };
      const empty = Math.max(0, number - real);
      return {
        ...block as object,
        number: hex(number),
        timestamp: hex(Number(timestamp) + empty * EMPTY_BLOCK_SECONDS),
      };
    }
    case "eth_getLogs": {
      const [filter] = params as [{ readonly fromBlock: string; readonly toBlock: string }];
      if (Number(filter.fromBlock) > real) return [];
      return await ask(method, [{ ...filter, toBlock: existing(filter.toBlock) }]);
    }
  }
  return await ask(method, params);
}

/** Starts it in front of the chain at `target`; with null only canned results are given. */
export function startRpc(target: string | null): RpcDouble {
  const hanging = new AbortController();
  const state: Pick<RpcDouble, "fault" | "limited" | "methods" | "canned" | "ahead"> = {
    fault: "none",
    limited: new Set(),
    methods: [],
    canned: new Map(),
    ahead: 0,
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.text();
      const { id, method, params } = JSON.parse(body);
      state.methods.push(method);
      if (state.limited.has(method)) return new Response("too many", { status: 429 });
      switch (state.fault) {
        case "hang":
          return await new Promise<Response>((resolve) =>
            hanging.signal.addEventListener("abort", () => resolve(new Response("late")))
          );
        case "garbage":
          return new Response("<html>cloud</html>", { status: 200 });
        case "error":
          return Response.json({
            jsonrpc: "2.0",
            id,
            error: { code: -32603, message: "internal" },
          });
        case "away":
          return new Response("bad gateway", { status: 502 });
        case "none":
      }
      if (state.canned.has(method) || target === null) {
        const result = state.canned.has(method) ? state.canned.get(method) : "0x0";
        return Response.json({ jsonrpc: "2.0", id, result });
      }
      const headers = { "content-type": "application/json" };
      const pass = (body: string) => fetch(target, { method: "POST", headers, body });
      if (state.ahead === 0) return await pass(body);
      const ask = async (method: string, params: readonly unknown[]): Promise<unknown> => {
        const answer = await pass(JSON.stringify({ jsonrpc: "2.0", id, method, params }));
        return (await answer.json()).result;
      };
      const result = await askAhead(ask, { method, params }, state.ahead);
      return Response.json({ jsonrpc: "2.0", id, result });
    },
  );
  return Object.assign(state, {
    url: `http://127.0.0.1:${server.addr.port}`,
    [Symbol.asyncDispose]: async () => {
      hanging.abort();
      await server.shutdown();
    },
  });
}
