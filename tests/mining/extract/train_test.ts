import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { OperatorError } from "../../../core/errors.ts";
import { ReaderModel } from "../../../mining/extract/model.ts";
import { chooseBy, extractBy, gateFeatures } from "../../../mining/extract/mod.ts";
import { certaintyFeatures, choose } from "../../../mining/extract/spans/choose.ts";
import { prepare } from "../../../mining/extract/features.ts";
import { lookUp } from "../../../mining/extract/gazetteers.ts";
import { Lexemes } from "../../../mining/classify/lexemes.ts";
import { CLASSES, NONE_CLASS } from "../../../mining/extract/spans/spans.ts";
import { tokenize } from "../../../mining/extract/tokens.ts";
import { logistic } from "../../../mining/classify/numbers.ts";
import { fitCertainty } from "../../../tasks/train/facts/choices.ts";
import { FACT_TYPES } from "../../../mining/extract/types.ts";
import { compare, type ReadPost, sameHead } from "../../../tasks/train/facts/agreement.ts";
import { toFactsArtefact } from "../../../tasks/train/facts/artefact.ts";
import {
  type FactLabel,
  readDemandLabels,
  readFactLabels,
  toLabel,
  toReaderRow,
  writerOf,
} from "../../../tasks/train/facts/labels.ts";
import { learnCompany, learnGist } from "../../../tasks/train/facts/gist.ts";
import { learnShelves } from "../../../tasks/train/facts/shelves.ts";
import { describedProducts, productLabels } from "../../../tasks/train/items.ts";
import { Gist } from "../../../mining/extract/product/gist.ts";
import { Shelves } from "../../../mining/extract/product/shelves.ts";
import { learnLexemes } from "../../../tasks/train/facts/lexemes.ts";
import { RECIPE } from "../../../tasks/train/facts/fit_spans.ts";
import { trainReader } from "../../../tasks/train/facts/train.ts";
import { type LabelledPost, readLabels } from "../../../tasks/train/data.ts";

const THINGS = ["tent", "kettle", "backpack", "desk", "lamp", "mouse"];
const TRAITS = ["quiet", "cheap", "sturdy", "small", "light", "red"];

/** Posts that all want a thing with a trait for a sum. */
function corpus(): { posts: LabelledPost[]; labels: FactLabel[] } {
  const posts: LabelledPost[] = [];
  const labels: FactLabel[] = [];
  for (let i = 0; i < 60; i++) {
    const thing = THINGS[i % 6]!;
    const trait = TRAITS[Math.floor(i / 6) % 6]!;
    const post = {
      id: `p${i}`,
      community: `c${i % 4}`,
      title: `Looking for a ${thing}, any recommendations?`,
      body: `My last one broke. It should be ${trait} and cost under $${
        20 + i
      }. Thanks for help ${i}.`,
    };
    posts.push(post);
    labels.push(toLabel({
      id: post.id,
      demand: 1,
      product: thing,
      head: thing,
      product_span: thing,
      facts: [
        { type: "attribute", span: trait, value: trait },
        { type: "price", span: `under $${20 + i}`, value: `<=${20 + i} usd` },
      ],
    }, post));
  }
  return { posts, labels };
}

Deno.test("training gives the same bytes twice, and a reader that reads what it was taught", () => {
  const { posts, labels } = corpus();
  const train = () => {
    const { reader, gold, found } = trainReader(
      new Map(posts.map((post) => [post.id, post])),
      labels,
      [],
      posts.map((post, i) => ({ post, demand: i % 3 > 0 })),
      { lexemes: learnLexemes(posts), company: learnCompany(posts) },
      () => {},
      { ...RECIPE, folds: 2 },
    );
    return { files: toFactsArtefact(reader), figures: compare(gold, found) };
  };
  const first = train();
  assertEquals(train().files, first.files);
  // Where a corpus has so few words, all of them are too common to tell anything but sums.
  assert(first.figures.typed.f1 > 0.6, JSON.stringify(first.figures));
  const read = extractBy(new ReaderModel(first.files), posts[7]!, {
    likelihood: 0.9,
    unphysical: 0.05,
    pattern: "recommendation_request",
  })!;
  assertEquals(read.kind, "kettle");
  assert(read.facts.some(({ type, span }) => type === "price" && span === "under $27"));
});

/** A table of shelves learned from texts of the two kinds. */
function shelvesOf(
  said: readonly (readonly [product: string, body: string])[],
  isQuery = false,
): Shelves {
  const lexemes = new Lexemes(learnLexemes(corpus().posts));
  return new Shelves(learnShelves(said.map(([product, body]) => {
    const tokens = tokenize({ title: "Help", body });
    return { post: prepare(tokens, lookUp(tokens), lexemes), community: "", product, isQuery };
  })));
}

