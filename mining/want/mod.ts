import type { CategoryPrior, Demand, PostText, Want } from "../types.ts";
export const WANT_VERSION = "tmp";
export function extractWant(text: PostText, _demand: Demand, prior: CategoryPrior): Want | null {
  const kind = /(headphones|laptop|flashlight|backpack|keyboard|boots|shoes|bike|knife|jeans)/i
    .exec(text.title + text.body)?.[1]?.toLowerCase();
  if (!kind) return null;
  const category = Object.entries(prior).sort((a, b) => b[1] - a[1])[0]![0];
  return { product: kind, kind, need: null, category, brands: [] };
}
export function wantKey(want: Want, _d: Demand): string {
  return `${want.kind}/${want.need ?? "general"}`;
}
