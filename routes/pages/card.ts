/** An opportunity drawn as a card: score, components as bars, quotes with where they come from. */
import { html } from "hono/html";
import type { Card, Evidence } from "../../mining/cards/types.ts";
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

/** The card; `asOf` says when it was frozen. */
export function drawnCard(card: Card, asOf: string): Html {
  return html`<article class="card">
<p class="meta">${card.category}, as of <time datetime="${asOf}">${asOf.slice(0, 10)}</time></p>
<h3>${card.title}</h3>
<p>${card.summary}</p>
<dl class="scores">${bar("Score", card.score)}${bar("Frequency", card.freqScore)}${
    bar("Intensity", card.intensityScore)
  }${bar("Willingness to pay", card.wtpScore)}</dl>
<p>${card.productAngle}</p>
<p class="meta">${card.signalCount} signals, ${card.distinctAuthors} ${
    card.authorsKnown ? "authors" : "distinct texts"
  }</p>
${card.evidence.map(quoted)}
</article>`;
}
