/** The little English this needs: plurals, articles, and which nouns have no singular. */
import { once } from "../../core/once.ts";
import countableText from "./countable.txt" with { type: "text" };
import { listLines } from "./word_lists.ts";

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["knife", "knives"],
  ["shelf", "shelves"],
  ["scarf", "scarves"],
  ["leaf", "leaves"],
  ["mouse", "mice"],
  ["brush", "brushes"],
  ["axe", "axes"],
  ["tooth", "teeth"],
  ["foot", "feet"],
  ["loaf", "loaves"],
  ["half", "halves"],
]);
const SINGULAR_OF: ReadonlyMap<string, string> = new Map(
  [...IRREGULAR].map(([one, many]) => [many, one]),
);
/** Words that end in one of those: "bookshelf", "penknife". */
const ENDS_IRREGULAR = /^(.*)(shelf|shelves|knife|knives)$/;

/**
 * Plurals of living beings, by their ends. Words alone are turned into them, and none back: the names of kinds, which
 * ids are made of, have always kept theirs ("women").
 */
const LIVING: readonly (readonly [RegExp, string, RegExp])[] = [
  [
    /^(|wo|gentle|fisher|crafts|sales|handy|police|fire|work|sports|outdoors)man$/,
    "$1men",
    /^(?:|wo|gentle|fisher|crafts|sales|handy|police|fire|work|sports|outdoors)men$/,
  ],
  [/child$/, "children", /children$/],
  [/person$/, "people", /people$/],
  [/wife$/, "wives", /wives$/],
  [/^goose$/, "geese", /^geese$/],
  [/^calf$/, "calves", /^calves$/],
];

/** Plurals of words in "ie": "hoodies", "walkie-talkies". */
const IN_IE = /(?:hood|bean|talk|cook|smooth|brown|mov|self|bird|ones|boot|gen)ies$/;

/** Words that end like a plural and are not. */
const NOT_PLURAL = new Set(
  "glass canvas lens gas dress bass press compass mattress harness wireless cordless waterless stainless brass cutlass chess fitness business truss cross moss less class mass grass swiss access process wellness seamless strapless backless usps gps ups os pros chaos vs iris tennis kiss boss atlas chassis bias dess bidet"
    .split(" "),
);
/** Words in "us" that are plurals; all others are Latin or clipped, like "stylus" and "bus". */
const PLURAL_IN_US = /(?:men|gur|em|gn|[cgp]p|ps|sk)us$/;
/** Plural nouns that come in pairs or have no singular of their own. */
const ALWAYS_PLURAL = new Set(
  "headphones earphones jeans pants trousers shorts tights leggings boots shoes sneakers sandals slippers heels socks gloves glasses sunglasses goggles binoculars scissors pliers tweezers clippers briefs boxers pajamas sweatpants joggers chinos skis panniers speakers earbuds sheets curtains clothes insoles shoelaces keycaps dumbbells diapers groceries chopsticks tongs"
    .split(" "),
);

/** The plural of a noun phrase: its last word's. A phrase that is plural already stays as it is. */
export function plural(phrase: string): string {
  const cut = phrase.lastIndexOf(" ") + 1;
  const word = phrase.slice(cut);
  if (isPlural(word) || LIVING.some(([, , many]) => many.test(word))) return phrase;
  return phrase.slice(0, cut) + pluralWord(word);
}

function pluralWord(word: string): string {
  const [, front = "", end = word] = ENDS_IRREGULAR.exec(word) ?? [];
  const irregular = IRREGULAR.get(end);
  if (irregular !== undefined) return front + irregular;
  const living = LIVING.find(([one]) => one.test(word));
  if (living !== undefined) return word.replace(living[0], living[1]);
  if (/(?:s|x|z|ch|sh)$/.test(word)) return word + "es";
  if (/[^aeiou]y$/.test(word)) return word.slice(0, -1) + "ies";
  return word + "s";
}

/** Whether a word reads as a plural. */
export function isPlural(word: string): boolean {
  if (ALWAYS_PLURAL.has(word) || SINGULAR_OF.has(word)) return true;
  return word.length > 3 && word.endsWith("s") && !word.endsWith("ss") && !NOT_PLURAL.has(word) &&
    (!word.endsWith("us") || PLURAL_IN_US.test(word));
}

/** The singular of a noun phrase, by its last word; nouns that have none stay as they are. */
export function singular(phrase: string): string {
  const cut = phrase.lastIndexOf(" ") + 1;
  const word = phrase.slice(cut);
  if (ALWAYS_PLURAL.has(word) || !isPlural(word)) return phrase;
  return phrase.slice(0, cut) + singularWord(word);
}

function singularWord(word: string): string {
  const [, front = "", end = word] = ENDS_IRREGULAR.exec(word) ?? [];
  const irregular = SINGULAR_OF.get(end);
  if (irregular !== undefined) return front + irregular;
  if (/[^aeiou]ies$/.test(word) && word.length > 5 && !IN_IE.test(word)) {
    return word.slice(0, -3) + "y";
  }
  // "styluses", but not "blouses" nor "fuses".
  if (/(?:ss|x|z|ch|sh)es$/.test(word) || /[^o]uses$/.test(word) && word.length > 6) {
    return word.slice(0, -2);
  }
  return word.slice(0, -1);
}

/** "a" or "an", by the sound of the first word. */
export function article(phrase: string): "a" | "an" {
  const first = phrase.toLowerCase();
  // "Uninsulated" and "unimpressive" are said as they are written.
  if (/^(?:us[be]|uni(?!n|mp)|util|uku|euro|one|uv)/.test(first)) return "a";
  if (
    /^(?:ssd|nvme|led|lcd|sd card|hdmi|hd |htpc|mp3|rc |av |atx|oled|fm |x-ray|8|hour|honest|heir)/
      .test(first)
  ) {
    return "an";
  }
  // "Eleven", "eighteen hundred", "eleven thousand", but "one hundred and eighty".
  if (/^1[18](?:\d{2,3})?(?!\d)/.test(first)) return "an";
  return /^[aeiou]/.test(first) ? "an" : "a";
}

const countable = once((): ReadonlySet<string> =>
  new Set(listLines(countableText).flatMap((line) => line.split(" ")))
);

/** What opens a phrase that has an article or needs none: a measure, a quantity, a preposition, an activity. */
const NEEDS_NONE =
  /^(?:[<>~≤≥]?\d|(?:an?|the|no|all|any|both|each|every|few|more|most|many|multiple|several|some|lots|plenty|two|three|four|under|over|in|on|at|to|by|near|inside|outside|with|for|from|after|before|around|through|like|as) |[a-z]+ing )/;
/** What joins two things, of which one may be none that is counted. */
const JOINED = /[/&,+]| (?:and|or|without|with|for|of|to|in|on|that) /;

/** A noun phrase with its article, where it names one of what is counted: "a durable cable", but "good sound". */
export function oneOf(phrase: string): string {
  const last = phrase.slice(phrase.lastIndexOf(" ") + 1);
  if (!countable().has(last) || NEEDS_NONE.test(phrase) || JOINED.test(phrase)) return phrase;
  return `${article(phrase)} ${phrase}`;
}
