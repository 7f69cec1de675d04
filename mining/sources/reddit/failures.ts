/** Requests to the site, and what their failures mean: HTTP of this site in, `SourceError` out. */
import { z } from "zod";
import { type Exchange, exchange, ExchangeError, type HttpAnswer } from "../../../core/http.ts";
import { parsedJson } from "../../../core/json.ts";
import { type ForbiddenReason, SourceError } from "../errors.ts";
import { readRate } from "./budget.ts";

/**
 * Sends one request.
 * @throws SourceError where there is no answer; the reason of the request's signal once it aborts.
 */
export async function askSite(request: Exchange): Promise<HttpAnswer> {
  try {
    return await exchange(request);
  } catch (error) {
    if (!(error instanceof ExchangeError)) throw error;
    throw new SourceError(error.kind, `the site: ${error.message}`);
  }
}

const ErrorBody = z.object({ reason: z.string().max(64) });

function reasonOf(answer: HttpAnswer): string | null {
  return ErrorBody.safeParse(parsedJson(answer.text)).data?.reason.toLowerCase() ?? null;
}

/**
 * The wait an answer asks for, in seconds; null where it asks for none. A date counts from the
 * answer's own `Date`, so that a wrong clock here or there does not matter.
 */
function retryAfter(headers: Headers): number | null {
  const text = headers.get("retry-after")?.trim() ?? "";
  if (/^\d{1,9}(\.\d+)?$/.test(text)) return Number(text);
  const until = Date.parse(text);
  const from = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(until) || Number.isNaN(from) ? null : Math.max(0, (until - from) / 1000);
}

/** Seconds to the end of a period that is used up, else null. */
function resetAfter(headers: Headers): number | null {
  const rate = readRate(headers);
  return rate !== null && rate.remaining < 1 ? rate.reset : null;
}

const COMMUNITY_PATH = /^\/r\/([^/]+)\//i;

function communityOf(path: string): string | null {
  return COMMUNITY_PATH.exec(path)?.[1]?.toLowerCase() ?? null;
}

/**
 * Redirects are answers, not ways: the site sends the asker for a community that does not exist
 * to the search for communities, and for one that was renamed to its new name.
 */
function redirected(answer: HttpAnswer, url: string): SourceError {
  const { status } = answer;
  const location = answer.headers.get("location") ?? "";
  const target = URL.canParse(location, url) ? new URL(location, url).pathname : "";
  if (target.startsWith("/subreddits/search")) {
    return new SourceError("not_found", "there is no such community", { status });
  }
  const to = communityOf(target);
  if (to !== null && to !== communityOf(new URL(url).pathname)) {
    return new SourceError("forbidden", "the community has another name", {
      status,
      reason: "renamed",
    });
  }
  return new SourceError("malformed", "the site redirects elsewhere", { status });
}

function closed(answer: HttpAnswer): ForbiddenReason {
  const reason = reasonOf(answer);
  if (reason === "private" || reason === "banned" || reason === "quarantined") return reason;
  // Refusals of the API are JSON; a page of HTML comes from the gate in front of it.
  const html = (answer.headers.get("content-type") ?? "").includes("html");
  return html && /^\s*</.test(answer.text) ? "blocked" : "closed";
}

function refused(answer: HttpAnswer): SourceError {
  const { status } = answer;
  // Our rights, not the community: the same 403 would come for every one.
  if ((answer.headers.get("www-authenticate") ?? "").includes("insufficient_scope")) {
    return new SourceError("unauthorized", "the credentials do not include reading", { status });
  }
  const reason = closed(answer);
  return new SourceError("forbidden", `the site refuses access (${reason})`, { status, reason });
}

/** The failure that `answer` to a request for `url` stands for; null if it is a success (200). */
export function failureOf(answer: HttpAnswer, url: string): SourceError | null {
  const { status, headers } = answer;
  if (status === 200) return null;
  if (status >= 300 && status < 400) return redirected(answer, url);
  const wait = retryAfter(headers);
  const after = wait === null ? {} : { retryAfterSeconds: wait };
  if (status >= 500) {
    return new SourceError("unavailable", `the site answers ${status}`, { status, ...after });
  }
  switch (status) {
    case 401:
      return new SourceError("unauthorized", "the site does not accept the token", { status });
    case 403:
      return refused(answer);
    case 404:
    case 410:
      return reasonOf(answer) === "banned"
        ? new SourceError("forbidden", "the community is banned", { status, reason: "banned" })
        : new SourceError("not_found", "there is nothing at this address", { status });
    case 408:
      return new SourceError("timeout", "the site gave up waiting", { status });
    case 413:
    case 414:
      return new SourceError("too_large", "the request is too large for the site", { status });
    case 429: {
      const seconds = wait ?? resetAfter(headers);
      return new SourceError("rate_limited", "the site asks for fewer requests", {
        status,
        ...(seconds === null ? {} : { retryAfterSeconds: seconds }),
      });
    }
    case 451:
      return new SourceError("forbidden", "not available for legal reasons", {
        status,
        reason: "legal",
      });
    default:
      return new SourceError("malformed", `the site answers ${status}`, { status });
  }
}
