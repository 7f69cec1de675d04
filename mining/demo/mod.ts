/** The demonstration corpus of a first run: its posts, its communities, and what they were written to be. */
import { DAY_MS } from "../../core/clock.ts";
import { CATEGORY_SLUGS, type CategorySlug } from "../categories.ts";
import { mixedPrior } from "../communities/prior.ts";
import { builtInCategories, makeRegistry, type Registry } from "../communities/registry.ts";
import type { Post } from "../types.ts";
import { type DemoBlock, parseBlocks } from "./blocks.ts";
import posts from "./posts.txt" with { type: "text" };

/** Every community of the demonstration begins with this, so that nobody takes it for a real one. */
const COMMUNITY_PREFIX = "demo_";

/** Spreads the posts over their day: minutes between neighbours, prime to the minutes of a day. */
const STEP_MINUTES = 337;

/**
 * The built-in demonstration corpus: invented posts for a first run without any source, dated
 * within the 90 days before `firstStart`. Same start, same posts. Real brands occur only as something
 * to compare with or to replace, never as the product that failed.
 */
export function demoPosts(firstStart: Date): Post[] {
  return blocks().map((block, index) => ({
    id: demoId(index),
    community: demoCommunity(block.category),
    title: block.title,
    body: block.body,
    author: block.author,
    createdAt: new Date(firstStart.getTime() - age(block, index)),
    upvotes: block.upvotes,
    comments: block.comments,
    permalink: `https://example.com/demo/${demoId(index)}`,
  }));
}

/** The demonstration's own communities, one a category, over the built-in categories. */
export function demoRegistry(): Registry {
  const communities = CATEGORY_SLUGS.map((slug) => ({
    name: demoCommunity(slug),
    prior: mixedPrior(CATEGORY_SLUGS, new Map([[slug, 1]])),
  }));
  return makeRegistry(builtInCategories(), communities);
}

function blocks(): DemoBlock[] {
  return parseBlocks(posts);
}

function demoId(index: number): string {
  return `demo${String(index + 1).padStart(4, "0")}`;
}

function demoCommunity(slug: CategorySlug): string {
  return `${COMMUNITY_PREFIX}${slug.replaceAll("-", "_")}`;
}

/** Milliseconds before the first start: the block's days, and a part of a day that is never zero. */
function age(block: DemoBlock, index: number): number {
  const minutes = (index + 1) * STEP_MINUTES % 1440;
  return block.daysAgo * DAY_MS + Math.max(1, minutes) * 60_000;
}
