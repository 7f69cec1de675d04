import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import { DAY_MS } from "../../core/clock.ts";
import { OperatorError } from "../../core/errors.ts";
import { firstStart, setOrigin } from "../../db/corpus/corpus.ts";
import { CATEGORY_SLUGS } from "../../mining/categories.ts";
import { builtInRegistry } from "../../mining/communities/registry.ts";
import { type DemoAnnotation, parseBlocks } from "../../mining/demo/blocks.ts";
import { demoPosts, demoRegistry } from "../../mining/demo/mod.ts";
import posts from "../../mining/demo/posts.txt" with { type: "text" };
import { demoReading } from "../../mining/demo/readings.ts";
import { demoSearch } from "../../mining/demo/search.ts";
import { extract } from "../../mining/extract/mod.ts";
import { PATTERNS, type Post } from "../../mining/types.ts";
import { testOnce } from "../support/database.ts";

const START = new Date("2026-03-01T12:00:00Z");

/** Each post with what it was written to be. */
function annotated(): { post: Post; note: DemoAnnotation }[] {
  const blocks = parseBlocks(posts);
  return demoPosts(START).map((post, i) => {
    const note = blocks[i]?.annotation;
    assert(note !== undefined, post.id);
    return { post, note };
  });
}

/** The posts of each want, by the want's name. */
function wants(): Map<string, { post: Post; note: DemoAnnotation }[]> {
  const groups = new Map<string, { post: Post; note: DemoAnnotation }[]>();
  for (const entry of annotated()) {
    const want = entry.note.want;
    if (want !== null) groups.set(want, [...groups.get(want) ?? [], entry]);
  }
  return groups;
}

Deno.test("the demonstration holds 380 to 450 posts, a sixth of them noise", () => {
  const all = annotated();
  const noise = all.filter(({ note }) => note.pattern === null).length;
  const alone = all.filter(({ note }) => note.pattern !== null && note.want === null).length;
  assert(all.length >= 380 && all.length <= 450, `${all.length} posts`);
  assert(noise >= 60 && noise <= 80, `${noise} noise posts`);
  assert(alone >= 35 && alone <= 50, `${alone} posts alone`);
  assertEquals(new Set(all.map(({ post }) => post.id)).size, all.length);
});

Deno.test("every category has two wants and noise, and every pattern has many posts", () => {
  const all = annotated();
  const homes = [...wants().values()].map((group) => group[0]?.post.community);
  for (const { name } of demoRegistry().communities) {
    assert(homes.filter((home) => home === name).length >= 2, name);
    assert(all.some(({ post, note }) => post.community === name && note.pattern === null), name);
  }
  for (const pattern of PATTERNS) {
    assert(all.filter(({ note }) => note.pattern === pattern).length >= 15, pattern);
  }
});

/** A budget as the posts write it: dollars, pounds or euros. */
const SUM = /[$£]\d|\d (?:euros?|EUR|pounds)\b/;

Deno.test("every want is told by six or more authors in three or more patterns, most with a sum", () => {
  const groups = wants();
  assert(groups.size >= 48 && groups.size <= 55, `${groups.size} wants`);
  for (const [want, group] of groups) {
    const sums = group.filter(({ post }) => SUM.test(`${post.title}\n${post.body}`)).length;
    assert(group.length >= 6 && group.length <= 8, `${want}: ${group.length} posts`);
    assert(new Set(group.map(({ post }) => post.author)).size >= 6, want);
    assert(sums >= 4, `${want}: ${sums} with a sum`);
    assert(new Set(group.map(({ note }) => note.pattern)).size >= 3, want);
  }
});

Deno.test("ids are unique and in order, and permalinks point to example.com", () => {
  demoPosts(START).forEach((post, index) => {
    assertEquals(post.id, `demo${String(index + 1).padStart(4, "0")}`);
    assertEquals(post.permalink, `https://example.com/demo/${post.id}`);
  });
});

Deno.test("posts lie within the 90 days before the first start, some in the last week", () => {
  const ages = demoPosts(START).map((post) => START.getTime() - post.createdAt.getTime());
  assert(ages.every((age) => age > 0 && age < 90 * DAY_MS));
  assert(ages.filter((age) => age < 7 * DAY_MS).length >= 20);
  assert(ages.filter((age) => age > 35 * DAY_MS).length >= 100);
});

Deno.test("the same start gives the same posts, a later one moves their dates only", () => {
  assertEquals(demoPosts(START), demoPosts(new Date(START)));
  const later = demoPosts(new Date(START.getTime() + DAY_MS));
  const moved = demoPosts(START).map((post) => ({
    ...post,
    createdAt: new Date(post.createdAt.getTime() + DAY_MS),
  }));
  assertEquals(later, moved);
});

