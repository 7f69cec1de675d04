/** What is wanted of a product, as a phrase around its name: built from the type and the form of the value. */
import type { FactType } from "../extract/types.ts";
import { isPlural, oneOf, plural } from "../lexicon/grammar.ts";
import { lexicon } from "../lexicon/lexicon.ts";
import { phraseWords } from "../lexicon/tokens.ts";
import type { Stated } from "../opportunities/facts.ts";
import { type Noun, spelled, withArticle } from "./text_noun.ts";

/** What stands before and after the product's name. */
interface Around {
  readonly before?: string;
  readonly after?: string;
}

/** Endings of adjectives and participles that stand before a noun. */
const ADJECTIVE =
  /(?:able|ible|proof|lit|less|free|ful|ous|ive|ic|ical|al|ed|ant|ent|ary|y|ier|est|safe|resistant|friendly|ready|back|ear|handed|sized?|size|length|style|shaped|weight|duty|cut|fit|quiet|light|small|large|big|thin|thick|soft|warm|cool|cheap|fast|slow|strong|simple|discreet|compact|wide|narrow|tall|short|long|high|low|loud|dark|bright|black|white|red|blue|green|brown|grey|gray|pink|open|closed|flat|round|square|clear|tight|loose|modern|vintage|smart|wired|analog|digital|manual|electric|solid|rigid|fixed|full|dual|double|single|mini|portable|stainless|made|grade)$/;
/** Endings of nouns that ADJECTIVE takes for adjectives. */
const NOUN_AFTER_ALL =
  /(?:battery|quality|capacity|capability|ability|stability|flexibility|visibility|density|delivery|display|key|keys|body|assembly|history|control|signal|metal|terminal|bed|speed|feed|music|graphic|fabric|logic|\bmic|alarm|area|material|cushion|backlight|backlighting|handle|\bcable|\btable|drive|weave|valve|sleeve|guarantee|warranty|memory|library|accessory|supply|dial|pedal|panel|vinyl)$/;
const VERB =
  /^(?:lasts|holds|fits|works|stays|keeps|looks|feels|comes|folds|runs|has|does|stands|takes|makes|sounds|smells|tastes|covers|charges|supports|plays|handles|heats|cools|dries|cleans|cuts|opens|closes|locks|packs|wears|ages|breaks|washes|survives|shows|goes|sits|turns|plugs|lies|uses|needs|allows|gives|stops|counts|rolls|resists|drains|sheds|reaches|seals|won't|doesn't|don't|can|cannot|can't|will)\b/;
const MEASURE = /^[<>~≤≥]?\s?\d/;

/** A number of things: "two monitors". */
const SEVERAL = /^(?:two|three|four|five|six|seven|eight|nine|ten) /;

/**
 * A noun with what is wanted of it, by the type and the form of each value: "headphones for
 * running", "a quiet keyboard for gaming", "earbuds that last years".
 */
export function wantPhrase(noun: Noun, want: Stated, narrowedBy: Stated | null = null): string {
  const parts = [want, ...narrowedBy === null ? [] : [narrowedBy]]
    .map(({ type, value }) => around(noun, type, value));
  const name = noun.bare.toLowerCase().split(" ");
  const before = parts.flatMap((part) => part.before?.split(" ") ?? [])
    .filter((word) => !name.includes(word.toLowerCase())).join(" ");
  const after = parts.flatMap((part) => part.after ?? []);
  // "with a USB port and with long battery life" has one "with".
  const [first = "", second] = after;
  const joined = second === undefined
    ? first
    : /^with /.test(first) && /^with /.test(second)
    ? `${first} and ${second.slice("with ".length)}`
    : /^(?:that|whose) /.test(first) && /^(?:that|whose) /.test(second)
    ? `${first} and ${second}`
    : `${first} ${second}`;
  const phrase = withArticle(noun, before);
  return joined === "" ? phrase : `${phrase} ${joined}`;
}

function around(noun: Noun, type: FactType, value: string): Around {
  const words = spelled(value);
  switch (type) {
    case "use":
      return { after: `for ${oneOf(words)}` };
    case "user":
      return { after: `for ${people(words)}` };
    case "compat":
      return /^(?:fits|works with) /.test(value)
        ? { after: `that ${agreeing(noun, words)}` }
        : { after: `${noun.number === "plural" ? "that work" : "that works"} with ${words}` };
    case "problem":
      return { after: `with “${words}”` };
    default:
      return attribute(noun, words);
  }
}

