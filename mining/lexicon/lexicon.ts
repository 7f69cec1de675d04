/** The word lists of kinds, ambiguous words and brands, parsed. */
import kindsText from "./kinds.txt" with { type: "text" };
import sensesText from "./senses.txt" with { type: "text" };
import insideText from "./inside.txt" with { type: "text" };
import brandsText from "./brands.txt" with { type: "text" };
import { isPlural, plural, singular } from "./grammar.ts";
import { PhraseBook } from "./phrases.ts";
import { phraseWords } from "./tokens.ts";
import { listLines } from "./word_lists.ts";
import { once } from "../../core/once.ts";

/** A kind of product as the lexicon knows it. */
export interface Kind {
  readonly name: string;
  readonly category: string;
  /** A plural noun ("jeans"). */
  readonly plural: boolean;
  /** A mass noun ("sunscreen"), or of a family that is called by one ("bracelet", of jewelry). */
  readonly mass: boolean;
  /** Of a family: its marks are the family's, and say little of its own name. */
  readonly member: boolean;
}

/** One meaning of an ambiguous word; `kind` null: no product. */
export interface Sense {
  readonly kind: Kind | null;
  /** Words that speak for it; none of a meaning that is taken where nothing speaks for another one. */
  readonly context: readonly string[];
}

/** What a phrase of the lexicon stands for. */
export type LexiconTerm =
  | { readonly type: "kind"; readonly kind: Kind; readonly phrase: string }
  | { readonly type: "senses"; readonly senses: readonly Sense[] }
  | { readonly type: "brand"; readonly brand: LexiconBrand };

/** A brand, in its usual spelling. */
interface LexiconBrand {
  readonly name: string;
  /** What a post that names only the brand means. */
  readonly kinds: readonly Kind[];
}

/** The parsed word lists. */
interface Lexicon {
  readonly terms: PhraseBook<LexiconTerm>;
  readonly kinds: ReadonlyMap<string, Kind>;
  readonly brands: ReadonlyMap<string, LexiconBrand>;
  /** By a phrase without spaces ("mechanicalkeyboards"), for the names of communities. */
  readonly joined: ReadonlyMap<string, Kind>;
  /** All names that kinds.txt has for a kind. */
  readonly names: ReadonlyMap<string, readonly string[]>;
  /** Kinds that senses.txt and brands.txt name and kinds.txt lacks: none, unless a list is wrong. */
  readonly unknown: readonly string[];
  /** Phrases that name a product to anybody: no brands, models or abbreviations. */
  readonly shown: ReadonlySet<string>;
}

function list(text: string): readonly string[] {
  return text.split(",").map((part) => part.trim()).filter((part) => part !== "");
}

/** Both numbers of a phrase. A single plural word has only itself: "cans" are no "can". */
function forms(words: readonly string[]): readonly (readonly string[])[] {
  const last = words.at(-1);
  if (last === undefined) return [];
  const front = words.slice(0, -1);
  const other = isPlural(last) ? (front.length === 0 ? last : singular(last)) : plural(last);
  return other === last ? [words] : [words, [...front, other]];
}

/** Words that make a phrase one for insiders: brands, models, abbreviations, and no names of things. */
const INSIDE: ReadonlySet<string> = new Set(insideText.split(/\s+/));

class Builder implements Lexicon {
  readonly terms = new PhraseBook<LexiconTerm>();
  readonly kinds = new Map<string, Kind>();
  readonly brands = new Map<string, LexiconBrand>();
  readonly joined = new Map<string, Kind>();
  readonly shown = new Set<string>();
  readonly names = new Map<string, readonly string[]>();
  readonly unknown: string[] = [];

  term(phrase: string, term: LexiconTerm): void {
    for (const words of forms(phraseWords(phrase))) {
      this.terms.add(words, term);
      const joined = words.join("");
      if (term.type === "kind" && joined.length > 4 && !this.joined.has(joined)) {
        this.joined.set(joined, term.kind);
      }
      // "sleepingbag", but not "sam e", which would be "same".
      if (words.length === 2 && words.every((word) => word.length > 2)) {
        this.terms.add([joined], term);
      }
    }
  }

