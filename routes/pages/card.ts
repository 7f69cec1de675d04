/** An opportunity drawn as a card: score, components as bars, quotes with where they come from. */
import { html } from "hono/html";
import type { Card, Evidence } from "../../mining/cards/types.ts";
import type { CardFacts } from "../../mining/opportunities/facts.ts";
import { type Html, safeLink } from "./layout.ts";

function bar(name: string, value: number): Html {
  const width = Math.max(0, Math.min(100, value));
  return html`
    <dt>${name}</dt>
    <dd><svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4" rx="1"/><rect class="bar" width="${width}" height="4" rx="1"/></svg><b>${value}</b></dd>
  `;
}

function quoted({ quote, permalink, upvotes, subreddit }: Evidence): Html {
  const link = safeLink(permalink);
  const from = link === null
    ? html`${subreddit}`
    : html`<a href="${link}" rel="nofollow ugc noopener">${subreddit}</a>`;
  return html`
    <blockquote>
      <p>${quote}</p>
      <p class="meta">${from}, ${upvotes} ${upvotes === 1 ? "upvote" : "upvotes"}</p>
    </blockquote>
  `;
}

/** Half of the budgets, those in the middle, as a band, with the median marked, from nothing to the most. */
function priceBand(facts: CardFacts): Html {
  const [main] = facts.budgets;
  if (main === undefined) return html``;
  const { low, median, high, marketMedian, currency, authors } = main;
  const most = Math.max(high, marketMedian ?? 0) * 1.15 || 1;
  const at = (amount: number): number => Math.round(1000 * amount / most) / 10;
  const market = marketMedian === null ? html`` : html`
    <line class="market" x1="${at(marketMedian)}" x2="${at(marketMedian)}" y1="0" y2="8" />
  `;
  const words =
    `${authors} name a sum: half of the sums lie between ${low} and ${high} ${currency.toUpperCase()}, the median is ${median}${
      marketMedian === null ? "" : `; median of all who ask for one ${marketMedian}`
    }`;
  return html`
    <h4>What they would spend</h4>
    <svg class="band" viewBox="0 0 100 8" preserveAspectRatio="none" role="img"
      aria-label="${words}"><rect class="track" y="2" width="100" height="4" rx="1"/><rect class="bar" x="${at(
        low,
      )}" y="2" width="${Math.max(
        1,
        at(high) - at(low),
      )}" height="4"/><line class="median" x1="${at(median)}" x2="${at(
        median,
      )}" y1="1" y2="7"/>${market}</svg>
    <p class="meta">${words}</p>
  `;
}

/** Values with bars as long as the share of the card's authors who state them. */
function countBars(
  title: string,
  rows: readonly { readonly name: string; readonly authors: number }[],
  of: number,
): Html {
  if (rows.length === 0) return html``;
  return html`<h4>${title}</h4>
<dl class="scores">${
    rows.slice(0, 6).map(({ name, authors }) =>
      html`
        <dt>${name}</dt>
        <dd><svg viewBox="0 0 100 4" preserveAspectRatio="none" aria-hidden="true"><rect class="track" width="100" height="4" rx="1"/><rect class="bar" width="${Math
          .min(
            100,
            Math.round(100 * authors / Math.max(1, of)),
          )}" height="4" rx="1"/></svg><b>${authors}</b></dd>
      `
    )
  }</dl>`;
}

/** The counts behind a card as a picture: price bands, what they ask for, what fails them. */
function drawnFacts(facts: CardFacts): Html {
  const { authors, askingForProduct, alsoWanted, failures, users } = facts;
  return html`<div class="facts">
<p class="meta">${authors} of the ${askingForProduct} who ask for this kind of product state the want.</p>
${priceBand(facts)}
${countBars("What they also ask for", alsoWanted.map((c) => ({ name: c.value, ...c })), authors)}${
    countBars(
      "What fails them",
      failures.map(({ problem, product, authors: told }) => ({
        name: product === null ? problem : `${problem} (${product})`,
        authors: told,
      })),
      authors,
    )
  }${countBars("Who it is for", users.map((u) => ({ name: u.value, ...u })), authors)}
</div>`;
}

/** The card; `asOf` says when it was frozen. */
export function drawnCard(card: Card, asOf: string): Html {
  return html`<article class="card">
<p class="meta">${card.category}, as of <time datetime="${asOf}">${
    asOf.slice(0, 10)
  }</time>, posts from ${card.firstSeen.slice(0, 10)} to ${card.lastSeen.slice(0, 10)}</p>
<h3>${card.title}</h3>
<p>${card.summary}</p>
<dl class="scores">${bar("Score", card.score)}${bar("Frequency", card.freqScore)}${
    bar("Intensity", card.intensityScore)
  }${bar("Willingness to pay", card.wtpScore)}</dl>
<p>${card.productAngle}</p>
${card.facts === undefined ? "" : drawnFacts(card.facts)}
<p class="meta">${card.signalCount} signals, ${card.distinctAuthors} ${
    card.authorsKnown ? "authors" : "distinct texts"
  }</p>
${card.evidence.map(quoted)}
</article>`;
}
