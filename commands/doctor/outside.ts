/** What the doctor asks of the outside: source, model, facilitator, chain, clock, and the proxy in front. */
import { isIP } from "node:net";
import { databaseNow } from "../../db/server.ts";
import type { Database } from "../../db/sql.ts";
import { exchange, exchangeJson, type JsonAnswer } from "../../core/http.ts";
import { isObject } from "../../core/json.ts";
import { DEFAULT_BASE_URL } from "../../model/types.ts";
import { findNetwork } from "../../payment/evm/networks.ts";
import { tokenAddress } from "../../mining/sources/reddit/settings.ts";
import type { CommandContext } from "../context.ts";
import { chain, facilitator, payTo, proofs } from "./payment.ts";
import { type Check, fail, type Finding, firstLineOf, ok, warn } from "./finding.ts";

const TIMEOUT_MS = 10_000;
const MAX_SKEW_MS = 5_000;
const HTTP_DATE_MS = 1_000;

const MAX_ANSWER_BYTES = 256 * 1024;

/** What is printed of an address: keys are often a part of the rest. */
const originOf = (url: string): string => new URL(url).origin;

function ask(
  url: string,
  headers: Readonly<Record<string, string>>,
  body: string,
  timeoutMs = TIMEOUT_MS,
): Promise<JsonAnswer> {
  return exchangeJson({
    fetch,
    url,
    method: "POST",
    headers,
    body,
    timeoutMs,
    maxBytes: MAX_ANSWER_BYTES,
  });
}

/**
 * The time by the Date header of an address, taken for the middle of the second that it names; null
 * where it has none that can be read.
 */
async function dateOf(url: string): Promise<number | null> {
  const { headers } = await exchange({
    fetch,
    url,
    method: "HEAD",
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_ANSWER_BYTES,
  });
  const time = Date.parse(headers.get("date") ?? "");
  return Number.isNaN(time) ? null : time + HTTP_DATE_MS / 2;
}

/** One real call, as small as a call can be. */
async function model({ config }: CommandContext): Promise<Finding> {
  const { model } = config;
  if (model.name === null) {
    return warn(
      "none",
      config.payment.mode === "test"
        ? "set OPENAI_API_KEY and OPENAI_MODEL: verdicts are made without a model, as in mode test alone"
        : "set OPENAI_API_KEY and OPENAI_MODEL: without a model the gauge routes answer 503",
    );
  }
  const base = model.baseUrl ?? DEFAULT_BASE_URL;
  const started = performance.now();
  const { status, body } = await ask(
    `${base}/chat/completions`,
    { authorization: `Bearer ${model.apiKey ?? ""}` },
    JSON.stringify({
      model: model.name,
      messages: [{ role: "user", content: "Answer with the word ok." }],
    }),
    model.timeoutMs,
  );
  const site = originOf(base);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status === 401 || status === 403) {
    return fail(`${site} refuses the key (${status})`, "check OPENAI_API_KEY");
  }
  if (status === 404) return fail(`${site} has no ${model.name} (404)`, "check OPENAI_MODEL");
  if (status !== 200 || !isObject(body) || body["choices"] === undefined) {
    const said = body === undefined ? "" : `: ${JSON.stringify(body).slice(0, 120)}`;
    return fail(`${site} answered ${status}${said}`, "check OPENAI_BASE_URL");
  }
  return ok(`${model.name} at ${site} answered in ${seconds} s`);
}

/** Credentials exchanged for a token, as mining does it first. */
async function source({ config }: CommandContext): Promise<Finding> {
  if (config.reddit === null) {
    return warn(
      "none",
      "set REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET and REDDIT_USER_AGENT, or import",
    );
  }
  const { clientId, clientSecret, userAgent, authUrl } = config.reddit;
  const { status, body } = await ask(tokenAddress(authUrl), {
    authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
    "content-type": "application/x-www-form-urlencoded",
    "user-agent": userAgent,
  }, "grant_type=client_credentials");
  const site = originOf(authUrl);
  if (status === 200 && isObject(body) && body["access_token"] !== undefined) {
    return ok(`${site} gives a token`);
  }
  if (status === 401) {
    return fail(`${site} refuses the credentials`, "check REDDIT_CLIENT_ID and its secret");
  }
  return fail(`${site} answered ${status}`, "blocked or out of order; check REDDIT_USER_AGENT");
}

