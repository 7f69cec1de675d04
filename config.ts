/** Every setting of the service: one table, which the documents and `demand settings` show, read once into a value. */
import {
  address,
  baseAddress,
  choice,
  cron,
  flag,
  host,
  integer,
  limits,
  limitsText,
  list,
  listenAddress,
  longText,
  matching,
  number,
  onOff,
  text,
  token,
  webAddress,
} from "./core/setting_forms.ts";
import { inAddress } from "./core/host.ts";
import { LOG_LEVELS, type LogLevel } from "./core/log.ts";
import {
  type Environment,
  misspelledNames,
  type Misspelling,
  optional,
  parseSettings,
  setting,
  type SettingIssue,
  SettingsError,
  type SettingValues,
} from "./core/settings.ts";
import { IN_FLIGHT_LIMITS } from "./db/ledger/types.ts";
import {
  type RedditSettings,
  USER_AGENT,
  USER_AGENT_RULE,
} from "./mining/sources/reddit/settings.ts";
import type { ModelSettings } from "./model/types.ts";
import { PAYMENT_MODES, type PaymentSettings } from "./payment/protocol/types.ts";
import { RATE_LIMITS, type RateLimits } from "./routes/pipeline/route_table.ts";
import { SERVICE_NAME } from "./routes/pipeline/words.ts";

/** The settings as values: what is not set has its default, or is null. */
export interface Config {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** For those who bought: an e-mail address or a web address. */
  readonly contact: string | null;
  /** Whether BASE_URL was set, and not made of HOST and PORT. */
  readonly hasBaseUrl: boolean;
  readonly storage: { readonly databaseUrl: string | null; readonly dataDir: string };
  readonly payment: PaymentSettings;
  readonly model: ModelSettings;
  /** The source that is read; null for none. */
  readonly reddit: RedditSettings | null;
  readonly communitiesFile: string | null;
  readonly mineCron: string;
  readonly mineOnStart: boolean;
  /** Distinct authors who must state a want before it is a card. */
  readonly minAuthors: number;
  readonly trustedProxies: readonly string[];
  /** Requests a minute per route group. */
  readonly rateLimits: RateLimits;
  readonly adminToken: string | null;
  readonly metricsListen: { readonly host: string; readonly port: number } | null;
  readonly authorHashKey: string | null;
  readonly family: { readonly slug: string; readonly file: string | null };
  readonly log: { readonly level: LogLevel; readonly format: "auto" | "text" | "json" };
  /** Names in the environment that were probably meant to be settings. */
  readonly misspelled: readonly Misspelling[];
}

