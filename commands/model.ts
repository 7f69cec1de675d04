/** The language model that the settings name, for verdicts and for mining alike. */
import { randomBytes } from "node:crypto";
import type { Database } from "../db/sql.ts";
import { createModel, isModelConfigured, type LanguageModel } from "../model/mod.ts";
import type { CommandContext } from "./context.ts";

/**
 * The language model that the settings name; null where none is configured. Nothing is asked before
 * it is used.
 */
export function openModel(
  { config, clock, log }: CommandContext,
  { withDeadline: sql }: Database,
): LanguageModel | null {
  if (!isModelConfigured(config.model)) return null;
  const random = (bytes: number): string => randomBytes(bytes).toString("hex");
  return createModel({ sql, settings: config.model, clock, log, fetch, random });
}
