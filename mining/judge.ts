/** From a post to what is stored of it: its demand, what it states of the product, and the wants it stands behind. */
import type { Origin, PostRow } from "../db/corpus/posts.ts";
import type { ShowingRow } from "../db/corpus/showings.ts";
import type { SignalRow } from "../db/corpus/signals.ts";
import {
  type Classified,
  CLASSIFIER_VERSION,
  classifyToQuote,
  type Printable,
  quotable,
} from "./classify/mod.ts";
import { type Registry, uniformPrior } from "./communities/registry.ts";
import {
  extractWithRuledOut,
  READER_VERSION,
  type ReadingWithRuledOut,
  ruledOutOf,
} from "./extract/mod.ts";
import { comparedWords, saysMade, saysProductMade, showsProduct } from "./opportunities/showing.ts";
import type { RuledOut } from "./extract/ruled_out.ts";
import type { Extraction } from "./extract/types.ts";
import { singular } from "./lexicon/grammar.ts";
import { lexicon } from "./lexicon/lexicon.ts";
import { phraseWords } from "./lexicon/tokens.ts";
import {
  ABSENT,
  STATED_VERSION,
  type StatedWants,
  statedWants,
  storedFacts,
} from "./opportunities/statements.ts";
import { textKey } from "./text_key.ts";
import type { DemandShown, PostText, PseudonymousPost } from "./types.ts";

/** Reads what a post states of the product it wants; null where it names none. */
export type Extractor = (post: PostText & { readonly id: string }) => Extraction | null;

export interface JudgeContext {
  readonly registry: Registry;
  readonly origin: Origin;
  /** ISO 8601: when the source showed the post, or null for an archive. */
  readonly checkedAt: string | null;
  /** Reads the facts; the built-in reader where none is given. */
  readonly extractor?: Extractor;
}

/** A post that carries a signal, ready to be stored. */
export interface Judged {
  readonly post: PostRow;
  readonly signal: SignalRow;
  readonly stated: StatedWants;
}

/** A post whose author shows what was made, ready to be stored. */
interface Shown {
  readonly post: PostRow;
  readonly showing: ShowingRow;
}

/** All that is kept of a post: most are neither. */
export interface PostFindings {
  readonly judged: Judged | null;
  readonly shown: Shown | null;
}

/** What stored signals were read by; those of another version are read again. */
export const READ_VERSION = `${CLASSIFIER_VERSION}/${READER_VERSION}/${STATED_VERSION}`;
/**
 * The least certainty, 0-1, of demand for a physical product that makes a post a signal. Higher than the gate's line
 * (`isDemand`): fewer signals ask for nothing, and more of the demand is missed.
 */
const LEAST_SIGNAL = 0.4;
/** Forms of one word begin with so many letters. */
const ALIKE = 3;

/** The category of the product that a kind's name ends in ("road bike": "bike"), or else of any that it names. */
function categoryNamed(kind: string): string | undefined {
  const { kinds, terms } = lexicon();
  const own = kinds.get(kind);
  if (own !== undefined) return own.category;
  const words = phraseWords(kind);
  const found = terms.all(words, words.map(() => false)).flatMap(({ value, end }) => {
    if (value.type === "kind") return [{ category: value.kind.category, end }];
    const [sense] = value.type === "senses" ? value.senses : [];
    return sense?.kind == null ? [] : [{ category: sense.kind.category, end }];
  }).sort((a, b) => b.end - a.end);
  return found[0]?.category;
}

/** The category of a kind: its name's, or the one that the community leans to; null where the registry lacks it. */
function categoryOf(kind: string, registry: Registry, community: string): string | null {
  const prior = registry.find(community)?.prior ?? uniformPrior(registry);
  const category = categoryNamed(kind) ??
    Object.entries(prior).reduce((best, next) => next[1] > best[1] ? next : best)[0];
  return registry.isCategory(category) ? category : null;
}

/** Whether anything is kept of a post. */
export const isKept = ({ judged, shown }: PostFindings): boolean =>
  judged !== null || shown !== null;

/** What a post says of demand, and what its author shows; the facts are read where it may be either. */
export function readPost(post: PseudonymousPost, context: JudgeContext): PostFindings {
  const found = classifyToQuote(post);
  const { demand } = found;
  // Reading facts costs more than all before it: what hardly shows demand is read for a product that was made alone.
  const says = demand === null ? saysProductMade : saysMade;
  const shows = found.sentences.some(({ text }) => says(text));
  if (demand === null && !shows) return { judged: null, shown: null };
  const read = context.extractor === undefined
    ? extractWithRuledOut(post, demand ?? { likelihood: 0, unphysical: 0 })
    : readBy(context.extractor, post);
  if (read === null) return { judged: null, shown: null };
  const { reading, ruledOut } = read;
  return {
    judged: demand &&
      judgeAs(post, demand, reading, context, { sentences: found.printable, ruledOut }),
    shown: shows ? shownIn(post, reading, context, found) : null,
  };
}

