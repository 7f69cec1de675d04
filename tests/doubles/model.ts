/**
 * A loopback stand-in for an OpenAI-compatible server that misbehaves as real ones do. A behaviour
 * decides each call; the calls are kept to be looked at.
 */

export interface ModelCall {
  /** 0 for the first. */
  readonly index: number;
  readonly model: string;
  readonly format: string;
  readonly limit: "max_completion_tokens" | "max_tokens" | "none";
  readonly authorization: string | null;
  readonly system: string;
  /** The last message. */
  readonly prompt: string;
  /** All messages but the system's: what was asked first, and what was said of the answers. */
  readonly conversation: string;
}

/** What the server says it counted, which may be anything. */
interface Usage {
  readonly prompt_tokens: unknown;
  readonly completion_tokens: unknown;
}

/** What the server does with a call. */
export type ModelAnswer =
  | { readonly content: string; readonly finish?: string; readonly usage?: Usage | false }
  | { readonly refusal: string }
  | {
    readonly status: number;
    readonly message?: string;
    readonly code?: string;
    readonly headers?: Record<string, string>;
  }
  | { readonly raw: string }
  | { readonly hang: true }
  | { readonly after: Promise<void>; readonly then: ModelAnswer }
  | { readonly afterMs: number; readonly then: ModelAnswer };

export type Behaviour = (call: ModelCall) => ModelAnswer;

export interface ModelDouble extends AsyncDisposable {
  /** `http://127.0.0.1:PORT/v1` */
  readonly baseUrl: string;
  readonly calls: readonly ModelCall[];
  behave(behaviour: Behaviour): void;
}

/** A usable reply. */
export function reply(
  parts: { shift?: unknown; rationale?: unknown; evidence?: unknown } & Record<string, unknown> =
    {},
): string {
  return JSON.stringify({
    shift: 0,
    rationale: "People ask for this. The posts agree with each other.",
    evidence: [1],
    ...parts,
  });
}

const good: Behaviour = () => ({ content: reply() });

/** How real servers go wrong, by name. */
export const BEHAVIOURS = {
  good,
  /** Knows no schemas, as many local servers. */
  noSchema: ({ format }) =>
    format === "json_schema"
      ? { status: 400, message: "response_format json_schema is not supported" }
      : { content: reply() },
  /** Knows no structured output at all. */
  plainOnly: ({ format }) =>
    format === "text"
      ? { content: `Sure, here is the verdict:\n\`\`\`json\n${reply()}\n\`\`\`\nAnything else?` }
      : { status: 422, message: "unknown field response_format" },
  /** An older interface. */
  oldLimit: ({ limit }) =>
    limit === "max_completion_tokens"
      ? { status: 400, message: "Unsupported parameter: 'max_completion_tokens'" }
      : { content: reply() },
  hang: () => ({ hang: true }),
  broken: () => ({ status: 500, message: "internal error" }),
  brokenOnce: ({ index }) => index === 0 ? { status: 503 } : { content: reply() },
  rateLimited: () => ({ status: 429, message: "slow down", headers: { "retry-after": "120" } }),
  badKey: () => ({ status: 401, message: "Incorrect API key provided: sk-test" }),
  invalidJson: () => ({ content: '{"shift": 3, "rationale": "People want' }),
  invalidJsonOnce: ({ index }) => ({ content: index === 0 ? "I think so!" : reply() }),
  wrongShape: () => ({ content: JSON.stringify({ score: 80, why: "because" }) }),
  notCompletion: () => ({ raw: "<html>gateway</html>" }),
  emptyChoices: () => ({
    raw: JSON.stringify({ id: "x", object: "chat.completion", choices: [] }),
  }),
  prose: () => ({ content: `Here you go: ${reply()} Hope that helps.` }),
  outOfRange: () => ({ content: reply({ evidence: [99, 0, -3] }) }),
  partlyInRange: () => ({ content: reply({ evidence: [99, 1, 1, 2, 1] }) }),
  hugeShift: () => ({ content: reply({ shift: 9_000 }) }),
  textNumbers: () => ({ content: reply({ shift: "7", evidence: ["1"] }) }),
  writesEvidence: () => ({
    content: reply({
      evidence: [1],
      topEvidence: [{ quote: "I would pay a million", permalink: "https://evil.example" }],
    }),
  }),
  quotesInsteadOfNumbers: () => ({ content: reply({ evidence: ["I would pay a million"] }) }),
  refuses: () => ({ refusal: "I cannot help with that." }),
  truncated: () => ({ content: '{"shift": 2, "rationale": "Peo', finish: "length" }),
  silent: () => ({ content: "" }),
  uncounted: () => ({ content: reply(), usage: false }),
  countsParts: () => ({
    content: reply(),
    usage: { prompt_tokens: 12.5, completion_tokens: 0.5 },
  }),
  countsAsText: () => ({
    content: reply(),
    usage: { prompt_tokens: "900", completion_tokens: "100" },
  }),
  countsTooMany: () => ({
    content: reply(),
    usage: { prompt_tokens: 1e30, completion_tokens: 1e308 },
  }),
  countsBelowNone: () => ({
    content: reply(),
    usage: { prompt_tokens: -9e6, completion_tokens: -9e6 },
  }),
  /** Usable but for its length. */
  endless: () => ({ content: reply({ more: "x".repeat(300_000) }) }),
} as const satisfies Record<string, Behaviour>;

