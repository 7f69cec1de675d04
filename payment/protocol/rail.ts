/** The rail of a service: its network, token and payee, validated at start. */
import { SettingChecks, SettingsError, wrongSetting } from "../../core/settings.ts";
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

function address(name: string, value: string): string {
  const key = readAddress(value);
  if (key === undefined) {
    const rule = /^0x[0-9a-fA-F]{40}$/.test(value)
      ? "has a wrong checksum: copy the address again from your wallet"
      : "should be 0x and 40 hexadecimal digits";
    throw wrongSetting(name, rule);
  }
  return key;
}

function url(name: string, value: string): void {
  const parsed = URL.canParse(value) ? new URL(value) : null;
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) {
    throw wrongSetting(name, "should be an http or https address");
  }
}

/** Reads the settings into a rail. @throws SettingsError with a line for each setting that is wrong. */
export function createRail(settings: PaymentSettings): Rail {
  const checks = new SettingChecks();
  const network = checks.check(() => requireKnownNetwork(settings.network));
  const payToKey = checks.check(() => readPayee(settings));
  const assetKey = checks.check(() => {
    const asset = settings.asset ?? network?.usdc;
    return asset === undefined ? undefined : address("USDC_ADDRESS", asset);
  });
  checks.check(() => {
    if (settings.rpcUrl !== null) url("RPC_URL", settings.rpcUrl);
  });
  if (settings.mode === "facilitator") checkFacilitator(settings, checks);
  if (settings.mode === "onchain") checkOnchain(settings, checks);
  const factories = checks.check(() =>
    settings.walletFactories.map((text) => address("WALLET_FACTORIES", text))
  );
  checks.check(() => {
    if (settings.walletFactories.length === 0 || settings.mode === "facilitator") return;
    throw wrongSetting(
      "WALLET_FACTORIES",
      "needs PAYMENT_MODE facilitator, which deploys the wallets",
    );
  });
  if (checks.issues.length > 0 || !network || !payToKey || !assetKey || !factories) {
    throw new SettingsError(checks.issues);
  }
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
  throw wrongSetting("X402_NETWORK", `should be ${known}, where USDC is known`);
}

function readPayee({ payTo, mode }: PaymentSettings): string {
  if (payTo === null && mode !== "test") {
    throw wrongSetting("PAY_TO", `is needed in payment mode ${mode}`);
  }
  const key = payTo === null ? ZERO_ADDRESS : address("PAY_TO", payTo);
  if (key === ZERO_ADDRESS && mode !== "test") {
    throw wrongSetting("PAY_TO", "is the zero address: what is paid to it is lost");
  }
  return key;
}

function checkFacilitator(settings: PaymentSettings, checks: SettingChecks): void {
  checks.check(() => {
    if (settings.facilitatorUrl === null) {
      throw wrongSetting("FACILITATOR_URL", "is needed in payment mode facilitator");
    }
    url("FACILITATOR_URL", settings.facilitatorUrl);
  });
  checks.check(() => {
    if ((settings.facilitatorKeyId === null) !== (settings.facilitatorKeySecret === null)) {
      throw wrongSetting("FACILITATOR_KEY_ID", "goes together with FACILITATOR_KEY_SECRET");
    }
    if (settings.facilitatorToken !== null && settings.facilitatorKeyId !== null) {
      throw wrongSetting("FACILITATOR_TOKEN", "excludes FACILITATOR_KEY_ID");
    }
  });
}

function checkOnchain(settings: PaymentSettings, checks: SettingChecks): void {
  checks.check(() => {
    if (settings.settlementPrivateKey === null) {
      throw wrongSetting("SETTLEMENT_PRIVATE_KEY", "is needed in payment mode onchain");
    }
  });
  checks.check(() => {
    if (settings.rpcUrl !== null) return;
    throw wrongSetting(
      "RPC_URL",
      "is needed in payment mode onchain, which writes to the chain",
    );
  });
}
