import { assert, assertEquals } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { corpusState } from "../../../db/corpus/corpus.ts";
import { migrate } from "../../../db/migrate.ts";
import { MIGRATIONS } from "../../../db/migrations/mod.ts";
import { openPostgres } from "../../../db/postgres/mod.ts";
import { openEmbedded } from "../../../db/embedded/mod.ts";
import type { Database } from "../../../db/sql.ts";
import { loadCatalogue } from "../../../mining/cards/catalogue.ts";
import { builtInRegistry } from "../../../mining/communities/registry.ts";
import { moveOver } from "../../../mining/job/reread.ts";
import type { FactType } from "../../../mining/extract/types.ts";
import type { Extractor } from "../../../mining/judge.ts";
import { wantId } from "../../../mining/opportunities/ids.ts";
import { emptyPostgres, postgresUrl, temporaryDirectory } from "../../support/database.ts";

const NOW = new Date("2026-11-20T12:00:00Z");
/** What the version before made: its newest migration. */
const BEFORE = MIGRATIONS.filter(({ id }) => id < 9);
const LOUD = "opp_loudaaaaaaaaaaaa";
const GONE = "opp_goneaaaaaaaaaaaa";

/** Posts that say the same in words of their own: near-copies would count once. */
const asking = (n: number): { title: string; body: string } => {
  const word = (k: number): string =>
    `${"abcdefghij"[(n + k) % 10]}${"klmnopqrst"[(n * k) % 10]}ord`;
  const filler = Array.from({ length: 40 }, (_, k) => word(k * 3 + n)).join(" ");
  return {
    title: `${word(1)} ${word(2)} quiet desk fan ${word(3)}?`,
    body: `${filler}. Mine rattles ${word(4)} ${word(5)} and I am sick ${word(6)} ${word(7)}. ` +
      `I am looking for a quiet desk fan under $50 ${word(8)} ${word(9)}.`,
  };
};

/** Reads what the posts of this test state. */
const extractor: Extractor = ({ title, body, id }) => {
  if (id.startsWith("x")) return null;
  const text = `${title}\n${body}`;
  const fact = (type: FactType, span: string, value: string) => {
    const start = text.indexOf(span);
    return { type, start, end: start + span.length, span, value, certainty: 0.9 };
  };
  const named = text.indexOf("desk fan");
  return {
    certainty: 0.9,
    product: "desk fan",
    kind: "desk fan",
    kindCertainty: 0.9,
    productSpan: { start: named, end: named + 8 },
    facts: [
      fact("attribute", "quiet", "quiet"),
      fact("problem", "rattles", "starts to rattle"),
      fact("price", "under $50", "<=50 usd"),
      fact("use", "looking", "office"),
      ...(Number(id.slice(1)) % 2 === 0 ? [fact("attribute", "sick", "small")] : []),
    ],
  };
};

/** A corpus as the version before left it: two cards, one of which nobody's want stands behind any more. */
async function formerCorpus({ sql }: Database): Promise<void> {
  await migrate(sql, BEFORE);
  const parts = { frequency: 0.4, intensity: 0.4, wtp: 0.4 };
  const card = (id: string, title: string) => ({
    id,
    slug: title,
    title,
    category: "home-furnishings",
    score: 40,
    freqScore: 40,
    intensityScore: 40,
    wtpScore: 40,
    productAngle: "",
    summary: "",
    signalCount: 3,
    distinctAuthors: 3,
    authorsKnown: true,
    firstSeen: NOW.toISOString(),
    lastSeen: NOW.toISOString(),
    evidence: [],
    evidenceIds: [],
    brands: [],
    scoring: { version: "2", components: parts, weights: parts, patterns: {} },
    signals7d: 0,
    signals28d: 0,
    lastUpdated: NOW.toISOString(),
  });
  for (
    const [id, key, slug] of [[LOUD, "desk fan/quiet-old", "quiet-desk-fan"], [
      GONE,
      "thing/general",
      "which-thing-to-buy",
    ]] as const
  ) {
    await sql`insert into opportunities (id, key, state, dirty, slug, category, score, card, changed_at)
      values (${id}, ${key}, 'active', false, ${slug}, 'home-furnishings', 40,
        ${sql.json(card(id, slug) as never)}, ${NOW})`;
    await sql`insert into opportunity_slugs values (${slug}, ${id})`;
  }
  for (let n = 0; n < 9; n++) {
    const id = `${n < 7 ? "d" : "x"}${n}`;
    const { title, body } = asking(n);
    await sql`insert into seen_posts (id, seen_on) values (${id}, '2026-11-19')`;
    await sql`insert into posts (id, community, title, body, author_hash, upvotes, comments, permalink,
        created_at, origin) values (${id}, 'homelab', ${title}, ${body}, ${Buffer.from([n])}, 1, 1,
        ${`https://example.com/${id}`}, ${new Date(NOW.getTime() - n * 3_600_000)}, 'archive')`;
    await sql`insert into signals (post_id, opportunity_id, pattern, category, product, kind, brands,
        intensity, wtp, confidence, quote, voice, text_key, upvotes, created_at, versions)
      values (${id}, ${n < 7 ? LOUD : GONE}, 'recommendation_request', 'home-furnishings', 'fan',
        'fan', '{}', 1, 1, 0.9, ${title}, ${Buffer.from([n])}, ${Buffer.from([n, n])}, 1,
        ${new Date(NOW.getTime() - n * 3_600_000)}, 'trained-6/4')`;
  }
  await sql`update corpus set origin = 'real', as_of = ${NOW}, built_at = ${NOW}, revision = 7,
    scored_on = '2026-11-20'`;
  await sql`insert into sample values (true, ${
    sql.json(card(LOUD, "quiet-desk-fan") as never)
  }, ${NOW})`;
}

