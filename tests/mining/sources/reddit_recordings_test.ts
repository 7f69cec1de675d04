/**
 * The client against answers recorded from the site itself, where a folder of them lies beside the
 * project (or where RECORDINGS says); without one these tests are reported as ignored.
 */
import { assert, assertEquals, assertGreater } from "@std/assert";
import { silentLog } from "../../../core/log.ts";
import { SourceError } from "../../../mining/sources/errors.ts";
import { Budget, readRate } from "../../../mining/sources/reddit/budget.ts";
import { RedditHttp } from "../../../mining/sources/reddit/http.ts";
import { readListing, readListingPosts } from "../../../mining/sources/reddit/listing.ts";
import { TokenStore } from "../../../mining/sources/reddit/token.ts";
import { RedditDouble } from "../../doubles/reddit.ts";
import { AGENT, clientOf, PATIENT, posts, readAll } from "../../doubles/reddit_client.ts";
import { NEVER } from "../../support/time.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";

const FOLDER = Deno.env.get("RECORDINGS") ??
  new URL("../../../../shared/recordings", import.meta.url).pathname;

function exists(folder: string): boolean {
  try {
    return Deno.statSync(folder).isDirectory;
  } catch {
    return false;
  }
}

interface Recorded {
  readonly file: string;
  readonly token: boolean;
  readonly status: number;
  readonly headers: Headers;
  readonly body: string;
}

interface Cassette {
  readonly interactions?: readonly {
    readonly request: { readonly uri: string };
    readonly response: {
      readonly status: { readonly code: number };
      readonly headers: Readonly<Record<string, readonly string[]>>;
      readonly body: { readonly string?: string };
    };
  }[];
}

function recordings(): Recorded[] {
  const files = [...Deno.readDirSync(FOLDER)].map((entry) => entry.name);
  return files.filter((name) => name.endsWith(".json")).sort().flatMap((file): Recorded[] => {
    const text = Deno.readTextFileSync(`${FOLDER}/${file}`);
    const { interactions }: Cassette = JSON.parse(text);
    if (interactions === undefined) {
      return [{ file, token: false, status: 200, headers: new Headers(), body: text }];
    }
    return interactions.map(({ request, response }) => ({
      file,
      token: request.uri.endsWith("/api/v1/access_token"),
      status: response.status.code,
      headers: new Headers(
        Object.entries(response.headers).flatMap(([name, values]) =>
          values.map((value): [string, string] => [name, value])
        ),
      ),
      body: response.body.string ?? "",
    }));
  });
}

const bodyless = (status: number): boolean => [101, 204, 205, 304].includes(status);

/** A client that gets `recorded` for every request, tokens apart. */
function playing(recorded: Recorded) {
  const time = new JumpingTime();
  const answer = (): Response =>
    new Response(bodyless(recorded.status) ? null : recorded.body, {
      status: recorded.status,
      headers: recorded.headers,
    });
  const issued = { access_token: "token", expires_in: 3600 };
  const deps = {
    fetch: (_url: string, init: RequestInit) =>
      Promise.resolve(
        init.method === "POST" && !recorded.token ? Response.json(issued) : answer(),
      ),
    clock: time,
    sleep: time.sleep,
    random: () => 0,
    log: silentLog,
  };
  const once = { attempts: 1, timeoutMs: 5000, totalMs: 900_000, backoffMs: 1 };
  const budget = new Budget(time, time.sleep);
  const credentials = { clientId: "id", clientSecret: "secret", userAgent: AGENT };
  const tokens = new TokenStore({ tokenUrl: "http://site/t", ...credentials }, deps, budget);
  const patience = { live: once, check: once, mine: once };
  const http = new RedditHttp(
    { apiUrl: "http://site", userAgent: AGENT, patience },
    deps,
    budget,
    tokens,
  );
  return { http, tokens };
}

/** What the client is expected to make of an answer, by the words of the brief of the site's API. */
function expected(recorded: Recorded): string {
  const { status, body, headers } = recorded;
  if (recorded.token) {
    if (status === 429) return "rate_limited";
    return status === 200 && body.includes('"access_token"') ? "token" : "unauthorized";
  }
  if (status === 200) return isListing(body) ? "listing" : "malformed";
  if (status === 301 || status === 302) {
    return /\/r\/[^/]+\//.test(headers.get("location") ?? "") ? "forbidden" : "malformed";
  }
  if (status === 403 && headers.get("www-authenticate")?.includes("insufficient_scope")) {
    return "unauthorized";
  }
  if (status >= 500) return "unavailable";
  const kinds: Readonly<Record<number, string>> = {
    205: "malformed",
    400: "malformed",
    401: "unauthorized",
    403: "forbidden",
    404: "not_found",
    414: "too_large",
    429: "rate_limited",
    451: "forbidden",
  };
  return kinds[status] ?? `no rule for ${status}`;
}

function isListing(body: string): boolean {
  try {
    return JSON.parse(body).kind === "Listing";
  } catch {
    return false;
  }
}

