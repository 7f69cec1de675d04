/** What is wanted: the choice among the things that a post names, and the name of its kind. */
import { once, remembered } from "../../core/once.ts";
import { logistic, shares } from "../classify/numbers.ts";
import { kindOfCommunity } from "../lexicon/community.ts";
import { singular } from "../lexicon/grammar.ts";
import { lexicon } from "../lexicon/lexicon.ts";
import { phraseWords } from "../lexicon/tokens.ts";
import { hashWord } from "../classify/hash.ts";
import type { Prepared } from "./features.ts";
import headsText from "./heads.txt" with { type: "text" };
import type { Candidate } from "./candidates.ts";
import { PRODUCT_CLASS } from "./spans.ts";
import { PRODUCT } from "./tagger.ts";
import { plainText } from "./values.ts";

/** Words in front of a product that are no part of its name. */
const FRONT = new Set(
  `a an the my our your his her their this that these those some any one two new old good great nice best better decent cheap cheaper cheapest
affordable inexpensive quality high-quality reliable durable perfect right first second third another other different same current previous next were been being had has have do does did lost washing wash replace replacing carry run question about
really very more most few couple pair pairs of set used replacement solid proper real simple basic big small large huge tiny little
what which kind type sort entry level and or for with to in on at is are was i im ive looking need want buy buying get getting recommend
recommendations advice help question suggestions favorite favourite own your actual whole full entire single budget high end low sub under`
    .split(/\s+/),
);

/** The reviewed names of kinds: `head = phrase, phrase`. */
const heads = once((): ReadonlyMap<string, string> => {
  const out = new Map<string, string>();
  for (const line of headsText.split("\n")) {
    if (line === "" || line.startsWith("#")) continue;
    const [head = "", phrases = ""] = line.split(" = ");
    for (const phrase of [head, ...phrases.split(", ")]) {
      if (phrase !== "" && !out.has(phrase)) out.set(phrase, head);
    }
  }
  return out;
});

/** Phrases whose names are kept: posts call the same products again and again. */
const REMEMBERED = 5_000;

/** Words that open what is said about a product: its name ends before them. */
const AFTER = /\s(?:for|with|to|that|which|in|on|from|of|at|while|when|because|instead|like|by)\s/;

