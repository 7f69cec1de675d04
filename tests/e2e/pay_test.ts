import { assert, assertEquals } from "@std/assert";
import { x402Client } from "@x402/core/client";
import { registerExactEvmScheme } from "@x402/evm/exact/client";
import { wrapFetchWithPayment } from "@x402/fetch";
import { newAccount } from "../support/accounts.ts";
import { preparedData, temporaryDirectory } from "../support/database.ts";
import { serve } from "../support/program.ts";

Deno.test({
  name: "a first run sells every route to the official client, live verdicts included",
  fn: async () => {
    using directory = temporaryDirectory();
    await using service = await serve({ DATA_DIR: preparedData(directory.path) });
    const client = new x402Client();
    registerExactEvmScheme(client, { signer: newAccount() });
    const pay = wrapFetchWithPayment(fetch, client);
    const sold = async (path: string, init?: RequestInit) => {
      const response = await pay(service.base + path, init);
      const body = await response.json();
      assertEquals(response.status, 200, JSON.stringify(body));
      assertEquals([body.charged, body.paymentMode], [true, "test"]);
      return body;
    };
    const post = (body: unknown): RequestInit => ({
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    });

    const trending = await sold("/v1/opportunities/trending");
    const [first] = trending.opportunities;
    const list = await sold(`/v1/opportunities?category=${first.category}&minScore=1`);
    assert(list.opportunities.some(({ id }: { id: string }) => id === first.id));
    const card = await sold(`/v1/opportunity?slug=${first.slug}`);
    assertEquals(card.id, first.id);
    assert((await sold("/v1/brief")).opportunities.items.length > 0);

    const gauge = await sold("/v1/gauge", post({ query: card.title }));
    assertEquals(gauge.cache, "miss");
    assert(gauge.topEvidence.length > 0 && gauge.verdictScore > 0, JSON.stringify(gauge));
    // What this payer bought is given again, and costs nothing; others find it in the cache.
    assertEquals(await sold("/v1/gauge", post({ query: card.title })), gauge);
    const { headers, ...asked } = post({ query: card.title });
    const anew = { ...asked, headers: { ...headers, "cache-control": "no-cache" } };
    assertEquals((await sold("/v1/gauge", anew)).cache, "hit");
    const live = await sold("/v1/gauge/live", post({ query: card.title }));
    assertEquals(live.cache, "miss");
    assert(live.topEvidence.length > 0, JSON.stringify(live));
    const nonsense = await sold("/v1/gauge", post({ query: "quantum yodelling zeppelin" }));
    assertEquals([nonsense.demandTemperature, nonsense.verdictScore], ["cold", 0]);
  },
});