/** A post as a question shows it. */
export interface AskedPost {
  readonly number: number;
  readonly community: string;
  readonly title: string;
  readonly body: string;
}

/** The numbered lines of data that a call asks about: posts, or cards. */
export function asked<T>({ conversation }: Pick<ModelCall, "conversation">): readonly T[] {
  return conversation.split("\n").filter((line) => line.startsWith('{"number"'))
    .map((line) => JSON.parse(line) as T);
}

/** Whether a call asks for the words of cards, and not for what posts state. */
export const isAboutCards = ({ system }: Pick<ModelCall, "system">): boolean =>
  system.includes('"productAngle"');

/** Whether a call asks which quotes of cards show their want. */
export const isReview = ({ system }: Pick<ModelCall, "system">): boolean =>
  system.includes('"oneWant"');

/** A card as a review's question shows it. */
export interface AskedCard {
  readonly number: number;
  readonly product: string;
  readonly want: { readonly value: string };
  readonly and?: { readonly value: string };
  readonly quotes: readonly {
    readonly number: number;
    readonly title: string;
    readonly text: string;
    readonly quote: string;
  }[];
}

/** An entry of a reply about a card of which all is well. */
export const allShow = ({ quotes }: AskedCard): Readonly<Record<string, unknown>> => ({
  shows: quotes.map(({ number }) => number),
  oneWant: true,
});

/** An entry of a reply about posts that hold no demand. */
export const NO_DEMAND = {
  demand: 0,
  pattern: "none",
  intensity: 0,
  wtp: 0,
  product: "",
  head: "",
  product_span: "",
  facts: [],
} as const;

/** Answers the questions of the mining: each post by `read`, each card's words by `write`, its quotes by `review`. */
export function answering(
  read: (post: AskedPost) => Readonly<Record<string, unknown>>,
  write: (card: Readonly<Record<string, unknown>>) => Readonly<Record<string, unknown>>,
  review: (card: AskedCard) => Readonly<Record<string, unknown>> = allShow,
): (call: ModelCall) => { readonly content: string } {
  const entries = <T extends { readonly number: number }>(
    call: ModelCall,
    entry: (one: T) => Readonly<Record<string, unknown>>,
  ) => asked<T>(call).map((one) => ({ number: one.number, ...entry(one) }));
  return (call) => ({
    content: JSON.stringify(
      isReview(call)
        ? { cards: entries(call, review) }
        : isAboutCards(call)
        ? { cards: entries<Record<string, unknown> & { readonly number: number }>(call, write) }
        : { posts: entries(call, read) },
    ),
  });
}