/** The words of a product's phrase: lower case, singular but for pairs, no determiners nor praise in front. */
export const nameOf = remembered(REMEMBERED, (phrase: string): string => {
  const clean = plainText(phrase).replace(/[^\p{L}\p{N}' /.+&-]+/gu, " ").replace(/\s+/g, " ");
  for (const part of ` ${clean} `.split(AFTER)) {
    const words = part.split(" ").filter(Boolean);
    const last = words.findLastIndex((word, i) => i < words.length - 1 && FRONT.has(word));
    const name = words.slice(last + 1).slice(-5);
    if (name.length > 0 && !FRONT.has(name.at(-1)!)) return singular(name.join(" "));
  }
  return singular(clean.trim().split(" ").slice(-5).join(" "));
});

/** The kind of thing that a phrase names: as the lists of kinds have it, else by its last words. */
export const kindNameOf = remembered(REMEMBERED, (phrase: string): string => {
  const name = nameOf(phrase);
  const words = name.split(" ");
  for (let from = 0; from < words.length; from++) {
    const rest = words.slice(from).join(" ");
    const known = heads().get(rest);
    if (known !== undefined) return known;
    const term = lexicon().terms.get(phraseWords(rest));
    if (term?.type === "kind") return CALLED[term.kind.name] ?? term.kind.name;
  }
  return words.slice(words.length > 1 && VAGUE.has(words.at(-1)!) ? -2 : -1).join(" ");
});

/** What people call a kind whose name in the lexicon is another. */
const CALLED: Readonly<Record<string, string>> = {
  earphones: "in-ear headphones",
  "computer mouse": "mouse",
  "hiking backpack": "backpack",
  "home server": "server",
  "mechanical keyboard": "keyboard",
};

/** Last words that name no kind by themselves. */
const VAGUE = new Set(
  "set kit system gear part parts case cover stand holder bag box machine tool unit device product equipment accessory mount rack filter light stuff supplies card board cable adapter"
    .split(" "),
);

/** A claimed product and head in canonical form; null where nothing is left of them. */
export function productName(
  product: string,
  head: string,
): { readonly product: string; readonly head: string } | null {
  const name = nameOf(product === "" ? head : product);
  if (!/\p{L}/u.test(name)) return null;
  return { product: name, head: kindNameOf(head === "" ? name : head) };
}

/** A thing that the post may want. */
export interface ProductCandidate {
  readonly head: string;
  readonly product: string;
  /** Its plainest mention, or null where only a brand or the community hints at it. */
  readonly mention: Candidate | null;
  readonly features: Float32Array;
}

/** Features of a candidate. */
export const PRODUCT_FEATURES = 30;

/** What the tagger took for a fact is a product only where the second look is this sure. */
const LEAST_SURE = 0.15;

interface Gathered {
  readonly head: string;
  mentions: { readonly candidate: Candidate; readonly sure: number; readonly source: number }[];
}

const SOURCE = { span: 0, kind: 1, sense: 2, brand: 3, community: 4 } as const;
const AT = {
  best: 0,
  sum: 1,
  support: 2,
  title: 3,
  titleLast: 4,
  count: 5,
  early: 6,
  asks: 7,
  source: 8,
  my: 13,
  article: 14,
  forBefore: 15,
  withBefore: 16,
  words: 17,
  known: 18,
  only: 19,
  long: 20,
  firstInTitle: 21,
  community: 22,
  none: 23,
  afterWant: 24,
  plural: 25,
  verb: 26,
  rank: 27,
  bias: 28,
  fact: 29,
} as const;

const hashes = (text: string): ReadonlySet<number> => new Set(text.split(" ").map(hashWord));
const OWN = hashes("my our his her their");
const ARTICLE = hashes("a an new some good best any");
const PURPOSE = hashes("for in on to into from");
const COMPANY = hashes("with and or");
const WISH = hashes(
  "need want looking recommend recommendations recommendation buy buying best suggest suggestions advice find finding get getting choosing which",
);

/** All candidates of a post, the likeliest mention of each first. */
export function productCandidates(
  post: Prepared,
  community: string,
  candidates: readonly Candidate[],
  read: readonly Float64Array[],
): ProductCandidate[] {
  const { tokens, known, words } = post;
  const byHead = new Map<string, Gathered>();
  const gather = (head: string, candidate: Candidate, sure: number, source: number): void => {
    if (head.length < 2 || head.length > 40 || !/[a-z]/.test(head)) return;
    let gathered = byHead.get(head);
    if (gathered === undefined) byHead.set(head, gathered = { head, mentions: [] });
    gathered.mentions.push({ candidate, sure, source });
  };
  const text = (candidate: Candidate): string =>
    tokens.text.slice(tokens.start[candidate.from]!, tokens.end[candidate.to - 1]!);
  const termAt = new Map(known.terms.map((term) => [term.to, term]));
  candidates.forEach((candidate, k) => {
    const sure = read[k]![PRODUCT_CLASS]!;
    if (candidate.group !== PRODUCT && sure < LEAST_SURE) return;
    const term = termAt.get(candidate.to);
    const whole = term !== undefined && term.from <= candidate.from;
    if (term?.term.type === "brand" && whole) {
      for (const kind of term.term.brand.kinds.slice(0, 3)) {
        gather(CALLED[kind.name] ?? kind.name, candidate, sure * 0.9, SOURCE.brand);
      }
      return;
    }
    const source = term?.term.type === "kind"
      ? SOURCE.kind
      : term?.term.type === "senses"
      ? SOURCE.sense
      : SOURCE.span;
    gather(kindNameOf(text(candidate)), candidate, sure, source);
  });
  const ofCommunity = kindOfCommunity(community);
  const out = [...byHead.values()].map(({ head, mentions }): ProductCandidate => {
    const f = new Float32Array(PRODUCT_FEATURES);
    let best = mentions[0]!;
    let miss = 1;
    let firstAt = 1e9;
    for (const mention of mentions) {
      const { candidate, sure, source } = mention;
      if (sure > best.sure) best = mention;
      miss *= 1 - Math.min(0.99, sure);
      const { from, to, sentence } = candidate;
      const bounds = tokens.sentences[sentence]!;
      const inTitle = tokens.start[from]! < tokens.titleEnd;
      f[AT.support] = Math.max(f[AT.support]!, candidate.support[PRODUCT]!);
      if (inTitle) {
        f[AT.title] = 1;
        if (to >= bounds.to - 1) f[AT.titleLast] = 1;
        if (from === bounds.from) f[AT.firstInTitle] = 1;
      }
      if (bounds.asks) f[AT.asks] = 1;
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
      if (to - from > 1) f[AT.words] = 1;
      if (to - from > 3) f[AT.long] = 1;
      firstAt = Math.min(firstAt, from);
    }
    f[AT.best] = best.sure;
    f[AT.sum] = 1 - miss;
    f[AT.count] = Math.min(1, mentions.length / 6);
    f[AT.early] = 1 / (1 + firstAt / 20);
    f[AT.known] = f[AT.source + SOURCE.kind] === 1 ? 1 : 0;
    f[AT.community] = ofCommunity !== null &&
        (ofCommunity.name === head || CALLED[ofCommunity.name] === head)
      ? 1
      : 0;
    f[AT.bias] = 1;
    const { candidate } = fullest(mentions, best.sure);
    return { head, product: nameOf(text(candidate)), mention: candidate, features: f };
  });
  if (ofCommunity !== null) {
    const head = CALLED[ofCommunity.name] ?? ofCommunity.name;
    if (!byHead.has(head)) {
      const f = new Float32Array(PRODUCT_FEATURES);
      f[AT.source + SOURCE.community] = 1;
      f[AT.community] = 1;
      f[AT.bias] = 1;
      out.push({ head, product: head, mention: null, features: f });
    }
  }
  // How it stands among the others.
  const order = out.map((_, i) => i).sort((a, b) =>
    out[b]!.features[AT.best]! - out[a]!.features[AT.best]! || a - b
  );
  order.forEach((at, rank) => {
    out[at]!.features[AT.rank] = rank === 0 ? 1 : rank === 1 ? 0.5 : 0;
    out[at]!.features[AT.only] = out.length === 1 ? 1 : 0;
  });
  return out;
}

/** Of the mentions that are nearly as sure as the surest the one that says most of the kind, in few words. */
function fullest(mentions: Gathered["mentions"], sure: number): Gathered["mentions"][number] {
  const length = ({ candidate: { from, to } }: Gathered["mentions"][number]): number =>
    to - from > MOST_NAME ? 0 : to - from;
  return mentions.filter((mention) => mention.sure >= 0.6 * sure)
    .reduce((best, mention) => length(mention) > length(best) ? mention : best);
}

/** Tokens of the longest name of a product that is preferred. */
const MOST_NAME = 4;

/** How sure the choice is. */
export interface ChosenProduct {
  readonly candidate: ProductCandidate;
  readonly certainty: number;
}

/** What the choice goes by: a weight a feature, and how the share becomes a certainty. */
export interface ProductWeights {
  readonly weights: readonly number[];
  readonly slope: number;
  readonly offset: number;
}

/** The likeliest candidate; null where there is none. */
export function chooseProduct(
  candidates: readonly ProductCandidate[],
  { weights, slope, offset }: ProductWeights,
): ChosenProduct | null {
  if (candidates.length === 0) return null;
  const scores = Float64Array.from(candidates, ({ features }) => scoreOf(features, weights));
  shares(scores);
  let best = 0;
  scores.forEach((score, i) => {
    if (Math.round(score * 1e6) > Math.round(scores[best]! * 1e6)) best = i;
  });
  return {
    candidate: candidates[best]!,
    certainty: logistic(slope * scores[best]! + offset),
  };
}

export function scoreOf(features: Float32Array, weights: readonly number[]): number {
  let sum = 0;
  for (let i = 0; i < features.length; i++) sum += features[i]! * weights[i]!;
  return sum;
}
