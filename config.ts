/** The environment, read and checked once, passed on as a value. docs/configuration.md lists every name. */
import { bareHost, inAddress } from "./core/host.ts";
import { readCron, readLimits, readListen } from "./core/setting_forms.ts";
import { LOG_LEVELS, type LogLevel } from "./core/log.ts";
import { type Environment, type Misspelling, Settings } from "./core/settings.ts";
import { MIN_AUTHORS } from "./mining/job/finish.ts";
import type { ModelSettings } from "./model/types.ts";
import { PAYMENT_MODES, type PaymentMode } from "./payment/protocol/types.ts";

export interface Config {
  readonly host: string;
  readonly port: number;
  readonly baseUrl: string;
  /** For those who bought: an e-mail address or a web address. */
  readonly contact: string | null;
  /** Whether BASE_URL was set, and not made of HOST and PORT. */
  readonly hasBaseUrl: boolean;
  readonly storage: { readonly databaseUrl: string | null; readonly dataDir: string };
  readonly payment: {
    readonly mode: PaymentMode;
    readonly payTo: string | null;
    readonly network: string;
    readonly usdcAddress: string | null;
    readonly facilitator: {
      readonly url: string | null;
      readonly token: string | null;
      readonly keyId: string | null;
      readonly keySecret: string | null;
    };
    readonly rpcUrl: string | null;
    readonly settlementPrivateKey: string | null;
    readonly walletFactories: readonly string[];
    readonly mpp: boolean;
    readonly mppSecretKey: string | null;
    /** Calls in flight for each payer, over the usual numbers. */
    readonly payerInFlight: Readonly<Record<string, number>>;
  };
  readonly model: ModelSettings;
  readonly source: "reddit" | "none";
  readonly reddit: {
    readonly clientId: string | null;
    readonly clientSecret: string | null;
    readonly userAgent: string | null;
    readonly authUrl: string;
    readonly apiUrl: string;
  };
  readonly communitiesFile: string | null;
  readonly mineCron: string;
  readonly mineOnStart: boolean;
  /** Distinct authors who must state a want before it is a card. */
  readonly minAuthors: number;
  readonly trustedProxies: readonly string[];
  /** Requests a minute per route group, over SPEC's own numbers. */
  readonly rateLimits: Readonly<Record<string, number>>;
  readonly adminToken: string | null;
  readonly metricsListen: { readonly host: string; readonly port: number } | null;
  readonly authorHashKey: string | null;
  readonly family: { readonly slug: string; readonly file: string | null };
  readonly log: { readonly level: LogLevel; readonly format: "auto" | "text" | "json" };
  /** Names in the environment that were probably meant to be settings. */
  readonly misspelled: readonly Misspelling[];
}

const HTTP = ["http:", "https:"];

/** Who knows the key can make challenges that we take for ours. */
function readMppSecretKey(settings: Settings): string | null {
  const key = settings.token("MPP_SECRET_KEY");
  if (key !== null && key.length < 32) {
    settings.fail("MPP_SECRET_KEY", "should have 32 characters or more");
  }
  return key;
}

function readPayment(settings: Settings): Config["payment"] {
  return {
    mode: settings.choice("PAYMENT_MODE", "test", PAYMENT_MODES),
    payTo: settings.text("PAY_TO"),
    network: settings.text("X402_NETWORK") ?? "eip155:8453",
    usdcAddress: settings.text("USDC_ADDRESS"),
    facilitator: {
      url: settings.base("FACILITATOR_URL", HTTP),
      token: settings.token("FACILITATOR_TOKEN"),
      keyId: settings.text("FACILITATOR_KEY_ID"),
      keySecret: settings.text("FACILITATOR_KEY_SECRET"),
    },
    rpcUrl: settings.url("RPC_URL", HTTP),
    settlementPrivateKey: settings.text("SETTLEMENT_PRIVATE_KEY"),
    walletFactories: (settings.text("WALLET_FACTORIES") ?? "").split(/[\s,]+/).filter(Boolean),
    mpp: settings.choice("MPP", "on", ["on", "off"]) === "on",
    mppSecretKey: readMppSecretKey(settings),
    payerInFlight: readLimits(settings, "PAYER_IN_FLIGHT", "calls in flight"),
  };
}

function readModel(settings: Settings): Config["model"] {
  const apiKey = settings.token("OPENAI_API_KEY");
  const name = settings.text("OPENAI_MODEL");
  if (apiKey !== null && name === null) {
    settings.fail("OPENAI_MODEL", "should name a model, since OPENAI_API_KEY is set");
  }
  if (apiKey === null && name !== null) {
    settings.fail(
      "OPENAI_API_KEY",
      "is needed beside OPENAI_MODEL; a server that asks for none takes any",
    );
  }
  const budget = settings.text("LLM_DAILY_BUDGET_USD");
  const priceInUsdPerM = settings.number("LLM_PRICE_IN_USD_PER_M", 0, 0, 1e5);
  const priceOutUsdPerM = settings.number("LLM_PRICE_OUT_USD_PER_M", 0, 0, 1e5);
  if (budget !== null && priceInUsdPerM + priceOutUsdPerM === 0) {
    settings.fail(
      "LLM_DAILY_BUDGET_USD",
      "bounds nothing without LLM_PRICE_IN_USD_PER_M and LLM_PRICE_OUT_USD_PER_M",
    );
  }
  return {
    apiKey,
    baseUrl: settings.base("OPENAI_BASE_URL", HTTP),
    name,
    timeoutMs: settings.integer("LLM_TIMEOUT_MS", 20_000, 100, 40_000),
    dailyBudgetUsd: budget === null ? null : settings.number("LLM_DAILY_BUDGET_USD", 0, 0, 1e6),
    priceInUsdPerM,
    priceOutUsdPerM,
  };
}

