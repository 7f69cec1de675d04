/** How each route is called with tools that are there already; every document takes its examples from here. */
import type { Catalogue } from "../../mining/cards/types.ts";
import type { Documented, Site } from "../pipeline/route.ts";
import { MCP_PATH } from "../pipeline/route_table.ts";
import paying from "./paying.ts.txt" with { type: "text" };
import payingPython from "./paying.py.txt" with { type: "text" };

/**
 * The clients that documents name, in the versions that the tests run. Versions are named because the newest of
 * each need not go together: npm takes the newest viem beside a client, and some of those ask for an mppx that
 * is newer than any that is published.
 */
export const CLIENTS = { mppx: "0.11.0", viem: "2.57.1", x402: "2.27.0" } as const;

/**
 * The viem of commands. With one named, npm does not look for the newest; but npx leaves out a package that the
 * folder it is run in has in just this version, so that it may not be the one of this project.
 */
export const COMMAND_VIEM = "2.57.0";

/** Runs a client's command wherever it is pasted. */
const npx = (client: string, command: string): string =>
  `npx -y -p ${client} -p viem@${COMMAND_VIEM} ${command}`;

/** The commands of wallets, before the address. */
export const MPPX = npx(`mppx@${CLIENTS.mppx}`, "mppx");
/** By x402, since agentcash takes any challenge of MPP for one of Tempo's and then refuses the token. */
export const AGENTCASH = npx("agentcash", "agentcash fetch -p x402");

/** A sample as `x-codeSamples` has it. */
export interface CodeSample {
  readonly lang: string;
  readonly label: string;
  readonly source: string;
}

/** An example of a route's call. */
interface Call {
  readonly url: string;
  /** JSON; null for a GET. */
  readonly body: string | null;
}

/** The example call of a route. */
export function exampleCall({ row, doc }: Documented, baseUrl: string, catalogue: Catalogue): Call {
  const given = "input" in doc ? doc.inputExample(catalogue) : {};
  if (row.method === "POST") return { url: `${baseUrl}${row.path}`, body: JSON.stringify(given) };
  const query = new URLSearchParams(
    Object.entries(given).map(([name, value]) => [name, String(value)]),
  ).toString();
  return { url: `${baseUrl}${row.path}${query && `?${query}`}`, body: null };
}

/** Text within single quotes of a shell. */
const quoted = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The command that shows a free answer, or what a paid one costs. */
const curl = ({ url, body }: Call): string =>
  `curl -s ${quoted(url)}${
    body === null ? "" : ` -H 'content-type: application/json' -d ${quoted(body)}`
  }`;

/** The command that buys an answer by x402. */
export const buyLine = ({ url, body }: Call): string =>
  `MPPX_PRIVATE_KEY=$EVM_PRIVATE_KEY ${MPPX} --protocol x402 ${quoted(url)}${
    body === null ? "" : ` -J ${quoted(body)}`
  }`;

/** The call in a program's text. */
const filled = (text: string, { url, body }: Call, language: "ts" | "py"): string => {
  const json = { ts: `, { method: "POST", headers, body: ${JSON.stringify(body)} }`, py: body };
  return text.trim().replaceAll("METHOD", body === null ? "get" : "post")
    .replaceAll("X402", CLIENTS.x402).replaceAll("VIEM", CLIENTS.viem)
    .replaceAll("URL", url)
    .replaceAll("BODY", body === null ? "" : language === "ts" ? json.ts : `, json=${json.py}`)
    .split("\n").filter((line) => body !== null || !line.startsWith("const headers")).join("\n");
};

/** A program in TypeScript, and one in Python, that buy the answer. */
export const typescript = (call: Call): string => filled(paying, call, "ts");
export const python = (call: Call): string => filled(payingPython, call, "py");

/** The samples of a route: one line for a shell, and programs where it is paid for. */
export function codeSamples(
  route: Documented,
  baseUrl: string,
  catalogue: Catalogue,
): CodeSample[] {
  const call = exampleCall(route, baseUrl, catalogue);
  if (route.row.price === null) return [{ lang: "Shell", label: "curl", source: curl(call) }];
  return [
    { lang: "Shell", label: "Buy by x402", source: buyLine(call) },
    { lang: "Shell", label: "Ask the price", source: curl(call) },
    { lang: "TypeScript", label: "@x402/fetch", source: typescript(call) },
    { lang: "Python", label: "x402", source: python(call) },
  ];
}

/**
 * What a host of tools has in its settings: the remote server, and one over stdio that pays. It holds no stand-in
 * for the key: pasted as it is, the free tools work.
 */
export const mcpServers = (baseUrl: string): string =>
  JSON.stringify(
    {
      mcpServers: {
        demand: { type: "http", url: `${baseUrl}${MCP_PATH}` },
        "demand-with-a-wallet": {
          command: "demand",
          args: ["mcp", baseUrl],
          env: { MCP_DAILY_USD: "1" },
        },
      },
    },
    null,
    2,
  );

/** Said after those settings. */
export const MCP_KEY =
  "The second pays once its `env` has `EVM_PRIVATE_KEY`, the key of a wallet with USDC: 0x and 64 hexadecimal " +
  "digits. Without it, it offers the free tools alone.\n";

const EXPORT_RANDOM_KEY = "export EVM_PRIVATE_KEY=0x$(openssl rand -hex 32)";

/** Said wherever somebody may look for a key to try it with. */
export const TEST_MODE =
  "This instance runs in test mode: payments are checked in full, no money moves, and any random key pays " +
  `(\`${EXPORT_RANDOM_KEY}\`).`;

/** The first two minutes, as Markdown: what is free, then one paid call. */
export function quickStart(site: Site, catalogue: Catalogue): string {
  const key = site.settings.paymentMode === "test"
    ? TEST_MODE
    : "`EVM_PRIVATE_KEY` is the key of a wallet that holds USDC.";
  return ["```sh", startCommands(site, catalogue), "```\n", key].join("\n");
}

/** Its commands alone, without a comment: a zsh that is typed into takes `#` for a command. */
export function startCommands({ settings, routes }: Site, catalogue: Catalogue): string {
  const { baseUrl, paymentMode } = settings;
  const offered = new Map(routes.map((route) => [route.row.operationId, route]));
  const callOf = (name: string): Call[] => {
    const route = offered.get(name);
    return route === undefined ? [] : [exampleCall(route, baseUrl, catalogue)];
  };
  return [
    ...["listCategories", "getSampleOpportunity"].flatMap(callOf).map(curl),
    paymentMode === "test" ? EXPORT_RANDOM_KEY : "export EVM_PRIVATE_KEY=0x...",
    ...callOf("listTrendingOpportunities").map(buyLine),
  ].join("\n");
}
