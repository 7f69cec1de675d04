/** What the doctor asks of those who move the money: facilitator, chain, and whether the two agree. */
import type { Config } from "../../config.ts";
import { unixSeconds } from "../../core/clock.ts";
import { OperatorError } from "../../core/errors.ts";
import { openReconciliation } from "../../db/ledger/reconciliation.ts";
import { schemaVersion } from "../../db/migrate.ts";
import type { Database } from "../../db/sql.ts";
import { createAuthorize } from "../../payment/settle/facilitator_auth.ts";
import { findNetwork } from "../../payment/evm/networks.ts";
import { createRail } from "../../payment/protocol/rail.ts";
import { createChainReader } from "../../payment/evm/chain.ts";
import { createRpc } from "../../payment/evm/rpc.ts";
import { askFacilitator, checkSupported } from "../../payment/settle/supported.ts";
import { auditSettlements } from "../../payment/upkeep/audit.ts";
import type { CommandContext } from "../context.ts";
import { fail, type Finding, ok, warn } from "./finding.ts";

const TIMEOUT_MS = 10_000;
/** Looked at each time: enough to notice one that lies, few enough for a public endpoint. */
const SAMPLE = 10;

/**
 * Whether the facilitator lets us in, and settles on our network. Rejects where it does not answer.
 */
export async function facilitator(
  { config, clock }: Pick<CommandContext, "config" | "clock">,
): Promise<Finding> {
  const {
    facilitatorUrl: url,
    facilitatorToken: token,
    facilitatorKeyId: keyId,
    facilitatorKeySecret: keySecret,
  } = config.payment;
  if (url === null) return fail("none", "set FACILITATOR_URL; PAYMENT_MODE is facilitator");
  const authorize = createAuthorize({ token, keyId, keySecret }, {
    nowSeconds: () => unixSeconds(clock.now()),
    random: (bytes) => crypto.getRandomValues(new Uint8Array(bytes)),
  });
  const access = { base: url, authorize, fetch };
  const answer = await askFacilitator(access, "GET", "/supported", TIMEOUT_MS);
  // Keys are often a part of the address.
  const site = new URL(url).origin;
  if (answer.status === 401 || answer.status === 403) {
    return fail(
      `${site} refuses us (${answer.status})`,
      "check FACILITATOR_TOKEN or the key",
    );
  }
  const { network } = config.payment;
  try {
    checkSupported(answer, network);
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    return fail(
      `${site} does not settle on ${network} (x402 version 2)`,
      "check X402_NETWORK, or use another facilitator",
    );
  }
  return ok(`${site} settles on ${network}`);
}

/**
 * The look at whether the node at `url` is on our network's chain, and at which block. It rejects
 * where the node does not answer.
 */
export function chain({ config: { payment } }: CommandContext, url: string) {
  const rpc = createRpc({ url, fetch, timeoutMs: TIMEOUT_MS });
  return async (): Promise<Finding> => {
    const id = Number(await rpc.call("eth_chainId", []));
    const wanted = findNetwork(payment.network)?.chainId;
    if (id !== wanted) {
      return fail(`RPC_URL is on chain ${id}, not ${wanted}`, "check X402_NETWORK");
    }
    const block = Number(await rpc.call("eth_blockNumber", []));
    return ok(`chain ${id} at block ${block}`);
  };
}

/**
 * Whether the newest settlements that were reported are on the chain behind `url`, each with a transfer of its amount
 * to us. Fails where one did not pay, and warns where its receipt is not to be had.
 */
export async function proofs(
  { config: { payment } }: { readonly config: Pick<Config, "payment"> },
  database: Database,
  url: string,
): Promise<Finding> {
  if (await schemaVersion(database.sql) < 2) return ok("nothing settled yet");
  const { key, assetKey } = createRail(payment);
  const told = await openReconciliation(database, key).newestReported(SAMPLE);
  if (told.length === 0) return ok("nothing settled yet");
  const chain = createChainReader(createRpc({ url, fetch, timeoutMs: TIMEOUT_MS }), assetKey);
  const { looked, missing, unknown } = await auditSettlements(chain, told);
  if (missing.length > 0) {
    return fail(
      `${missing.length} of the last ${looked} settlements are not on the chain, ` +
        `${missing[0]} first`,
      "the facilitator said that they are: ask it, or use another",
    );
  }
  if (unknown === 0) return ok(`the last ${looked} settlements are on the chain`);
  return warn(
    `the node has no receipt of ${unknown} of the last ${looked} settlements, ` +
      "whose authorizations were used",
    "it may keep receipts for a while only: set RPC_URL to a node that keeps them all",
  );
}

/**
 * The look at what stands at PAY_TO, by the node at `url`: a contract must be meant. Without a node
 * only the address is told.
 */
export function payTo({ config: { payment } }: CommandContext, url: string | null) {
  return async (): Promise<Finding> => {
    if (payment.payTo === null) {
      return payment.mode === "test"
        ? ok("not set; the zero address in mode test")
        : fail("not set", `set PAY_TO; PAYMENT_MODE is ${payment.mode}`);
    }
    if (url === null) return ok(`${payment.payTo}; not looked up in mode test`);
    const rpc = createRpc({ url, fetch, timeoutMs: TIMEOUT_MS });
    const code = String(await rpc.call("eth_getCode", [payment.payTo, "latest"]));
    return code === "0x" ? ok(`${payment.payTo}, a plain account`) : warn(
      `${payment.payTo} is a contract`,
      "fine for a wallet contract of yours; money sent to any other contract is lost",
    );
  };
}
