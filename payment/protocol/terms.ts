/** The rail of a service: its network, token and payee, validated at start. */
import { OperatorError } from "../../core/errors.ts";
import { Complaints } from "../../core/settings.ts";
import { checksummed, readAddress, ZERO_ADDRESS } from "../evm/hex.ts";
import { findNetwork, type Network, NETWORKS } from "../evm/networks.ts";
import type { PaymentSettings } from "./types.ts";

export interface Rail {
  readonly network: Network;
  /** Checksummed token contract, as challenges show it. */
  readonly asset: string;
  /** Checksummed payee. */
  readonly payTo: string;
  /** Lower-case forms, for comparisons. */
  readonly assetKey: string;
  readonly payToKey: string;
  /** Lower-case factories whose wallets may pay before they are deployed (ERC-6492). */
  readonly factories: readonly string[];
  /** First part of the ledger's key: network and token, apart in mode `test`. */
  readonly key: string;
}

const PRIVATE_KEY = /^(0x)?[0-9a-fA-F]{64}$/;

function address(name: string, value: string): string {
  const key = readAddress(value);
  if (key === undefined) {
    const shape = /^0x[0-9a-fA-F]{40}$/.test(value)
      ? "its checksum is wrong: copy it again from your wallet"
      : "it should be 0x and 40 hexadecimal digits";
    throw new OperatorError(`${name} is not an address: ${shape}`);
  }
  return key;
}

function url(name: string, value: string): void {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw new OperatorError(`${name} should be an http or https address`);
  }
}

/** Reads the settings into a rail. @throws OperatorError with a line for each setting that is wrong. */
export function createRail(settings: PaymentSettings): Rail {
  const wrong = new Complaints();
  const network = wrong.check(() => requireKnownNetwork(settings.network));
  const payToKey = wrong.check(() => readPayee(settings));
  const assetKey = wrong.check(() => {
    const asset = settings.asset ?? network?.usdc;
    return asset === undefined ? undefined : address("USDC_ADDRESS", asset);
  });
  wrong.check(() => {
    if (settings.rpcUrl !== null) url("RPC_URL", settings.rpcUrl);
  });
  if (settings.mode === "facilitator") checkFacilitator(settings, wrong);
  if (settings.mode === "onchain") checkOnchain(settings, wrong);
  const factories = wrong.check(() =>
    settings.walletFactories.map((text) => address("WALLET_FACTORIES", text))
  );
  wrong.check(() => {
    if (settings.walletFactories.length === 0 || settings.mode === "facilitator") return;
    throw new OperatorError(
      "WALLET_FACTORIES needs PAYMENT_MODE facilitator: it deploys the wallets",
    );
  });
  wrong.throwIfAny();
  if (!network || !payToKey || !assetKey || !factories) throw new Error("a complaint was lost");
  const key = `${settings.mode === "test" ? "test:" : ""}${network.id}/${assetKey}`;
  return {
    network,
    asset: checksummed(assetKey),
    payTo: checksummed(payToKey),
    assetKey,
    payToKey,
    factories,
    key,
  };
}

function requireKnownNetwork(id: string): Network {
  const network = findNetwork(id);
  if (network !== undefined) return network;
  const known = NETWORKS.map(({ id }) => id).join(" or ");
  throw new OperatorError(`X402_NETWORK has no known USDC: it should be ${known}`);
}

function readPayee({ payTo, mode }: PaymentSettings): string {
  if (payTo === null && mode !== "test") {
    throw new OperatorError(`PAY_TO is missing: payment mode ${mode} needs an address`);
  }
  const key = payTo === null ? ZERO_ADDRESS : address("PAY_TO", payTo);
  if (key === ZERO_ADDRESS && mode !== "test") {
    throw new OperatorError("PAY_TO is the zero address: what is paid to it is lost");
  }
  return key;
}

function checkFacilitator(settings: PaymentSettings, wrong: Complaints): void {
  wrong.check(() => {
    if (settings.facilitatorUrl === null) {
      throw new OperatorError("FACILITATOR_URL is missing: payment mode facilitator needs it");
    }
    url("FACILITATOR_URL", settings.facilitatorUrl);
  });
  wrong.check(() => {
    if ((settings.facilitatorKeyId === null) !== (settings.facilitatorKeySecret === null)) {
      throw new OperatorError("FACILITATOR_KEY_ID and FACILITATOR_KEY_SECRET go together");
    }
    if (settings.facilitatorToken !== null && settings.facilitatorKeyId !== null) {
      throw new OperatorError("FACILITATOR_TOKEN and FACILITATOR_KEY_ID exclude each other");
    }
  });
}

function checkOnchain(settings: PaymentSettings, wrong: Complaints): void {
  wrong.check(() => {
    if (settings.settlementPrivateKey === null) {
      throw new OperatorError("SETTLEMENT_PRIVATE_KEY is missing: payment mode onchain needs it");
    }
    if (!PRIVATE_KEY.test(settings.settlementPrivateKey)) {
      throw new OperatorError("SETTLEMENT_PRIVATE_KEY should be 64 hexadecimal digits");
    }
  });
  wrong.check(() => {
    if (settings.rpcUrl !== null) return;
    throw new OperatorError("RPC_URL is missing: payment mode onchain needs a chain to write to");
  });
}
