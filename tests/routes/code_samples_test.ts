/** The samples that documents show are run as they stand there, against an instance in mode `test`. */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { parse } from "yaml";
import { z } from "zod";
import { testEmbedded } from "../support/database.ts";
import { type RunningService, startService } from "./shop.ts";
import { AGENTCASH, CLIENTS, COMMAND_VIEM, MPPX } from "../../routes/openapi/code_samples.ts";
import { DATA_ROUTES, DOCUMENT_ROUTES, MCP_PATH } from "../../routes/pipeline/route_table.ts";
import { appOf } from "./support.ts";

const ROOT = new URL("../../", import.meta.url).pathname;

const documented = z.object({
  paths: z.record(
    z.string(),
    z.record(
      z.string(),
      z.looseObject({
        "x-codeSamples": z.array(
          z.object({ lang: z.string(), label: z.string(), source: z.string() }),
        ).optional(),
      }),
    ),
  ),
});

async function samplesOf(service: RunningService, path: string): Promise<Map<string, string>> {
  const { paths } = documented.parse(await (await service.call("/openapi.json")).json());
  const [operation] = Object.values(paths[path] ?? {});
  return new Map(operation?.["x-codeSamples"]?.map(({ label, source }) => [label, source]));
}

async function run(command: string, args: readonly string[]): Promise<string> {
  const { code, stdout, stderr } = await new Deno.Command(command, {
    args: [...args],
    cwd: ROOT,
    env: { EVM_PRIVATE_KEY: `0x${"47".repeat(32)}`, NO_COLOR: "1" },
  }).output();
  const text = new TextDecoder().decode(stdout);
  assertEquals(code, 0, `${text}${new TextDecoder().decode(stderr)}`);
  return text;
}

/** Whether a program of Python can be run here with these modules. */
async function hasPython(modules: string): Promise<boolean> {
  try {
    const args = ["-c", `import ${modules}`];
    return (await new Deno.Command("python3", { args, stderr: "null" }).output()).success;
  } catch {
    return false;
  }
}

Deno.test({
  name: "the documented commands and programs buy what they say",
  fn: async (t) => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    const folder = `${ROOT}dist/samples-${crypto.randomUUID()}`;
    await Deno.mkdir(folder, { recursive: true });
    for (const path of ["/v1/opportunities", "/v1/gauge"]) {
      const samples = await samplesOf(service, path);
      await t.step(`${path}: the commands of a shell`, async () => {
        const asked = await run("sh", ["-c", samples.get("Ask the price") ?? ""]);
        assertEquals(JSON.parse(asked).error, "payment_required");
        const bought = await run("sh", ["-c", `${samples.get("Buy by x402")} --include`]);
        assertMatch(bought, /^payment-response: /im);
        assertStringIncludes(bought, '"charged":true');
      });
      await t.step(`${path}: TypeScript`, async () => {
        const file = `${folder}/buy.mts`;
        await Deno.writeTextFile(file, samples.get("@x402/fetch") ?? "");
        const bought = await run(Deno.execPath(), [
          "run",
          "-A",
          "--no-check",
          "--config",
          "deno.test.json",
          file,
        ]);
        assertMatch(bought, /charged: true/);
        const compile = ["--noEmit", "--strict", "--module", "nodenext", "--skipLibCheck", file];
        const tsc = ["--config", "deno.test.json", "npm:typescript@5.9.3/tsc", ...compile];
        await run(Deno.execPath(), ["run", "-A", ...tsc]);
      });
      await t.step(`${path}: Python`, async () => {
        await Deno.writeTextFile(`${folder}/pay.py`, samples.get("x402") ?? "");
        if (await hasPython("x402, eth_account, requests")) {
          assertStringIncludes(await run("python3", [`${folder}/pay.py`]), "'charged': True");
        } else if (await hasPython("ast")) {
          const code = "import ast, sys\nfor name in sys.argv[1:]: ast.parse(open(name).read())";
          await run("python3", ["-c", code, `${folder}/pay.py`, `${ROOT}examples/buy.py`]);
        }
      });
    }
    await Deno.remove(folder, { recursive: true });
  },
});

/** All documents as a reader finds them: the marks of JSON and HTML undone. */
async function allDocuments(service: RunningService): Promise<string[]> {
  const texts: string[] = [];
  for (const { path } of [...Object.values(DOCUMENT_ROUTES), { path: "/nowhere" }]) {
    for (const accept of ["*/*", "text/html,*/*;q=0.8"]) {
      const text = await (await service.call(path, { headers: { accept } })).text();
      texts.push(
        text.replaceAll('\\"', '"').replaceAll("&quot;", '"').replaceAll("&#39;", "'")
          .replaceAll("&amp;", "&"),
      );
    }
  }
  return texts;
}

const refusal = z.object({ error: z.literal("payment_required"), problem: z.unknown().optional() });

