/** From settings to the parts of the service: payment, the family's catalogue, the application's values. */
import { randomBytes } from "node:crypto";
import { readFile } from "node:fs/promises";
import changelog from "../../CHANGELOG.md" with { type: "text" };
import type { Config } from "../../config.ts";
import { wrongSetting } from "../../core/settings.ts";
import { whyUnreadable } from "../../core/files.ts";
import type { Database } from "../../db/sql.ts";
import { isModelConfigured } from "../../model/mod.ts";
import { createPayments, findNetwork, type Payments } from "../../payment/mod.ts";
import type { AppSettings } from "../../routes/pipeline/deps.ts";
import { parseFamily } from "../../routes/pipeline/family_catalogue.ts";
import { MAX_AT_ONCE } from "../../routes/pipeline/limits.ts";
import { DOCUMENT_ROUTES, familyRow } from "../../routes/pipeline/route_table.ts";
import { VERSION } from "../../version.ts";
import type { CommandContext } from "../context.ts";

/** Payment as the settings say. @throws SettingsError for settings that are wrong in themselves. */
export function assemblePayments(
  { config, clock, log }: CommandContext,
  database: Database,
): Promise<Payments> {
  return createPayments({
    settings: config.payment,
    database,
    clock,
    log,
    fetch,
    random: (bytes) => randomBytes(bytes),
    ticks: () => performance.now(),
  });
}

async function readFamily(config: Config): Promise<AppSettings["family"]> {
  const { file } = config.family;
  if (file === null) return null;
  let text: string;
  try {
    text = await readFile(file, "utf8");
  } catch (error) {
    throw wrongSetting("FAMILY_FILE", `${file}: ${whyUnreadable(error)}`, { cause: error });
  }
  return parseFamily(text, file);
}

/** @throws SettingsError for a word under which another document stands. */
function freeSlug(slug: string): string {
  const { path } = familyRow(slug);
  if (Object.values(DOCUMENT_ROUTES).every((row) => row.path !== path)) return slug;
  throw wrongSetting("FAMILY_SLUG", `${path} is another document: choose another word`);
}

function mppCurrency({ payment }: Config): string | null {
  return payment.mpp ? payment.asset ?? findNetwork(payment.network)?.usdc ?? null : null;
}

/** Whether the demonstration corpus is mined while nothing else was. */
export const demoAllowed = ({ payment, reddit }: Config): boolean =>
  payment.mode === "test" && reddit === null;

/** What words verdicts where no language model does: in payment mode `test` alone they do without. */
export const synthesisWithoutModel = ({ payment }: Config): "extractive" | "none" =>
  payment.mode === "test" ? "extractive" : "none";

/** The application's settings. @throws SettingsError for a family file that is wrong. */
export async function appSettings(config: Config): Promise<AppSettings> {
  return {
    version: VERSION,
    baseUrl: config.baseUrl,
    paymentMode: config.payment.mode,
    hasSource: config.reddit !== null,
    synthesis: isModelConfigured(config.model) ? "model" : synthesisWithoutModel(config),
    mppCurrency: mppCurrency(config),
    contact: config.contact,
    trustedProxies: config.trustedProxies,
    rateLimits: config.rateLimits,
    maxAtOnce: MAX_AT_ONCE,
    familySlug: freeSlug(config.family.slug),
    family: await readFamily(config),
    changelog,
  };
}
