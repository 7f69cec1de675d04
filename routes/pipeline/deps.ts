/** What the application is made of: plain values and functions, handed over by whoever starts it. */
import type { Clock } from "../../core/clock.ts";
import type { ErrorCode } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import type { Gauge } from "../../gauge/mod.ts";
import type { Charge, PaymentMode, Payments } from "../../payment/mod.ts";
import type { FamilyCatalogue } from "./family_catalogue.ts";
import type { RateLimits } from "./route_table.ts";

/** Hono's environment: what the runtime passes with each request. */
export interface AppEnv {
  readonly Bindings: {
    /** Address of the peer that opened the connection, without its port. */
    readonly remoteAddress: string;
    /** True for a tool's call, whose message was counted as a challenge already. */
    readonly counted?: boolean;
    /** For a tool's call the id of its message, which is what its caller sees. */
    readonly requestId?: string;
  };
}

export interface AppSettings {
  /** `0.1.0`, from deno.json. */
  readonly version: string;
  /** Public address, an origin and no path: `https://demand.example`. */
  readonly baseUrl: string;
  readonly paymentMode: PaymentMode;
  /** Whether there is a source to search for live verdicts. */
  readonly hasSource: boolean;
  /** What words verdicts: a language model, the built-in synthesis, or nothing, and then none is sold. */
  readonly synthesis: "model" | "extractive" | "none";
  /** Address of the token that calls are charged in by MPP; null where they cannot be paid so. */
  readonly mppCurrency: string | null;
  /** Where a buyer may write to: an e-mail address or a web address; null where nobody said. */
  readonly contact: string | null;
  /** CIDR blocks or addresses whose `X-Forwarded-For` is believed. */
  readonly trustedProxies: readonly string[];
  readonly rateLimits: RateLimits;
  /** Calls worked on at once; the same number again may be sending their bodies. */
  readonly maxAtOnce: number;
  /** The word in `/.well-known/{familySlug}`. */
  readonly familySlug: string;
  /** The sibling products, from `parseFamily`; null shows this service alone. */
  readonly family: FamilyCatalogue | null;
  /** The text of CHANGELOG.md. */
  readonly changelog: string;
}

/** The verbs of the gauge, as the two routes of verdicts use them. */
export type Verdicts = Pick<Gauge, "parse" | "gauge" | "live" | "sample" | "ready">;

/** What the outside of the catalogue says about the service's health. */
export interface HealthReport {
  /** Whether the database answers. */
  readonly database: boolean;
  /** False while payments cannot be written down: nothing is sold then. */
  readonly ledger: boolean;
  /** Whether sales are open, as payment decides it: the ledger can be written to, and what settles is ready. */
  readonly sales: boolean;
  /** False while the process drains or has not finished starting; readiness alone looks at it. */
  readonly accepting: boolean;
}

/** One finished request, for logs and metrics; holds no secret, quote or signature. */
export interface RequestRecord {
  readonly requestId: string;
  readonly method: string;
  /** The route's path as the table has it; `null` where no route matched. */
  readonly route: string | null;
  readonly status: number;
  readonly durationMs: number;
  /** Present where the answer carries a receipt, repeated answers included: who paid, and what. */
  readonly charge?: RouteCharge;
  /** Of an answer that is an error. */
  readonly code?: ErrorCode;
  /** What of a paid call's time its computing took. */
  readonly computeMs?: number;
  /** The caller's own trace context, unchecked. */
  readonly traceparent: string | null;
}

/** Requests that this process answered, by route, method and status. */
export interface RequestCount {
  readonly route: string;
  readonly method: string;
  readonly status: string;
  readonly count: number;
}

export interface RouteCharge extends Charge {
  /** US dollars, as the table has them. */
  readonly usd: string;
}

export interface AppDeps {
  /** The current catalogue: a cheap read, swapped whole. */
  readonly catalogue: () => Catalogue;
  /** Each route that shows it asks at most once a second. */
  readonly health: () => Promise<HealthReport>;
  readonly settings: AppSettings;
  readonly clock: Clock;
  /** A monotonic clock in milliseconds, by which limits count: a wall clock may be set back. */
  readonly ticks: () => number;
  readonly log: Log;
  /** A fresh id for a request: at most 64 characters of `[A-Za-z0-9_-]`. */
  readonly requestId: () => string;
  /** What sells the paid routes; without it they are not there. */
  readonly payments?: Pick<Payments, "paid">;
  /** What answers the verdicts. */
  readonly verdicts: Verdicts;
  /** Told of every finished request. */
  readonly observe?: (record: RequestRecord) => void;
}
