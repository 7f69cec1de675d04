/** What the doctor asks of the outside: source, model, facilitator, chain, clock, and the proxy in front. */
import { isIP } from "node:net";
import { schemaVersion } from "../db/migrate.ts";
import { type Database, databaseNow } from "../db/sql.ts";
import { createAuthorize } from "../payment/facilitator_auth.ts";
import { findNetwork } from "../payment/networks.ts";
import { createRail } from "../payment/rail.ts";
import { createRpc } from "../payment/rpc.ts";
import { paymentSettings } from "./assemble.ts";
import type { CommandContext } from "./context.ts";
import { proofsFinding } from "./doctor_proofs.ts";
import { type Check, fail, type Finding, ok, reasonOf, warn } from "./doctor.ts";

const TIMEOUT_MS = 10_000;
const MAX_SKEW_MS = 5_000;
const HTTP_DATE_MS = 1_000;

type Got = { readonly status: number; readonly body: string; readonly date: string | null };

async function ask(url: string, init: RequestInit = {}, timeoutMs = TIMEOUT_MS): Promise<Got> {
  const response = await fetch(url, {
    redirect: "manual",
    ...init,
    signal: AbortSignal.timeout(timeoutMs),
  });
  const body = (await response.text()).slice(0, 4_096);
  return { status: response.status, body, date: response.headers.get("date") };
}

/** One real call, as small as a call can be. */
async function model({ config: { model } }: CommandContext): Promise<Finding> {
  if (model.name === null) {
    return warn("none", "set OPENAI_API_KEY and OPENAI_MODEL, or gauge has no model to ask");
  }
  const base = model.baseUrl ?? "https://api.openai.com/v1";
  const started = performance.now();
  const { status, body } = await ask(`${base}/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${model.apiKey ?? ""}` },
    body: JSON.stringify({
      model: model.name,
      messages: [{ role: "user", content: "Answer with the word ok." }],
    }),
  }, model.timeoutMs);
  const seconds = ((performance.now() - started) / 1000).toFixed(1);
  if (status === 401 || status === 403) {
    return fail(`${base} refuses the key (${status})`, "check OPENAI_API_KEY");
  }
  if (status === 404) return fail(`${base} has no ${model.name} (404)`, "check OPENAI_MODEL");
  if (status !== 200 || !body.includes('"choices"')) {
    return fail(`${base} answered ${status}: ${body.slice(0, 120)}`, "check OPENAI_BASE_URL");
  }
  return ok(`${model.name} at ${base} answered in ${seconds} s`);
}

/** Credentials exchanged for a token, as mining does it first. */
async function source({ config }: CommandContext): Promise<Finding> {
  if (config.source === "none") {
    return warn(
      "none",
      "set REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET and REDDIT_USER_AGENT, or import",
    );
  }
  const { clientId, clientSecret, userAgent, authUrl } = config.reddit;
  const { status, body } = await ask(`${authUrl}/api/v1/access_token`, {
    method: "POST",
    headers: {
      authorization: `Basic ${btoa(`${clientId}:${clientSecret}`)}`,
      "content-type": "application/x-www-form-urlencoded",
      "user-agent": userAgent ?? "",
    },
    body: "grant_type=client_credentials",
  });
  if (status === 200 && body.includes('"access_token"')) return ok(`${authUrl} gives a token`);
  if (status === 401) {
    return fail(`${authUrl} refuses the credentials`, "check REDDIT_CLIENT_ID and its secret");
  }
  return fail(`${authUrl} answered ${status}`, "blocked or out of order; check REDDIT_USER_AGENT");
}

async function facilitator({ config, clock }: CommandContext): Promise<Finding> {
  const { url, token, keyId, keySecret } = config.payment.facilitator;
  if (url === null) return fail("none", "set FACILITATOR_URL; PAYMENT_MODE is facilitator");
  const authorize = await createAuthorize({ token, keyId, keySecret }, {
    nowSeconds: () => Math.floor(clock.now().getTime() / 1000),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  });
  const address = new URL(`${url}/supported`);
  const { status, body } = await ask(address.href, { headers: await authorize("GET", address) });
  if (status === 401 || status === 403) {
    return fail(`${url} refuses us (${status})`, "check FACILITATOR_TOKEN or the key");
  }
  if (status !== 200) return fail(`${url} answered ${status}`, "check FACILITATOR_URL");
  const { network } = config.payment;
  const known = [network, findNetwork(network)?.legacyName ?? network];
  return known.some((name) => body.includes(`"${name}"`))
    ? ok(`${url} settles on ${network}`)
    : fail(
      `${url} does not settle on ${network}`,
      "check X402_NETWORK, or use another facilitator",
    );
}

