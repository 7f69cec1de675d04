/** How long the challenges of the real routes are, however large the cards of the catalogue. */
import { assert, assertEquals, assertLess } from "@std/assert";
import { Buffer } from "node:buffer";
import {
  validateDiscoveryExtension,
  validateDiscoveryExtensionSpec,
} from "@x402/extensions/bazaar";
import type { CardFacts } from "../../mining/opportunities/facts.ts";
import { CATEGORY_SLUGS } from "../../mining/categories.ts";
import { createPaymentRequired } from "../../payment/protocol/payment_required.ts";
import { createRail } from "../../payment/protocol/rail.ts";
import { PAID_ROUTES } from "../../routes/all.ts";
import { offerOf } from "../../routes/pipeline/paid_route.ts";
import { SERVICE_NAME } from "../../routes/pipeline/words.ts";
import { TEST_SETTINGS } from "../payment/support/shop.ts";
import { card, catalogueOf } from "../support/cards.ts";

const many = <T>(length: number, make: (index: number) => T): T[] =>
  Array.from({ length }, (_, index) => make(index));
const words = "cable that never frays at the plug ".repeat(3);

const FACTS: CardFacts = {
  product: words,
  want: { type: "attribute", value: words },
  narrowedBy: null,
  authors: 400,
  askingForProduct: 9_000,
  budgets: many(5, () => ({
    ...{ currency: "usd", authors: 9, low: 30, median: 50, high: 80, ceilings: 4 },
    marketMedian: 40,
  })),
  wouldPayMore: 30,
  cheap: 20,
  alsoWanted: many(20, () => ({ type: "attribute", value: words, authors: 8, lift: 2.1 })),
  failures: many(20, () => ({ problem: words, product: words, authors: 5 })),
  unmet: { authors: 180, marketShare: 0.41 },
  users: many(20, () => ({ value: words, authors: 4 })),
  brands: {
    rejected: many(20, () => ({ name: words, authors: 5 })),
    owned: many(20, () => ({ name: words, authors: 5 })),
    considered: many(20, () => ({ name: words, authors: 5 })),
  },
  places: many(20, () => ({ value: words, authors: 4 })),
  covers: many(20, () => ({ value: words, authors: 4 })),
};

const large = catalogueOf(many(60, (index) =>
  card(index, {
    slug: `${"want-that-is-long-".repeat(6)}${index}`,
    title: words,
    summary: words.repeat(10),
    productAngle: words.repeat(10),
    facts: FACTS,
    evidence: many(12, () => ({
      quote: words.repeat(10),
      permalink: `https://example.com/r/headphones/comments/${"a".repeat(100)}/`,
      upvotes: 120,
      subreddit: "headphones",
    })),
  })));

const site = {
  ...TEST_SETTINGS,
  mpp: true,
  baseUrl: "https://demand-intelligence.a-long-name-of-a-host.example.com",
  serviceName: SERVICE_NAME,
};
const rail = createRail(TEST_SETTINGS);

/** The lists of a value that have more than one entry, by their paths. */
function longLists(value: unknown, path = ""): string[] {
  if (typeof value !== "object" || value === null) return [];
  const own = Array.isArray(value) && value.length > 1 ? [path] : [];
  return [
    ...own,
    ...Object.entries(value).flatMap(([key, one]) => longLists(one, `${path}/${key}`)),
  ];
}

for (const route of PAID_ROUTES) {
  const { path } = route.row;

  Deno.test(`${path}: the header stays under 8 KB and the body under 2 KB with large cards`, () => {
    const challenge = createPaymentRequired(offerOf(route, large), rail, site);
    assertLess(challenge.header("invalid_exact_evm_payload_recipient_mismatch").length, 6_500);
    for (const length of [10, 500, 1_000, 2_000, 4_000, 6_000, 9_000]) {
      assertLess(challenge.header("payment_required", `?q=${"x".repeat(length)}`).length, 8_193);
    }
    const problem = {
      status: 400,
      code: "invalid_category",
      message: `category is none of ${CATEGORY_SLUGS.join(", ")}.`,
      param: "category",
      categories: CATEGORY_SLUGS,
    };
    const explained = challenge.body("payment_required", { message: "x".repeat(120), problem });
    assertLess(Buffer.byteLength(explained), 2_048);
    assertLess(Buffer.byteLength(challenge.body("payment_required")), 1_300);
    for (const word of ["schema", "bazaar", 'example"']) {
      assert(!explained.includes(word), `${word} is for the header`);
    }
  });

  Deno.test(`${path}: directories take its description, whose lists have one entry`, () => {
    const { extensions } = createPaymentRequired(offerOf(route, large), rail, site);
    const extension = extensions["bazaar"] as Parameters<typeof validateDiscoveryExtension>[0];
    assertEquals(validateDiscoveryExtension(extension), { valid: true });
    assertEquals(validateDiscoveryExtensionSpec({ ...extension }), { valid: true });
    const { output } = extension.info;
    assertEquals(longLists(output), []);
    // Buyers echo it, and some encode by btoa.
    assert(/^[\x20-\x7e]*$/.test(JSON.stringify(extensions)), "text that btoa takes");
    // The shape of the answer is there all the same.
    const named = Object.keys(Object(route.doc.answer.parse(route.doc.example(large))));
    const shown = Object.keys(Object(output?.example));
    assertEquals(named.filter((name) => !shown.includes(name)), []);
  });
}
