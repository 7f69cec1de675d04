/** Generates a typed client from the document, checks its types, and lets it pay and read every route. */
import { TEST_CONFIG } from "../support/program.ts";
import { assertEquals } from "@std/assert";
import { mkdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { fileURLToPath as fromFileUrl } from "node:url";
import openapiTS, { astToString } from "openapi-typescript";
import { testEmbedded } from "../support/database.ts";
import { startService } from "./shop.ts";

const PROGRAM = `
import createClient from "openapi-fetch";
import type { paths } from "./api.d.ts";
import { payingFetch } from "../../tests/support/official_client.ts";

const client = createClient<paths>({ baseUrl: Deno.args[0] ?? "", fetch: payingFetch() });
const seen: (string | number | boolean | undefined)[] = [];

const categories = await client.GET("/v1/categories");
const slug = categories.data?.categories[0]?.slug ?? "";
const sample = await client.GET("/v1/sample/opportunity");
seen.push(sample.data?.sample);
const trending = await client.GET("/v1/opportunities/trending");
seen.push(trending.data?.charged, trending.data?.opportunities.length);
const listed = await client.GET("/v1/opportunities", {
  params: { query: { category: slug as "audio", minScore: 10 } },
});
seen.push(listed.data?.charged, listed.data?.opportunities[0]?.summary.length);
const one = await client.GET("/v1/opportunity", {
  params: { query: { slug: trending.data?.opportunities[0]?.slug ?? "" } },
});
seen.push(one.data?.charged, one.data?.evidence[0]?.upvotes);
const brief = await client.GET("/v1/brief");
seen.push(brief.data?.charged, brief.data?.trending.signals[0]?.momentum);
const gauge = await client.POST("/v1/gauge", { body: { query: "kettle" } });
seen.push(gauge.data?.charged, gauge.data?.demandTemperature);
const live = await client.POST("/v1/gauge/live", { body: { query: "kettle" } });
seen.push(live.data?.charged, live.data?.cache);
const missing = await client.GET("/v1/opportunity", { params: { query: { slug: "nothing" } } });
seen.push(missing.error && "error" in missing.error ? missing.response.status : undefined);
console.log(JSON.stringify(seen));
`;

Deno.test({
  name: "a client generated from the document pays for and reads every route, with types",
  fn: async () => {
    await using test = await testEmbedded();
    await using service = await startService({ database: test.database });
    const types = astToString(await openapiTS(new URL(`${service.url}/openapi.json`)));
    const root = dirname(dirname(dirname(fromFileUrl(import.meta.url))));
    const folder = `${root}/dist/client-${crypto.randomUUID()}`;
    mkdirSync(folder, { recursive: true });
    try {
      writeFileSync(`${folder}/api.d.ts`, types);
      writeFileSync(`${folder}/main.ts`, PROGRAM);
      const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
        args: ["run", "--check", "-A", "--config", TEST_CONFIG, `${folder}/main.ts`, service.url],
        cwd: root,
      }).output();
      assertEquals(code, 0, new TextDecoder().decode(stderr));
      assertEquals(JSON.parse(new TextDecoder().decode(stdout)), [
        ...[true, true, 20, true, 60, true, 120, true, 1.5],
        ...[true, "cold", true, "miss", 404],
      ]);
    } finally {
      rmSync(folder, { recursive: true });
    }
  },
});