Deno.test("the demonstration's communities are labelled and none is a real one's", () => {
  const registry = demoRegistry();
  assertEquals(registry.communities.length, CATEGORY_SLUGS.length);
  for (const { name, prior } of registry.communities) {
    assertMatch(name, /^demo_[a-z_]{1,16}$/);
    const slug = name.slice("demo_".length).replaceAll("_", "-");
    assert((prior[slug] ?? 0) > 0.9, name);
    assertEquals(builtInRegistry().find(name), undefined);
  }
  for (const post of demoPosts(START)) assert(registry.find(post.community), post.community);
});

Deno.test("texts are short, clean and all different but for one cross-post", () => {
  const posts = demoPosts(START);
  for (const post of posts) {
    assert(post.title.length >= 3 && post.title.length <= 130, post.id);
    assert(post.title.length + post.body.length <= 800, post.id);
    assertEquals(post.title + post.body, (post.title + post.body).replace(/[^\P{C}\n]/gu, ""));
    assert(Number.isSafeInteger(post.upvotes) && Number.isSafeInteger(post.comments), post.id);
  }
  assertEquals(new Set(posts.map((post) => post.title)).size, posts.length);
  const bodies = posts.map((post) => post.body).filter((body) => body !== "");
  assertEquals(bodies.length - new Set(bodies).size, 1);
  assert(posts.length - bodies.length >= 10, "some posts are a title alone");
  assert(bodies.filter((body) => body.includes("\n\n")).length >= 10, "some have paragraphs");
});

Deno.test("contact details occur in the posts marked private and nowhere else", () => {
  const contact = /\S@\S|\b555-01\d\d\b|\bu\/\w+/;
  const marked = annotated().filter(({ note }) => note.private);
  assert(marked.length >= 6);
  for (const { post, note } of annotated()) {
    assertEquals(contact.test(post.title), false, post.id);
    assertEquals(contact.test(post.body), note.private, post.id);
  }
});

const HEADER = "3 ana 4 5 kettle-x unmet_need";
const WRONG: readonly [what: string, text: string, rule: string][] = [
  ["a header with a field missing", "3 ana 4 kettle-x unmet_need\nTitle\n", "header"],
  ["an unknown pattern", "3 ana 4 5 - wish\nTitle\n", "unknown pattern wish"],
  ["noise with a want", "3 ana 4 5 kettle-x noise\nTitle\n", "noise has no want"],
  ["an unknown option", `${HEADER} in=nowhere\nTitle\n`, "unknown option in=nowhere"],
  ["a block without a title", `${HEADER}\n`, "title is missing"],
];

for (const [what, text, rule] of WRONG) {
  Deno.test(`${what} is refused with the line of its block`, () => {
    const second = `=== kitchen\n${HEADER}\nTitle\n\nBody\n---\n${text}`;
    const error = assertThrows(() => parseBlocks(second), OperatorError);
    assert(error.message.startsWith("mining/demo/posts.txt:7: "), error.message);
    assert(error.message.includes(rule), error.message);
  });
}

Deno.test("a block is read with its paragraphs, its options and its annotation", () => {
  const text =
    `=== kitchen\n${HEADER} in=pets private\nA title\nOne.\n\nTwo.\n---\n9 bo 0 0 - noise\nAlone\n`;
  const [first, second] = parseBlocks(text);
  assertEquals(first, {
    daysAgo: 3,
    author: "ana",
    upvotes: 4,
    comments: 5,
    category: "pets",
    title: "A title",
    body: "One.\n\nTwo.",
    annotation: { want: "kettle-x", pattern: "unmet_need", private: true },
  });
  assertEquals(second?.body, "");
  assertEquals(second?.annotation, { want: null, pattern: null, private: false });
});

Deno.test("a notebook of paper is no laptop, whoever reads", () => {
  for (const { post } of wants().get("notebook-fountain") ?? []) {
    assertEquals(demoReading(post)?.kind, "notebook", post.id);
    assertEquals(extract(post)?.kind, "notebook", post.id);
  }
});

Deno.test("each post that was written for a want has a reading whose spans stand in it", () => {
  for (const { post, note: { want, pattern } } of annotated()) {
    const reading = demoReading(post);
    if (want !== null) assert(reading !== null && reading.facts.length > 0, post.id);
    if (pattern === null) assertEquals(reading, null, post.id);
    const text = `${post.title}\n${post.body}`;
    for (const { start, end, span } of reading?.facts ?? []) {
      assertEquals(text.slice(start, end), span);
    }
  }
});

testOnce(
  "a search of the demonstration finds what is named in the singular by its plural",
  async ({ database: { sql } }) => {
    await firstStart(sql, START);
    await setOrigin(sql, "demo", "wall");
    const found = async (query: string): Promise<readonly string[]> =>
      (await demoSearch(sql).search(query, { limit: 500 })).map(({ id }) => id);
    const kettles = await found("kettles");
    assert(kettles.length > 5, `${kettles.length} posts`);
    assertEquals(kettles, await found("kettle"));
  },
);
