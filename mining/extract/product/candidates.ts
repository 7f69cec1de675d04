/** The things that a post may want, which it names or its words hint at, and the numbers that describe each. */
import { float32s } from "../../short_arrays.ts";
import { hashWord } from "../../classify/hash.ts";
import { settle } from "../../classify/numbers.ts";
import { kindOfCommunity } from "../../lexicon/community.ts";
import type { Candidate } from "../spans/candidates.ts";
import type { Prepared } from "../features.ts";
import { NONE_CLASS, PRODUCT_CLASS, WANTED_COLUMN } from "../spans/spans.ts";
import { PRODUCT } from "../tagger.ts";
import { CASE, stem } from "../tokens.ts";
import { type Pattern, PATTERNS } from "../../types.ts";
import { FACT_TYPES } from "../types.ts";
import type { Gist, GistGuess } from "./gist.ts";
import { calledOf, kindNameOf, nameOf } from "./names.ts";
import { communityWords, lastStem, type Shelves } from "./shelves.ts";

/**
 * A thing that the post may want: its kind, what the post calls it, and `PRODUCT_FEATURES` numbers
 * about it.
 */
export interface ProductCandidate {
  readonly kind: string;
  readonly product: string;
  /** Its plainest mention, or null where only a brand or the community hints at it. */
  readonly mention: Candidate | null;
  readonly features: Float32Array;
}

/** What the tagger took for a fact is a product only where the second look is this sure. */
const LEAST_SURE = 0.15;

/** How many of the kinds that the network of `gist.ts` finds likeliest become candidates. */
const LIKELIEST = 6;

/**
 * Whether a span may name what is wanted: the tagger took it for a product, or the second look is
 * at least `LEAST_SURE` that it is one. `classes` are the second look's.
 */
export function mayName({ group }: Candidate, classes: Float64Array): boolean {
  return group === PRODUCT || classes[PRODUCT_CLASS]! >= LEAST_SURE;
}

/** Where a post names a thing. */
interface Mention {
  readonly candidate: Candidate;
  readonly sure: number;
  /** What the second look says of it. */
  readonly classes: Float64Array;
  readonly source: number;
}

interface Gathered {
  readonly kind: string;
  readonly mentions: Mention[];
}

const SOURCE = { span: 0, kind: 1, sense: 2, brand: 3, community: 4, shelf: 5 } as const;

/** The features of a candidate, with the numbers that each has: the weights are stored in this order. */
const FEATURES = [
  ["best", 1],
  ["sum", 1],
  ["support", 1],
  ["title", 1],
  ["titleLast", 1],
  ["count", 1],
  ["early", 1],
  ["asks", 1],
  /** One for each of SOURCE. */
  ["source", Object.keys(SOURCE).length],
  ["my", 1],
  ["article", 1],
  ["forBefore", 1],
  ["withBefore", 1],
  ["words", 1],
  ["known", 1],
  ["only", 1],
  ["long", 1],
  ["firstInTitle", 1],
  ["community", 1],
  ["afterWant", 1],
  ["rank", 1],
  ["bias", 1],
  /** What the second look gives the surest mention: to be nothing, and of each type. */
  ["nothing", 1],
  ["types", FACT_TYPES.length],
  ["odds", 1],
  ["inCommunity", 1],
  ["shelf", 1],
  ["shelfSupport", 1],
  ["shelfFirst", 1],
  ["shelfKnown", 1],
  ["shelfAmong", 1],
  ["mentioned", 1],
  ["lastSentence", 1],
  ["oddsBest", 1],
  ["shelfBest", 1],
  ["capital", 1],
  ["forAfter", 1],
  ["thatAfter", 1],
  ["opens", 1],
  /** One for each pattern of demand. */
  ["pattern", PATTERNS.length],
  ["shelfScore", 1],
  ["shelfBehind", 1],
  ["gist", 1],
  ["gistShare", 1],
  ["gistBehind", 1],
  ["gistFirst", 1],
  ["gistKnown", 1],
  ["gistBest", 1],
  ["bothFirst", 1],
  ["gistAmong", 1],
  /** How long the post is, how many candidates it has, and how many of them it names. */
  ["length", 1],
  ["candidates", 1],
  ["named", 1],
  /** Its name is one that the gist knows, not only its last word. */
  ["gistNamed", 1],
  ["wanted", 1],
  ["wantedSum", 1],
  ["wantedBehind", 1],
  ["wantedFirst", 1],
  ["wantedShare", 1],
] as const satisfies readonly (readonly [name: string, width: number])[];

