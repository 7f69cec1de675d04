/** The registry: which communities are mined, and which categories there are. */
import { OperatorError } from "../../core/errors.ts";
import { CATEGORIES } from "../categories.ts";
import type { CategoryPrior } from "../types.ts";
import { evenPrior, mixedPrior, parseWeights, shown } from "./prior.ts";
import registryText from "./registry.txt" with { type: "text" };

/** A community that is mined, and the categories its posts lean to. */
export interface Community {
  readonly name: string;
  readonly prior: CategoryPrior;
}

export interface Category {
  readonly slug: string;
  readonly title: string;
}

/** Which communities are mined and which categories exist. */
export interface Registry {
  readonly categories: readonly Category[];
  readonly communities: readonly Community[];
  /** Looks a community up by its name, whatever the case of its letters. */
  find(name: string): Community | undefined;
  isCategory(slug: string): boolean;
}

/** One line of the file that says something: its number, from 1, and its words. */
interface Entry {
  readonly line: number;
  readonly words: readonly string[];
}

const NAME = /^[A-Za-z0-9_]{2,21}$/;
const SLUG = /^[a-z][a-z0-9]*(-[a-z0-9]+)*$/;
const MAX_SLUG = 40;

/**
 * Reads a registry: `category SLUG Title` lines (none: the built-in categories apply) and
 * `community NAME slug=weight ...` lines, `#` comments, LF or CRLF.
 * @param origin what errors call the file.
 * @throws OperatorError `origin:line: rule` for the first line that is wrong.
 */
export function parseRegistry(text: string, origin: string): Registry {
  const entries = readEntries(text);
  const failAt = (line: number) => (rule: string) =>
    new OperatorError(`${origin}:${line}: ${rule}`);
  for (const { line, words: [keyword = ""] } of entries) {
    if (keyword === "category" || keyword === "community") continue;
    throw failAt(line)(`expected "category" or "community", found ${shown(keyword)}`);
  }
  const categories = readCategories(entries, failAt);
  const slugs = categories.map((category) => category.slug);
  const known = new Set(slugs);
  const communities = new Map<string, Community>();
  for (const { line, words: [keyword, name = "", ...fields] } of entries) {
    if (keyword !== "community") continue;
    const fail = failAt(line);
    if (!NAME.test(name)) {
      throw fail(
        `a community's name is 2 to 21 letters, digits or underscores, found ${shown(name)}`,
      );
    }
    if (communities.has(name.toLowerCase())) throw fail(`community ${name} is given twice`);
    const weights = parseWeights(fields, (slug) => known.has(slug), fail);
    communities.set(name.toLowerCase(), { name, prior: mixedPrior(slugs, weights) });
  }
  if (communities.size === 0) {
    throw failAt(entries.at(-1)?.line ?? 1)("the file names no community");
  }
  return makeRegistry(categories, [...communities.values()]);
}

/** The registry of the program itself: 82 communities, the built-in categories. */
export function builtInRegistry(): Registry {
  return parseRegistry(registryText, "mining/communities/registry.txt");
}

/** The built-in categories, in display order. */
export function builtInCategories(): Category[] {
  return Object.entries(CATEGORIES).map(([slug, title]) => ({ slug, title }));
}

/** The prior of a community outside the registry: it leans nowhere. */
export function uniformPrior(registry: Registry): CategoryPrior {
  return evenPrior(registry.categories.map((category) => category.slug));
}

/** A registry over communities whose names differ by more than case. */
export function makeRegistry(
  categories: readonly Category[],
  communities: readonly Community[],
): Registry {
  const byName = new Map(communities.map((community) => [community.name.toLowerCase(), community]));
  const slugs = new Set(categories.map((category) => category.slug));
  return {
    categories,
    communities,
    find: (name) => byName.get(name.toLowerCase()),
    isCategory: (slug) => slugs.has(slug),
  };
}

function readEntries(text: string): Entry[] {
  const entries: Entry[] = [];
  text.replace(/^\uFEFF/, "").split("\n").forEach((raw, index) => {
    const content = raw.trim().replace(/(^|\s)#.*$/, "").trim();
    if (content !== "") entries.push({ line: index + 1, words: content.split(/\s+/) });
  });
  return entries;
}

function readCategories(
  entries: readonly Entry[],
  failAt: (line: number) => (rule: string) => OperatorError,
): Category[] {
  const titles = new Map<string, string>();
  for (const { line, words: [keyword, slug = "", ...title] } of entries) {
    if (keyword !== "category") continue;
    const fail = failAt(line);
    if (!SLUG.test(slug) || slug.length > MAX_SLUG) {
      throw fail(
        `a category's slug is lower-case words joined by "-", ${MAX_SLUG} characters at most, ` +
          `found ${shown(slug)}`,
      );
    }
    if (titles.has(slug)) throw fail(`category ${slug} is given twice`);
    if (title.length === 0) throw fail(`category ${slug} needs a title`);
    titles.set(slug, title.join(" "));
  }
  if (titles.size === 0) return builtInCategories();
  return [...titles].map(([slug, title]) => ({ slug, title }));
}
