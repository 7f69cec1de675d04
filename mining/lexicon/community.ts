/** What a community is about by its name. */
import { type Kind, lexicon } from "./lexicon.ts";

/** Communities about one kind of product under a name that the word lists do not hold. */
const HOMES: Readonly<Record<string, string>> = {
  "3dprinting": "3d printer",
  abrathatfits: "bra",
  android: "phone",
  espresso: "espresso machine",
  ipad: "tablet",
  longboarding: "skateboard",
  skateboarding: "skateboard",
  ps4: "game console",
  ps5: "game console",
  runningshoegeeks: "running shoes",
  smartphones: "phone",
  vinyl: "record player",
  windowsphone: "phone",
};

/** The kind a community is about by its own name ("mechanicalkeyboards", "SuggestALaptop"), or null. */
export function kindOfCommunity(community: string): Kind | null {
  const name = community.toLowerCase().replace(/[^a-z0-9]/g, "");
  const { joined, kinds } = lexicon();
  return kinds.get(HOMES[name] ?? "") ?? joined.get(name) ??
    joined.get(name.replace(/^(?:ask|the|diy|r|suggesta|suggest|best)/, "")) ??
    joined.get(
      name.replace(/(?:help|advice|porn|addiction|addicts|enthusiasts|geeks|deals|lovers)$/, ""),
    ) ?? null;
}
