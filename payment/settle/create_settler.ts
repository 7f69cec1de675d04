/** Puts the settlement back end together that the settings ask for. */
import type { Log } from "../../core/log.ts";
import { openWallet } from "../../db/ledger/wallet.ts";
import type { Database } from "../../db/sql.ts";
import type { Backend } from "../protocol/settler.ts";
import type { Chain } from "../evm/chain.ts";
import { createFacilitator, type FacilitatorTiming } from "./facilitator.ts";
import { createAuthorize } from "./facilitator_auth.ts";
import { createOnchain } from "./onchain.ts";
import type { Rail } from "../protocol/terms.ts";
import { RECEIPT_TIMING, type ReceiptTiming } from "./receipts.ts";
import { createRehearsal } from "./test_settler.ts";
import type { Rpc } from "../evm/rpc.ts";
import { createSigner } from "../evm/signer.ts";
import type { PaymentSettings } from "../protocol/types.ts";
import { createWallet } from "./wallet.ts";

/** Deadlines and intervals in milliseconds; each has a usual value. */
export interface Timing {
  readonly rpcMs?: number;
  readonly tendMs?: number;
  readonly reconcileMs?: number;
  readonly sweepMs?: number;
  readonly stuckMs?: number;
  /** How long a claim holds without renewal. */
  readonly leaseMs?: number;
  readonly facilitator?: Partial<FacilitatorTiming>;
  readonly onchain?: Partial<ReceiptTiming>;
}

export interface BackendParts {
  readonly settings: PaymentSettings;
  readonly database: Pick<Database, "short" | "durable">;
  readonly rail: Rail;
  readonly rpc: Rpc | null;
  readonly chain: Chain | null;
  readonly log: Log;
  readonly fetch: typeof fetch;
  readonly random: (bytes: number) => Uint8Array;
  readonly nowSeconds: () => number;
  readonly leaseMs: number;
  readonly timing: Timing;
}

/** Offers above this are never made: 5 gwei is a hundred times the usual price on Base. */
const MAX_FEE_CAP = 5_000_000_000n;
const STUCK_MS = 15_000;

/** Rejects with OperatorError for a key that cannot be read. */
export async function createBackend(parts: BackendParts): Promise<Backend> {
  const { settings, rail, rpc, chain, log, timing } = parts;
  const { facilitatorUrl, settlementPrivateKey } = settings;
  if (settings.mode === "facilitator" && facilitatorUrl !== null) {
    const authorize = await createAuthorize(
      {
        token: settings.facilitatorToken,
        keyId: settings.facilitatorKeyId,
        keySecret: settings.facilitatorKeySecret,
      },
      parts,
    );
    return createFacilitator({
      url: facilitatorUrl,
      network: rail.network.id,
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
    return createOnchain({
      rpc,
      chain,
      network: rail.network,
      token: rail.assetKey,
      wallet,
      log,
      leaseMs: parts.leaseMs,
      timing: { ...RECEIPT_TIMING, ...timing.onchain },
    });
  }
  return createRehearsal();
}
