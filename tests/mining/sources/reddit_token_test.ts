import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { OperatorError } from "../../../core/errors.ts";
import { silentLog } from "../../../core/log.ts";
import { SourceError } from "../../../mining/sources/errors.ts";
import { Budget } from "../../../mining/sources/reddit/budget.ts";
import { checkedAddresses } from "../../../mining/sources/reddit/settings.ts";
import { TokenStore } from "../../../mining/sources/reddit/token.ts";
import { type Fault, RedditDouble } from "../../doubles/reddit.ts";
import { AGENT, clientOf, HASTY, PATIENT, posts, readAll } from "../../doubles/reddit_client.ts";
import { NEVER } from "../../support/time.ts";
import { JumpingTime } from "../../doubles/reddit_time.ts";

const TOKEN = "/api/v1/access_token";

async function setUp(options = {}, deadlines = PATIENT) {
  const time = new JumpingTime();
  const double = await RedditDouble.start({
    now: () => time.ms,
    posts: posts("camping", 3, time.ms - 60_000),
    ...options,
  });
  const tokens = (): number => double.callsTo(TOKEN).length;
  return { time, double, tokens, ...clientOf(double, time, deadlines) };
}

Deno.test("one token serves many readers until shortly before it ends", async () => {
  const { double, source, time, tokens } = await setUp({ tokenSeconds: 3600 });
  await using _ = double;
  await Promise.all(Array.from({ length: 8 }, () => readAll(source, "camping")));
  assertEquals(tokens(), 1);
  time.advance(3_200_000);
  await readAll(source, "camping");
  assertEquals(tokens(), 1);
  time.advance(150_000);
  await readAll(source, "camping");
  assertEquals(tokens(), 2, "fetched anew while the first still held");
  assert(double.calls.every((call) => call.userAgent === AGENT));
});

Deno.test("tokens that the site revokes are replaced once, for all who use them", async () => {
  const { double, source, tokens } = await setUp();
  await using _ = double;
  await readAll(source, "camping");
  double.revokeTokens();
  const all = await Promise.all(Array.from({ length: 5 }, () => readAll(source, "camping")));
  assert(all.every((reading) => reading.posts.length === 3));
  assertEquals(tokens(), 2);
});

Deno.test("a token that holds outlasts an outage of the token endpoint", async () => {
  const { double, source, time } = await setUp({ tokenSeconds: 3600 });
  await using _ = double;
  await readAll(source, "camping");
  time.advance(3_400_000);
  double.fail(TOKEN, { kind: "5xx" }, 100);
  assertEquals((await readAll(source, "camping")).posts.length, 3);
  time.advance(250_000);
  const error = await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(error.kind, "unavailable");
});

const PASSING: readonly Fault[] = [
  { kind: "429" },
  { kind: "429", retryAfter: 3 },
  { kind: "5xx" },
  { kind: "html" },
  { kind: "truncated" },
  { kind: "hang" },
  { kind: "reset" },
];

for (const fault of PASSING) {
  Deno.test(`a token endpoint that answers ${JSON.stringify(fault)} is asked again`, async () => {
    const deadlines = fault.kind === "hang" ? HASTY : PATIENT;
    const { double, source, tokens } = await setUp({}, deadlines);
    await using _ = double;
    double.fail(TOKEN, fault, 2);
    assertEquals((await readAll(source, "camping")).posts.length, 3);
    assertEquals(tokens(), 3);
  });
}

Deno.test("refused credentials are an error at once, and are not sent again at once", async () => {
  const { double, time } = await setUp();
  await using _ = double;
  const { source, lines } = clientOf(double, time, PATIENT, { clientSecret: "wrong-secret" });
  for (let i = 0; i < 3; i++) {
    const error = await assertRejects(() => readAll(source, "camping"), SourceError);
    assertEquals(error.kind, "unauthorized");
    assert(!`${error.message}${error.stack}`.includes("wrong-secret"));
  }
  assertEquals(double.calls.length, 1);
  assert(!JSON.stringify(lines).includes("wrong-secret"));
  time.advance(61_000);
  await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(double.calls.length, 2, "but again later: the application may have been repaired");
});

Deno.test("a refusal under status 200, and a token no header can hold, are told apart", async () => {
  const { double, source, time } = await setUp();
  await using _ = double;
  double.fail(TOKEN, { kind: "body", body: { error: "invalid_grant" } });
  const refused = await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(refused.kind, "unauthorized");
  time.advance(61_000);
  double.fail(TOKEN, { kind: "body", body: { access_token: "a\nb", expires_in: 9 } }, 4);
  const odd = await assertRejects(() => readAll(source, "camping"), SourceError);
  assertEquals(odd.kind, "malformed");
});

Deno.test("the whole address of the token endpoint may be given as well", async () => {
  const { double, time } = await setUp();
  await using _ = double;
  const { source } = clientOf(double, time, PATIENT, { authUrl: `${double.url}${TOKEN}` });
  assertEquals((await readAll(source, "camping")).posts.length, 3);
});

Deno.test("addresses that are none stop the start, by their setting's name", () => {
  const base = {
    clientId: "id",
    clientSecret: "",
    userAgent: AGENT,
    authUrl: "https://www.reddit.com/",
    apiUrl: "https://oauth.reddit.com//",
  };
  assertEquals(checkedAddresses(base), {
    tokenUrl: "https://www.reddit.com/api/v1/access_token",
    apiUrl: "https://oauth.reddit.com",
  });
  const wrong = (change: Partial<typeof base>, name: string): void => {
    assertThrows(() => checkedAddresses({ ...base, ...change }), OperatorError, name);
  };
  wrong({ authUrl: "www.reddit.com" }, "REDDIT_AUTH_URL");
  wrong({ authUrl: "ftp://www.reddit.com" }, "REDDIT_AUTH_URL");
  wrong({ apiUrl: "https://oauth.reddit.com/?x=1" }, "REDDIT_API_URL");
  wrong({ apiUrl: "https://user@oauth.reddit.com/" }, "REDDIT_API_URL");
});

Deno.test("a token that was replaced meanwhile is not thrown away for its predecessor's refusal", async () => {
  const time = new JumpingTime();
  let issued = 0;
  const deps = {
    fetch: () =>
      Promise.resolve(Response.json({ access_token: `token-${++issued}`, expires_in: 3600 })),
    clock: time,
    sleep: time.sleep,
    random: () => 0,
    log: silentLog,
  };
  const settings = {
    tokenUrl: "http://site/t",
    clientId: "i",
    clientSecret: "s",
    userAgent: AGENT,
  };
  const tokens = new TokenStore(settings, deps, new Budget(time, time.sleep));
  const old = await tokens.get(NEVER);
  tokens.reject(old);
  assertEquals(await tokens.get(NEVER), "token-2");
  tokens.reject(old);
  assertEquals(await tokens.get(NEVER), "token-2");
  const ended = AbortSignal.abort(new Error("gone"));
  tokens.reject("token-2");
  await assertRejects(() => tokens.get(ended), Error, "gone");
});