/** Where each feature begins. */
const AT = Object.fromEntries(
  FEATURES.map(([name], i) => [name, widthOf(FEATURES.slice(0, i))]),
) as Record<(typeof FEATURES)[number][0], number>;

/** How many numbers describe a candidate. */
export const PRODUCT_FEATURES = widthOf(FEATURES);

/** How many numbers the features have together. */
function widthOf(features: readonly (readonly [string, number])[]): number {
  return features.reduce((sum, [, width]) => sum + width, 0);
}

/** The features that `mentionFeatures` gives. */
const OF_MENTIONS = [
  AT.best,
  AT.sum,
  AT.support,
  AT.title,
  AT.asks,
  AT.capital,
  AT.nothing,
  AT.wanted,
  AT.wantedBehind,
];

const hashes = (text: string): ReadonlySet<number> => new Set(text.split(" ").map(hashWord));
const OWN = hashes("my our his her their");
const ARTICLE = hashes("a an new some good best any");
const PURPOSE = hashes("for in on to into from");
const COMPANY = hashes("with and or");
const FOR = hashWord("for");
const SAID = hashes("that which who is was are has keeps wont doesnt");
const WISH = hashes(
  "need want looking recommend recommendations recommendation buy buying best suggest suggestions advice find finding get getting choosing which",
);

/**
 * All that a post may want, each kind once: what it names, what its brands and its community make
 * likely, and what its words do. `read[k]` is what the second look makes of `candidates[k]`.
 */
export function productCandidates(
  post: Prepared,
  community: string,
  candidates: readonly Candidate[],
  read: readonly Float64Array[],
  { shelves, gist }: { readonly shelves: Shelves; readonly gist: Gist },
  pattern: Pattern | undefined,
): ProductCandidate[] {
  const { tokens, known } = post;
  const byKind = new Map<string, Gathered>();
  const gather = (kind: string, mention: Mention | null): void => {
    if (kind.length < 2 || kind.length > 40 || !/[a-z]/.test(kind)) return;
    let gathered = byKind.get(kind);
    if (gathered === undefined) byKind.set(kind, gathered = { kind, mentions: [] });
    if (mention !== null) gathered.mentions.push(mention);
  };
  const text = (from: number, to: number): string =>
    tokens.text.slice(tokens.start[from]!, tokens.end[to - 1]!);
  const termAt = new Map(known.terms.map((term) => [term.to, term]));
  candidates.forEach((candidate, k) => {
    const classes = read[k]!;
    const sure = classes[PRODUCT_CLASS]!;
    if (!mayName(candidate, classes)) return;
    const term = termAt.get(candidate.to);
    const whole = term !== undefined && term.from <= candidate.from;
    if (term?.term.type === "brand" && whole) {
      for (const kind of term.term.brand.kinds.slice(0, 3)) {
        const source = SOURCE.brand;
        gather(calledOf(kind), { candidate, sure: sure * 0.9, classes, source });
      }
      return;
    }
    const source = term?.term.type === "kind"
      ? SOURCE.kind
      : term?.term.type === "senses"
      ? SOURCE.sense
      : SOURCE.span;
    gather(kindNameOf(text(candidate.from, candidate.to)), { candidate, sure, classes, source });
  });
  const ofCommunity = kindOfCommunity(community);
  const home = ofCommunity === null ? null : calledOf(ofCommunity);
  if (home !== null) gather(home, null);
  const about = communityWords(community).map(stem);
  const shelf = shelves.read(post, community);
  for (const word of about) if (shelf.of(word) !== null) gather(kindNameOf(word), null);
  for (const { name } of shelf.best) gather(name, null);
  const spoken = gist.read(post, community);
  const ranked = shelf.likely.flatMap((name) => spoken.named(name) ?? [])
    .sort((a, b) => b.score - a.score);
  for (const { name } of ranked.slice(0, LIKELIEST)) gather(name, null);
  const most = rankSpoken(ranked);
  const out = [...byKind.values()].map(({ kind, mentions }): ProductCandidate => {
    const f = float32s(PRODUCT_FEATURES);
    f[AT.bias] = 1;
    if (pattern !== undefined) f[AT.pattern + PATTERNS.indexOf(pattern)] = 1;
    f[AT.community] = home === kind ? 1 : 0;
    const last = lastStem(kind);
    f[AT.odds] = shelves.odds(kind);
    f[AT.inCommunity] = about.includes(last) ? 1 : 0;
    const guess = shelf.of(kind);
    if (guess !== null) {
      f[AT.shelfKnown] = 1;
      f[AT.shelfScore] = Math.min(2, guess.score / 20);
      f[AT.shelfBehind] = Math.max(-2, (guess.score - shelf.best[0]!.score) / 10);
      f[AT.shelf] = guess.share;
      f[AT.shelfSupport] = guess.support;
      f[AT.shelfFirst] = guess.name === shelf.best[0]?.name ? 1 : 0;
      f[AT.shelfAmong] = shelf.best.some(({ name }) => name === guess.name) ? 1 : 0;
    }
    const meant = spoken.of(kind);
    if (meant !== null) {
      f[AT.gistNamed] = spoken.named(kind) === null ? 0 : 1;
      weighGist(meant, most, f);
    }
    if (mentions.length === 0) {
      f[AT.source + (home === kind ? SOURCE.community : SOURCE.shelf)] = 1;
      return { kind, product: kind, mention: null, features: f };
    }
    describe(post, mentions, f);
    const { candidate } = fullest(mentions, f[AT.best]!);
    const product = nameOf(text(candidate.from, candidate.to));
    return { kind, product, mention: candidate, features: f };
  });
  compareAll(out, tokens.word.length);
  return out;
}

