/** Names of products and of their kinds: the same words always give the same. */
import { once } from "../../../core/once.ts";
import { remembered } from "../../../core/recent.ts";
import { singular } from "../../lexicon/grammar.ts";
import { type Kind, lexicon } from "../../lexicon/lexicon.ts";
import { phraseWords } from "../../lexicon/tokens.ts";
import { listLines } from "../../lexicon/word_lists.ts";
import { plainText } from "../values.ts";
import headsText from "./heads.txt" with { type: "text" };

/** Words in front of a product that are not part of its name. */
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
  for (const line of listLines(headsText)) {
    const [head = "", phrases = ""] = line.split(" = ");
    for (const phrase of [head, ...phrases.split(", ")]) {
      if (phrase !== "" && !out.has(phrase)) out.set(phrase, head);
    }
  }
  return out;
});

/** The kinds that posts are read as by reviewed names, whether the lexicon has them as kinds or not. */
export const reviewedKinds = (): ReadonlySet<string> => new Set(heads().values());

/** Phrases whose names are kept: posts call the same products again and again. */
const REMEMBERED = 5_000;

/** Words that open what is said about a product: its name ends before them. */
const AFTER = /\s(?:for|with|to|that|which|in|on|from|of|at|while|when|because|instead|like|by)\s/;

/**
 * The canonical name of a product by the phrase for it: at most five words in lower case, singular
 * but for pairs, without determiners and praise in front. Kept for phrases met of late.
 */
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

/**
 * The canonical kind of thing that a phrase names: as the reviewed names or the lexicon have it, by
 * its longest end that they know, else by its last word or two. Kept for phrases met of late.
 */
export const kindNameOf = remembered(REMEMBERED, (phrase: string): string => {
  const name = nameOf(phrase);
  const words = name.split(" ");
  for (let from = 0; from < words.length; from++) {
    const rest = words.slice(from).join(" ");
    const known = heads().get(rest);
    if (known !== undefined) return known;
    const term = lexicon().terms.get(phraseWords(rest));
    if (term?.type === "kind") return calledOf(term.kind);
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

/** What people call a kind of the lexicon, which may be shorter than its name there. */
export function calledOf({ name }: Pick<Kind, "name">): string {
  return CALLED[name] ?? name;
}

/** Last words that name no kind by themselves. */
const VAGUE = new Set(
  "set kit system gear part parts case cover stand holder bag box machine tool unit device product equipment accessory mount rack filter light stuff supplies card board cable adapter"
    .split(" "),
);

/**
 * A claimed product and kind as canonical names; an empty one is made of the other. Null where no
 * letter is left.
 */
export function productName(
  product: string,
  kind: string,
): { readonly product: string; readonly kind: string } | null {
  const name = nameOf(product === "" ? kind : product);
  if (!/\p{L}/u.test(name)) return null;
  return { product: name, kind: kindNameOf(kind === "" ? name : kind) };
}
