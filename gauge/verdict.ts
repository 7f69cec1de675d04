/** From matches to a verdict: score, evidence, related cards, and the model's part. Knows no database. */
import type { Catalogue } from "../mining/cards/types.ts";
import { unconfirmedMatches } from "../mining/removal/withheld.ts";
import { factsOf } from "./facts.ts";
import { formulaScore, shiftedScore, strength, temperature } from "./score.ts";
import type { Synthesize } from "./synthesis/types.ts";
import type { GaugeInput, Match, RelatedOpportunity, Searched, Verdict } from "./types.ts";

/** Posts that the model sees and may point at. */
const SHOWN = 12;
const MAX_RELATED = 5;
/** How relevant evidence and related cards are at least, as a share of the best match's relevance. */
const EVIDENCE_SHARE = 0.6;
const RELATED_SHARE = 0.75;

export interface Material {
  readonly input: GaugeInput;
  readonly matches: readonly Match[];
  /** True where more may match than were counted. */
  readonly capped: boolean;
  /** Ids of the matches that the live search found. */
  readonly live: ReadonlySet<string>;
  /** The clock that ages count from. */
  readonly asOf: Date;
  /** When the verdict is computed. */
  readonly now: Date;
}

function byStrength(matches: readonly Match[], asOf: Date): Match[] {
  return matches.map((match) => ({ match, strength: strength(match, asOf) }))
    .sort((a, b) => b.strength - a.strength || (a.match.postId < b.match.postId ? -1 : 1))
    .map(({ match }) => match);
}

/** The strongest of each voice and of each text, strongest first. */
function distinct(matches: readonly Match[]): Match[] {
  const seen = new Set<string>();
  return matches.filter(({ voice, textKey }) => {
    const keys = [`v${voice}`, `t${textKey}`];
    if (keys.some((key) => seen.has(key))) return false;
    keys.forEach((key) => seen.add(key));
    return true;
  });
}

/** Cards that the most relevant matches belong to, those with the most strength behind them first. */
export function relatedOpportunities(
  matches: readonly Match[],
  catalogue: Catalogue,
  category: string | null,
  asOf: Date,
): RelatedOpportunity[] {
  const floor = RELATED_SHARE * Math.max(0, ...matches.map(({ relevance }) => relevance));
  const weights = new Map<string, number>();
  for (const match of matches) {
    if (match.relevance < floor) continue;
    const cards = new Set(match.wantIds.map((id) => catalogue.byId(id)));
    for (const card of cards) {
      if (card === undefined || (category !== null && card.category !== category)) continue;
      weights.set(card.id, (weights.get(card.id) ?? 0) + strength(match, asOf));
    }
  }
  return [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_RELATED)
    .flatMap(([id]) => {
      const card = catalogue.byId(id);
      return card === undefined ? [] : [{ slug: card.slug, score: card.score }];
    });
}

/** Why nothing was found, in words. */
function nothingMatches({ what, service, unheard }: Searched): string {
  if (service !== null) {
    return `This query asks for no physical product ("${service}"), and verdicts are about physical ` +
      "products alone. No signal was counted for it.";
  }
  const words = unheard.map((word) => `"${word}"`).join(", ");
  const missing = unheard.length === 0
    ? ""
    : ` No signal has the ${
      unheard.length === 1 ? "word" : "words"
    } ${words}; posts are in English.`;
  return `Nothing matches this query among ${what}.${missing} That is no sign of demand for it.`;
}

/** The verdict on a query that nothing matches: cold, and no question for a model. */
function coldVerdict({ input, now }: Material, searched: Searched): Verdict {
  return {
    query: input.query,
    verdictScore: 0,
    demandTemperature: "cold",
    rationale: nothingMatches(searched),
    topEvidence: [],
    relatedOpportunities: [],
    cache: "miss",
    fetchedAt: now.toISOString(),
    evidenceIds: [],
  };
}

/**
 * Weighs the matches and has them put into words; `searched` is for a query that nothing matches.
 * @throws what `synthesize` throws, and `source_unavailable` where every quote is withheld.
 */
export async function makeVerdict(
  material: Material,
  catalogue: Catalogue,
  searched: Searched,
  synthesize: Synthesize,
  signal: AbortSignal,
): Promise<Verdict> {
  const { input, asOf, now } = material;
  const matches = byStrength(material.matches, asOf);
  if (matches.length === 0) return coldVerdict(material, searched);
  const voices = distinct(matches);
  const best = Math.max(...voices.map(({ relevance }) => relevance));
  const evidence = voices.filter(({ relevance, withheld }) =>
    relevance >= EVIDENCE_SHARE * best && withheld !== true
  ).slice(0, SHOWN);
  if (evidence.length === 0) throw unconfirmedMatches();
  const formula = formulaScore(matches, asOf);
  const { shift, rationale, picks } = await synthesize({
    query: input.query,
    category: input.category,
    facts: factsOf(voices, asOf, material),
    formula,
    evidence,
  }, signal);
  const picked = picks.flatMap((i) => evidence[i] ?? []);
  const score = shiftedScore(formula, shift);
  return {
    query: input.query,
    verdictScore: score,
    demandTemperature: temperature(score),
    rationale,
    topEvidence: picked.map(({ quote, permalink, upvotes }) => ({ quote, permalink, upvotes })),
    relatedOpportunities: relatedOpportunities(matches, catalogue, input.category, asOf),
    cache: "miss",
    fetchedAt: now.toISOString(),
    evidenceIds: [...new Set([...picked, ...evidence].map(({ postId }) => postId))],
  };
}
