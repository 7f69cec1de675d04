import { singular } from "./grammar.ts";
import type { Kind } from "./lexicon.ts";
import type { Mention } from "./mentions.ts";
import type { Words } from "./tokens.ts";

/** Adjectives that belong to the kind of thing, worth keeping in front of a product. */
const TELLING = new Set(
  `wireless bluetooth mechanical gaming portable electric cordless waterproof women mens womens men travel running hiking camping commuter
winter summer rain leather canvas wool merino cotton silk denim raw selvedge usb smart mini folding adjustable inflatable rechargeable tactical
survival keychain edc ultralight lightweight external internal digital analog vintage custom outdoor indoor wall floor desk car bike road
mountain touring kids baby toddler dog cat closed open studio acoustic ergonomic vertical minimalist trail stainless ceramic plastic
wooden glass steel titanium carbon cast french pour drip burr manual automatic facial face body hair beard acne liquid dry natural
mineral waist neck knee ankle wrist high heavy duty plus size slim skinny work business formal dress casual home theater wide noise
cancelling canceling isolating ear over on`.split(/\s+/),
);

/**
 * The product as the post calls it: the words of its heaviest mention with the adjectives that tell its
 * kind, singular; the canonical name where the post only names a brand, or one ambiguous word.
 */
export function productPhrase(words: Words, kind: Kind, mention: Mention | null): string {
  if (mention === null || (mention.chosen && mention.end - mention.start === 1)) {
    return withAdjectives(words, mention, kind.name);
  }
  const named = words.word.slice(mention.start, mention.end).join(" ");
  return withAdjectives(words, mention, kind.plural ? named : singular(named));
}

function withAdjectives(words: Words, mention: Mention | null, name: string): string {
  if (mention === null) return name;
  const own = new Set(name.split(/[ -]/));
  const front: string[] = [];
  for (let i = mention.start - 1; i >= Math.max(0, mention.start - 2); i -= 1) {
    const word = words.word[i] ?? "";
    if (words.breakAfter[i] === true || !TELLING.has(word) || own.has(word)) break;
    front.unshift(word === "womens" ? "women's" : word === "mens" ? "men's" : word);
  }
  while (front[0] === "on" || front[0] === "over" || front[0] === "high" || front[0] === "wide") {
    front.shift();
  }
  return [...front, name].join(" ");
}