/**
 * Those features of a candidate that say how its mentions stand in the post, which tells whether
 * the post wants anything.
 */
export function mentionFeatures({ features }: ProductCandidate): number[] {
  return OF_MENTIONS.map((at) => features[at]!);
}

/** The kinds that all words of the post speak of most, the likeliest first. */
interface Spoken {
  readonly ranks: ReadonlyMap<string, number>;
  readonly top: number;
  /** Of how much likelier or less likely each is than the first. */
  readonly sum: number;
}

function rankSpoken(ranked: readonly GistGuess[]): Spoken {
  const top = ranked[0]?.score ?? 0;
  return {
    ranks: new Map(ranked.map(({ name }, rank) => [name, rank])),
    top,
    sum: ranked.reduce((all, { score }) => all + Math.exp(score - top), 0),
  };
}

/** Fills the features of how far all words of the post speak of a kind. */
function weighGist({ name, score }: GistGuess, { ranks, top, sum }: Spoken, f: Float32Array): void {
  const rank = ranks.get(name) ?? Infinity;
  const own = Math.exp(score - top);
  const all = rank === Infinity ? sum + own : sum;
  f[AT.gistKnown] = 1;
  f[AT.gistShare] = settle(own / all);
  f[AT.gist] = settle(Math.max(-2, (score - top - Math.log(all)) / 5));
  f[AT.gistBehind] = settle(Math.max(-2, (score - top) / 4));
  f[AT.gistFirst] = rank === 0 ? 1 : 0;
  f[AT.gistAmong] = rank < LIKELIEST ? 1 : 0;
  f[AT.bothFirst] = f[AT.gistFirst]! * f[AT.shelfFirst]!;
}

