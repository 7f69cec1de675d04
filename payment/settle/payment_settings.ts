/** Checks the payment settings and turns them into the rail and what its mode settles with. */
import {
  SettingChecks,
  type SettingIssue,
  SettingsError,
  wrongSetting,
} from "../../core/settings.ts";
import { addressSetting, createRail, type Rail } from "../protocol/rail.ts";
import type { PaymentSettings } from "../protocol/types.ts";
import type { AuthSettings } from "./facilitator_auth.ts";

/** What payments are settled with, by mode. */
export type SettlementSettings =
  | {
    readonly mode: "test";
    /** Null without a chain: only ordinary accounts can pay then. */
    readonly rpcUrl: string | null;
  }
  | {
    readonly mode: "facilitator";
    /** Null for the network's public endpoint. */
    readonly rpcUrl: string | null;
    readonly url: string;
    readonly auth: AuthSettings;
  }
  | {
    readonly mode: "onchain";
    readonly rpcUrl: string;
    /** Of the wallet that broadcasts. */
    readonly privateKey: string;
  };

export interface CheckedPaymentSettings {
  readonly rail: Rail;
  readonly settlement: SettlementSettings;
  /** Lower-case factories whose wallets may pay before they are deployed (ERC-6492); none but with a facilitator. */
  readonly factories: readonly string[];
}

/** Checks what the settings ask of each other. @throws SettingsError with a line for each that is wrong. */
export function checkPaymentSettings(settings: PaymentSettings): CheckedPaymentSettings {
  const checks = new SettingChecks();
  const rail = checks.check(() => createRail(settings));
  const settlement = checks.check(() => settlementOf(settings));
  const factories = checks.check(() =>
    settings.walletFactories.map((text) => addressSetting("WALLET_FACTORIES", text))
  );
  checks.check(() => {
    if (settings.walletFactories.length === 0 || settings.mode === "facilitator") return;
    throw wrongSetting(
      "WALLET_FACTORIES",
      "needs PAYMENT_MODE facilitator, which deploys the wallets",
    );
  });
  if (checks.issues.length > 0 || !rail || !settlement || !factories) {
    throw new SettingsError(checks.issues);
  }
  return { rail, settlement, factories };
}

function settlementOf(settings: PaymentSettings): SettlementSettings {
  const { mode, rpcUrl } = settings;
  switch (mode) {
    case "test":
      return { mode, rpcUrl };
    case "facilitator":
      return facilitatorOf(settings);
    case "onchain":
      return onchainOf(settings);
  }
}

function facilitatorOf(settings: PaymentSettings): SettlementSettings {
  const {
    rpcUrl,
    facilitatorUrl: url,
    facilitatorToken: token,
    facilitatorKeyId: keyId,
    facilitatorKeySecret: keySecret,
  } = settings;
  const issues: SettingIssue[] = [];
  if (url === null) {
    issues.push({ name: "FACILITATOR_URL", rule: "is needed in payment mode facilitator" });
  }
  if ((keyId === null) !== (keySecret === null)) {
    const rule = "goes together with FACILITATOR_KEY_SECRET";
    issues.push({ name: "FACILITATOR_KEY_ID", rule });
  } else if (token !== null && keyId !== null) {
    issues.push({ name: "FACILITATOR_TOKEN", rule: "excludes FACILITATOR_KEY_ID" });
  }
  if (issues.length > 0 || url === null) throw new SettingsError(issues);
  return { mode: "facilitator", rpcUrl, url, auth: { token, keyId, keySecret } };
}

function onchainOf({ settlementPrivateKey, rpcUrl }: PaymentSettings): SettlementSettings {
  const issues: SettingIssue[] = [];
  if (settlementPrivateKey === null) {
    const rule = "is needed in payment mode onchain";
    issues.push({ name: "SETTLEMENT_PRIVATE_KEY", rule });
  }
  if (rpcUrl === null) {
    const rule = "is needed in payment mode onchain, which writes to the chain";
    issues.push({ name: "RPC_URL", rule });
  }
  if (settlementPrivateKey === null || rpcUrl === null) throw new SettingsError(issues);
  return { mode: "onchain", rpcUrl, privateKey: settlementPrivateKey };
}
