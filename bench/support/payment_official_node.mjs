/** The official middleware on Node, for bench/payment.ts; speaks the protocol of payment_server.ts. */
import { serve } from "@hono/node-server";
import process from "node:process";
import { officialApp } from "./payment_official.mjs";

const app = officialApp(process.argv[2]);
serve({ fetch: app.fetch, hostname: "127.0.0.1", port: 0 }, ({ port }) => console.log(port));
process.stdin.on("data", () => {
  const { user, system } = process.cpuUsage();
  console.log(JSON.stringify({ cpu: user + system }));
});
process.stdin.on("end", () => process.exit(0));
