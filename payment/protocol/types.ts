/** The interface between paid routes and the payment module, independent of what is sold. */
import type { Compute, InFlightLimits } from "../../db/ledger/types.ts";

export const PAYMENT_MODES = ["facilitator", "onchain", "test"] as const;
export type PaymentMode = (typeof PAYMENT_MODES)[number];

/** The settings payment needs, as plain values; `null` means not set. */
export interface PaymentSettings {
  readonly mode: PaymentMode;
  /** Settlement address; may be null in mode `test`, which then names the zero address. */
  readonly payTo: string | null;
  /** CAIP-2 network, such as `eip155:8453`. */
  readonly network: string;
  /** Token contract; null takes the network's USDC. */
  readonly asset: string | null;
  /** JSON-RPC address; null takes the network's public endpoint in live modes, none in `test`. */
  readonly rpcUrl: string | null;
  /** Public address of the service, without a trailing slash. */
  readonly baseUrl: string;
  readonly serviceName: string;
  readonly facilitatorUrl: string | null;
  readonly facilitatorToken: string | null;
  readonly facilitatorKeyId: string | null;
  readonly facilitatorKeySecret: string | null;
  /** Private key of the wallet that broadcasts in mode `onchain`. */
  readonly settlementPrivateKey: string | null;
  /** ERC-6492 factories whose not yet deployed wallets may pay; none by default. */
  readonly walletFactories: readonly string[];
  /** Whether the routes can be paid by MPP as well. */
  readonly mpp: boolean;
  /** Key of MPP's challenges; null takes the one stored in the database. */
  readonly mppSecretKey: string | null;
  /** Calls that a payer may have in flight. */
  readonly payerInFlight: InFlightLimits;
}

/** The request of a buyer, its body read within bounds. */
export interface PaidRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: Uint8Array;
  /** Value of a header, or null. */
  header(name: string): string | null;
}

/** The description of a call for directories of paid services. */
interface Discovery {
  /** Example values of the query parameters (GET) or of the JSON body (POST). */
  readonly input: Readonly<Record<string, unknown>>;
  /** JSON Schema 2020-12 of that object. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** A short example of the 200 body. */
  readonly output: Readonly<Record<string, unknown>>;
  readonly outputSchema?: Readonly<Record<string, unknown>>;
}

/** One paid route: its address, its price and the limits of its compute. */
export interface PaidOffer {
  readonly method: "GET" | "POST";
  readonly path: string;
  /** Price in dollars, as it is shown: `"0.01"`. A dollar is `DOLLAR_UNITS` token units. */
  readonly priceUsd: string;
  readonly description: string;
  readonly mimeType: string;
  /** Longest the compute may take, in milliseconds; past it the answer is `compute_timeout`. */
  readonly computeBudgetMs: number;
  /**
   * Where the compute only reads memory, the answer is made before the claim, and stored with it. Otherwise the
   * payment is claimed and simulated before the compute. Of live calls a payer may have few in flight.
   */
  readonly compute: Compute;
  readonly bazaar: Discovery;
}

export interface PaidAnswer {
  /** The 200 body, without `charged`, which payment adds. */
  readonly body: Readonly<Record<string, unknown>>;
  /** False for an answer below the threshold: delivered, and nothing is settled. */
  readonly charge: boolean;
  /** Ids of the posts and cards that it is made of: a stored answer is dropped when one of them is removed. */
  readonly evidenceIds?: readonly string[];
}

/** A request with valid parameters. */
export interface PreparedCall {
  /**
   * Called after `ready`: before the claim, unless the compute reads memory and comes before it
   * itself, and for requests without a payment.
   * @throws where there is nothing to compute (an unknown id).
   */
  available?(): void | Promise<void>;
  /** Computes the answer; `signal` aborts when the budget is over. */
  compute(signal: AbortSignal): PaidAnswer | Promise<PaidAnswer>;
}

export interface PaidHandler {
  /**
   * Called for requests without a payment, before their parameters are read, so that nobody signs
   * one; and before the claim, unless the compute reads memory and comes before it itself.
   * @throws where no call of this route can be answered now.
   */
  ready?(): void | Promise<void>;
  /**
   * Reads the parameters.
   * @throws ServiceError for one that is wrong, or that is required and missing.
   */
  prepare(request: PaidRequest): PreparedCall | Promise<PreparedCall>;
}