function readReddit(settings: Settings): Pick<Config, "source" | "reddit"> {
  const clientId = settings.token("REDDIT_CLIENT_ID");
  const clientSecret = settings.token("REDDIT_CLIENT_SECRET");
  const meant = clientId !== null || clientSecret !== null;
  const source = settings.choice("SOURCE", meant ? "reddit" : "none", ["reddit", "none"]);
  const userAgent = settings.text("REDDIT_USER_AGENT");
  if (source === "reddit") {
    const rule = "is needed to read the source; SOURCE=none reads none";
    if (clientId === null) settings.fail("REDDIT_CLIENT_ID", rule);
    if (clientSecret === null) settings.fail("REDDIT_CLIENT_SECRET", rule);
    if (userAgent === null) {
      settings.fail(
        "REDDIT_USER_AGENT",
        'is needed when SOURCE is reddit: "<platform>:<app id>:<version> (by /u/<name>)"',
      );
    }
  }
  return {
    source,
    reddit: {
      clientId,
      clientSecret,
      userAgent,
      authUrl: settings.url("REDDIT_AUTH_URL", HTTP) ?? "https://www.reddit.com",
      apiUrl: settings.url("REDDIT_API_URL", HTTP) ?? "https://oauth.reddit.com",
    },
  };
}

function readFamily(settings: Settings): Config["family"] {
  const slug = settings.text("FAMILY_SLUG") ?? "family";
  if (!/^[a-z0-9][a-z0-9-]{0,63}$/.test(slug)) {
    settings.fail("FAMILY_SLUG", `should be a word of a-z, 0-9 and "-", not "${slug}"`);
  }
  return { slug, file: settings.text("FAMILY_FILE") };
}

/** Payments name the resource by its address, and documents stand at fixed paths: there is no room for a prefix. */
function readBaseUrl(settings: Settings): string | null {
  const text = settings.url("BASE_URL", HTTP);
  if (text === null) return null;
  const { origin, pathname } = new URL(text);
  if (/[?#@]/.test(text) || pathname !== "/") {
    settings.fail(
      "BASE_URL",
      'should be an address without user, path, parameters and fragment, such as "https://demand.example"',
    );
  }
  return origin;
}

function readContact(settings: Settings): string | null {
  const text = settings.text("CONTACT");
  if (text === null || /^[^\s@<>"]+@[^\s@<>"]+\.[^\s@<>"]+$/.test(text)) return text;
  if (URL.canParse(text) && HTTP.includes(new URL(text).protocol)) return new URL(text).href;
  return settings.fail("CONTACT", "should be an e-mail address or a web address");
}

/** Who knows a short key can try every author's name. */
function readHashKey(settings: Settings): string | null {
  const key = settings.text("AUTHOR_HASH_KEY");
  if (key !== null && !/^[0-9a-fA-F]{32,}$/.test(key)) {
    settings.fail("AUTHOR_HASH_KEY", "should be 32 hexadecimal digits or more");
  }
  return key;
}

/**
 * Reads every setting; the container image sets HOST to 0.0.0.0 itself.
 * @throws OperatorError with one line that names the setting and the rule.
 */
export function readConfig(environment: Environment): Config {
  const settings = new Settings(environment);
  const host = bareHost(settings.text("HOST") ?? "127.0.0.1");
  const port = settings.integer("PORT", 8402, 0, 65_535);
  const shownHost = host === "0.0.0.0" || host === "::" ? "localhost" : host;
  const baseUrl = readBaseUrl(settings);
  return {
    host,
    port,
    baseUrl: baseUrl ?? `http://${inAddress(shownHost)}:${port}`,
    hasBaseUrl: baseUrl !== null,
    contact: readContact(settings),
    storage: {
      databaseUrl: settings.url("DATABASE_URL", ["postgres:", "postgresql:"]),
      dataDir: settings.text("DATA_DIR") ?? "./data",
    },
    payment: readPayment(settings),
    model: readModel(settings),
    ...readReddit(settings),
    communitiesFile: settings.text("COMMUNITIES_FILE"),
    mineCron: readCron(settings, "MINE_CRON", "*/30 * * * *"),
    minAuthors: settings.integer("MIN_AUTHORS", MIN_AUTHORS, 2, 1_000),
    mineOnStart: settings.flag("MINE_ON_START", true),
    trustedProxies: (settings.text("TRUSTED_PROXIES") ?? "").split(/[\s,]+/).filter(Boolean),
    rateLimits: readLimits(settings, "RATE_LIMITS", "requests a minute"),
    adminToken: settings.text("ADMIN_TOKEN"),
    metricsListen: readListen(settings, "METRICS_LISTEN"),
    authorHashKey: readHashKey(settings),
    family: readFamily(settings),
    log: {
      level: settings.choice("LOG_LEVEL", "info", LOG_LEVELS),
      format: settings.choice("LOG_FORMAT", "auto", ["auto", "text", "json"]),
    },
    // Last: by now every name has been asked for.
    misspelled: settings.misspelled(),
  };
}
