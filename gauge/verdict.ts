/** Makes a verdict of matches: funnel, score, evidence, related cards, and the model's part. Knows no database. */
import { asEvidence } from "../mining/cards/evidence.ts";
import type { Catalogue, DataSpan } from "../mining/cards/types.ts";
import { unconfirmedMatches } from "../mining/cards/queries.ts";
import { evidenceOf, type EvidenceQuote, nearestFirst } from "./evidence/posts.ts";
import {
  asideNames,
  askedBits,
  type Counted,
  funnelOf,
  grantedIn,
  nearestTo,
  wantedBits,
} from "./match/funnel.ts";
import type { ReadQuery } from "./query/read.ts";
import type { Unasked } from "./query/said/unasked.ts";
import { elsewhereNote, type Facts, factsOf } from "./score/verdict_facts.ts";
import {
  effectivePeople,
  scoreOfPeople,
  shiftedScore,
  temperature,
} from "./score/verdict_score.ts";
import type { Synthesize } from "./synthesis/types.ts";
import type { GaugeInput } from "./input.ts";
import type { Funnel, Match, RelatedOpportunity, Verdict } from "./types.ts";

const MAX_RELATED = 5;
/** How relevant the matches are whose cards are related, as a share of the best match's relevance. */
const RELATED_SHARE = 0.5;

interface Material {
  readonly input: GaugeInput;
  readonly query: ReadQuery;
  readonly found: Counted;
  readonly catalogue: Catalogue;
  /** The clock that ages count from. */
  readonly asOf: Date;
  /** When the verdict is computed. */
  readonly now: Date;
  /** Demand signals that were looked through, and how that is said. */
  readonly signals: number;
  readonly searched: string;
}

/** Cards of wants that the nearest matches state, those with the most of them behind them first. */
function relatedOpportunities(
  matches: readonly Match[],
  catalogue: Catalogue,
  category: string | null,
): RelatedOpportunity[] {
  const floor = RELATED_SHARE * Math.max(0, ...matches.map(({ relevance }) => relevance));
  const weights = new Map<string, number>();
  for (const { relevance, wantIds } of matches) {
    if (relevance < floor) continue;
    const cards = new Set(wantIds.map((id) => catalogue.byId(id)));
    for (const card of cards) {
      if (card === undefined || (category !== null && card.category !== category)) continue;
      weights.set(card.id, (weights.get(card.id) ?? 0) + relevance);
    }
  }
  return [...weights].sort(([a, x], [b, y]) => y - x || (a < b ? -1 : 1)).slice(0, MAX_RELATED)
    .flatMap(([id]) => {
      const card = catalogue.byId(id);
      return card === undefined ? [] : [{ slug: card.slug, title: card.title, score: card.score }];
    });
}

function spanOfMatches(matches: readonly Match[]): DataSpan {
  const times = matches.map(({ createdAt }) => createdAt.getTime());
  return {
    dataFrom: new Date(Math.min(...times)).toISOString(),
    dataTo: new Date(Math.max(...times)).toISOString(),
  };
}

/** Why a query asks for no product, in words. */
const UNASKED: Readonly<Record<Unasked, string>> = {
  owned: "it is about one that somebody has or uses",
  unwanted: "it says that none is wanted",
};

/** Why nothing was found, in words. */
function nothingFound({ query, searched, asOf, catalogue: { dataTo } }: Material): string {
  const { product, service, unasked, unknownWords, elsewhere } = query;
  if (unasked !== null) {
    return `This query asks for no product: ${UNASKED[unasked]}. No signal was counted for it.`;
  }
  if (service !== null) {
    return `This query asks for no physical product ("${service}"), and verdicts are about physical ` +
      "products alone. No signal was counted for it.";
  }
  if (product === "") {
    return "This query names no product that could be looked for. No signal was counted for it.";
  }
  const words = unknownWords.map((word) => `"${word}"`).join(", ");
  const missing = unknownWords.length === 0
    ? ""
    : ` No product, quote or title in it has the ${
      unknownWords.length === 1 ? "word" : "words"
    } ${words}; posts are in English.`;
  return `There is no data on "${product}" among ${searched}, the newest of ${
    (dataTo ?? asOf.toISOString()).slice(0, 10)
  }.${missing}${elsewhereNote(product, elsewhere)} That says nothing for or against demand.`;
}

/** The facts of a verdict on a query: `people` are the matches, one of each; `asAsked` is what they all count, in people. */
export function factsFor(
  query: ReadQuery,
  found: Counted,
  people: readonly Match[],
  { funnel, asAsked, asOf, now }: Pick<Material, "asOf" | "now"> & {
    readonly funnel: Funnel;
    readonly asAsked: number;
  },
): Facts {
  return {
    funnel,
    readAs: query.readAs,
    corrected: query.corrected,
    implied: query.implied,
    aside: [...asideNames(query.plan), ...query.unused],
    unexchanged: query.unexchanged,
    elsewhere: query.elsewhere,
    granted: grantedIn(query.plan, people),
    nearest: nearestTo(query, found, funnel),
    ...factsOf(people, asOf, {
      asAsked,
      wanted: wantedBits(query.plan),
      live: new Set(found.live.map(({ postId }) => postId)),
      now,
    }),
  };
}

/** The verdict on a query that nothing matches: cold, and no question for a model. */
function coldVerdict(material: Material, funnel: Funnel): Verdict {
  const { input, catalogue, now } = material;
  return {
    query: input.query,
    verdictScore: 0,
    demandTemperature: "cold",
    rationale: nothingFound(material),
    funnel,
    topEvidence: [],
    relatedOpportunities: [],
    cache: "miss",
    fetchedAt: now.toISOString(),
    dataFrom: catalogue.dataFrom,
    dataTo: catalogue.dataTo,
    evidenceIds: [],
  };
}

/**
 * Weighs the matches and has them put into words.
 * @throws what `synthesize` throws, and `source_unavailable` where every quote is withheld.
 */
export async function makeVerdict(
  material: Material,
  quote: EvidenceQuote,
  synthesize: Synthesize,
  signal: AbortSignal,
): Promise<Verdict> {
  const { input, query, found, catalogue, asOf, now } = material;
  const all = [...found.matches, ...found.live];
  const funnel = funnelOf(query, found, material.signals);
  if (all.length === 0) return coldVerdict(material, funnel);
  const people = nearestFirst(all, asOf, query);
  if (people.every(({ withheld }) => withheld === true)) throw unconfirmedMatches();
  const evidence = await evidenceOf(people, query.plan, quote);
  const asAsked = effectivePeople(all, askedBits(query.plan), asOf);
  const formula = scoreOfPeople(asAsked);
  const { shift, rationale, picks } = await synthesize({
    query: input.query,
    category: input.category,
    facts: factsFor(query, found, people, { funnel, asAsked, asOf, now }),
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
    funnel,
    topEvidence: picked.map(asEvidence),
    relatedOpportunities: relatedOpportunities(all, catalogue, input.category),
    cache: "miss",
    fetchedAt: now.toISOString(),
    ...spanOfMatches(all),
    evidenceIds: [...new Set([...picked, ...evidence].map(({ postId }) => postId))],
  };
}
