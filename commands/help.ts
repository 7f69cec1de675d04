/** What `--help` says. */

interface Help {
  readonly usage: string;
  /** One line for the list of commands. */
  readonly brief: string;
  readonly about: string;
}

const EXIT_CODES =
  `Exit codes: 0 done, 1 failed (one line says why), 2 wrong usage, 130 interrupted.`;

/** What each command says of itself, in the order in which an operator meets them. */
export const COMMAND_HELP = {
  serve: {
    usage: "demand [serve]",
    brief: "serve the API (what a bare `demand` does)",
    about:
      `Serves the API on HOST:PORT (default 127.0.0.1:8402) until SIGTERM or Ctrl-C, and mines the
source on MINE_CRON. The first signal finishes what is in flight, paid calls above all; a second
one stops at once. A terminal that hangs up counts as a signal, except under nohup.

With nothing configured it keeps its data in ./data, mines a built-in demonstration corpus
and takes test payments that move no money. The settings are environment variables, or lines of .env:

  PORT          the port to listen on (default 8402); HOST, the address (default 127.0.0.1)
  DATA_DIR      where the built-in database lives (default ./data); DATABASE_URL, a Postgres instead
  BASE_URL      the public address in what is answered (default: from HOST and PORT)
  PAYMENT_MODE  test, facilitator or onchain

demand settings prints every setting and what is set now.

Try:
  demand &
  curl http://127.0.0.1:8402/v1/categories
  PORT=8403 DATA_DIR=./data-8403 demand
`,
  },
  doctor: {
    usage: "demand doctor [--json]",
    brief: "check every setting and external service",
    about: `Checks the settings, the database, the source, the model (with one real call), the
facilitator or the chain, whether the newest settlements are on it, the clock, the proxy in front, and
what is left unresolved; one line each, with what to do about it. Works beside a running service and
changes nothing.

Exit code 1: something failed. Warnings leave it at 0.
`,
  },
  import: {
    usage: "demand import FILE… [--as-of TIME] [--all-communities] [--threads N] [--json]",
    brief: "import archives of posts into the corpus",
    about: `Reads archives of posts (one JSON object a line; plain, gzip or zstd) into the corpus.
demand help operating describes the fields of a line: id, subreddit, title and created_utc are required.

An interrupted import goes on where it stopped when the same command is run again, and makes its
cards then; a file that was imported before changes nothing. Works while the service runs.

  --as-of TIME         the time that ages count from, past or present (default: the newest post of
                       all imports; once a source was mined it is always the present): a day,
                       YYYY-MM-DD, or a time with Z or an offset
  --all-communities    take communities outside the registry too
  --threads N          judge posts in N threads, 1 to 64, each of some 150 MB (default: one for each
                       processor, four at most)
  --json               print the outcome as one JSON object instead of progress and a summary

Exit code 1: a file could not be read to its end, or no line of it is a post.

Try:
  demand import RS_2026-10.zst
  demand import BuyItForLife_submissions.zst --as-of 2026-10-31
`,
  },
  read: {
    usage: "demand read FILE…",
    brief: "print what posts state of what they want",
    about:
      `Reads archives of posts, as import takes them, by the built-in reader and prints one JSON
object a post, in the file's order. No database is needed, and nothing is stored.

A post of demand: id, demand 1, pattern, product, head (the kind of product), product_span and
facts, each with its type, its span (verbatim) and its canonical value. Any other: id and demand 0.
Removed, adult and pinned posts and ads are left out; bad lines are reported on standard error.
The repository's docs/extraction.md describes the types.

Exit code 1: a file could not be read to its end, or no line of it is a post.

Try:
  demand read RS_2026-10.zst > readings.ndjson
`,
  },
  backup: {
    usage: "demand backup FILE [--json]",
    brief: "write everything stored to a file",
    about:
      `Writes every table to FILE (gzip, one JSON object a row), while the service goes on. The file
holds quotes, payments and the key of the authors' hashes: it is readable by its owner alone.
It restores into Postgres and into the embedded database alike. An older backup of that name is
replaced; any other file is left alone.

Try:
  demand backup "demand-$(date +%F).backup.gz"
`,
  },
  restore: {
    usage: "demand restore FILE [--force] [--json]",
    brief: "restore a backup into a database",
    about:
      `Restores a backup into an empty database, all of it or nothing. A backup of an earlier version
is brought up to date; give it a database that nothing was started on yet. The demonstration corpus
alone counts as empty; imported or mined posts and any payment do not.

Posts of a live source count as unchecked afterwards: the next mining run looks them up, since
they may have been removed at their source in the meantime.

  --force    replace what the database holds
`,
  },
  mine: {
    usage: "demand mine [--once [--json]]",
    brief: "read the source's new posts, check the old ones, remake the cards",
    about: `Reads the new posts of every community from the source, looks stored posts up again and
removes what is gone there, then remakes the cards. The service does so by itself on MINE_CRON;
this command does it in a process of its own, beside the service or without it.

  --once    one run now, with its progress shown; without it, on MINE_CRON until Ctrl-C
  --json    with --once: print the run's report as one JSON object instead

Exit code 1: the source failed; what was read before is kept.
`,
  },
  forget: {
    usage: "demand forget ID…",
    brief: "remove posts as if they were gone at their source",
    about:
      `Removes posts, by id or permalink, as if they were gone at their source: text, quotes, signals,
kept verdicts and stored answers. They do not come back with a later import or mining run.
`,
  },
  show: {
    usage: "demand show CARD [--json]",
    brief: "print a card: facts, quotes and how its score is made",
    about:
      `Prints the card with this id or slug, whatever its state, a former slug included. Anything else
is taken for words, and the cards that hold all of them are listed. Works beside a running service.

Exit code 1: there is no such card.

Try:
  demand show running headphones
`,
  },
  payment: {
    usage: "demand payment ID [--json]",
    brief: "print a payment: who, when, for what, and what was answered",
    about:
      `Prints the payment that ID means: its number, its transaction, the request id that an answer
carried (X-Request-Id), or the buyer's payment-identifier. For a payer's address the newest 20 are listed.
Signatures and nonces are not shown. Works beside a running service.

Exit code 1: there is no such payment.
`,
  },
  migrate: {
    usage: "demand migrate",
    brief: "bring the database to this version's schema",
    about:
      `Brings the database to this version's schema. Commands that use it do so too, doctor apart; many
processes may do it at once.
`,
  },
  healthcheck: {
    usage: "demand healthcheck",
    brief: "check the health of the service on this machine",
    about:
      `Asks /health of the service on HOST:PORT and prints the answer: for containers, which have no
shell and no curl. Exit code 1: it cannot answer, its database is gone, or sales are stopped.
`,
  },
  openapi: {
    usage: "demand openapi",
    brief: "print the OpenAPI 3.1 description",
    about: `Prints the OpenAPI 3.1 description of every route, with this installation's addresses,
as a first run with its settings serves it.

Try:
  demand openapi > openapi.json
`,
  },
  settings: {
    usage: "demand settings [--json]",
    brief: "print every setting, its default and what is set now",
    about:
      `Prints every setting, what it is for, its default, and what the environment and .env set now;
secrets are not shown. \`demand help settings\` describes each. The wrong ones are told on standard
error, too, a line each.

Exit code 1: one of them is wrong.
`,
  },
  mcp: {
    usage: "demand mcp [URL]",
    brief: "the tools of an instance for a host of agents, over stdio",
    about:
      `Speaks the Model Context Protocol over standard input and output, for hosts that know no remote
servers and have no wallet, and passes calls on to the instance at URL (default
http://127.0.0.1:8402). It needs no database and no other setting.

  EVM_PRIVATE_KEY   the key of a wallet with USDC: 0x and 64 hexadecimal digits. Without it the free
                    tools alone are there. Against an instance in payment mode test any key pays.
  MCP_DAILY_USD     dollars a day that are spent without asking (default 1). Beyond it the host is
                    asked, where it can ask its user; else the call is refused. What was spent is
                    counted in ~/.local/state/demand, for all sessions together. The call that bought
                    an answer gets it again for 15 minutes, whatever is left, in the same session.
  XDG_STATE_HOME    where the folder demand with that count is instead of HOME's .local/state; on
                    Windows it is in APPDATA. With a key, one of the three has to be set.

Try, in the settings of a host:
  {"mcpServers": {"demand": {"command": "demand", "args": ["mcp", "https://demand.example"]}}}
`,
  },
  init: {
    usage: "demand init FOLDER",
    brief: "write a unit, settings and proxy examples for this machine",
    about:
      `Writes into FOLDER what runs the service on this machine: a systemd unit for this executable, a
settings file with what is set now and every other setting in a comment, a timer that makes backups,
and configurations of Caddy and nginx for BASE_URL. A file that is there already is left alone, and
nothing outside FOLDER is touched; the commands that install the files are printed.

Try:
  BASE_URL=https://demand.example demand init setup
`,
  },
  version: {
    usage: "demand version [--json]",
    brief: "print the version",
    about:
      `Prints the version and the commit that the executable was made of; with --json the runtime
inside too.
`,
  },
} as const satisfies Readonly<Record<string, Help>>;

