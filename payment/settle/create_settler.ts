/** Creates the settler of the configured payment mode. */
import type { Log } from "../../core/log.ts";
import { openWallet } from "../../db/ledger/wallet.ts";
import type { Database } from "../../db/sql.ts";
import type { Settler } from "../protocol/settler.ts";
import type { ChainReader } from "../evm/chain.ts";
import type { Network } from "../evm/networks.ts";
import { createFacilitatorSettler, type FacilitatorTiming } from "./facilitator.ts";
import { createAuthorize } from "./facilitator_auth.ts";
import { createOnchainSettler, RECEIPT_TIMING, type ReceiptTiming } from "./onchain.ts";
import type { Rail } from "../protocol/rail.ts";
import { createTestSettler } from "./test_settler.ts";
import type { Rpc } from "../evm/rpc.ts";
import { createSigner } from "../evm/signer.ts";
import type { SettlementSettings } from "./payment_settings.ts";
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

/** A node of the chain. */
interface ChainNode {
  readonly rpc: Rpc;
  readonly chain: ChainReader;
}

type OfMode<Mode> = Extract<SettlementSettings, { readonly mode: Mode }>;

/** What payments are settled with, and the node that is asked about them. */
type ConnectedSettlement =
  | OfMode<"test"> & { readonly node: ChainNode | null }
  | OfMode<"facilitator"> & { readonly node: ChainNode }
  | OfMode<"onchain"> & { readonly node: ChainNode };

/** Connects what is settled with to its node; `open` makes a node of its address. */
export function connectSettlement(
  settings: SettlementSettings,
  { publicRpc }: Pick<Network, "publicRpc">,
  open: (url: string) => ChainNode,
): ConnectedSettlement {
  const { rpcUrl } = settings;
  if (settings.mode === "test") return { ...settings, node: rpcUrl === null ? null : open(rpcUrl) };
  return { ...settings, node: open(rpcUrl ?? publicRpc) };
}

interface SettlerOptions {
  readonly settlement: ConnectedSettlement;
  readonly database: Pick<Database, "short" | "durable">;
  readonly rail: Rail;
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

/** Creates the settler. Rejects with SettingsError for a key that cannot be read. */
export async function createSettler(parts: SettlerOptions): Promise<Settler> {
  const { settlement, rail, log, timing } = parts;
  switch (settlement.mode) {
    case "test":
      return createTestSettler();
    case "facilitator":
      return createFacilitatorSettler({
        url: settlement.url,
        network: rail.network,
        authorize: createAuthorize(settlement.auth, parts),
        fetch: parts.fetch,
        log,
        timing: timing.facilitator ?? {},
      });
    case "onchain": {
      const { rpc, chain } = settlement.node;
      const signer = await createSigner(settlement.privateKey);
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
  }
}
