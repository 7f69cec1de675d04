/** The cue table (cues.txt) compiled into one graph over tokens, so that every cue is found in a single pass. */
import cueTable from "./cues.txt" with { type: "text" };
import productTable from "./products.txt" with { type: "text" };
import type { Pattern } from "../types.ts";
import { CUE_TOKEN_KIND, type CueTokens } from "./tokens.ts";

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

/** Longest gap `*` may span, in tokens. */
const MAX_GAP = 3;
const ANY = "*any";
const KIND_KEY = ["", "#", "$", "%", "^", "<link>", ""];
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

/**
 * Adds 1 to `found[cue]` for every place in the sentence where the cue matches. `found` has
 * `CUES.length` elements. Bounded: from one token at most the table's longest phrase is walked.
 */
export function matchCues(tokens: CueTokens, found: Uint8Array): void {
  const { words, kinds } = tokens;
  const n = words.length;
  const product = new Uint8Array(n);
  for (let i = 0; i < n; i++) {
    if (kinds[i] === CUE_TOKEN_KIND.word || kinds[i] === CUE_TOKEN_KIND.name) {
      product[i] = products.has(words[i]!) ? 1 : 0;
    }
  }
  for (let i = 0; i < n; i++) walk(root, i);

  function walk(node: Node, at: number): void {
    if (node.ends !== null) { for (const cue of node.ends) if (found[cue]! < 255) found[cue]!++; }
    if (node.next === null || at >= n) return;
    const exact = node.next.get(words[at]!);
    if (exact !== undefined) walk(exact, at + 1);
    const kind = kinds[at]!;
    const key = KIND_KEY[kind]!;
    if (key !== "" && kind !== CUE_TOKEN_KIND.link) {
      const byKind = node.next.get(key);
      if (byKind !== undefined) walk(byKind, at + 1);
    }
    if (product[at] === 1) {
      const byProduct = node.next.get(PRODUCT);
      if (byProduct !== undefined) walk(byProduct, at + 1);
    }
    if (kind !== CUE_TOKEN_KIND.mark) {
      const any = node.next.get(ANY);
      if (any !== undefined) walk(any, at + 1);
    }
  }
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