async function outcome(recorded: Recorded): Promise<string> {
  const { http, tokens } = playing(recorded);
  try {
    if (recorded.token) return (await tokens.get(NEVER)) === "" ? "no token" : "token";
    const call = { path: "/r/x/new", params: {}, priority: "mine", signal: NEVER } as const;
    await http.get({ ...call, read: readListing });
    return "listing";
  } catch (error) {
    return error instanceof SourceError ? error.kind : `untyped: ${error}`;
  }
}

Deno.test({
  name: "every recorded answer of the site is read, or is the failure it stands for",
  ignore: !exists(FOLDER),
  async fn() {
    const seen = new Map<string, number>();
    for (const recorded of recordings()) {
      const got = await outcome(recorded);
      assertEquals(got, expected(recorded), `${recorded.file}, status ${recorded.status}`);
      seen.set(got, (seen.get(got) ?? 0) + 1);
    }
    for (const kind of ["listing", "token", "rate_limited", "unavailable", "malformed"]) {
      assertGreater(seen.get(kind) ?? 0, 0, `no recording ended as ${kind}`);
    }
  },
});

Deno.test({
  name: "every recorded submission is read whole, or left out for a reason it shows",
  ignore: !exists(FOLDER),
  fn() {
    const now = new Date();
    let total = 0;
    for (const recorded of recordings()) {
      if (recorded.token || recorded.status !== 200 || !isListing(recorded.body)) continue;
      const body: { data: { children: { kind: string; data: Record<string, unknown> }[] } } = JSON
        .parse(recorded.body);
      const raw = body.data.children.filter((child) => child.kind === "t3").map((c) => c.data);
      const read = readListingPosts(readListing(body), { now, community: null }, false);
      const byId = new Map(read.posts.map((post) => [post.id, post]));
      for (const data of raw) {
        total++;
        const post = byId.get(String(data.id));
        const hidden = data.over_18 === true || data.stickied === true || data.pinned === true ||
          data.selftext === "[removed]" || data.selftext === "[deleted]";
        if (hidden) continue;
        assert(post !== undefined, `${recorded.file}: ${data.id} was left out`);
        assertEquals(
          [post.title, post.body, post.community, post.upvotes, post.comments],
          [data.title, data.selftext, data.subreddit, data.score, data.num_comments],
        );
        assertEquals(post.createdAt.getTime(), Number(data.created_utc) * 1000);
        assertEquals(post.author, data.author === "[deleted]" ? null : data.author);
        const [path = ""] = String(data.permalink).split("?");
        assert(decodeURI(post.permalink).endsWith(decodeURI(path)), post.permalink);
      }
    }
    assertGreater(total, 1000);
  },
});

Deno.test({
  name: "the budget reads the rate headers as they were recorded",
  ignore: !exists(FOLDER),
  fn() {
    let some = 0;
    for (const { headers, file } of recordings()) {
      const remaining = headers.get("x-ratelimit-remaining");
      if (remaining === null) continue;
      some++;
      assertEquals(readRate(headers)?.remaining, Number(remaining), file);
    }
    assertGreater(some, 5);
  },
});

type Shape = Map<string, Set<string>>;

function shapeOf(objects: readonly Readonly<Record<string, unknown>>[]): Shape {
  const shape: Shape = new Map();
  for (const object of objects) {
    for (const [key, value] of Object.entries(object)) {
      const types = shape.get(key) ?? new Set();
      shape.set(key, types.add(value === null ? "null" : typeof value));
    }
  }
  return shape;
}

Deno.test({
  name: "the double's listings have the fields and types of the recorded ones",
  ignore: !exists(FOLDER),
  async fn() {
    type Body = { data: { children: { kind: string; data: Record<string, unknown> }[] } };
    const bodies: Body[] = recordings().filter((one) => !one.token && isListing(one.body))
      .map((one) => JSON.parse(one.body));
    const submissions = bodies.flatMap((body) => body.data.children)
      .filter((child) => child.kind === "t3").map((child) => child.data);
    const [envelope, fields] = [shapeOf(bodies.map((body) => body.data)), shapeOf(submissions)];

    const time = new JumpingTime();
    await using double = await RedditDouble.start({ posts: posts("camping", 150, time.ms) });
    const own: Body[] = [];
    const { source } = clientOf(double, time, PATIENT, {}, async (url, init) => {
      const response = await fetch(url, init);
      if (init.method !== "POST") own.push(await response.clone().json());
      return response;
    });
    await readAll(source, "camping");
    const ownSubmissions = own.flatMap((body) => body.data.children).map((child) => child.data);
    assertGreater(ownSubmissions.length, 100);
    const pairs = [[shapeOf(own.map((body) => body.data)), envelope], [
      shapeOf(ownSubmissions),
      fields,
    ]] as const;
    for (const [mine, theirs] of pairs) {
      for (const [key, types] of mine) {
        // None was recorded on a page in the middle of a listing, where it is a fullname.
        if (key === "before") types.delete("string");
        for (const type of types) assert(theirs.get(key)?.has(type), `${key} is ${type}`);
      }
    }
  },
});
