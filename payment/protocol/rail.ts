/** The rail of a service: its network, token and payee. */
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
  /** First part of the ledger's key: network and token, apart in mode `test`. */
  readonly key: string;
}

/** An address among the settings, in lower case. @throws SettingsError for what is none. */
export function addressSetting(name: string, value: string): string {
  const key = readAddress(value);
  if (key === undefined) {
    const rule = /^0x[0-9a-fA-F]{40}$/.test(value)
      ? "has a wrong checksum: copy the address again from your wallet"
      : "should be 0x and 40 hexadecimal digits";
    throw wrongSetting(name, rule);
  }
  return key;
}

/** Reads the settings into a rail. @throws SettingsError with a line for each setting that is wrong. */
export function createRail(
  settings: Pick<PaymentSettings, "mode" | "network" | "payTo" | "asset">,
): Rail {
  const checks = new SettingChecks();
  const network = checks.check(() => requireKnownNetwork(settings.network));
  const payToKey = checks.check(() => readPayee(settings));
  const assetKey = checks.check(() => {
    const asset = settings.asset ?? network?.usdc;
    return asset === undefined ? undefined : addressSetting("USDC_ADDRESS", asset);
  });
  if (checks.issues.length > 0 || !network || !payToKey || !assetKey) {
    throw new SettingsError(checks.issues);
  }
  const key = `${settings.mode === "test" ? "test:" : ""}${network.id}/${assetKey}`;
  return {
    network,
    asset: checksummed(assetKey),
    payTo: checksummed(payToKey),
    assetKey,
    payToKey,
    key,
  };
}

function requireKnownNetwork(id: string): Network {
  const network = findNetwork(id);
  if (network !== undefined) return network;
  const known = NETWORKS.map(({ id }) => id).join(" or ");
  throw wrongSetting("X402_NETWORK", `should be ${known}, where USDC is known`);
}

function readPayee({ payTo, mode }: Pick<PaymentSettings, "payTo" | "mode">): string {
  if (payTo === null && mode !== "test") {
    throw wrongSetting("PAY_TO", `is needed in payment mode ${mode}`);
  }
  const key = payTo === null ? ZERO_ADDRESS : addressSetting("PAY_TO", payTo);
  if (key === ZERO_ADDRESS && mode !== "test") {
    throw wrongSetting("PAY_TO", "is the zero address: what is paid to it is lost");
  }
  return key;
}
