/**
 * The free routes against a bare Hono route that returns the same bytes: requests a second over 32
 * kept-alive connections, the two measured in turns so that a busy machine hurts both alike.
 */
import { median } from "./support/measure.ts";
const CONNECTIONS = 32;
const ROUND_MS = 2_000;
const ROUNDS = 4;

interface Server {
  readonly base: string;
  readonly child: Deno.ChildProcess;
}

async function start(kind: "bare" | "ours"): Promise<Server> {
  const script = new URL("./support/serving_server.ts", import.meta.url).pathname;
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "--quiet", script, kind],
    stdout: "piped",
  }).spawn();
  const { value } = await child.stdout.pipeThrough(new TextDecoderStream()).getReader().read();
  return { base: `http://127.0.0.1:${value?.trim()}`, child };
}

/** Requests answered in one round. */
async function round(url: string): Promise<number> {
  const end = performance.now() + ROUND_MS;
  let count = 0;
  await Promise.all(Array.from({ length: CONNECTIONS }, async () => {
    while (performance.now() < end) {
      const response = await fetch(url);
      await response.arrayBuffer();
      if (response.status !== 200) throw new Error(`${url}: ${response.status}`);
      count++;
    }
  }));
  return count / (ROUND_MS / 1000);
}

const [bare, ours] = [await start("bare"), await start("ours")];
for (const path of ["/v1/categories", "/v1/sample/opportunity"]) {
  const rates = { bare: [] as number[], ours: [] as number[] };
  for (let n = 0; n < ROUNDS; n++) {
    rates.bare.push(await round(bare.base + path));
    rates.ours.push(await round(ours.base + path));
  }
  const [floor, rate] = [median(rates.bare), median(rates.ours)];
  console.log(
    `${path}: ${Math.round(rate)} of ${Math.round(floor)} requests/s, ratio ${
      (rate / floor).toFixed(2)
    } (wanted: 0.8 or more)`,
  );
}
bare.child.kill();
ours.child.kill();
