/** The part of a card's address that people read. */

const MAX_LENGTH = 80;

/** A title as a slug: lower-case ASCII letters, digits and single hyphens, at most 80 characters. */
export function slugOf(title: string): string {
  const ascii = title.normalize("NFKD").replace(/[\u0300-\u036f'’]/g, "").toLowerCase();
  const slug = ascii.replace(/[^a-z0-9]+/g, "-").replace(/^-+|-+$/g, "");
  if (slug === "") return "opportunity";
  if (slug.length <= MAX_LENGTH) return slug;
  const cut = slug.slice(0, MAX_LENGTH + 1);
  return cut.slice(0, Math.max(cut.lastIndexOf("-"), 1));
}
