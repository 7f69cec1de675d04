/** A small shop around the payment module, for tests: it sells numbers, and counts what it computes. */
import { systemClock } from "../../../core/clock.ts";
import { ERRORS, ServiceError } from "../../../core/errors.ts";
import { type Log, silentLog } from "../../../core/log.ts";
import { countOpenPayments, type OpenPaymentCounts } from "../../../db/ledger/lookups.ts";
import type { Database } from "../../../db/sql.ts";
import {
  createPayments,
  IN_FLIGHT_LIMITS,
  type PaidEndpoint,
  type PaidHandler,
  type PaidOffer,
  type Payments,
  type PaymentSettings,
  type PaymentTiming,
} from "../../../payment/mod.ts";
import { renderError } from "../../../routes/pipeline/errors.ts";

export const PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

/** What a payment for one of its offers says. */
export const TERMS = { payTo: PAY_TO, amount: 10_000 };

export const TEST_SETTINGS: PaymentSettings = {
  mode: "test",
  payTo: PAY_TO,
  network: "eip155:8453",
  asset: null,
  rpcUrl: null,
  baseUrl: "https://shop.example",
  serviceName: "Shop",
  facilitatorUrl: null,
  facilitatorToken: null,
  facilitatorKeyId: null,
  facilitatorKeySecret: null,
  settlementPrivateKey: null,
  walletFactories: [],
  mpp: true,
  mppSecretKey: null,
  payerInFlight: IN_FLIGHT_LIMITS,
};

/** Short deadlines, so that what hangs ends within a test. */
export const QUICK: PaymentTiming = {
  rpcMs: 1_500,
  maintainMs: 100,
  reconcileMs: 1_000_000,
  leaseMs: 3_000,
  facilitator: { verifyMs: 2_000, settleMs: 1_500, settleBudgetMs: 3_000, retryMs: 30 },
  onchain: { receiptMs: 2_000, pollMs: 20 },
};

const describe = (path: string, method: "GET" | "POST", more: Partial<PaidOffer>): PaidOffer => ({
  method,
  path,
  priceUsd: "0.01",
  description: "A number",
  mimeType: "application/json",
  computeBudgetMs: 5_000,
  compute: "costly",
  bazaar: {
    input: { n: "7" },
    inputSchema: { properties: { n: { type: "string" } }, required: ["n"] },
    output: { n: 7, charged: true },
  },
  ...more,
});

export const OFFERS = {
  /** `?n=` is echoed, with the number of the computation. */
  number: describe("/v1/number", "GET", {}),
  /** The same at the same price. */
  other: describe("/v1/other", "GET", {}),
  /** Reads memory alone. */
  read: describe("/v1/read", "GET", { compute: "memory" }),
  /** Takes JSON. */
  posted: describe("/v1/posted", "POST", {}),
  /** A live call: takes as long as the shop is told. */
  slow: describe("/v1/slow", "GET", { compute: "live" }),
} as const;

export type Route = keyof typeof OFFERS;

export interface ShopOptions {
  readonly database: Pick<Database, "short" | "durable" | "answers">;
  readonly settings?: Partial<PaymentSettings>;
  readonly timing?: PaymentTiming;
  readonly now?: () => Date;
  readonly ticks?: () => number;
  readonly log?: Log;
  readonly fetch?: typeof fetch;
  /** Called when a computation begins, and when a paid answer is about to leave. */
  readonly onCompute?: (() => Promise<unknown>) | undefined;
  readonly onAnswer?: (() => Promise<unknown>) | undefined;
}

export interface Shop extends AsyncDisposable {
  readonly url: string;
  readonly payments: Payments;
  /** Computations so far. */
  computed: number;
  /** Milliseconds that the next computations take. */
  delayMs: number;
  /** What the next computations throw. */
  failure: Error | null;
  /** Whether answers are worth a charge. */
  worth: boolean;
  /** What makes calls pointless before the claim. */
  unavailable: Error | null;
  unresolved(): Promise<OpenPaymentCounts>;
  get(route: Route, query: string, headers?: Record<string, string>): Promise<Response>;
}

/** Opens a shop on a port of its own. */
export async function openShop(options: ShopOptions): Promise<Shop> {
  const settings = { ...TEST_SETTINGS, ...options.settings };
  const payments = await createPayments({
    settings,
    database: options.database,
    clock: options.now === undefined ? systemClock : { now: options.now },
    log: options.log ?? silentLog,
    fetch: options.fetch ?? fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    ticks: options.ticks ?? (() => performance.now()),
    timing: options.timing ?? QUICK,
  });
  const state = {
    computed: 0,
    delayMs: 0,
    failure: null as Error | null,
    worth: true,
    unavailable: null as Error | null,
  };
  const handler: PaidHandler = {
    prepare: ({ query, body }) => {
      const n = query.get("n") ?? new TextDecoder().decode(body);
      if (n === "") throw new ServiceError("invalid_parameter", "n is missing", { param: "n" });
      if (n === "wrong") throw new ServiceError("invalid_parameter", "n is wrong", { param: "n" });
      return {
        available: () => {
          if (state.unavailable !== null) throw state.unavailable;
        },
        compute: async () => {
          const count = ++state.computed;
          await options.onCompute?.();
          if (state.delayMs > 0) {
            await new Promise((resolve) => setTimeout(resolve, state.delayMs));
          }
          if (state.failure !== null) throw state.failure;
          return { body: { n, count }, charge: state.worth, evidenceIds: [`post-${n}`] };
        },
      };
    },
  };
  const routes = new Map<string, PaidEndpoint>(
    Object.values(OFFERS).map((offer) => [offer.path, payments.paid(offer, handler)]),
  );
  await payments.start();
  const handle = (request: Request): Response | Promise<Response> => {
    const route = routes.get(new URL(request.url).pathname);
    if (route === undefined) return new Response("nothing here", { status: 404 });
    return route(request, {
      headers: {},
      error: (thrown) => {
        const context = { requestId: "test", log: options.log ?? silentLog };
        const { status, body, headers } = renderError(context, thrown);
        return Response.json(body, { status, headers });
      },
      statusOf: (code) => ERRORS[code].status,
    });
  };
  const listening = { hostname: "127.0.0.1", port: 0, onListen: () => {} };
  const server = Deno.serve(listening, async (request) => {
    const response = await handle(request);
    if (response.headers.has("payment-response")) await options.onAnswer?.();
    return response;
  });
  const url = `http://127.0.0.1:${server.addr.port}`;
  return Object.assign(state, {
    url,
    payments,
    unresolved: () =>
      options.database.short((sql) => countOpenPayments(sql, payments.status().rail)),
    get: (route: Route, query: string, headers: Record<string, string> = {}) =>
      fetch(`${url}${OFFERS[route].path}${query}`, { method: OFFERS[route].method, headers }),
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      await payments.stop();
    },
  });
}