/** The chain behind RPC_URL, and what stands at PAY_TO: a contract must be meant. */
function chain({ config: { payment } }: CommandContext, url: string) {
  const rpc = createRpc({ url, fetch, timeoutMs: TIMEOUT_MS });
  return async (): Promise<Finding> => {
    const id = Number(await rpc.call("eth_chainId", []));
    const wanted = findNetwork(payment.network)?.chainId;
    if (id !== wanted) {
      return fail(`RPC_URL is on chain ${id}, not ${wanted}`, "check X402_NETWORK");
    }
    const block = Number(await rpc.call("eth_blockNumber", []));
    return ok(`chain ${id} at block ${block}`);
  };
}

/** The settlements that were told of, as the chain has them. */
async function proofs(
  { config }: CommandContext,
  { sql }: Database,
  url: string,
): Promise<Finding> {
  if (await schemaVersion(sql) < 2) return ok("nothing settled yet");
  const rpc = createRpc({ url, fetch, timeoutMs: TIMEOUT_MS });
  return await proofsFinding(sql, rpc, createRail(paymentSettings(config)));
}

function payTo({ config: { payment } }: CommandContext, url: string | null) {
  return async (): Promise<Finding> => {
    if (payment.payTo === null) {
      return payment.mode === "test"
        ? ok("not set; the zero address in mode test")
        : fail("not set", `set PAY_TO; PAYMENT_MODE is ${payment.mode}`);
    }
    if (url === null) return ok(`${payment.payTo}; not looked up in mode test`);
    const rpc = createRpc({ url, fetch, timeoutMs: TIMEOUT_MS });
    const code = String(await rpc.call("eth_getCode", [payment.payTo, "latest"]));
    return code === "0x" ? ok(`${payment.payTo}, a plain account`) : warn(
      `${payment.payTo} is a contract`,
      "fine for a wallet contract of yours; money sent to any other contract is lost",
    );
  };
}

/** Signed payments have a time window: a clock that is off refuses good ones. */
async function clockFinding(
  { config, clock }: CommandContext,
  database: Database | null,
): Promise<Finding> {
  const outside = config.payment.facilitator.url ?? config.payment.rpcUrl ?? config.model.baseUrl ??
    (config.source === "none" ? null : config.reddit.authUrl);
  const before = clock.now().getTime();
  let theirs: number | null = null;
  let name = "";
  if (database?.kind === "postgres") {
    [theirs, name] = [(await databaseNow(database.sql)).getTime(), "the database"];
  } else if (outside !== null) {
    const { date } = await ask(outside, { method: "HEAD" });
    if (date !== null) {
      [theirs, name] = [Date.parse(date) + HTTP_DATE_MS / 2, new URL(outside).host];
    }
  }
  if (theirs === null) return ok("nobody to compare it with");
  const skew = theirs - (before + clock.now().getTime()) / 2;
  const says = `${(Math.abs(skew) / 1000).toFixed(1)} s ${
    skew < 0 ? "ahead of" : "behind"
  } ${name}`;
  return Math.abs(skew) <= MAX_SKEW_MS ? ok(says) : fail(says, "set the clock, by NTP");
}

/** Without trust in the proxy in front, all callers count as one: its address. */
function proxies({ config }: CommandContext): Finding {
  const { hostname, protocol } = new URL(config.baseUrl);
  const isLocal = hostname === "localhost" || hostname.startsWith("127.") || hostname === "[::1]";
  if (config.trustedProxies.length > 0) return ok(`trusts ${config.trustedProxies.join(", ")}`);
  if (isLocal || (protocol === "http:" && isIP(hostname) !== 0)) {
    return ok("none in front, none trusted");
  }
  return warn(
    `BASE_URL is ${config.baseUrl}, so a proxy is in front, and none is trusted`,
    "set TRUSTED_PROXIES to its address: until then all callers share one rate limit",
  );
}

/** The checks that ask the outside. */
export function outsideChecks(context: CommandContext, database: Database | null): Check[] {
  const { payment } = context.config;
  const live = payment.mode !== "test";
  const rpcUrl = payment.rpcUrl ?? (live ? findNetwork(payment.network)?.publicRpc ?? null : null);
  const guarded = (look: () => Promise<Finding>, advice: string) => async (): Promise<Finding> => {
    try {
      return await look();
    } catch (error) {
      return fail(reasonOf(error), advice);
    }
  };
  return [
    { name: "source", look: guarded(() => source(context), "check REDDIT_AUTH_URL") },
    { name: "model", look: guarded(() => model(context), "check OPENAI_BASE_URL") },
    ...(payment.mode === "facilitator"
      ? [{
        name: "facilitator",
        look: guarded(() => facilitator(context), "check FACILITATOR_URL"),
      }]
      : []),
    ...(rpcUrl === null
      ? []
      : [{ name: "chain", look: guarded(chain(context, rpcUrl), "check RPC_URL") }]),
    ...(rpcUrl === null || database === null || !live ? [] : [{
      name: "proofs",
      look: guarded(() => proofs(context, database, rpcUrl), "check RPC_URL"),
    }]),
    { name: "payTo", look: guarded(payTo(context, rpcUrl), "check RPC_URL") },
    { name: "clock", look: guarded(() => clockFinding(context, database), "no clock to compare") },
    { name: "proxies", look: () => proxies(context) },
  ];
}