  kindLine(line: string, category: string): () => void {
    const [left = "", right = ""] = line.split("=");
    const name = left.trim().replace(/[*~+]+$/, "");
    const marks = left.trim().slice(name.length);
    const kind: Kind = {
      name,
      category,
      plural: marks.includes("*"),
      mass: marks.includes("~"),
      member: false,
    };
    this.kinds.set(name, kind);
    const family = marks.includes("+");
    if (!family) this.names.set(name, list(right));
    const terms = list(right).map((phrase): LexiconTerm => {
      return { type: "kind", kind: family ? this.member(kind, phrase) : kind, phrase };
    });
    terms.unshift({ type: "kind", kind, phrase: name });
    this.show(terms, family);
    return () => {
      for (const term of terms) if (term.type === "kind") this.term(term.phrase, term);
    };
  }

  /**
   * A phrase is shown when it is one full word ("parka"), or ends like the kind's name, or like two other
   * names of the kind; brands, models and abbreviations ("lamy 2000", "iem") are not.
   */
  show(terms: readonly LexiconTerm[], family: boolean): void {
    const heads = new Map<string, number>();
    const phrases = terms.flatMap((term) => term.type === "kind" ? [term.phrase] : []);
    const head = (words: readonly string[]) => singular(words.at(-1) ?? "");
    for (const phrase of phrases) {
      const words = phraseWords(phrase);
      if (words.length > 1 || phrase === phrases[0]) {
        heads.set(head(words), (heads.get(head(words)) ?? 0) + (phrase === phrases[0] ? 2 : 1));
      }
    }
    for (const phrase of phrases) {
      const words = phraseWords(phrase);
      const plain = !words.some((word) => /\d/.test(word) || INSIDE.has(word));
      const word = words.length === 1 && phrase.length > 4;
      if (!plain || (!family && !word && (heads.get(head(words)) ?? 0) < 2)) continue;
      for (const form of forms(words)) this.shown.add(form.join(" "));
    }
  }

  member(family: Kind, phrase: string): Kind {
    const name = singular(phrase);
    const known = this.kinds.get(name);
    if (known !== undefined) return known;
    const plural = isPlural(name.slice(name.lastIndexOf(" ") + 1));
    const kind = { ...family, name, plural, mass: family.mass && !plural, member: true };
    this.kinds.set(name, kind);
    return kind;
  }

  known(name: string): Kind | null {
    const kind = this.kinds.get(name) ?? null;
    if (kind === null) this.unknown.push(name);
    return kind;
  }

  /** Adds the word as the line spells it; gives what adds its other number, which another line may spell. */
  senseLine(line: string): () => void {
    const [word = "", right = ""] = line.split("=").map((part) => part.trim());
    const senses = right.split("|").map((part): Sense => {
      const [name = "", context = ""] = part.split(":").map((piece) => piece.trim());
      const kind = name === "-" ? null : this.known(name);
      // A word does not count as its own context.
      const words = context.split(/\s+/).map((near) => {
        const [spelled, ...more] = phraseWords(near);
        return more.length === 0 ? spelled ?? "" : near;
      }).filter((near) => near !== "" && near !== word);
      return { kind, context: words };
    });
    const term: LexiconTerm = { type: "senses", senses };
    this.terms.add(phraseWords(word), term);
    return () => this.term(word, term);
  }

  brandLine(line: string): void {
    const [names = "", right = ""] = line.split("=");
    const spellings = list(names);
    const name = spellings[0] ?? "";
    const kinds = list(right).flatMap((kind) => this.known(kind) ?? []);
    const brand: LexiconBrand = { name, kinds };
    this.brands.set(name, brand);
    const [only, ...others] = kinds;
    for (const spelling of spellings) {
      const words = phraseWords(spelling);
      this.terms.add(words, { type: "brand", brand });
      const joined = words.join("");
      if (only === undefined || others.length > 0 || this.joined.has(joined)) continue;
      this.joined.set(joined, only);
    }
  }
}

function build(): Lexicon {
  const builder = new Builder();
  let category = "";
  const later: (() => void)[] = [];
  for (const line of listLines(kindsText)) {
    if (line.startsWith("[")) category = line.slice(1, -1);
    else later.push(builder.kindLine(line, category));
  }
  // Ambiguous words first: their meanings outrank a plain entry of the same spelling.
  for (const add of listLines(sensesText).map((line) => builder.senseLine(line))) add();
  for (const add of later) add();
  for (const line of listLines(brandsText)) builder.brandLine(line);
  return builder;
}

/**
 * The word lists of this folder, parsed at the first use: that takes a tenth of a second, which a process
 * that only starts to serve should not wait for.
 */
export const lexicon: () => Lexicon = once(build);
