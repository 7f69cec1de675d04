/** The cue table (cues.txt) compiled into one graph over tokens, so that every cue is found in a single pass. */
import cueTable from "./cues.txt" with { type: "text" };
import productTable from "./products.txt" with { type: "text" };
import type { Pattern } from "../types.ts";
import { hashWord } from "./hash.ts";
import { HashTable } from "./table.ts";
import { CUE_TOKEN_KIND, type CueTokens, MAX_TOKENS } from "./tokens.ts";

/** One line of the table: the cue's name, what part of the table it belongs to, and its vote. */
export interface PhraseCue {
  readonly name: string;
  readonly family: string;
  readonly vote: number;
}

/**
 * The first part of a cue's name in cues.txt, by the pattern that it speaks for. The order numbers features of the
 * trained weights: a new pattern goes to the end.
 */
export const CUE_FAMILY = {
  repeat_failure: "repeat",
  replacement_hunt: "replace",
  unmet_need: "unmet",
  willingness_to_pay: "pay",
  alternative_seeking: "alt",
  workaround: "work",
  recommendation_request: "rec",
  frustration: "frus",
} as const satisfies Record<Pattern, string>;

interface Node {
  next: Map<string, Node> | null;
  /** Cues that end here. */
  ends: number[] | null;
  /** Whether more than one edge leads here: another phrase then works on a copy. */
  shared: boolean;
  /** The step of a phrase that made this node, and may add edges to it while it lasts. */
  owner: number;
}

/** A node as sentences are matched against it: one thing to ask for each way on. */
interface Step {
  readonly ends: readonly number[] | null;
  /** By the numbers of words. */
  readonly words: Map<number, Step>;
  /** By the kind of token. */
  readonly kinds: readonly (Step | undefined)[];
  readonly product: Step | undefined;
  readonly any: Step | undefined;
}

/** Longest gap `*` may span, in tokens. */
const MAX_GAP = 3;
const ANY = "*any";
/** What stands for a kind of token in a phrase, by CUE_TOKEN_KIND. */
const KIND_KEY = ["", "#", "$", "%", "^"];
const PRODUCT = "@";

/** All cues, in the order of the table: a cue's number is its place here. */
export const CUES: PhraseCue[] = [];
const root: Node = { next: null, ends: null, shared: false, owner: -1 };
let steps = 0;
/** Words that name a kind of manufactured thing, singular or plain plural. */
const products = new Set<string>();

for (const line of productTable.split("\n")) {
  if (line.startsWith("#")) continue;
  for (const word of line.split(" ")) {
    if (word === "") continue;
    products.add(word).add(`${word}es`);
    if (word.length > 2) products.add(`${word}s`);
  }
}
compile();
/** The words of phrases and of products, numbered. */
const words = new Map<string, number>();
const start = stepOf(root, new Map());
for (const word of products) numberOf(word);
const numbers = new HashTable(Int32Array.from(words.keys(), hashWord));
const isProduct = Uint8Array.from(words.keys(), (word) => products.has(word) ? 1 : 0);

/** For each of a sentence's words its number among those known, or -1. */
const known = new Int32Array(MAX_TOKENS);

/**
 * Adds 1 to `found[cue]` for every place in the sentence where the cue matches. `found` has
 * `CUES.length` elements. Bounded: from one token at most the table's longest phrase is walked.
 */
export function matchCues(tokens: CueTokens, found: Uint8Array): void {
  const { count, hashes } = tokens;
  for (let i = 0; i < count; i++) known[i] = numbers.row(hashes[i]!);
  for (let i = 0; i < count; i++) walk(start, i, tokens, found);
}

function walk(step: Step, at: number, tokens: CueTokens, found: Uint8Array): void {
  const { ends, words, kinds, product, any } = step;
  if (ends !== null) { for (const cue of ends) if (found[cue]! < 255) found[cue]!++; }
  if (at >= tokens.count) return;
  const kind = tokens.kinds[at]!;
  const word = known[at]!;
  if (word >= 0) {
    const exact = words.get(word);
    if (exact !== undefined) walk(exact, at + 1, tokens, found);
  }
  const ofKind = kinds[kind];
  if (ofKind !== undefined) walk(ofKind, at + 1, tokens, found);
  if (product !== undefined && word >= 0 && isProduct[word] === 1) {
    const isWord = kind === CUE_TOKEN_KIND.word || kind === CUE_TOKEN_KIND.name;
    if (isWord) walk(product, at + 1, tokens, found);
  }
  if (any !== undefined && kind !== CUE_TOKEN_KIND.mark) walk(any, at + 1, tokens, found);
}