/** The name of a command. */
export type CommandName = keyof typeof COMMAND_HELP;

interface Document {
  /** The file's name in the repository. */
  readonly file: string;
  readonly brief: string;
}

/** The documents inside the executable, by the name under which `demand help` shows each. */
export const TOPICS = {
  running: {
    file: "running.md",
    brief: "executables, systemd, containers, proxies, health, backups",
  },
  settings: { file: "configuration.md", brief: "every setting in full" },
  operating: {
    file: "operating.md",
    brief: "the live source, archives, mining runs, removals",
  },
  payment: { file: "payment.md", brief: "how a call is paid, and what each fault ends in" },
  model: { file: "model.md", brief: "what a language model may do" },
  scaling: { file: "scaling.md", brief: "more than one machine" },
  security: { file: "SECURITY.md", brief: "what is defended, and against whom" },
  api: { file: "api.md", brief: "the routes, for buyers" },
  changelog: { file: "CHANGELOG.md", brief: "what each version changed" },
} as const satisfies Readonly<Record<string, Document>>;

/** The name of a document. */
export type Topic = keyof typeof TOPICS;

const WIDTH = Math.max(...Object.keys(COMMAND_HELP).map((name) => name.length));

const listed = (table: Readonly<Record<string, { readonly brief: string }>>): string =>
  Object.entries(table).map(([name, { brief }]) => `  ${name.padEnd(WIDTH)}  ${brief}`).join("\n");

/** The whole command line in a screen. */
export const HELP = `Demand Intelligence Service: demand for physical products, sold per call.

Usage: demand [COMMAND] [OPTIONS]

${listed(COMMAND_HELP)}

Settings are environment variables, or lines of a .env file in the current folder (what is set in
the environment wins); each wrong one stops the start with a line that names it.
${EXIT_CODES}

demand COMMAND --help describes a command, demand help TOPIC one of these:

${listed(TOPICS)}
`;

/** The text that `demand NAME --help` prints. */
export function helpOf(name: CommandName): string {
  const { usage, about } = COMMAND_HELP[name];
  return `Usage: ${usage}\n\n${about}`;
}
