/** Paid calls through the proxies of deploy/: their headers are longer than those of most services. */
import { assert, assertEquals } from "@std/assert";
import { request as plain } from "node:http";
import { request as tls } from "node:https";
import { x402Client } from "@x402/core/client";
import { ExactEvmScheme } from "@x402/evm";
import { z } from "zod";
import { PAID_ROUTES } from "../../routes/all.ts";
import { newAccount } from "../support/accounts.ts";
import { temporaryDirectory, testEmbedded } from "../support/database.ts";
import { find, type Proxy, startCaddy, startNginx } from "../support/proxy.ts";
import { startService } from "../routes/shop.ts";

const MAX_CHALLENGE_BYTES = 8_192;

interface Answer {
  readonly status: number;
  readonly challenge: string;
  readonly type: string;
}

/** Asks for an address by the socket that the proxy listens on. */
function ask(
  { socketPath, isTls }: Proxy,
  { path, method, body }: {
    readonly path: string;
    readonly method: string;
    readonly body?: string;
  },
  payment: Record<string, string> = {},
): Promise<Answer> {
  const options = {
    socketPath,
    path,
    method,
    headers: { host: "demand.example", connection: "close", ...payment },
  };
  return new Promise((resolve, reject) => {
    const request = isTls ? tls({ ...options, rejectUnauthorized: false }) : plain(options);
    request.once("error", reject);
    request.once("response", (response) => {
      response.resume();
      const challenge = String(response.headers["payment-required"] ?? "");
      const type = response.headers["content-type"] ?? "";
      response.once("end", () => resolve({ status: response.statusCode ?? 0, challenge, type }));
    });
    request.end(body);
  });
}

/** Signs what was asked for, with the official client, which repeats the challenge in the payment. */
async function payFor(challenge: string): Promise<Record<string, string>> {
  const account = newAccount();
  const payer = new x402Client().register("eip155:*", new ExactEvmScheme(account));
  const required = z.custom<Parameters<typeof payer.createPaymentPayload>[0]>()
    .parse(JSON.parse(atob(challenge)));
  return { "payment-signature": btoa(JSON.stringify(await payer.createPaymentPayload(required))) };
}

const PROXIES = [
  { name: "nginx", program: find("nginx"), needs: find("openssl"), start: startNginx },
  { name: "Caddy", program: find("caddy"), needs: "", start: startCaddy },
] as const;

for (const { name, program, needs, start } of PROXIES) {
  Deno.test({
    name: `every challenge, and a paid call, pass ${name} as it is configured in deploy/`,
    ignore: program === undefined || needs === undefined,
    fn: async () => {
      using folder = temporaryDirectory();
      await using test = await testEmbedded();
      await using service = await startService({ database: test.database });
      const port = Number(new URL(service.url).port);
      await using proxy = await start(program ?? "", folder.path, port);
      for (const route of PAID_ROUTES) {
        const { status, challenge } = await ask(proxy, route.row);
        assertEquals(status, 402, route.row.path);
        assert(challenge.length > 0 && challenge.length < MAX_CHALLENGE_BYTES, route.row.path);
        if (route.row.path !== "/v1/brief") continue;
        const paid = await ask(proxy, route.row, await payFor(challenge));
        assertEquals(paid.status, 200);
      }
    },
  });

  Deno.test({
    name: `${name} as it is configured in deploy/ leaves it to the service to refuse a large body`,
    ignore: program === undefined || needs === undefined,
    fn: async () => {
      using folder = temporaryDirectory();
      await using test = await testEmbedded();
      await using service = await startService({ database: test.database });
      await using proxy = await start(
        program ?? "",
        folder.path,
        Number(new URL(service.url).port),
      );
      const call = { path: "/v1/gauge", method: "POST", body: "x".repeat(100_000) };
      const { status, type } = await ask(proxy, call);
      assertEquals([status, type], [402, "application/json"]);
    },
  });

  Deno.test({
    name: `${name} as it is configured in deploy/ keeps the operator's pages to the machine`,
    ignore: program === undefined || needs === undefined,
    fn: async () => {
      using folder = temporaryDirectory();
      const asked: string[] = [];
      await using everything = Deno.serve(
        { port: 0, hostname: "127.0.0.1", onListen: () => {} },
        ({ url }) => {
          asked.push(new URL(url).pathname);
          return new Response();
        },
      );
      await using proxy = await start(program ?? "", folder.path, everything.addr.port);
      const statusOf = async (path: string) => (await ask(proxy, { path, method: "GET" })).status;
      const hidden = [
        "/admin",
        "/admin?days=7",
        "/admin/",
        "/admin/payments/1",
        "/admin/cards.csv",
        "//admin",
        "/x/../admin",
        "/./admin/cards",
        "/%61dmin",
        "/admin%2fcards",
      ];
      for (const path of hidden) await statusOf(path);
      // What a proxy passes on as it came is no page of the operator's either: the service compares as it reads.
      const isAdmin = (path: string): boolean => path === "/admin" || path.startsWith("/admin/");
      assertEquals(asked.filter(isAdmin), []);
      assertEquals(await statusOf("/admin/payments/1"), 404);
      assertEquals([await statusOf("/v1/categories"), await statusOf("/administrators")], [
        200,
        200,
      ]);
    },
  });
}
