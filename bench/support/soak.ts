/** The world of the soak: a chain, a facilitator, a model and a community site, all of which misbehave. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { startChain, type TestChain } from "../../tests/doubles/chain.ts";
import { type Fault, startFacilitator } from "../../tests/doubles/facilitator.ts";
import { type Behaviour, reply, startModel } from "../../tests/doubles/model.ts";
import { type Fault as SiteFault, RedditDouble } from "../../tests/doubles/reddit.ts";
import { AGENT } from "../../tests/doubles/reddit_client.ts";
import { type RpcFault, startRpc } from "../../tests/doubles/rpc.ts";
import { wants } from "../../tests/mining/job/support.ts";

export const PAY_TO = "0x209693Bc6afc0C5328bA36FaF03C514EF312287C";

/** Faults of settlement, each as likely as the others; five of six settlements have none. */
const SETTLEMENT: readonly Fault[] = [
  "garbage",
  "error-500",
  "refuse",
  "lose-broadcast",
  "cut",
  "settle-then-500",
  "settle-then-cut",
];
const NODE: readonly RpcFault[] = ["garbage", "error", "away", "hang"];
const SITE: readonly SiteFault[] = [
  { kind: "5xx" },
  { kind: "cut" },
  { kind: "reset" },
  { kind: "html" },
  { kind: "truncated" },
  { kind: "401" },
  { kind: "empty-gzip" },
  { kind: "flood", bytes: 20_000_000 },
];
const COMMUNITIES = ["Alpha", "Beta", "Gamma"];

const pick = <T>(values: readonly T[]): T => values[Math.floor(Math.random() * values.length)] as T;

/** A model that answers well, badly, slowly or not at all. */
const moody: Behaviour = () => {
  const chance = Math.random();
  if (chance < 0.05) return { status: 503, message: "busy" };
  if (chance < 0.1) return { raw: "<html>oops</html>" };
  if (chance < 0.15) return { content: "not JSON" };
  if (chance < 0.2) return { afterMs: 2_500, then: { content: reply() } };
  return { content: reply() };
};

interface World extends AsyncDisposable {
  readonly chain: TestChain;
  /** The service's settings that lead to it. */
  readonly env: Readonly<Record<string, string>>;
  /** Twice a second: lines up the next faults, and lets people write and take back posts. */
  turn(): void;
  /** Everything answers as it should from now on. */
  heal(): void;
}

/** Starts it; `folder` gets the registry of communities. */
export async function openWorld(folder: string): Promise<World> {
  const chain = await startChain();
  const facilitator = await startFacilitator(chain.url);
  const model = startModel(moody);
  const node = startRpc(chain.url);
  const posts = (count: number, prefix: string) =>
    COMMUNITIES.flatMap((name, n) => wants(name, count, `${"abc"[n]}${prefix}`, Date.now()));
  const site = await RedditDouble.start({ posts: posts(100, "x") });
  const communities = join(folder, "communities.txt");
  writeFileSync(communities, COMMUNITIES.map((name) => `community ${name} audio=1\n`).join(""));
  let turns = 0;
  return {
    chain,
    env: {
      COMMUNITIES_FILE: communities,
      REDDIT_CLIENT_ID: site.clientId,
      REDDIT_CLIENT_SECRET: site.clientSecret,
      REDDIT_USER_AGENT: AGENT,
      REDDIT_AUTH_URL: site.url,
      REDDIT_API_URL: site.url,
      MINE_CRON: "* * * * *",
      BASE_URL: "http://127.0.0.1",
      PAYMENT_MODE: "facilitator",
      PAY_TO,
      FACILITATOR_URL: facilitator.url,
      RPC_URL: node.url,
      OPENAI_API_KEY: "k",
      OPENAI_MODEL: "m",
      OPENAI_BASE_URL: model.baseUrl,
      LLM_TIMEOUT_MS: "2000",
    },
    turn: () => {
      turns++;
      if (facilitator.faults.length === 0) {
        facilitator.faults.push("none", "none", "none", "none", "none", pick(SETTLEMENT));
      }
      // The node is away for a second in ten.
      node.fault = turns % 20 < 2 ? pick(NODE) : "none";
      // One at a time: what nobody met is dropped, or the site would never be well again.
      if (turns % 8 === 0) {
        site.heal();
        site.fail(/./, pick(SITE));
      }
      if (turns % 120 === 0) {
        site.store.add(posts(2, `t${turns.toString(36)}`));
        site.store.remove(`ax${Math.floor(turns / 120).toString(36)}`);
      }
    },
    heal: () => {
      node.fault = "none";
      site.heal();
      facilitator.faults.length = 0;
    },
    [Symbol.asyncDispose]: async () => {
      for (const part of [site, node, model, facilitator, chain]) {
        await part[Symbol.asyncDispose]();
      }
    },
  };
}

/** Least squares: by how many units `values`, one every `seconds`, grow an hour. */
export function slopePerHour(values: readonly number[], seconds: number): number {
  const n = values.length;
  const meanX = (n - 1) / 2;
  const meanY = values.reduce((sum, value) => sum + value, 0) / n;
  let above = 0;
  let below = 0;
  values.forEach((value, x) => {
    above += (x - meanX) * (value - meanY);
    below += (x - meanX) ** 2;
  });
  return below === 0 ? 0 : above / below * 3600 / seconds;
}