/** Signed payments have a time window: a clock that is off refuses good ones. */
async function clockFinding(
  { config, clock }: CommandContext,
  database: Database | null,
): Promise<Finding> {
  const outside = config.payment.facilitatorUrl ?? config.payment.rpcUrl ?? config.model.baseUrl ??
    config.reddit?.authUrl ?? null;
  const asked = database?.kind === "postgres"
    ? { name: "the database", time: async () => (await databaseNow(database.sql)).getTime() }
    : outside === null
    ? null
    : { name: new URL(outside).host, time: () => dateOf(outside) };
  if (asked === null) {
    return ok("not compared: no other service is configured that tells its time");
  }
  const before = clock.now().getTime();
  let theirs: number | null;
  try {
    theirs = await asked.time();
  } catch (error) {
    return warn(
      `not compared: ${asked.name} does not answer (${firstLineOf(error)})`,
      "run demand doctor again once it does",
    );
  }
  if (theirs === null) return ok(`not compared: ${asked.name} does not tell its time`);
  const skew = theirs - (before + clock.now().getTime()) / 2;
  const says = `${(Math.abs(skew) / 1000).toFixed(1)} s ${
    skew < 0 ? "ahead of" : "behind"
  } ${asked.name}`;
  return Math.abs(skew) <= MAX_SKEW_MS ? ok(says) : fail(says, "set the clock, by NTP");
}

/** Without trust in the proxy in front, all callers count as one: its address. */
function proxies({ config }: CommandContext): Finding {
  const { hostname, protocol } = new URL(config.baseUrl);
  const isLocal = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
  if (config.trustedProxies.length > 0) return ok(`trusts ${config.trustedProxies.join(", ")}`);
  if (isLocal || (protocol === "http:" && isIP(hostname) !== 0)) {
    return ok("none trusted; by BASE_URL there is none in front");
  }
  return warn(
    `BASE_URL is ${config.baseUrl}, so a proxy is in front, and none is trusted`,
    "set TRUSTED_PROXIES to its address: until then all callers share one rate limit",
  );
}

/**
 * The checks that ask other machines: source, model, facilitator, chain, clock, and the proxy in
 * front. The proofs of settlements are left out where the database is null.
 */
export function outsideChecks(context: CommandContext, database: Database | null): Check[] {
  const { payment } = context.config;
  const live = payment.mode !== "test";
  const rpcUrl = payment.rpcUrl ?? (live ? findNetwork(payment.network)?.publicRpc ?? null : null);
  const guarded = (look: () => Promise<Finding>, advice: string) => async (): Promise<Finding> => {
    try {
      return await look();
    } catch (error) {
      return fail(firstLineOf(error), advice);
    }
  };
  let chainFound: Promise<Finding> | undefined;
  const chainLook = (url: string): Promise<Finding> =>
    chainFound ??= guarded(chain(context, url), "check RPC_URL")();
  /** A look that asks the chain behind `url`, but not one that failed: one cause is one failure. */
  const onChain = (url: string, look: () => Promise<Finding>) => async (): Promise<Finding> =>
    (await chainLook(url)).level === "fail"
      ? warn(
        "not looked up: the check of the chain failed",
        "run demand doctor again once the chain is ok",
      )
      : await guarded(look, "check RPC_URL")();
  return [
    { name: "source", look: guarded(() => source(context), "check REDDIT_AUTH_URL") },
    { name: "model", look: guarded(() => model(context), "check OPENAI_BASE_URL") },
    ...(payment.mode === "facilitator"
      ? [{
        name: "facilitator",
        look: guarded(() => facilitator(context), "check FACILITATOR_URL"),
      }]
      : []),
    ...(rpcUrl === null ? [] : [{ name: "chain", look: () => chainLook(rpcUrl) }]),
    ...(rpcUrl === null || database === null || !live ? [] : [{
      name: "proofs",
      look: onChain(rpcUrl, () => proofs(context, database, rpcUrl)),
    }]),
    {
      name: "payTo",
      look: payment.payTo === null || rpcUrl === null
        ? payTo(context, rpcUrl)
        : onChain(rpcUrl, payTo(context, rpcUrl)),
    },
    { name: "clock", look: () => clockFinding(context, database) },
    { name: "proxies", look: () => proxies(context) },
  ];
}
