/** What the service says of itself, in one place: documents, pages and tools all use these. */
import type { Pattern } from "../../mining/types.ts";

export const SERVICE_NAME = "Demand Intelligence Service";

export const SERVICE_SUMMARY =
  "Pay-per-call demand intelligence for physical products, mined from public community posts.";

/** How an agent should go about it, where these paths are offered; read by people and models alike. */
export const guidance = (paths: ReadonlySet<string>, hasMpp: boolean): string =>
  "Answers what physical products people want and cannot find, from what they write in public " +
  "communities. Start free: GET /v1/categories shows which categories have opportunities and when " +
  "each last changed, GET /v1/sample/opportunity shows one whole card" +
  (paths.has("/v1/sample/verdict") ? ", GET /v1/sample/verdict one whole verdict" : "") +
  ". Then pay per call: " +
  "/v1/opportunities/trending or /v1/opportunities?category= to find cards, /v1/opportunity?slug= " +
  "to read one with its verbatim evidence, /v1/brief for everything at a glance" +
  (paths.has("/v1/gauge") ? ", POST /v1/gauge to ask about a product of your own" : "") +
  (paths.has("/v1/gauge/live") ? ", POST /v1/gauge/live to include posts of this minute" : "") +
  ". A call without a payment answers 402 with a challenge (x402 version 2, USDC), whatever its input; " +
  "`problem` in the body says where a paid call would be refused. Sign it and send the same request " +
  "again with PAYMENT-SIGNATURE" +
  (hasMpp ? "; or answer WWW-Authenticate by Authorization: Payment (MPP)" : "") +
  ". No error is ever charged. To watch for change, poll /v1/categories with If-None-Match: it is free.";

/** How an agent should go about the tools of these names. */
export const toolGuidance = (tools: ReadonlySet<string>, hasMpp: boolean): string =>
  "Answers what physical products people want and cannot find, from what they write in public " +
  "communities. Start free: listCategories shows which categories have opportunities and when each " +
  "last changed, getSampleOpportunity shows one whole card" +
  (tools.has("getSampleVerdict") ? ", getSampleVerdict one whole verdict" : "") +
  ". The other tools cost what their descriptions say. A call without a payment answers with its price " +
  "and a challenge (x402 version 2, USDC); sign it and call the tool again with the same arguments and " +
  'the signed payload in _meta["x402/payment"]' +
  (hasMpp ? ' (by MPP: the credential in _meta["org.paymentauth/credential"])' : "") +
  '. The receipt comes in _meta["x402/payment-response"]. No error is ever charged.';

/** Said wherever the demonstration could be taken for the real thing. */
export const DEMONSTRATION =
  "This instance shows the demonstration corpus: its posts are invented, and their addresses lead nowhere.";

export const DISCLAIMER = "Output is informational only and no guarantee of any business outcome.";

/** The eight demand patterns, in words. */
export const PATTERN_WORDS: Readonly<Record<Pattern, string>> = {
  repeat_failure: "the same thing broke again and again",
  workaround: "people built or bent something because nothing fits",
  unmet_need: "people look for something that does not seem to exist",
  replacement_hunt: "something broke or was discontinued and needs a successor",
  alternative_seeking: "people want something other than what they know",
  willingness_to_pay: "people say what they would pay",
  recommendation_request: "people ask what to buy",
  frustration: "people complain about a product they own",
};
