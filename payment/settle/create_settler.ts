/** Creates the settler of the configured payment mode. */
import { OperatorError } from "../../core/errors.ts";
import type { Log } from "../../core/log.ts";
import { openWallet } from "../../db/ledger/wallet.ts";
import type { Database } from "../../db/sql.ts";
import type { Settler } from "../protocol/settler.ts";
import type { ChainReader } from "../evm/chain.ts";
import { createFacilitatorSettler, type FacilitatorTiming } from "./facilitator.ts";
import { createAuthorize } from "./facilitator_auth.ts";
import { createOnchainSettler, RECEIPT_TIMING, type ReceiptTiming } from "./onchain.ts";
import type { Rail } from "../protocol/rail.ts";
import { createTestSettler } from "./test_settler.ts";
import type { Rpc } from "../evm/rpc.ts";
import { createSigner } from "../evm/signer.ts";
import type { PaymentSettings } from "../protocol/types.ts";
import { createWallet } from "./wallet.ts";

/** Deadlines and intervals in milliseconds; each has a usual value. */
export interface PaymentTiming {
  readonly rpcMs?: number;
  readonly maintainMs?: number;
  readonly reconcileMs?: number;
  readonly cleanupMs?: number;
  readonly stuckMs?: number;
  /** How long a claim holds without renewal. */
  readonly leaseMs?: number;
  readonly facilitator?: Partial<FacilitatorTiming>;
  readonly onchain?: Partial<ReceiptTiming>;
}

export interface SettlerOptions {
  readonly settings: PaymentSettings;
  readonly database: Pick<Database, "short" | "durable">;
  readonly rail: Rail;
  readonly rpc: Rpc | null;
  readonly chain: ChainReader | null;
  readonly log: Log;
  readonly fetch: typeof fetch;
  readonly random: (bytes: number) => Uint8Array;
  readonly nowSeconds: () => number;
  readonly leaseMs: number;
  readonly timing: PaymentTiming;
}

/** The most that is offered per gas: 5 gwei is a hundred times the usual price on Base. */
const MAX_FEE_CAP = 5_000_000_000n;
const STUCK_MS = 15_000;

/**
 * Rejects with OperatorError for a key that cannot be read, and for a mode without what it needs.
 */
export async function createSettler(parts: SettlerOptions): Promise<Settler> {
  const { settings, rail, rpc, chain, log, timing } = parts;
  const { facilitatorUrl, settlementPrivateKey } = settings;
  if (settings.mode === "test") return createTestSettler();
  if (settings.mode === "facilitator" && facilitatorUrl !== null) {
    const authorize = createAuthorize(
      {
        token: settings.facilitatorToken,
        keyId: settings.facilitatorKeyId,
        keySecret: settings.facilitatorKeySecret,
      },
      parts,
    );
    return createFacilitatorSettler({
      url: facilitatorUrl,
      network: rail.network,
      authorize,
      fetch: parts.fetch,
      log,
      timing: timing.facilitator ?? {},
    });
  }
  if (
    settings.mode === "onchain" && settlementPrivateKey !== null && rpc !== null && chain !== null
  ) {
    const signer = await createSigner(settlementPrivateKey);
    const wallet = createWallet({
      rpc,
      chainId: rail.network.chainId,
      token: rail.assetKey,
      signer,
      store: openWallet(parts.database, `${rail.network.id}/${signer.address}`),
      log,
      maxFeeCap: MAX_FEE_CAP,
      stuckMs: timing.stuckMs ?? STUCK_MS,
    });
    return createOnchainSettler({
      rpc,
      chain,
      network: rail.network,
      wallet,
      log,
      leaseMs: parts.leaseMs,
      timing: { ...RECEIPT_TIMING, ...timing.onchain },
    });
  }
  throw new OperatorError(`PAYMENT_MODE=${settings.mode} lacks a setting that it needs`);
}
