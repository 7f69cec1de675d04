/** What `--help` says. */

interface Help {
  readonly usage: string;
  readonly about: string;
}

const COMMAND_HELP: Readonly<Record<string, Help>> = {
  serve: {
    usage: "demand [serve]",
    about: `Serves the API on HOST:PORT (default 127.0.0.1:8402) until SIGTERM or Ctrl-C.

With nothing configured it keeps its data in ./data, mines a built-in demonstration corpus
and takes test payments that move no money. See docs/configuration.md for every setting.
`,
  },
  import: {
    usage: "demand import FILE… [--as-of TIME] [--all-communities]",
    about: `Reads archives of posts (one JSON object a line; plain, gzip or zstd) into the corpus.

An interrupted import goes on where it stopped when the same command is run again; a file that
was imported before changes nothing. Works while the service runs.

  --as-of TIME         the time that ages count from (default: the newest post)
  --all-communities    take communities outside the registry too
`,
  },
  migrate: {
    usage: "demand migrate",
    about: `Brings the database to this version's schema. Every other command does so too.\n`,
  },
  version: { usage: "demand version", about: "Prints the version.\n" },
};

/** The whole command line in a screen. */
export const HELP = `Demand Intelligence Service: demand for physical products, sold per call.

Usage:
${Object.values(COMMAND_HELP).map(({ usage }) => `  ${usage}`).join("\n")}

Settings are environment variables; a wrong one stops the start with a line that names it.
demand COMMAND --help tells more.
`;

/** The help of one command. */
export function helpOf(name: string): string {
  const help = COMMAND_HELP[name];
  return help === undefined ? HELP : `Usage: ${help.usage}\n\n${help.about}`;
}
