/**
 * The weights of the built-in reader as they are shipped, made by `deno task train`: one text file for reading facts,
 * one for choosing the product (`product/weights.txt`).
 */
import { Buffer } from "node:buffer";
import { inflateRawSync } from "node:zlib";
import { Lexemes } from "../classify/lexemes.ts";
import type { ProductWeights } from "./product/choice.ts";
import { Gist, type GistTable } from "./product/gist.ts";
import { Shelves } from "./product/shelves.ts";
import type { SpanDecision } from "./spans/choose.ts";
import { SpanReader, type SpanWeights } from "./spans/spans.ts";
import { StackedReader } from "./spans/stacking.ts";
import { Tagger, type TaggerWeights } from "./tagger.ts";

/** What the certainty that a post is demand is computed of (`gateFeatures`). */
interface GateWeights {
  readonly weights: readonly number[];
}

/** An array of a file of weights: `length` values of a type. */
export interface Section {
  readonly name: string;
  readonly type: "i8" | "u8" | "u16" | "i32" | "f32";
  readonly length: number;
}

/** What a file says of its arrays, in its first line after its note. */
interface Sections {
  readonly sections: readonly Section[];
}

/** The first line, after the note, of the file for facts. */
export interface Header extends Sections {
  readonly dims: number;
  readonly hidden: number;
  readonly taggerScale: number;
  readonly spanScale: number;
  readonly wantedScale: number;
  /** Hidden units of the third look. */
  readonly stackHidden: number;
  readonly decision: SpanDecision;
  readonly gate: GateWeights;
}

/** The first line, after the note, of the file for products. */
export interface ProductHeader extends Sections {
  readonly gist: Pick<GistTable, "dims" | "wordScale" | "kindScale">;
  readonly product: ProductWeights;
}

/** The texts of both files. */
export interface ReaderFiles {
  readonly facts: string;
  readonly product: string;
}

const ARRAYS = {
  i8: Int8Array,
  u8: Uint8Array,
  u16: Uint16Array,
  i32: Int32Array,
  f32: Float32Array,
} as const;

/** Keys from the steps between them, which stand byte by byte: all lowest bytes first. */
function keysOf(steps: Uint8Array): Int32Array {
  const n = steps.length / 4;
  let key = -2147483648;
  return Int32Array.from({ length: n }, (_, i) => {
    for (let b = 3, step = 0; b >= 0; b--) {
      step = step * 256 + steps[b * n + i]!;
      if (b === 0) key += step;
    }
    return key;
  });
}

/** A file's first line, and its arrays by name and type. */
function unpacked<H extends Sections>(text: string) {
  const [, head = "", data = ""] = text.split("\n");
  const header: H = JSON.parse(head);
  const packed = inflateRawSync(Buffer.from(data, "base64"));
  const bytes = new Uint8Array(packed).slice();
  const arrays = new Map<string, InstanceType<(typeof ARRAYS)[Section["type"]]>>();
  let at = 0;
  for (const { name, type, length } of header.sections) {
    const size = length * ARRAYS[type].BYTES_PER_ELEMENT;
    arrays.set(name, new ARRAYS[type](bytes.slice(at, at + size).buffer));
    at += size;
  }
  const ofType = <T extends Section["type"]>(name: string, type: T) => {
    const array = arrays.get(name);
    const wanted = ARRAYS[type];
    if (!(array instanceof wanted)) throw new Error(`the weights hold no ${name}`);
    return array as InstanceType<(typeof ARRAYS)[T]>;
  };
  return { header, ofType };
}

/** The built-in reader's weights, unpacked. */
export class ReaderModel {
  readonly product: ProductWeights;
  readonly header: Header;
  readonly lexemes: Lexemes;
  readonly tagger: Tagger;
  readonly spans: SpanReader;
  readonly stack: StackedReader;
  readonly shelves: Shelves;
  readonly gist: Gist;

  constructor({ facts, product }: ReaderFiles) {
    const { header, ofType } = unpacked<Header>(facts);
    const { dims } = header;
    this.header = header;
    this.lexemes = new Lexemes({
      keys: ofType("wordKeys", "i32"),
      classes: ofType("wordClasses", "u16"),
      traits: ofType("wordTraits", "u8"),
      vectors: ofType("wordVectors", "i8"),
      dims,
      forms: ofType("forms", "i32"),
      phrases: ofType("phrases", "i32"),
    });
    const tagger: TaggerWeights = {
      keys: keysOf(ofType("taggerKeys", "u8")),
      values: ofType("taggerValues", "i8"),
      scale: header.taggerScale,
      transitions: ofType("transitions", "f32"),
    };
    this.tagger = new Tagger(tagger);
    const spans: SpanWeights = {
      keys: keysOf(ofType("spanKeys", "u8")),
      values: ofType("spanValues", "i8"),
      scale: header.spanScale,
      hidden: header.hidden,
      first: ofType("first", "f32"),
      second: ofType("second", "f32"),
      wanted: ofType("wanted", "i8"),
      wantedScale: header.wantedScale,
    };
    this.spans = new SpanReader(spans, dims);
    this.stack = new StackedReader({
      hidden: header.stackHidden,
      first: ofType("stackFirst", "f32"),
      second: ofType("stackSecond", "f32"),
    });
    const { header: chosen, ofType: ofProduct } = unpacked<ProductHeader>(product);
    this.product = chosen.product;
    this.gist = new Gist({
      ...chosen.gist,
      names: new TextDecoder().decode(ofProduct("gistNames", "u8")).split("\n"),
      keys: keysOf(ofProduct("gistKeys", "u8")),
      rareness: ofProduct("gistRareness", "u8"),
      words: ofProduct("gistWords", "i8"),
      kinds: ofProduct("gistKinds", "i8"),
      usual: ofProduct("gistUsual", "i8"),
    });
    this.shelves = new Shelves({
      names: new TextDecoder().decode(ofProduct("shelfNames", "u8")).split("\n"),
      priors: ofProduct("shelfPriors", "u8"),
      keys: keysOf(ofProduct("shelfKeys", "u8")),
      ends: ofProduct("shelfEnds", "i32"),
      kinds: ofProduct("shelfKinds", "u16"),
      weights: ofProduct("shelfWeights", "u8"),
      lastKeys: keysOf(ofProduct("lastKeys", "u8")),
      lastOdds: ofProduct("lastOdds", "i8"),
    });
  }
}