Deno.test({
  name: "every address in every document answers, and each example may be bought as it is",
  fn: async () => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    const texts = await allDocuments(service);
    const base = service.url.replaceAll(".", "\\.");
    const own = texts.flatMap((text) => [
      ...text.matchAll(new RegExp(`${base}(/[^\\s"'<>)\`\\\\,]*)`, "g")),
      ...text.matchAll(/(?:href|src|action)="(\/[^"]*)"/g),
    ]).map(([, path = ""]) => path.replace(/[.;:]+$/, ""));
    const methods = new Map<string, string>(
      Object.values(DATA_ROUTES).map(({ path, method }) => [path, method]),
    );
    for (const path of new Set(own)) {
      const response = await service.call(path);
      if (methods.get(path) === "POST" || path === MCP_PATH) {
        assertEquals(response.status, 405, path);
      } else if (response.status !== 402) assertEquals(response.status, 200, path);
      else if (!methods.has(path)) {
        // Without its parameters a route stands for itself, and its 402 says what it lacks.
        assertEquals(refusal.parse(await response.json()).problem, undefined, path);
        continue;
      }
      await response.body?.cancel();
    }
    const command = new RegExp(`'${base}(/v1/[^']*)'(?: (?:-H '[^']*' -d|-J) '([^']*)')?`, "g");
    const calls = new Map(
      texts.flatMap((text) => [...text.matchAll(command)]).map(([all, path = "", body]) => [
        all,
        { path, body },
      ]),
    );
    assert(calls.size >= methods.size, `${calls.size} commands`);
    for (const [all, { path, body }] of calls) {
      const headers = { "content-type": "application/json" };
      const response = await service.call(
        path,
        body === undefined ? {} : { method: "POST", headers, body },
      );
      const answer = await response.json();
      if (response.status !== 200) assertEquals(refusal.parse(answer).problem, undefined, all);
    }
  },
});

Deno.test("documents name clients in the versions that the tests run, npm commands a viem besides", async () => {
  const { imports } = z.object({ imports: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await Deno.readTextFile(`${ROOT}deno.test.json`)));
  assertEquals(
    ["mppx", "viem", "@x402/fetch", "@x402/evm"].map((name) => imports[name]),
    [
      `npm:mppx@${CLIENTS.mppx}`,
      `npm:viem@${CLIENTS.viem}`,
      `npm:@x402/fetch@${CLIENTS.x402}`,
      `npm:@x402/evm@${CLIENTS.x402}`,
    ],
  );
  const { dependencies } = z.object({ dependencies: z.record(z.string(), z.string()) })
    .parse(JSON.parse(await Deno.readTextFile(`${ROOT}package.json`)));
  assert(dependencies.viem !== COMMAND_VIEM, "npx would leave it out in a clone");
  const skill = await (await appOf()("/skill.md")).text();
  for (const command of [MPPX, AGENTCASH]) assertStringIncludes(skill, command);
  for (const page of ["README.md", "docs/api.md", "docs/payment.md"]) {
    const text = await Deno.readTextFile(`${ROOT}${page}`);
    assertStringIncludes(text, MPPX);
    assert(!/npx(?: -y)? mppx/.test(text), page);
  }
});

const frontMatter = z.object({
  name: z.string().regex(/^[a-z0-9]+(-[a-z0-9]+)*$/).max(64),
  description: z.string().min(1).max(1024),
  homepage: z.url(),
  compatibility: z.string().max(500),
  metadata: z.object({
    openclaw: z.object({ requires: z.object({ env: z.array(z.string()) }) }),
  }).loose(),
}).loose();

Deno.test("the skill has its front matter, every price, and what to do with an empty wallet", async () => {
  const response = await appOf()("/skill.md");
  const text = await response.text();
  assertMatch(response.headers.get("Content-Type") ?? "", /^text\/markdown/);
  const [, head = "", body = ""] = /^---\n([\s\S]*?)\n---\n([\s\S]*)$/.exec(text) ?? [];
  const { name, metadata } = frontMatter.parse(parse(head));
  assertEquals([name, metadata.openclaw.requires.env], ["demand-intelligence", [
    "EVM_PRIVATE_KEY",
  ]]);
  for (const word of ["$0.25 a call", "any random key pays", "mcpServers", "insufficient_funds"]) {
    assertStringIncludes(body, word);
  }
  assert(text.length < 6_000, `${text.length} characters`);
  const live = await (await appOf({ settings: { paymentMode: "onchain" } })("/skill.md")).text();
  assert(!live.includes("random key"));
});

Deno.test("curl of the address alone shows how to start", async () => {
  const text = await (await appOf()("/")).text();
  for (const word of [MPPX, "any random key pays", "curl -s"]) {
    assertStringIncludes(text, word);
  }
});

Deno.test("registries find the server under the host's name, and crawlers its card", async () => {
  const call = appOf({ settings: { baseUrl: "https://demand.example.com" } });
  const server = await (await call("/server.json")).json();
  assertEquals(server.name, "com.example.demand/demand-intelligence");
  assertMatch(server.name, /^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/);
  assert(server.description.length <= 100);
  assertEquals(server.remotes, [{
    type: "streamable-http",
    url: "https://demand.example.com/mcp",
  }]);
  const { entries } = await (await call("/.well-known/mcp/catalog.json")).json();
  assertEquals(entries[0].url, "https://demand.example.com/mcp/server-card");
  for (const path of ["/mcp/server-card", "/.well-known/mcp/server-card.json"]) {
    const response = await call(path);
    assertEquals(response.headers.get("Content-Type"), "application/mcp-server-card+json");
    const card = await response.json();
    assertEquals({ ...card, $schema: "" }, { ...server, $schema: "" });
  }
});

Deno.test("security.txt names the contact and ends within a year, and is not there without one", async () => {
  const none = await appOf()("/.well-known/security.txt");
  assertEquals(none.status, 404);
  const call = appOf({ settings: { contact: "help@demand.example" } });
  const text = await (await call("/.well-known/security.txt")).text();
  assertStringIncludes(text, "Contact: mailto:help@demand.example\n");
  const expires = /^Expires: (.*)$/m.exec(text)?.[1] ?? "";
  assertEquals(expires, "2027-10-01T00:00:00.000Z");
  const web = appOf({ settings: { contact: "https://demand.example/help" } });
  assertStringIncludes(
    await (await web("/.well-known/security.txt")).text(),
    "Contact: https://demand.example/help\n",
  );
});