Deno.test("a word that is named and never wanted counts against the thing it names", () => {
  const said = Array.from({ length: 20 }, (_, i) =>
    [
      ["tent", `My tent leaks on the balcony, night ${i}.`],
      ["kettle", `My kettle and a tent stand on the balcony, day ${i}.`],
    ] as const).flat();
  const shelves = shelvesOf(said);
  assert(shelves.odds("kettle") > shelves.odds("tent"));
  assert(shelves.odds("balcony") < shelves.odds("tent"));
  assertEquals(shelves.odds("trebuchet"), 0);
  assertEquals(shelvesOf(said, true).odds("balcony"), 0);
});

Deno.test("a post that names no product is put on the shelf that its words speak of", () => {
  const shelves = shelvesOf(
    Array.from({ length: 40 }, (_, i) =>
      [
        ["cordless drill", `The chuck slips on metal screws, number ${i}.`],
        ["kayak", `It tips over on the river when I paddle, number ${i}.`],
        ["tent", `Rain comes through the fly at night, number ${i}.`],
        ["kettle", `The water boils but the switch stays down, number ${i}.`],
        ["desk", `It wobbles when I type with two monitors, number ${i}.`],
        ["lamp", `Flickers when the bulb is warm, number ${i}.`],
        ["bike", `The chain jumps on hills each morning, number ${i}.`],
        ["oven", `Cakes burn on one side and stay raw inside, number ${i}.`],
        ["printer", `Paper jams and the ink dries out, number ${i}.`],
        ["mattress", `My back hurts and the springs poke, number ${i}.`],
        ["mower", `The grass clogs under the deck, number ${i}.`],
      ] as const).flat(),
  );
  const tokens = tokenize({ title: "Again", body: "The chuck seized with three screws to go." });
  const lexemes = new Lexemes(learnLexemes(corpus().posts));
  const read = shelves.read(prepare(tokens, lookUp(tokens), lexemes), "");
  assertEquals(read.best[0]?.name, "drill");
  assert(read.of("hammer drill")!.score > read.of("kayak")!.score);
  assertEquals(read.of("trebuchet"), null);
});

Deno.test("a post is of the kind whose company its words keep, though no text of the kind has them", () => {
  const { posts } = corpus();
  const told = ["granite boulder harness rope", "river paddle current hull"] as const;
  const company = learnCompany([
    ...posts,
    ...Array.from({ length: 60 }, (_, i) => {
      const [first, second] = i % 2 === 0 ? told : [told[1], told[0]];
      const body = `${first}${i % 3 === 0 ? " cliff cliff" : ""} ${first} number ${i}`;
      return { title: "Out", body: i % 2 === 0 ? `${body} cliff` : body, community: second };
    }),
  ]);
  const lexemes = new Lexemes(learnLexemes(posts));
  const post = (body: string) => {
    const tokens = tokenize({ title: "Help", body });
    return prepare(tokens, lookUp(tokens), lexemes);
  };
  const texts = [["rope", told[0]], ["kayak", told[1]]] as const;
  const given = Array.from(
    { length: 10 },
    () =>
      texts.map(([product, body]) => ({
        post: post(body),
        community: "",
        product,
        isQuery: false,
      })),
  );
  const gist = new Gist(learnGist(given.flat(), company)).read(post("the granite cliff"), "");
  assert(gist.named("rope")!.score > gist.named("kayak")!.score);
  assertEquals(gist.of("steel rope"), gist.named("rope"));
  assertEquals(gist.named("steel rope"), null);
});

Deno.test("posts of a writer of whom some are held teach no products", () => {
  const none = { demand: 1, product: "", head: "", product_span: null, facts: [] } as const;
  const all = productLabels([]);
  const some = productLabels([{ ...none, id: "w-i-0001", held: true }]);
  assert(all.some(({ id }) => id.startsWith("w-i-")));
  assert(!some.some(({ id }) => id.startsWith("w-i-")));
  assert(some.some(({ id }) => id.startsWith("w-j-")));
});

Deno.test("of each kind two of four writers wrote a post and two requests", () => {
  const { posts, products } = describedProducts();
  const kinds = new Set(products.map(({ product }) => product));
  assertEquals(posts.length, 3 * 2 * kinds.size);
  assertEquals(products.filter(({ isQuery }) => isQuery === true).length, 4 * kinds.size);
  assertEquals(new Set(posts.map(({ id }) => writerOf(id))).size, 4);
});

