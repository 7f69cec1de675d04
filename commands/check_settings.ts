/** What can be known of the settings without a database and without the outside. */
import { randomBytes } from "node:crypto";
import type { Config } from "../config.ts";
import { unixSeconds } from "../core/clock.ts";
import { createAuthorize } from "../payment/settle/facilitator_auth.ts";
import { createRail } from "../payment/protocol/terms.ts";
import { createSigner } from "../payment/evm/signer.ts";
import { checkAdminToken } from "../routes/admin/mod.ts";
import { clientResolver } from "../routes/pipeline/client_address.ts";
import type { AppSettings } from "../routes/pipeline/deps.ts";
import type { Source } from "../mining/sources/types.ts";
import { appSettings, paymentSettings } from "./serve/assemble.ts";
import type { CommandContext } from "./context.ts";
import { openSource } from "./source.ts";

/** Payment's own checks, its keys included. */
async function checkPayment({ config, clock }: CommandContext): Promise<void> {
  const settings = paymentSettings(config);
  createRail(settings);
  if (settings.mode === "facilitator") {
    createAuthorize({
      token: settings.facilitatorToken,
      keyId: settings.facilitatorKeyId,
      keySecret: settings.facilitatorKeySecret,
    }, {
      nowSeconds: () => unixSeconds(clock.now()),
      random: (bytes) => randomBytes(bytes),
    });
  }
  if (settings.settlementPrivateKey !== null) {
    await createSigner(settings.settlementPrivateKey);
  }
}

/** What is said where buyers are asked to pay for an address that only this machine knows; or null. */
export function homemadeAddress({ payment, hasBaseUrl, baseUrl }: Config): string | null {
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
 * @throws OperatorError naming the one that is wrong.
 */
export async function checkSettings(
  context: CommandContext,
): Promise<CheckedSettings> {
  const { config } = context;
  const settings = await appSettings(config);
  clientResolver(config.trustedProxies);
  if (config.adminToken !== null) checkAdminToken(config.adminToken);
  await checkPayment(context);
  return { settings, source: openSource(context) };
}
