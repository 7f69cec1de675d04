/** What can be known of the settings without a database and without the outside. */
import { randomBytes } from "node:crypto";
import { type Config, inspectConfig } from "../config.ts";
import { systemClock, unixSeconds } from "../core/clock.ts";
import { silentLog } from "../core/log.ts";
import {
  type Environment,
  SettingChecks,
  type SettingIssue,
  SettingsError,
} from "../core/settings.ts";
import { createAuthorize } from "../payment/settle/facilitator_auth.ts";
import { checkPaymentSettings } from "../payment/settle/payment_settings.ts";
import { createSigner } from "../payment/evm/signer.ts";
import { clientResolver } from "../routes/pipeline/client_address.ts";
import type { AppSettings } from "../routes/pipeline/deps.ts";
import type { Source } from "../mining/sources/types.ts";
import { appSettings } from "./serve/assemble.ts";
import { type CommandContext, loadRegistry } from "./context.ts";
import { openSource } from "./source.ts";

/** What checks of settings start from, whatever else is wrong. */
type SettingsContext = Pick<CommandContext, "config" | "clock" | "log">;

/** Payment's own checks, its keys included. */
async function checkPayment(
  { config: { payment: settings }, clock }: SettingsContext,
  checks: SettingChecks,
): Promise<void> {
  const { settlementPrivateKey: key } = settings;
  checks.check(() => checkPaymentSettings(settings));
  if (settings.mode === "facilitator") {
    checks.check(() =>
      createAuthorize({
        token: settings.facilitatorToken,
        keyId: settings.facilitatorKeyId,
        keySecret: settings.facilitatorKeySecret,
      }, {
        nowSeconds: () => unixSeconds(clock.now()),
        random: (bytes) => randomBytes(bytes),
      })
    );
  }
  if (key !== null) await checks.checkLater(() => createSigner(key));
}

/**
 * What is said where buyers are asked to pay for an address that only this machine knows; null
 * where they are not.
 */
export function missingPublicAddress({ payment, hasBaseUrl, baseUrl }: Config): string | null {
  if (payment.mode === "test" || hasBaseUrl) return null;
  return `BASE_URL is not set: challenges name ${baseUrl}, which buyers elsewhere cannot reach`;
}

/** What was made of the settings. */
export interface CheckedSettings {
  readonly settings: AppSettings;
  readonly source: Source | null;
}

/**
 * Checks every setting that `serve` uses, before anything stored is touched; gives what was made of them.
 * @throws SettingsError with all that are wrong.
 */
export async function checkSettings(context: SettingsContext): Promise<CheckedSettings> {
  const { config } = context;
  const checks = new SettingChecks();
  const settings = await checks.checkLater(() => appSettings(config));
  checks.check(() => clientResolver(config.trustedProxies));
  await checkPayment(context, checks);
  const source = checks.check(() => openSource(context));
  await checks.checkLater(() => loadRegistry(config.communitiesFile));
  if (checks.issues.length > 0 || settings === undefined || source === undefined) {
    throw new SettingsError(checks.issues);
  }
  return { settings, source };
}

/**
 * Everything that is wrong with the settings of an environment, each once; empty where `serve`
 * would start.
 */
export async function findSettingIssues(
  environment: Environment,
): Promise<readonly SettingIssue[]> {
  const { config, issues } = inspectConfig(environment);
  try {
    await checkSettings({ config, clock: systemClock, log: silentLog });
    return issues;
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    // A setting that cannot be read is taken for not set, which may be wrong again.
    const unread = new Set(issues.map(({ name }) => name));
    return [...issues, ...error.issues.filter(({ name }) => !unread.has(name))];
  }
}
