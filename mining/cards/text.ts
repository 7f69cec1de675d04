import type { Pattern } from "../types.ts";
export interface CardFacts {
  kind: string;
  product: string;
  need: string | null;
  category: string;
  patterns: Readonly<Record<Pattern, number>>;
  brands: readonly { name: string; count: number }[];
  signalCount: number;
  distinctAuthors: number;
  wtpShare: number;
  firstSeen: Date;
  lastSeen: Date;
}
export function cardText(facts: CardFacts) {
  return { title: facts.product, summary: "s", productAngle: "a" };
}
