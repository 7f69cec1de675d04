/** What can be known of the settings without a database and without the outside. */
import { randomBytes } from "node:crypto";
import { complaintLines, type Config, inspectConfig } from "../config.ts";
import { systemClock, unixSeconds } from "../core/clock.ts";
import { OperatorError } from "../core/errors.ts";
import { silentLog } from "../core/log.ts";
import { type Complaint, Complaints, type Environment } from "../core/settings.ts";
import { createAuthorize } from "../payment/settle/facilitator_auth.ts";
import { createRail } from "../payment/protocol/rail.ts";
import { createSigner } from "../payment/evm/signer.ts";
import { clientResolver } from "../routes/pipeline/client_address.ts";
import type { AppSettings } from "../routes/pipeline/deps.ts";
import type { Source } from "../mining/sources/types.ts";
import { appSettings } from "./serve/assemble.ts";
import { type CommandContext, loadRegistry } from "./context.ts";
import { openSource } from "./source.ts";

/** What checks of settings start from, whatever else is wrong. */
export type SettingsContext = Pick<CommandContext, "config" | "clock" | "log">;

/** Payment's own checks, its keys included. */
async function checkPayment(
  { config: { payment: settings }, clock }: SettingsContext,
  wrong: Complaints,
): Promise<void> {
  const { settlementPrivateKey: key } = settings;
  wrong.check(() => createRail(settings));
  if (settings.mode === "facilitator") {
    wrong.check(() =>
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
  if (key !== null) await wrong.checkLater(() => createSigner(key));
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
 * @throws OperatorError with a line for each one that is wrong.
 */
export async function checkSettings(context: SettingsContext): Promise<CheckedSettings> {
  const { config } = context;
  const wrong = new Complaints();
  const settings = await wrong.checkLater(() => appSettings(config));
  wrong.check(() => clientResolver(config.trustedProxies));
  await checkPayment(context, wrong);
  const source = wrong.check(() => openSource(context));
  await wrong.checkLater(() => loadRegistry(config.communitiesFile));
  wrong.throwIfAny();
  if (settings === undefined || source === undefined) throw new Error("a complaint was lost");
  return { settings, source };
}

/** A complaint's line as the setting that it begins with, and what is said of it. */
export function readComplaint(line: string): Complaint {
  const [, name = "", rule = line] = /^([A-Z][A-Z0-9_]*)(?:: (.*))?/.exec(line) ?? [];
  return { name, rule };
}

/** Everything that is wrong with the settings, a line each; the message is empty where nothing is. */
export async function everythingWrong(environment: Environment): Promise<OperatorError> {
  const { config, complaints } = inspectConfig(environment);
  const wrong = new Complaints();
  if (complaints.length > 0) wrong.add(new OperatorError(complaintLines(complaints)));
  try {
    await checkSettings({ config, clock: systemClock, log: silentLog });
  } catch (error) {
    if (!(error instanceof OperatorError)) throw error;
    // A setting that cannot be read is taken for not set, which may be wrong again.
    const others = error.message.split("\n").filter((line) =>
      !complaints.some(({ name }) => name === readComplaint(line).name)
    );
    if (others.length > 0) wrong.add(new OperatorError(others.join("\n")));
  }
  return new OperatorError(wrong.lines.join("\n"));
}