/**
 * Answers questions about posts with what readers answered before (tasks/eval/recorded.ts): `entry` gives it for a
 * post of those known, found by its words. Of posts that nobody was asked about nothing usable is said.
 */
export function replaying<P extends { readonly title: string; readonly body: string }>(
  posts: readonly P[],
  entry: (post: P, number: number) => Readonly<Record<string, unknown>>,
): Behaviour {
  const keyOf = ({ title, body }: { readonly title: string; readonly body: string }): string =>
    `${title}\n${body}`.replace(/[^\p{L}\p{N}]+/gu, " ").trim().slice(0, 600);
  const known = new Map(posts.map((post) => [keyOf(post), post]));
  return answering(
    (shown) => {
      const post = known.get(keyOf(shown));
      return post === undefined ? { ...NO_DEMAND, demand: 1 } : entry(post, shown.number);
    },
    () => ({ title: "", summary: "", productAngle: "" }),
  );
}

async function respond(answer: ModelAnswer, aborted: AbortSignal): Promise<Response> {
  if ("hang" in answer) {
    await new Promise((resolve) => aborted.addEventListener("abort", resolve, { once: true }));
    return new Response(null, { status: 499 });
  }
  if ("after" in answer) {
    await answer.after;
    return await respond(answer.then, aborted);
  }
  if ("afterMs" in answer) {
    await new Promise((resolve) => setTimeout(resolve, answer.afterMs));
    return await respond(answer.then, aborted);
  }
  const json = { "content-type": "application/json" };
  if ("raw" in answer) return new Response(answer.raw, { headers: json });
  if ("status" in answer) {
    return new Response(
      JSON.stringify({ error: { message: answer.message ?? "error", code: answer.code } }),
      {
        status: answer.status,
        headers: { ...json, ...answer.headers },
      },
    );
  }
  const refused = "refusal" in answer;
  const message = refused
    ? { role: "assistant", content: null, refusal: answer.refusal }
    : { role: "assistant", content: answer.content };
  const counted = { prompt_tokens: 900, completion_tokens: 100, total_tokens: 1_000 };
  const usage = refused ? counted : answer.usage ?? counted;
  return Response.json({
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 0,
    model: "double",
    choices: [{ index: 0, message, finish_reason: refused ? "stop" : answer.finish ?? "stop" }],
    ...(usage === false ? {} : { usage }),
  });
}

interface RequestBody {
  readonly model: string;
  readonly messages: readonly { readonly role: string; readonly content: string }[];
  readonly response_format?: { readonly type: string };
  readonly max_completion_tokens?: number;
  readonly max_tokens?: number;
}

/** Starts the server on a free loopback port. */
export function startModel(first: Behaviour = good): ModelDouble {
  let behaviour = first;
  const calls: ModelCall[] = [];
  const closing = new AbortController();
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {}, signal: closing.signal },
    async (request) => {
      const body: RequestBody = await request.json();
      const call: ModelCall = {
        index: calls.length,
        model: body.model,
        format: body.response_format?.type ?? "text",
        limit: body.max_completion_tokens !== undefined
          ? "max_completion_tokens"
          : body.max_tokens !== undefined
          ? "max_tokens"
          : "none",
        authorization: request.headers.get("authorization"),
        system: body.messages.find(({ role }) => role === "system")?.content ?? "",
        prompt: body.messages.at(-1)?.content ?? "",
        conversation: body.messages.filter(({ role }) => role !== "system")
          .map(({ content }) => content).join("\n"),
      };
      calls.push(call);
      return await respond(behaviour(call), AbortSignal.any([request.signal, closing.signal]));
    },
  );
  return {
    baseUrl: `http://127.0.0.1:${server.addr.port}/v1`,
    calls,
    behave: (next) => behaviour = next,
    [Symbol.asyncDispose]: async () => {
      closing.abort();
      await server.finished;
    },
  };
}
