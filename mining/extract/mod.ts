/** The built-in reader: what a post states of the product that it wants, from its words alone. */
import type { PostText } from "../types.ts";
import type { Extraction } from "./types.ts";

/** Changes whenever the same post may be read otherwise. */
export const EXTRACTION_VERSION = "0";

/** Reads a post; null where it shows no demand for a physical product. */
export function extract(_text: PostText): Extraction | null {
  return null;
}
