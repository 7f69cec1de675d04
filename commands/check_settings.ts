/** What can be known of the settings without a database and without the outside. */
import { randomBytes } from "node:crypto";
import { OperatorError } from "../core/errors.ts";
import { createAuthorize } from "../payment/facilitator_auth.ts";
import { createRail } from "../payment/rail.ts";
import { createSigner } from "../payment/signer.ts";
import { checkAdminToken } from "../routes/admin/mod.ts";
import { clientResolver } from "../routes/clients.ts";
import type { AppSettings } from "../routes/deps.ts";
import type { Source } from "../mining/sources/types.ts";
import { appSettings, paymentSettings } from "./assemble.ts";
import type { CommandContext } from "./context.ts";
import { openSource } from "./source.ts";

/** Payment's own checks, its keys included. */
async function checkPayment({ config, clock }: CommandContext): Promise<void> {
  const settings = paymentSettings(config);
  createRail(settings);
  if (settings.mode === "facilitator") {
    await createAuthorize({
      token: settings.facilitatorToken,
      keyId: settings.facilitatorKeyId,
      keySecret: settings.facilitatorKeySecret,
    }, {
      nowSeconds: () => Math.floor(clock.now().getTime() / 1000),
      random: (bytes) => randomBytes(bytes),
    });
  }
  if (settings.settlementPrivateKey !== null) {
    await createSigner(settings.settlementPrivateKey);
  }
}

/**
 * Checks every setting that `serve` uses, before anything stored is touched; gives what was made of them.
 * @throws OperatorError naming the one that is wrong.
 */
export async function checkSettings(
  context: CommandContext,
): Promise<{ readonly settings: AppSettings; readonly source: Source | null }> {
  const { config } = context;
  if (config.payment.mode !== "test" && !config.hasBaseUrl) {
    throw new OperatorError(
      `BASE_URL: is needed with PAYMENT_MODE=${config.payment.mode}: buyers pay for the address ` +
        `that a challenge names, and ${config.baseUrl} is none of theirs`,
    );
  }
  const settings = await appSettings(config);
  clientResolver(config.trustedProxies);
  if (config.adminToken !== null) checkAdminToken(config.adminToken);
  await checkPayment(context);
  return { settings, source: openSource(context) };
}
