/** What stands before every answer: who is calling, how often they may, and how much is worked on at once. */
import { ServiceError } from "../../core/errors.ts";
import type { AppContext } from "./request.ts";
import { buffered } from "./body.ts";
import { clientResolver } from "./client_address.ts";
import type { AppDeps } from "./deps.ts";
import { createLimits, type LimitState, Places, type Window } from "./limits.ts";
import type { Scope } from "./respond.ts";
import type { LimitGroup } from "./route_table.ts";

export interface Admission {
  readonly limits: Readonly<Record<LimitGroup, Window>>;
  /** The calls that are being answered. */
  readonly work: Places;
  /** The key that the caller's limits count under. */
  client(c: AppContext): string;
  /** Milliseconds, as the windows count them. */
  now(): number;
  /** The request with its body in memory. @throws ServiceError as `buffered` does, or `overloaded`. */
  whole(request: Request, maxBytes: number): Request | Promise<Request>;
}

/** @throws SettingsError where `trustedProxies` holds something other than addresses and blocks. */
export function createAdmission(
  { settings, ticks }: Pick<AppDeps, "settings" | "ticks">,
): Admission {
  // Whoever sends a body slowly keeps no one from being answered, but the next slow sender.
  const bodies = new Places(settings.maxAtOnce);
  const clientOf = clientResolver(settings.trustedProxies);
  const behindProxy = settings.trustedProxies.length > 0;
  return {
    limits: createLimits(settings.rateLimits),
    work: new Places(settings.maxAtOnce),
    // Headers are read only where they may matter: each look costs what a tenth of an answer does.
    client: (c) =>
      clientOf(
        c.env.remoteAddress,
        behindProxy ? c.req.raw.headers.get("x-forwarded-for") : null,
      ),
    now: ticks,
    whole: (request, maxBytes) =>
      request.body === null ? request : bodies.hold(() => buffered(request, maxBytes)),
  };
}

/** Puts the limit into the headers. @throws ServiceError `rate_limited` where it is used up. */
export function admit({ headers }: Scope, allowance: LimitState): void {
  headers["ratelimit-limit"] = String(allowance.limit);
  headers["ratelimit-remaining"] = String(allowance.remaining);
  headers["ratelimit-reset"] = String(allowance.resetSeconds);
  if (allowance.allowed) return;
  throw new ServiceError(
    "rate_limited",
    `At most ${allowance.limit} calls a minute here; the next is free in ${allowance.resetSeconds} s.`,
    { retryAfterSeconds: allowance.resetSeconds },
  );
}
