/** Which brands say something of a kind of product. */
import { type Brand, type Kind, lexicon } from "./lexicon.ts";

/** What the other things of its category are bought for: who makes cars makes no car batteries. */
const BOUGHT_FOR: ReadonlySet<string> = new Set(["car", "motorcycle"]);

/**
 * A brand known for other things only is more likely a word or a name ("Martin") than a brand here; and one
 * that makes the whole ("phone") says beside a part of it ("phone case") what the part is for.
 */
export function suits(brand: Brand, kind: Pick<Kind, "name" | "category">): boolean {
  const near = brand.known.filter(({ category }) => category === kind.category);
  return near.some(({ name }) => name === kind.name) ||
    (near.length > 0 &&
      !near.some(({ name }) => BOUGHT_FOR.has(name) || kind.name.startsWith(`${name} `)));
}

/** The same of names, as they are stored; a name the lists no longer know suits nothing. */
export function brandSuits(name: string, kind: Pick<Kind, "name" | "category">): boolean {
  const brand = lexicon().brands.get(name);
  return brand !== undefined && suits(brand, kind);
}

/** Whether a brand is known for this very kind: only then does a buyer compare with it. */
export function isRival(name: string, kind: string): boolean {
  return lexicon().brands.get(name)?.known.some((known) => known.name === kind) === true;
}