/** A property or a part, by the form of its words. */
function attribute(noun: Noun, words: string): Around {
  if (/^(?:no|without|non) /.test(words)) {
    return { after: `without ${words.replace(/^(?:no|without|non) /, "")}` };
  }
  if (VERB.test(words)) return { after: `that ${agreeing(noun, words)}` };
  // Several of another product are not in the box: they go with what is bought.
  if (SEVERAL.test(words) && namesProduct(words)) return { after: `for ${words}` };
  const several = noun.number === "plural";
  if (describes(words)) return { after: `that ${several ? "are" : "is"} ${words}` };
  if (/^not [a-z]+(?<!ing)\b/.test(words)) {
    return { after: `that ${several ? "do" : "does"} ${words}` };
  }
  if (/^[a-z]+ing$|(?:cancell?|look|fitt)ing$/.test(words)) return { before: words };
  if (MEASURE.test(words) && words.split(" ").length <= 3) return { before: words };
  if (isAdjective(words) || /^(?:low|high) [a-z]+$/.test(words)) return { before: words };
  return { after: `with ${oneOf(words)}` };
}

/** Whether the words end in what a product is called. */
function namesProduct(words: string): boolean {
  const all = phraseWords(words);
  return lexicon().terms.all(all, []).some(({ end }) => end === all.length);
}

/** Whether the words say of a thing how it is, and stand after it: "easy to open", "not orthopedic". */
const describes = (words: string): boolean =>
  /^(?:not|too) |\b(?:to|for|in|on|at|with|than|enough)\b/.test(words) &&
  isAdjective(words.replace(/^(?:not|too) /, "").split(" ")[0] ?? "");

/**
 * A thing that is asked for besides, as a clause of "they …": `lead` is what stands before the
 * value ("want them for", "ask for"), `words` the value as it stands there.
 */
export function askedAlso(
  noun: Noun,
  { type, value }: Stated,
): { readonly lead: string; readonly words: string } {
  const words = spelled(value);
  const it = noun.number === "plural" ? "them" : "it";
  if (type !== "problem" && VERB.test(words)) {
    const they = noun.number === "plural" ? "they" : "it";
    return { lead: `ask that ${they}`, words: agreeing(noun, words) };
  }
  if (type === "use") return { lead: `want ${it} for`, words: oneOf(words) };
  if (type === "compat") {
    return { lead: `want ${it} to work with`, words: words.replace(/^works with /, "") };
  }
  const isOne = !MEASURE.test(words) && !/^(?:no|without|non) /.test(words) &&
    (describes(words) || isAdjective(words) || /^[a-z]+ing$/.test(words));
  return isOne && (type === "attribute" || type === "spec")
    ? { lead: `want ${it}`, words }
    : { lead: "ask for", words: oneOf(words) };
}

/** Whether the words can stand before a noun, by the ending of the last. */
function isAdjective(words: string): boolean {
  const last = words.slice(words.lastIndexOf(" ") + 1).toLowerCase();
  return ADJECTIVE.test(last) && !NOUN_AFTER_ALL.test(last) && !isPlural(last);
}

/**
 * A value of the type user as people: "beginners", "people with wide feet", "left-handed people".
 */
export function people(words: string): string {
  const last = words.slice(words.lastIndexOf(" ") + 1);
  if (/\d.*\b(?:tall|old|years?|lbs?|kg|cm|inch(?:es)?)$/.test(words) || MEASURE.test(words)) {
    return `people of ${words}`;
  }
  if (/ (?:impaired|challenged|handed)$/.test(words)) return `${words} people`;
  if (/(?:er|or|ist|ian|ete)$/.test(last) && !isPlural(last)) return plural(words);
  if (isPlural(last) || /(?:skin|hair|feet|teeth|people|men|women|children)$/.test(last)) {
    return words;
  }
  if (
    /(?:er|or|ist|ian|ent|ete|girl|boy|dog|cat|kid|son|person|man|woman|child|baby|infant|adult|teen|wife|husband|mother|father|mom|dad|friend|newbie|novice)$/
      .test(last)
  ) {
    return plural(words);
  }
  if (/^[a-z]+ing\b/.test(words)) return `people ${words}`;
  return isAdjective(words) ? `${words} people` : words;
}

/** "lasts years" of one, "last years" of several. */
function agreeing(noun: Noun, words: string): string {
  if (noun.number !== "plural") return words;
  const [verb = "", ...rest] = words.split(" ");
  return [base(verb), ...rest].join(" ");
}

const IRREGULAR: Readonly<Record<string, string>> = {
  has: "have",
  does: "do",
  is: "are",
  goes: "go",
  "doesn't": "don't",
};

/** The verb without its third person's ending. */
function base(verb: string): string {
  if (IRREGULAR[verb] !== undefined) return IRREGULAR[verb];
  if (/(?:ch|sh|ss|x|zz)es$/.test(verb)) return verb.slice(0, -2);
  if (/[^aeiou]ies$/.test(verb)) return `${verb.slice(0, -3)}y`;
  return /[^su]s$/.test(verb) ? verb.slice(0, -1) : verb;
}