Deno.test("labels go into the repository's form and back", () => {
  const post = { title: "A Tent?", body: "not attentive: a light tent, $50" };
  const row = {
    id: "a",
    demand: 1,
    product: "tent",
    head: "tent",
    product_span: "tent",
    facts: [
      { type: "price", span: "$50", value: "~50 usd" },
      { type: "attribute", span: "light", value: "light to carry" },
      { type: "attribute", span: "heavy", value: "heavy" },
    ],
  };
  const label = toLabel(row, post);
  assertEquals(label.facts.map(([type]) => type), ["attribute", "price"]);
  const text = `${post.title}\n${post.body}`;
  assertEquals(text.slice(...label.product_span!), "tent");
  assertEquals(text[label.product_span![0] - 1], " ");
  assertEquals(toReaderRow(label, post).facts!.map(({ span }) => span), ["light", "$50"]);
  assertEquals(toLabel({ id: "b", demand: 0 }, post).demand, 0);
});

Deno.test("agreement counts overlapping spans, by type and whatever the type", () => {
  const post = (facts: ReadPost["facts"], head = "tent"): ReadPost => ({
    id: "a",
    demand: 1,
    product: head,
    head,
    facts,
  });
  const gold = [post([
    { type: "price", span: "under $50", value: "<=50 usd" },
    { type: "use", span: "for hiking in rain", value: "hiking" },
  ])];
  const found = [post([
    { type: "price", span: "$50", value: "x" },
    { type: "attribute", span: "hiking", value: "hiking" },
  ], "hiking tents")];
  const { typed, any, head } = compare(gold, found);
  assertEquals([typed.f1, any.f1, head], [0.5, 1, 1]);
  assert(sameHead("hiking boots", "boot") && !sameHead("tent", "tarp"));
});

Deno.test("the repository's labels are well-formed, sorted, and hold no text", () => {
  const labels = readFactLabels();
  assert(labels.length > 3000);
  assertEquals(labels.map(({ id }) => id), labels.map(({ id }) => id).toSorted());
  assertEquals(new Set(labels.map(({ id }) => id)).size, labels.length);
  // Four writers' posts are held besides: other sources than any that teaches.
  const written = (id: string): boolean => /^w-[ijno]-/.test(id);
  assertEquals(labels.filter(({ held, id }) => held === true && !written(id)).length, 1899);
  assert(labels.every(({ held, id }) => !written(id) || held === true));
  assert(labels.filter(({ id }) => written(id)).length > 250);
  for (const { id, demand, head, facts } of labels) {
    assert(demand === 0 || head !== "", id);
    for (const [type, start, end, value] of facts) {
      assert(FACT_TYPES.includes(type) && start < end && value !== "", id);
      assert(value.length <= 80, `${id}: ${value}`);
    }
  }
});

Deno.test("no post that the gate is fitted on teaches the classifier or anything else of the reader", () => {
  const judged = readDemandLabels();
  assert(judged.length > 2000);
  const ids = judged.map(({ id }) => id);
  assertEquals(ids, [...new Set(ids)].toSorted());
  const own = new URL("../../../tasks/train/labels/", import.meta.url).pathname;
  const taught = new Set([
    ...readFactLabels().map(({ id }) => id),
    ...["chance.tsv", "drawn.tsv", "written.tsv"].flatMap((file) =>
      readLabels(own + file).map(({ id }) => id)
    ),
  ]);
  assertEquals(ids.filter((id) => taught.has(id)), []);
});

Deno.test("a line of a file of demand that is no label is named", async () => {
  const path = await Deno.makeTempFile();
  try {
    for (const line of ["b\t2", "b", "\t1", "b\t1\tx"]) {
      await Deno.writeTextFile(path, `a\t1\n${line}\n`);
      assertThrows(() => readDemandLabels(path), OperatorError, `${path}:2: `);
    }
    await Deno.writeTextFile(path, "a\t1\nb\t0\n");
    assertEquals(readDemandLabels(path), [{ id: "a", demand: true }, { id: "b", demand: false }]);
  } finally {
    await Deno.remove(path);
  }
});

Deno.test("the gate has a weight for each of its features", () => {
  const model = new ReaderModel({
    facts: Deno.readTextFileSync(new URL("../../../mining/extract/weights.txt", import.meta.url)),
    product: Deno.readTextFileSync(
      new URL("../../../mining/extract/product/weights.txt", import.meta.url),
    ),
  });
  const { posts } = corpus();
  const shown = { likelihood: 0.9, unphysical: 0.05, pattern: "recommendation_request" } as const;
  const features = gateFeatures(shown, chooseBy(model, posts[7]!, shown)!);
  assertEquals(model.header.gate.weights.length, features.length);
  assert(features.every((value) => Math.abs(value) <= 2.5), features.join(" "));
});