/** Fills the features that a thing's mentions give. */
function describe(
  post: Prepared,
  mentions: readonly Mention[],
  f: Float32Array,
): void {
  const { tokens, words } = post;
  let best = mentions[0]!;
  let miss = 1;
  let firstAt = 1e9;
  let wanted = -Infinity, all = 0;
  for (const mention of mentions) {
    const { candidate, sure, source } = mention;
    if (sure > best.sure) best = mention;
    miss *= 1 - Math.min(0.99, sure);
    const speaks = mention.classes[WANTED_COLUMN]!;
    wanted = Math.max(wanted, speaks);
    all += Math.exp(speaks);
    const { from, to, sentence } = candidate;
    const bounds = tokens.sentences[sentence]!;
    f[AT.support] = Math.max(f[AT.support]!, candidate.support[PRODUCT]!);
    if (tokens.start[from]! < tokens.titleEnd) {
      f[AT.title] = 1;
      if (to >= bounds.to - 1) f[AT.titleLast] = 1;
      if (from === bounds.from) f[AT.firstInTitle] = 1;
    } else if (tokens.letterCase[from] !== CASE.lower && from > bounds.from) f[AT.capital] = 1;
    if (bounds.asks) f[AT.asks] = 1;
    if (sentence === tokens.sentences.length - 1) f[AT.lastSentence] = 1;
    f[AT.source + source] = 1;
    const before = from > bounds.from ? words[from - 1]! : 0;
    const twoBefore = from - 1 > bounds.from ? words[from - 2]! : 0;
    if (OWN.has(before)) f[AT.my] = Math.min(1, f[AT.my]! + 0.5);
    if (ARTICLE.has(before)) f[AT.article] = 1;
    if (PURPOSE.has(before) || PURPOSE.has(twoBefore)) f[AT.forBefore] = 1;
    if (COMPANY.has(before)) f[AT.withBefore] = 1;
    for (let i = Math.max(bounds.from, from - 6); i < from; i++) {
      if (WISH.has(words[i]!)) f[AT.afterWant] = 1;
    }
    const after = to < bounds.to ? words[to]! : 0;
    if (after === FOR) f[AT.forAfter] = 1;
    if (SAID.has(after)) f[AT.thatAfter] = 1;
    if (from === bounds.from) f[AT.opens] = 1;
    if (to - from > 1) f[AT.words] = 1;
    if (to - from > 3) f[AT.long] = 1;
    firstAt = Math.min(firstAt, from);
  }
  f[AT.mentioned] = 1;
  f[AT.wanted] = settle(Math.max(-2, Math.min(2, wanted / 3)));
  f[AT.wantedSum] = settle(Math.max(-2, Math.min(2, Math.log(all) / 3)));
  f[AT.best] = best.sure;
  f[AT.sum] = 1 - miss;
  f[AT.count] = Math.min(1, mentions.length / 6);
  f[AT.early] = 1 / (1 + firstAt / 20);
  f[AT.known] = f[AT.source + SOURCE.kind] === 1 ? 1 : 0;
  f[AT.nothing] = best.classes[NONE_CLASS]!;
  for (let type = 0; type < FACT_TYPES.length; type++) f[AT.types + type] = best.classes[type]!;
}

/** Fills the features of how each candidate stands among the others. */
function compareAll(all: readonly ProductCandidate[], words: number): void {
  const order = all.map((_, i) => i).sort((a, b) =>
    all[b]!.features[AT.best]! - all[a]!.features[AT.best]! || a - b
  );
  order.forEach((at, rank) => {
    const f = all[at]!.features;
    f[AT.rank] = rank === 0 ? 1 : rank === 1 ? 0.5 : 0;
    f[AT.only] = all.length === 1 ? 1 : 0;
  });
  const most = (at: number): number =>
    all.reduce((top, { features }) => Math.max(top, features[at]!), -1e9);
  const odds = most(AT.odds), shelf = most(AT.shelf), gist = most(AT.gistShare);
  const named = all.filter(({ mention }) => mention !== null);
  const sums = named.map(({ features }) => features[AT.wantedSum]!);
  const top = Math.max(...sums);
  const weight = sums.reduce((sum, own) => sum + Math.exp(3 * own), 1);
  for (const { features: f } of named) {
    const own = f[AT.wantedSum]!;
    f[AT.wantedFirst] = own === top ? 1 : 0;
    f[AT.wantedBehind] = own - top;
    f[AT.wantedShare] = settle(Math.exp(3 * own) / weight);
  }
  for (const { features: f } of all) {
    f[AT.gistBest] = f[AT.gistShare] === gist ? 1 : 0;
    f[AT.length] = Math.min(1, words / 200);
    f[AT.candidates] = Math.min(1, all.length / 20);
    f[AT.named] = Math.min(1, named.length / 10);
    f[AT.oddsBest] = f[AT.odds] === odds ? 1 : 0;
    f[AT.shelfBest] = f[AT.shelf] === shelf ? 1 : 0;
  }
}

/** Of the mentions that are nearly as sure as the surest the one that says most of the kind, in few words. */
function fullest(mentions: readonly Mention[], sure: number): Mention {
  const length = ({ candidate: { from, to } }: Mention): number =>
    to - from > MOST_NAME ? 0 : to - from;
  return mentions.filter((mention) => mention.sure >= 0.6 * sure)
    .reduce((best, mention) => length(mention) > length(best) ? mention : best);
}

/** Tokens of the longest name of a product that is preferred. */
const MOST_NAME = 4;
