/** The cue table (cues.txt) compiled into one graph over tokens, so that every cue is found in a single pass. */
import cueTable from "./cues.txt" with { type: "text" };
import productTable from "./products.txt" with { type: "text" };
import { listLines } from "../lexicon/word_lists.ts";
import type { Pattern } from "../types.ts";
import { hashEnd, hashWord } from "./hash.ts";
import { HashTable } from "./table.ts";
import { CUE_TOKEN_KIND, type CueTokens, MAX_TOKENS } from "./tokens.ts";

/** One line of the table: the cue's name, what part of the table it belongs to, and its vote. */
interface PhraseCue {
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

/** Longest gap `*` may span, in tokens. */
const MAX_GAP = 3;
const ANY = "*any";
/** What stands for a kind of token in a phrase, by CUE_TOKEN_KIND; nothing stands for all words. */
const KIND_KEY: readonly (string | null)[] = [null, "#", "$", "%", "^"];
const PRODUCT = "@";

/** Ways on from a node that no word leads: by the kind of a token, by a product, by anything. */
const BY_PRODUCT = Object.keys(CUE_TOKEN_KIND).length;
const BY_ANY = BY_PRODUCT + 1;
const WAYS = BY_ANY + 1;
/** What a node and a word are found by; no two share it, below 2 to the power 18 nodes. */
const edgeKey = (node: number, word: number): number => hashEnd(node << 14 | word);

/** The graph as sentences are matched against it. Its nodes are numbers, the root is 0. */
interface Graph {
  /** Cues that end at each node. */
  readonly ends: readonly (readonly number[] | null)[];
  /** `WAYS` nodes from each node; -1 for none. */
  readonly ways: Int32Array;
  /** The ways on by words, and the node that each leads to. */
  readonly edges: HashTable;
  readonly edgeEnds: Int32Array;
  /** The words of phrases and products. */
  readonly numbers: HashTable;
  readonly isProduct: Uint8Array;
}

/** All cues, in the order of cues.txt: a cue's number is its place here. */
export const CUES: PhraseCue[] = [];
const root: Node = { next: null, ends: null, shared: false, owner: -1 };
let steps = 0;
/** Words that name a kind of manufactured thing, singular or plain plural. */
const products = new Set<string>();

for (const line of listLines(productTable)) {
  for (const word of line.split(" ")) {
    products.add(word).add(`${word}es`);
    if (word.length > 2) products.add(`${word}s`);
  }
}
compile();
const { ends, ways, edges, edgeEnds, numbers, isProduct } = layOut();

/** For each of a sentence's words its number among those known, or -1. */
const known = new Int32Array(MAX_TOKENS);

/**
 * Adds 1 to `found[cue]` for every place in the sentence where the cue matches. `found` has
 * `CUES.length` elements. Bounded: from one token at most the table's longest phrase is walked.
 */
export function matchCues(tokens: CueTokens, found: Uint8Array): void {
  const { count, hashes } = tokens;
  for (let i = 0; i < count; i++) known[i] = numbers.row(hashes[i]!);
  for (let i = 0; i < count; i++) walk(0, i, tokens, found);
}

function walk(node: number, at: number, tokens: CueTokens, found: Uint8Array): void {
  const cues = ends[node]!;
  if (cues !== null) { for (const cue of cues) if (found[cue]! < 255) found[cue]!++; }
  if (at >= tokens.count) return;
  const kind = tokens.kinds[at]!;
  const word = known[at]!;
  if (word >= 0) {
    const edge = edges.row(edgeKey(node, word));
    if (edge >= 0) walk(edgeEnds[edge]!, at + 1, tokens, found);
  }
  const from = node * WAYS;
  const byKind = ways[from + kind]!;
  if (byKind >= 0) walk(byKind, at + 1, tokens, found);
  const byProduct = ways[from + BY_PRODUCT]!;
  if (byProduct >= 0 && word >= 0 && isProduct[word] === 1) {
    const isWord = kind === CUE_TOKEN_KIND.word || kind === CUE_TOKEN_KIND.name;
    if (isWord) walk(byProduct, at + 1, tokens, found);
  }
  const any = ways[from + BY_ANY]!;
  if (any >= 0 && kind !== CUE_TOKEN_KIND.mark) walk(any, at + 1, tokens, found);
}

function compile(): void {
  const sets = new Map<string, string[]>();
  for (const line of listLines(cueTable)) {
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

/** Numbers the nodes from the root on, and lays out what leads from each. */
function layOut(): Graph {
  const words = new Map<string, number>();
  const numberOf = (word: string): number => {
    const number = words.get(word) ?? words.size;
    words.set(word, number);
    return number;
  };
  const nodes = new Map<Node, number>([[root, 0]]);
  const keys: number[] = [];
  const edgeEnds: number[] = [];
  const ways: number[] = [];
  // A map goes on with what is added to it meanwhile.
  for (const [node, number] of nodes) {
    for (let way = 0; way < WAYS; way++) ways.push(-1);
    for (const [key, next] of node.next ?? []) {
      if (!nodes.has(next)) nodes.set(next, nodes.size);
      const to = nodes.get(next)!;
      const kind = KIND_KEY.indexOf(key);
      if (kind >= 0) ways[number * WAYS + kind] = to;
      else if (key === PRODUCT) ways[number * WAYS + BY_PRODUCT] = to;
      else if (key === ANY) ways[number * WAYS + BY_ANY] = to;
      else {
        keys.push(edgeKey(number, numberOf(key)));
        edgeEnds.push(to);
      }
    }
  }
  for (const word of products) numberOf(word);
  return {
    ends: Array.from(nodes.keys(), ({ ends }) => ends),
    ways: Int32Array.from(ways),
    edges: new HashTable(Int32Array.from(keys)),
    edgeEnds: Int32Array.from(edgeEnds),
    numbers: new HashTable(Int32Array.from(words.keys(), hashWord)),
    isProduct: Uint8Array.from(words.keys(), (word) => products.has(word) ? 1 : 0),
  };
}

/** Adds one phrase. Alternatives share what follows them, so that a phrase with many alternatives stays small. */
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