Deno.test("training needs posts of which demand is judged", () => {
  const { posts, labels } = corpus();
  const byId = new Map(posts.map((post) => [post.id, post]));
  const words = { lexemes: learnLexemes(posts), company: learnCompany(posts) };
  const train = () => trainReader(byId, labels, [], [], words, () => {}, { ...RECIPE, folds: 2 });
  assertThrows(train, OperatorError, "demand.tsv");
});

Deno.test("the weights are an artefact under 3 MB that says what made it", () => {
  const path = new URL("../../../mining/extract/weights.txt", import.meta.url);
  const text = Deno.readTextFileSync(path);
  assert(text.length < 3_000_000, String(text.length));
  assertStringIncludes(text.slice(0, 100), "made by `deno task train`");
});

Deno.test("the weights of products are an artefact under 1.2 MB that says what made it", () => {
  const path = new URL("../../../mining/extract/product/weights.txt", import.meta.url);
  const text = Deno.readTextFileSync(path);
  assert(text.length < 1_200_000, String(text.length));
  assertStringIncludes(text.slice(0, 100), "made by `deno task train`");
});

Deno.test("a certainty is the share of facts that held, each type by its own", () => {
  const judged = [0, 1].flatMap((type) =>
    Array.from({ length: 400 }, (_, i) => {
      const typed = i % 2 === 0 ? 0.4 : 0.8;
      const held = type === 0 ? typed - 0.3 : typed;
      return {
        type,
        features: certaintyFeatures(typed, 0.9),
        right: (i >> 1) % 10 < Math.round(held * 10),
      };
    })
  );
  const weights = fitCertainty(judged, FACT_TYPES.length);
  const certainty = (type: number, typed: number): number =>
    logistic(
      certaintyFeatures(typed, 0.9).reduce((sum, x, i) => sum + x * weights[type]![i]!, 0),
    );
  for (const [type, typed, share] of [[0, 0.4, 0.1], [0, 0.8, 0.5], [1, 0.4, 0.4], [1, 0.8, 0.8]]) {
    const told = certainty(type!, typed!);
    assert(Math.abs(told - share!) < 0.06, `type ${type}, ${typed}: ${told}`);
  }
});

Deno.test("a favoured type is told where another is a little likelier", () => {
  const rejected = FACT_TYPES.indexOf("rejected");
  const owned = FACT_TYPES.indexOf("owned");
  const tokens = tokenize({ title: "Never again Acme", body: "" });
  const post = prepare(tokens, lookUp(tokens), new Lexemes(learnLexemes(corpus().posts)));
  const candidate = { from: 2, to: 3, sentence: 0, group: owned, support: new Float64Array(0) };
  const read = new Float64Array(CLASSES);
  read[rejected] = 0.3;
  read[owned] = 0.4;
  read[NONE_CLASS] = 0.3;
  const typeBy = (favoured: number) => {
    const favour = FACT_TYPES.map((_, type) => type === rejected ? favoured : 1);
    const decision = { any: FACT_TYPES.map(() => 0.3), typed: 0.2, favour, certainty: [] };
    return choose(post, [candidate], [read], decision, 14).map(({ type }) => type);
  };
  assertEquals(typeBy(1), [owned]);
  assertEquals(typeBy(1.5), [rejected]);
});

Deno.test("a span of words of the kind's name that hold its noun states nothing of it", () => {
  const tokens = tokenize({ title: "Which espresso machine", body: "" });
  const post = prepare(tokens, lookUp(tokens), new Lexemes(learnLexemes(corpus().posts)));
  const attribute = FACT_TYPES.indexOf("attribute");
  const read = new Float64Array(CLASSES);
  read[attribute] = 1;
  const decision = {
    any: FACT_TYPES.map(() => 0.3),
    typed: 0.2,
    favour: FACT_TYPES.map(() => 1),
    certainty: [],
  };
  const kept = (from: number, to: number, head: string) => {
    const candidate = { from, to, sentence: 0, group: attribute, support: new Float64Array(0) };
    return choose(post, [candidate], [read], decision, 14, head).length;
  };
  assertEquals(kept(1, 3, "espresso machine"), 0);
  assertEquals(kept(2, 3, "espresso machine"), 0);
  assertEquals(kept(1, 2, "espresso machine"), 1);
  assertEquals(kept(1, 3, "coffee machine"), 1);
});
