/** The file that lists the sibling data products of the same maker. */
import { z } from "zod";
import { wrongSetting } from "../../core/settings.ts";

const webAddress = z.url({ protocol: /^https?$/ });

export const familyCatalogue = z.strictObject({
  maker: z.strictObject({ name: z.string().min(1).max(100), url: webAddress }).optional(),
  products: z.array(z.strictObject({
    name: z.string().min(1).max(100),
    description: z.string().min(1).max(500),
    url: webAddress,
    openapi: webAddress.optional(),
    llms: webAddress.optional(),
  })).min(1).max(100),
}).meta({ id: "Family" });

export type FamilyCatalogue = z.infer<typeof familyCatalogue>;

/**
 * Reads a catalogue file.
 * @param origin what errors call the file.
 * @throws SettingsError that names the field at fault.
 */
export function parseFamily(text: string, origin: string): FamilyCatalogue {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw wrongSetting("FAMILY_FILE", `${origin} is not JSON`);
  }
  const result = familyCatalogue.safeParse(value);
  if (result.success) return result.data;
  const [issue] = result.error.issues;
  const place = issue?.path.join(".") || "the whole";
  throw wrongSetting("FAMILY_FILE", `${origin}: ${place}: ${issue?.message}`);
}
