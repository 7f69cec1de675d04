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
}

/** Starts it in front of the chain at `target`; with null only canned results are given. */
export function startRpc(target: string | null): RpcDouble {
  const hanging = new AbortController();
  const state: Pick<RpcDouble, "fault" | "limited" | "methods" | "canned"> = {
    fault: "none",
    limited: new Set(),
    methods: [],
    canned: new Map(),
  };
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    async (request) => {
      const body = await request.text();
      const { id, method } = JSON.parse(body);
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
      return await fetch(target, { method: "POST", headers, body });
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