/** Payments name the resource by its address, and documents stand at fixed paths: there is no room for a prefix. */
const publicAddress = webAddress
  .refine(
    (given) => {
      const { pathname } = new URL(given);
      return !/[?#@]/.test(given) && pathname === "/";
    },
    'should be an address without user, path, parameters and fragment, such as "https://demand.example"',
  )
  .transform((given) => new URL(given).origin);

const contact = text.refine(
  (given) =>
    /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(given) || webAddress.safeParse(given).success,
  "should be an e-mail address or a web address",
).transform((given) => given.includes("://") ? new URL(given).href : given);

/** Every setting, by the groups and in the order in which an operator meets them. */
export const SETTING_GROUPS = {
  "Listening": {
    HOST: setting(host, "127.0.0.1", "the address to listen on", {
      shown: "`127.0.0.1` (`0.0.0.0` in the image)",
    }),
    PORT: setting(integer(0, 65_535), "8402", "the port; 0 takes any"),
    BASE_URL: optional(
      publicAddress,
      "the public address in challenges, cards and documents, without a path: the service needs a host name of its own; buyers' payments name it, so a paid mode without it warns",
      { shown: "from `HOST` and `PORT`" },
    ),
    CONTACT: optional(
      contact,
      "where buyers may write to: an e-mail address or a web address, for the terms and the OpenAPI document",
    ),
    TRUSTED_PROXIES: setting(
      list,
      "",
      "addresses and blocks (`10.0.0.0/8`), separated by commas, whose `X-Forwarded-For` is believed",
      { shown: "none" },
    ),
    RATE_LIMITS: setting(
      limits(RATE_LIMITS, "requests a minute"),
      limitsText(RATE_LIMITS),
      "calls a minute for each caller, by group of routes; name those to change",
    ),
  },
  "Storage": {
    DATABASE_URL: optional(
      address("postgres:", "postgresql:"),
      "`postgres://user:password@host:5432/name`, Postgres 14 or later, encoding UTF8; the user may create tables and extensions, or has the owner run `demand migrate` and may read and write what that made",
      { secrecy: "address" },
    ),
    DATA_DIR: setting(
      text,
      "./data",
      "where the embedded database lives while `DATABASE_URL` is not set: a folder of its own",
    ),
    AUTHOR_HASH_KEY: optional(
      // Who knows a short key can try every author's name.
      matching(/^[0-9a-fA-F]{32,}$/, "should be 32 hexadecimal digits or more"),
      "the key under which authors are hashed; 32 hexadecimal digits or more",
      { shown: "made once, kept in the database", secrecy: "all" },
    ),
  },
  "Payment": {
    PAYMENT_MODE: setting(
      choice(PAYMENT_MODES),
      "test",
      "`test` checks everything and moves nothing; `facilitator` settles over HTTP; `onchain` by a wallet of yours",
    ),
    PAY_TO: optional(text, "the address that is paid", { shown: "none (zero address in `test`)" }),
    X402_NETWORK: setting(
      text,
      "eip155:8453",
      "the network: Base; `eip155:84532` is its test network",
    ),
    USDC_ADDRESS: optional(text, "the token contract", { shown: "the network's" }),
    RPC_URL: optional(
      webAddress,
      "the chain: proofs of settlement, balances, contract wallets; needed in `onchain`",
      { shown: "the network's public endpoint", secrecy: "address" },
    ),
    FACILITATOR_URL: optional(baseAddress, "the facilitator, in that mode"),
    FACILITATOR_TOKEN: optional(
      token,
      "a bearer token for it, or `FACILITATOR_KEY_ID` and `FACILITATOR_KEY_SECRET`",
      { secrecy: "all" },
    ),
    FACILITATOR_KEY_ID: optional(
      text,
      "the name of a key that signs short-lived tokens for it, in the form that Coinbase's developer platform takes (JWT with issuer `cdp` and audience `cdp_service`); any other facilitator takes `FACILITATOR_TOKEN`, or nothing",
    ),
    FACILITATOR_KEY_SECRET: optional(text, "that key", { secrecy: "all" }),
    WALLET_FACTORIES: setting(
      list,
      "",
      "in `facilitator`: addresses of ERC-6492 factories, separated by commas, whose wallets may pay before they are deployed; the facilitator must allow them too",
      { shown: "none" },
    ),
    PAYER_IN_FLIGHT: setting(
      limits(IN_FLIGHT_LIMITS, "calls in flight"),
      limitsText(IN_FLIGHT_LIMITS),
      "calls that one payer may have in flight, on all replicas together: all of them, those whose compute costs something, live ones; name those to change. What comes on top waits up to 2 s, then gets 429",
    ),
    MPP: setting(
      onOff,
      "on",
      "`off` takes payments by x402 alone; `on` by MPP (the Payment HTTP authentication scheme) as well",
    ),
    MPP_SECRET_KEY: optional(
      // Who knows the key can make challenges that we take for ours.
      token.pipe(longText(32)),
      "the key of MPP's challenges, 32 characters or more; the same on all replicas",
      { shown: "made once, kept in the database", secrecy: "all" },
    ),
    SETTLEMENT_PRIVATE_KEY: optional(
      matching(/^(?:0x)?[0-9a-fA-F]{64}$/, "should be 64 hexadecimal digits"),
      "in `onchain`: the key of the wallet that broadcasts, 64 hexadecimal digits; keep gas money in it and nothing else",
      { secrecy: "all" },
    ),
  },
  "The model": {
    OPENAI_API_KEY: optional(
      token,
      "the key of any model behind an OpenAI-compatible interface; without it verdicts answer 503 (in payment mode `test`: an extractive rationale), and mining uses the built-in classifier and words alone",
      { secrecy: "all" },
    ),
    OPENAI_MODEL: optional(text, "the model's name; needed beside the key"),
    OPENAI_BASE_URL: optional(baseAddress, "where it is", { shown: "OpenAI's" }),
    LLM_TIMEOUT_MS: setting(
      integer(100, 40_000),
      "20000",
      "the longest a call may take, retries included, 100 to 40000; up to six times as long where nobody waits for it",
    ),
    LLM_DAILY_BUDGET_USD: optional(
      number(0, 1e6),
      "spend by UTC day, over all replicas, at which calls stop; needs the prices",
    ),
    LLM_PRICE_IN_USD_PER_M: setting(
      number(0, 1e5),
      "0",
      "dollars for a million tokens in; the budget counts with it",
    ),
    LLM_PRICE_OUT_USD_PER_M: setting(
      number(0, 1e5),
      "0",
      "dollars for a million tokens out; the budget counts with it",
    ),
  },
  "Source and mining": {
    SOURCE: optional(
      choice(["reddit", "none"]),
      "where posts come from; with `none` there are imports, and in payment mode `test` a demonstration",
      { shown: "`reddit` when its credentials are set, else `none`" },
    ),
    REDDIT_CLIENT_ID: optional(token, "the name of the site's OAuth application"),
    REDDIT_CLIENT_SECRET: optional(token, "its secret", { secrecy: "all" }),
    REDDIT_USER_AGENT: optional(
      matching(USER_AGENT, USER_AGENT_RULE),
      "as the site asks for it: `<platform>:<app id>:<version> (by /u/<name>)`",
    ),
    REDDIT_AUTH_URL: setting(webAddress, "https://www.reddit.com", "for tests and gateways", {
      shown: "the site's",
    }),
    REDDIT_API_URL: setting(webAddress, "https://oauth.reddit.com", "for tests and gateways", {
      shown: "the site's",
    }),
    COMMUNITIES_FILE: optional(text, "the registry of communities and categories", {
      shown: "built in",
    }),
    MINE_CRON: setting(
      cron,
      "*/30 * * * *",
      "when mining runs: five cron fields, UTC; Sunday is 0, 7 or `sun`",
    ),
    MINE_ON_START: setting(flag, "true", "whether it runs at the start too"),
    MIN_AUTHORS: setting(
      integer(2, 1_000),
      "5",
      "distinct authors who make a want a card, 2 to 1000; the next start remakes all cards",
    ),
  },
  "Watching": {
    LOG_LEVEL: setting(choice(LOG_LEVELS), "info", "`debug`, `info`, `warn` or `error`"),
    LOG_FORMAT: setting(
      choice(["auto", "text", "json"]),
      "auto",
      "`text`, `json`; `auto` is text on a terminal",
    ),
    METRICS_LISTEN: optional(
      listenAddress,
      "`HOST:PORT` or `PORT` (of 127.0.0.1) of the metrics listener",
      { shown: "off" },
    ),
    ADMIN_TOKEN: optional(
      // Guessing is hopeless from here on.
      longText(16),
      "opens `/admin` to those who know it; 16 characters or more",
      { shown: "off", secrecy: "all" },
    ),
    NO_COLOR: optional(text, "no colours on a terminal either", { shown: "off" }),
  },
  "The family's catalogue": {
    FAMILY_SLUG: setting(
      text.regex(/^[a-z0-9][a-z0-9-]{0,63}$/, {
        error: ({ input }) => `should be a word of a-z, 0-9 and "-", not "${input}"`,
      }),
      "family",
      "the word in `/.well-known/…`",
    ),
    FAMILY_FILE: optional(text, "a JSON file of sibling products"),
  },
} as const;

/** Every setting by its name, of all groups. */
export const SETTINGS = {
  ...SETTING_GROUPS["Listening"],
  ...SETTING_GROUPS["Storage"],
  ...SETTING_GROUPS["Payment"],
  ...SETTING_GROUPS["The model"],
  ...SETTING_GROUPS["Source and mining"],
  ...SETTING_GROUPS["Watching"],
  ...SETTING_GROUPS["The family's catalogue"],
} as const;

type SettingName = keyof typeof SETTINGS;
type Values = SettingValues<typeof SETTINGS>;

/** What settings ask of each other. */
function rulesBetween(values: Values): { readonly name: SettingName; readonly rule: string }[] {
  const found: { name: SettingName; rule: string }[] = [];
  const need = (name: SettingName, rule: string): void => {
    if (values[name] === null) found.push({ name, rule });
  };
  if (values.OPENAI_API_KEY !== null) {
    need("OPENAI_MODEL", "should name a model, since OPENAI_API_KEY is set");
  }
  if (values.OPENAI_MODEL !== null) {
    need(
      "OPENAI_API_KEY",
      "is needed beside OPENAI_MODEL; a server that asks for none takes any",
    );
  }
  const prices = values.LLM_PRICE_IN_USD_PER_M + values.LLM_PRICE_OUT_USD_PER_M;
  if (values.LLM_DAILY_BUDGET_USD !== null && prices === 0) {
    found.push({
      name: "LLM_DAILY_BUDGET_USD",
      rule: "bounds nothing without LLM_PRICE_IN_USD_PER_M and LLM_PRICE_OUT_USD_PER_M",
    });
  }
  if (sourceOf(values) === "reddit") {
    const rule = "is needed to read the source; SOURCE=none reads none";
    need("REDDIT_CLIENT_ID", rule);
    need("REDDIT_CLIENT_SECRET", rule);
    need("REDDIT_USER_AGENT", `is needed to read the source; it ${USER_AGENT_RULE}`);
  }
  return found;
}

const sourceOf = ({ SOURCE, REDDIT_CLIENT_ID, REDDIT_CLIENT_SECRET }: Values): "reddit" | "none" =>
  SOURCE ?? (REDDIT_CLIENT_ID === null && REDDIT_CLIENT_SECRET === null ? "none" : "reddit");

/** Null where no source is read, and where a setting that it needs is missing, which is an issue then. */
function redditOf(values: Values): RedditSettings | null {
  const {
    REDDIT_CLIENT_ID: clientId,
    REDDIT_CLIENT_SECRET: clientSecret,
    REDDIT_USER_AGENT: userAgent,
    REDDIT_AUTH_URL: authUrl,
    REDDIT_API_URL: apiUrl,
  } = values;
  if (sourceOf(values) === "none") return null;
  if (clientId === null || clientSecret === null || userAgent === null) return null;
  return { clientId, clientSecret, userAgent, authUrl, apiUrl };
}

function configOf(values: Values, misspelled: Config["misspelled"]): Config {
  const { HOST, PORT, BASE_URL } = values;
  const shownHost = HOST === "0.0.0.0" || HOST === "::" ? "localhost" : HOST;
  const baseUrl = BASE_URL ?? `http://${inAddress(shownHost)}:${PORT}`;
  return {
    host: HOST,
    port: PORT,
    baseUrl,
    hasBaseUrl: BASE_URL !== null,
    contact: values.CONTACT,
    storage: { databaseUrl: values.DATABASE_URL, dataDir: values.DATA_DIR },
    payment: {
      mode: values.PAYMENT_MODE,
      payTo: values.PAY_TO,
      network: values.X402_NETWORK,
      asset: values.USDC_ADDRESS,
      rpcUrl: values.RPC_URL,
      baseUrl,
      serviceName: SERVICE_NAME,
      facilitatorUrl: values.FACILITATOR_URL,
      facilitatorToken: values.FACILITATOR_TOKEN,
      facilitatorKeyId: values.FACILITATOR_KEY_ID,
      facilitatorKeySecret: values.FACILITATOR_KEY_SECRET,
      settlementPrivateKey: values.SETTLEMENT_PRIVATE_KEY,
      walletFactories: values.WALLET_FACTORIES,
      mpp: values.MPP,
      mppSecretKey: values.MPP_SECRET_KEY,
      payerInFlight: values.PAYER_IN_FLIGHT,
    },
    model: {
      apiKey: values.OPENAI_API_KEY,
      baseUrl: values.OPENAI_BASE_URL,
      name: values.OPENAI_MODEL,
      timeoutMs: values.LLM_TIMEOUT_MS,
      dailyBudgetUsd: values.LLM_DAILY_BUDGET_USD,
      priceInUsdPerM: values.LLM_PRICE_IN_USD_PER_M,
      priceOutUsdPerM: values.LLM_PRICE_OUT_USD_PER_M,
    },
    reddit: redditOf(values),
    communitiesFile: values.COMMUNITIES_FILE,
    mineCron: values.MINE_CRON,
    mineOnStart: values.MINE_ON_START,
    minAuthors: values.MIN_AUTHORS,
    trustedProxies: values.TRUSTED_PROXIES,
    rateLimits: values.RATE_LIMITS,
    adminToken: values.ADMIN_TOKEN,
    metricsListen: values.METRICS_LISTEN,
    authorHashKey: values.AUTHOR_HASH_KEY,
    family: { slug: values.FAMILY_SLUG, file: values.FAMILY_FILE },
    log: { level: values.LOG_LEVEL, format: values.LOG_FORMAT },
    misspelled,
  };
}

/** Settings as far as they can be read: a wrong one has its default's value, and an issue. */
interface InspectedConfig {
  readonly config: Config;
  readonly issues: readonly SettingIssue[];
}

/**
 * Reads every setting and collects what is wrong with any, alone or beside another; throws nothing.
 * A setting that is wrong has its default in what is given.
 */
export function inspectConfig(environment: Environment): InspectedConfig {
  const { values, issues } = parseSettings(SETTINGS, environment);
  const wrong = new Set(issues.map(({ name }) => name));
  const between = rulesBetween(values).filter(({ name }) => !wrong.has(name));
  const config = configOf(values, misspelledNames(Object.keys(SETTINGS), environment));
  return { config, issues: [...issues, ...between] };
}

/**
 * Reads every setting; the container image sets HOST to 0.0.0.0 itself.
 * @throws SettingsError with a line for each wrong one, that names it and the rule.
 */
export function readConfig(environment: Environment): Config {
  const { config, issues } = inspectConfig(environment);
  if (issues.length > 0) throw new SettingsError(issues);
  return config;
}