async function movesOver(database: Database): Promise<void> {
  const { sql } = database;
  const registry = builtInRegistry();
  await formerCorpus(database);
  await migrate(sql);
  const before = await loadCatalogue(sql, registry, NOW, null);
  assertEquals(before.cards.map(({ id }) => id).sort(), [GONE, LOUD].sort());

  const deps = {
    database,
    clock: { now: () => NOW },
    log: silentLog,
    sleep: () => Promise.resolve(),
    minAuthors: 5,
  };
  const stopped = new AbortController();
  stopped.abort();
  const context = { registry, extractor };
  const first = await moveOver(deps, context, stopped.signal);
  assertEquals(first?.interrupted ?? true, true);
  assertEquals((await loadCatalogue(sql, registry, NOW, null)).cards.length, 2);

  const result = await moveOver(deps, context, new AbortController().signal);
  assertEquals(result, { read: 9, signals: 7, interrupted: false });
  const after = await loadCatalogue(sql, registry, NOW, null);
  // The same authors state three wants: one card tells them all.
  const [{ id } = { id: "" }] = after.cards;
  assertEquals(after.cards.length, 1);
  assertEquals(after.byId(wantId("desk fan", "quiet"))?.id, id);
  assertEquals(after.byId(LOUD)?.id, id);
  assertEquals(after.bySlug("quiet-desk-fan")?.id, id);
  assertEquals(after.bySlug("which-thing-to-buy"), undefined);
  assertEquals(after.byId(GONE), undefined);
  assertEquals(after.sample?.card.id, id);
  assert((after.cards[0]?.facts?.covers.length ?? 0) > 0);
  const [left] = await sql<{ n: number }[]>`select count(*)::int as n from posts`;
  assertEquals(left?.n, 7);
  assert((await corpusState(sql)).revision > 7);
  assertEquals(await moveOver(deps, context, new AbortController().signal), null);

  // A version that words cards otherwise makes them again, and reads no post for it.
  const [{ title } = { title: "" }] = after.cards;
  await sql`update opportunities set card = jsonb_set(card, '{title}', '"Worded before"')
    where card is not null`;
  await sql`update corpus set read_version = read_version || '-before'`;
  assertEquals((await loadCatalogue(sql, registry, NOW, null)).cards[0]?.title, "Worded before");
  const again = await moveOver(deps, context, new AbortController().signal);
  assertEquals(again, { read: 0, signals: 0, interrupted: false });
  assertEquals((await loadCatalogue(sql, registry, NOW, null)).cards[0]?.title, title);
  assertEquals(await moveOver(deps, context, new AbortController().signal), null);
}

Deno.test("a corpus of the version before moves over in the embedded database", async () => {
  using folder = temporaryDirectory();
  const database = await openEmbedded(folder.path, { share: false, now: Date.now });
  try {
    await movesOver(database);
  } finally {
    await database.close();
  }
});

Deno.test({
  name: "a corpus of the version before moves over in Postgres",
  ignore: postgresUrl === undefined,
  fn: async () => {
    await using empty = await emptyPostgres();
    const database = await openPostgres({ url: empty.url, max: 4 });
    try {
      await movesOver(database);
    } finally {
      await database.close();
    }
  },
});
