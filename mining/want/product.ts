/** What a post calls the product that it wants. */
import { singular } from "./grammar.ts";
import { type Kind, lexicon } from "./lexicon.ts";
import type { Mention } from "./mentions.ts";
import type { Words } from "./tokens.ts";

/** Adjectives that belong to the kind of thing, worth keeping in front of a product. */
const TELLING = new Set(
  `wireless bluetooth mechanical gaming portable electric cordless waterproof women mens womens travel running hiking camping commuter
winter summer rain leather canvas wool merino cotton silk denim raw selvedge usb smart mini folding adjustable inflatable rechargeable tactical
survival keychain ultralight lightweight external internal digital analog vintage custom outdoor indoor wall floor desk car bike road
mountain touring kids baby toddler dog cat studio acoustic ergonomic vertical minimalist trail stainless ceramic plastic
wooden glass steel titanium carbon cast french drip burr manual automatic facial face body hair beard acne liquid dry natural
mineral waist neck knee ankle wrist slim skinny work business formal dress casual backpacking bathroom kitchen office computer phone
laptop tablet guitar camera home tenkeyless ultra`.split(/\s+/),
);

/**
 * The product as the post calls it: the words of its heaviest mention with the adjectives that tell its
 * kind, singular; the canonical name where the post only names a brand, a model, an abbreviation or one
 * ambiguous word.
 */
export function productPhrase(words: Words, kind: Kind, mention: Mention | null): string {
  if (mention === null) return called(kind);
  const raw = words.word.slice(mention.start, mention.end).join(" ");
  const named = kind.plural ? raw : singular(raw);
  const telling = lexicon().kinds.has(kind.name)
    ? !mention.chosen && lexicon().shown.has(named)
    : true;
  return withAdjectives(words, mention, telling ? spelled(named) : called(kind));
}

/** What people call a kind whose name is short for the sake of keys. */
const CALLED: Readonly<Record<string, string>> = {
  earphones: "in-ear headphones",
  phone: "smartphone",
};

function called(kind: Kind): string {
  return CALLED[kind.name] ?? kind.name;
}

/** Hyphens that splitting into words has taken. */
const SPELLED: Readonly<Record<string, string>> = {
  "t shirt": "t-shirt",
  "e reader": "e-reader",
  "u lock": "u-lock",
  "pre workout": "pre-workout supplement",
  "washer dryer": "washer and dryer",
  "e bike": "e-bike",
  "multi tool": "multi-tool",
  "pull up bar": "pull-up bar",
  "in ear headphones": "in-ear headphones",
  "blu ray player": "blu-ray player",
  "single board computer": "single-board computer",
};

function spelled(phrase: string): string {
  return SPELLED[phrase] ?? phrase.replace(/\busb c\b/, "usb-c");
}

function withAdjectives(words: Words, mention: Mention, name: string): string {
  const own = new Set(name.split(/[ -]/));
  const front: string[] = [];
  for (let i = mention.start - 1; i >= Math.max(0, mention.start - 2); i -= 1) {
    const word = words.word[i] ?? "";
    if (words.breakAfter[i] === true || !TELLING.has(word) || own.has(word)) break;
    front.unshift(word === "womens" ? "women's" : word === "mens" ? "men's" : word);
  }
  // "wall for speakers", "cat boots": an adjective that repeats another kind's noun is left out.
  return [...front, name].join(" ");
}