function compile(): void {
  const sets = new Map<string, string[]>();
  for (const line of cueTable.split("\n")) {
    if (line === "" || line.startsWith("# ")) continue;
    if (line.startsWith("{")) {
      const [name, ...words] = line.split(" ");
      sets.set(name!, words.join(" ").split("/"));
      continue;
    }
    const [name, vote, ...rest] = line.split(" ");
    const cue = CUES.length;
    CUES.push({ name: name!, family: name!.slice(0, name!.indexOf(".")), vote: Number(vote) });
    for (const phrase of rest.join(" ").split(";")) add(phrase.trim().split(" "), sets, cue);
  }
}

/** The step of a node, made once. */
function stepOf(node: Node, made: Map<Node, Step>): Step {
  const known = made.get(node);
  if (known !== undefined) return known;
  const byWord = new Map<number, Step>();
  const next = (key: string): Step | undefined => {
    const child = node.next?.get(key);
    return child === undefined ? undefined : stepOf(child, made);
  };
  const step: Step = {
    ends: node.ends,
    words: byWord,
    kinds: KIND_KEY.map(next),
    product: next(PRODUCT),
    any: next(ANY),
  };
  made.set(node, step);
  for (const word of node.next?.keys() ?? []) {
    if (word === PRODUCT || word === ANY || KIND_KEY.includes(word)) continue;
    byWord.set(numberOf(word), next(word)!);
  }
  return step;
}

function numberOf(word: string): number {
  const number = words.get(word) ?? words.size;
  words.set(word, number);
  return number;
}

/** Adds one phrase. Alternatives share what follows them, so that a phrase of many is no larger than its parts. */
function add(elements: string[], sets: Map<string, string[]>, cue: number): void {
  let at: Set<Node> = new Set([root]);
  for (const element of elements) {
    if (element === "") continue;
    const optional = element.startsWith("~");
    const after = new Set<Node>(optional ? at : []);
    if (element === "*") {
      let gap = at;
      for (let i = 0; i < MAX_GAP; i++) {
        for (const node of gap) after.add(node);
        gap = step(gap, [ANY]);
      }
      for (const node of gap) after.add(node);
    } else {
      const words = element.slice(optional ? 1 : 0).split("/").flatMap((word) =>
        sets.get(word) ?? [word]
      );
      for (const node of step(at, words)) after.add(node);
    }
    at = after;
  }
  for (const node of at) {
    if (node === root) continue;
    node.ends ??= [];
    if (!node.ends.includes(cue)) node.ends.push(cue);
  }
}

/** Follows the words from every node, and returns nodes that only this phrase leads to or may change. */
function step(from: Set<Node>, words: string[]): Set<Node> {
  const id = steps++;
  const old: Node[] = [];
  const copies = new Map<Node, Node>();
  let fresh: Node | null = null;
  // The furthest nodes first: a copy of one of them, made for a nearer node, then has its edges.
  for (const node of [...from].reverse()) {
    node.next ??= new Map();
    for (const word of words) {
      const child = node.next.get(word);
      if (child === undefined) {
        if (fresh === null) fresh = { next: null, ends: null, shared: false, owner: id };
        else fresh.shared = true;
        node.next.set(word, fresh);
      } else if (child.shared && child.owner !== id) {
        let copy = copies.get(child);
        if (copy === undefined) {
          copy = {
            next: child.next === null ? null : new Map(child.next),
            ends: child.ends === null ? null : [...child.ends],
            shared: false,
            owner: id,
          };
          for (const grandchild of child.next?.values() ?? []) grandchild.shared = true;
          copies.set(child, copy);
        } else copy.shared = true;
        node.next.set(word, copy);
        old.push(copy);
      } else if (child !== fresh) old.push(child);
    }
  }
  return new Set(fresh === null ? old.reverse() : [...old.reverse(), fresh]);
}
