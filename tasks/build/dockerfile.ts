/** Reads the few instructions that our Dockerfile uses, and refuses any other. */
export interface Stage {
  readonly run: string[];
  readonly copies: { readonly from: string; readonly to: string }[];
  readonly env: Record<string, string>;
  entrypoint: string[];
  command: string[];
  healthcheck: string[];
  user: string;
  exposed: string;
}

/** The stages of a Dockerfile, in order. @throws Error for what it does not know. */
export function parseDockerfile(text: string): Stage[] {
  const stages: Stage[] = [];
  for (const line of text.replace(/\\\n/g, " ").split("\n")) {
    const match = /^([A-Z]+)\s+(.*)$/.exec(line.trim());
    if (match === null) {
      if (line.trim() === "" || line.startsWith("#")) continue;
      throw new Error(`not an instruction: ${line}`);
    }
    const [, word = "", rest = ""] = match;
    if (word === "FROM") {
      if (!/^[\w./-]+:[\w.-]+( AS \w+)?$/.test(rest)) {
        throw new Error(`FROM without a tag: ${rest}`);
      }
      const empty = { run: [], copies: [], env: {}, entrypoint: [], command: [], healthcheck: [] };
      stages.push({ ...empty, user: "root", exposed: "" });
      continue;
    }
    const stage = stages.at(-1);
    if (stage === undefined) throw new Error(`${word} before FROM`);
    if (word === "RUN") stage.run.push(rest);
    else if (word === "COPY") {
      const [from = "", to = ""] = rest.split(/\s+/).filter((part) => !part.startsWith("--"));
      stage.copies.push({ from, to });
    } else if (word === "ENV") {
      for (const pair of rest.split(/\s+/)) {
        const [name = "", value = ""] = pair.split("=");
        stage.env[name] = value;
      }
    } else if (word === "ENTRYPOINT") stage.entrypoint = JSON.parse(rest);
    else if (word === "CMD") stage.command = JSON.parse(rest);
    else if (word === "HEALTHCHECK") stage.healthcheck = JSON.parse(rest.replace(/^.*?CMD /, ""));
    else if (word === "USER") stage.user = rest;
    else if (word === "EXPOSE") stage.exposed = rest;
    else if (!["ARG", "WORKDIR", "VOLUME", "STOPSIGNAL"].includes(word)) {
      throw new Error(`${word}: this check does not know it`);
    }
  }
  return stages;
}