function readBy(extractor: Extractor, post: PseudonymousPost): ReadingWithRuledOut | null {
  const reading = extractor(post);
  return reading && { reading, ruledOut: () => ruledOutOf(post) };
}

/** What the author of a post made, by the first sentence that may be quoted for it. */
function shownIn(
  post: PseudonymousPost,
  reading: Extraction,
  context: JudgeContext,
  { printable }: Classified,
): Shown | null {
  if (categoryOf(reading.kind, context.registry, post.community) === null) return null;
  const sentence = printable().find(({ quote }) => showsProduct(quote, post.title, reading));
  if (sentence === undefined) return null;
  const row = postRow(post, context);
  return {
    post: row,
    showing: {
      postId: post.id,
      kind: reading.kind,
      quote: sentence.quote,
      words: comparedWords(sentence.quote),
      authorKey: row.authorHash ?? textKey(post.title, post.body),
      createdAt: row.createdAt,
    },
  };
}

function postRow(post: PseudonymousPost, { origin, checkedAt }: JudgeContext): PostRow {
  const { id, community, title, body, authorHash, upvotes, comments, permalink, createdAt } = post;
  return {
    id,
    community,
    title,
    body,
    authorHash,
    upvotes,
    comments,
    permalink,
    createdAt: createdAt.toISOString(),
    origin,
    checkedAt,
  };
}

const wordsOf = (text: string): string[] => text.split(/[^\p{L}\p{N}]+/u);

/**
 * Words that a post only rules out and those that are not its author's, with what it says elsewhere in words that begin
 * alike: they may be one word. What it states as a property to be absent it rules out whatever else it says of it.
 */
function ruledOutWords(
  { product, kind, facts }: Extraction,
  { words, unsaidWords, saidWords, said }: RuledOut,
): Pick<SignalRow, "ruledOut" | "unsaid" | "said"> {
  const wanted = new Set<string>();
  const lacked: string[] = [];
  const stated: string[] = [];
  for (const { type, value, start, end, span } of facts) {
    const isProblem = type === "problem";
    const isSaid = said.slice(start, end) === span;
    const isAbsent = ABSENT.test(value);
    if (isSaid && !isProblem && !isAbsent) {
      for (const word of wordsOf(value)) wanted.add(singular(word));
    }
    if (type === "attribute" && isAbsent) {
      lacked.push(...wordsOf(value.replace(ABSENT, "")).map(singular));
    }
    // What is read as stated is said in other words, too; and what a product is complained of to lack is wanted.
    if (isProblem || isSaid) stated.push(value, span.toLowerCase());
  }
  // "No sound leakage" rules no sound out where good sound is wanted.
  const absent = new Set(lacked.filter((word) => !wanted.has(word)));
  const all = [...saidWords, ...[product, kind, ...stated].flatMap(wordsOf)]
    .filter((word) => !absent.has(singular(word)));
  const apart = (some: Iterable<string>): string[] =>
    [...new Set(some)].filter((word) => !all.includes(word));
  const ruledOut = apart([...words, ...absent]);
  const unsaid = apart(unsaidWords);
  const starts = new Set([...ruledOut, ...unsaid].map((word) => word.slice(0, ALIKE)));
  return { ruledOut, unsaid, said: all.filter((word) => starts.has(word.slice(0, ALIKE))) };
}

/**
 * What a post says of demand, with the demand and the facts as somebody else read them. `sentences` gives those that may be
 * quoted, and `ruledOut` what the post rules out: whoever has classified and read the post has them already.
 */
export function judgeAs(
  post: PseudonymousPost,
  demand: DemandShown,
  reading: Extraction,
  context: JudgeContext,
  { sentences = () => quotable(post, demand), ruledOut = () => ruledOutOf(post) }: {
    readonly sentences?: () => readonly Printable[];
    readonly ruledOut?: () => RuledOut;
  } = {},
): Judged | null {
  if (reading.certainty < LEAST_SIGNAL || reading.kind === "") return null;
  const category = categoryOf(reading.kind, context.registry, post.community);
  if (category === null) return null;
  const row = postRow(post, context);
  const text = textKey(post.title, post.body);
  const { createdAt } = row;
  const keys = { author: row.authorHash ?? text, textKey: text };
  const facts = storedFacts(`${post.title}\n${post.body}`, reading);
  const denied = ruledOut();
  return {
    post: row,
    signal: {
      postId: post.id,
      pattern: demand.pattern,
      also: demand.also,
      category,
      product: reading.product,
      kind: reading.kind,
      facts,
      ...ruledOutWords(reading, denied),
      intensity: demand.intensity,
      wtp: demand.wtp,
      confidence: Math.round(reading.certainty * 1000) / 1000,
      quote: demand.quote,
      authorKey: keys.author,
      textKey: text,
      upvotes: post.upvotes,
      createdAt,
      readBy: READ_VERSION,
    },
    stated: statedWants({ ...post, createdAt }, {
      reading,
      facts,
      keys,
      sentences: sentences(),
      said: denied.said,
    }),
  };
}
