/** The application with real payments in mode `test`, on a port of its own, and an official client. */
import { systemClock } from "../../core/clock.ts";
import { silentLog } from "../../core/log.ts";
import type { Database } from "../../db/sql.ts";
import type { Catalogue } from "../../mining/cards/types.ts";
import { createPayments, type Payments, type PaymentSettings } from "../../payment/mod.ts";
import { createApp } from "../../routes/app.ts";
import type { AppSettings, RequestRecord, Verdicts } from "../../routes/pipeline/deps.ts";
import { SERVICE_NAME } from "../../routes/pipeline/words.ts";
import { TEST_SETTINGS } from "../payment/support/shop.ts";
import { payingFetch } from "../support/official_client.ts";
import { SETTINGS, VERDICTS } from "./support.ts";
import { sixtyCards } from "../support/cards.ts";

export interface RunningService extends AsyncDisposable {
  readonly url: string;
  readonly payments: Payments;
  readonly records: readonly RequestRecord[];
  /** Calls without paying. */
  call(path: string, init?: RequestInit): Promise<Response>;
  /** Calls and pays what is asked for, as a new payer with the official client. */
  pay(path: string, init?: RequestInit): Promise<Response>;
}

export interface ServiceOptions {
  readonly database: Pick<Database, "short" | "durable" | "answers">;
  readonly catalogue?: () => Catalogue;
  readonly settings?: Partial<AppSettings>;
  readonly verdicts?: Verdicts;
  /** The chain that knows contract wallets; none where this is not given. */
  readonly rpcUrl?: string;
  /** Other settings of payment than those of mode `test`. */
  readonly payment?: Partial<PaymentSettings>;
}

/** Starts the service. */
export async function startService(options: ServiceOptions): Promise<RunningService> {
  const catalogue = sixtyCards();
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = listener.addr.transport === "tcp" ? listener.addr.port : 0;
  listener.close();
  const url = `http://127.0.0.1:${port}`;
  const payments = await createPayments({
    settings: {
      ...TEST_SETTINGS,
      payTo: null,
      rpcUrl: options.rpcUrl ?? null,
      baseUrl: url,
      serviceName: SERVICE_NAME,
      ...options.payment,
    },
    database: options.database,
    clock: systemClock,
    log: silentLog,
    fetch,
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
    ticks: () => performance.now(),
  });
  const records: RequestRecord[] = [];
  const app = createApp({
    catalogue: options.catalogue ?? (() => catalogue),
    health: () => Promise.resolve({ database: true, ledger: true, sales: true, accepting: true }),
    settings: { ...SETTINGS, baseUrl: url, ...options.settings },
    clock: systemClock,
    ticks: () => performance.now(),
    log: silentLog,
    requestId: () => crypto.randomUUID(),
    payments,
    verdicts: options.verdicts ?? VERDICTS,
    observe: (record) => void records.push(record),
  });
  await payments.start();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port, onListen: () => {} },
    (request, { remoteAddr }) => app.fetch(request, { remoteAddress: remoteAddr.hostname }),
  );
  return {
    url,
    payments,
    records,
    call: (path, init) => fetch(`${url}${path}`, init),
    pay: (path, init) => payingFetch()(`${url}${path}`, init),
    [Symbol.asyncDispose]: async () => {
      await server.shutdown();
      await payments.stop();
    },
  };
}
