/** `demand completion SHELL`: what makes a shell complete our commands and options. */
import { COMMAND_HELP } from "./help.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof SHELLS)[number];

/** The options of a command, as its help shows them. */
function optionsOf(name: string): string[] {
  const help = COMMAND_HELP[name];
  if (help === undefined) return [];
  const found = `${help.usage}\n${help.about}`.match(/(?<=[\s[])--[a-z][a-z-]*/g) ?? [];
  return [...new Set([...found, "--help"])].sort();
}

const TAKES_FILES = ["import", "read", "backup", "restore"];

function bash(): string {
  const cases = Object.keys(COMMAND_HELP).map((name) =>
    `    ${name}) words="${optionsOf(name).join(" ")}" ;;`
  );
  return `# demand completion bash > /etc/bash_completion.d/demand
_demand() {
  local word=\${COMP_WORDS[COMP_CWORD]} words
  if [[ $COMP_CWORD -eq 1 ]]; then
    words="${Object.keys(COMMAND_HELP).join(" ")} --help --version"
  else case \${COMP_WORDS[1]} in
${cases.join("\n")}
  esac; fi
  COMPREPLY=($(compgen -W "$words" -- "$word"))
}
complete -o bashdefault -o default -F _demand demand
`;
}

function zsh(): string {
  return `#compdef demand
# demand completion zsh > "\${fpath[1]}/_demand"
autoload -U +X bashcompinit && bashcompinit
${bash().split("\n").slice(1).join("\n")}`;
}

function fish(): string {
  const names = Object.keys(COMMAND_HELP);
  const lines = names.flatMap((name) => [
    `complete -c demand -n __fish_use_subcommand -f -a ${name}`,
    ...(TAKES_FILES.includes(name)
      ? []
      : [`complete -c demand -n "__fish_seen_subcommand_from ${name}" -f`]),
    ...optionsOf(name).map((option) =>
      `complete -c demand -n "__fish_seen_subcommand_from ${name}" -l ${option.slice(2)}`
    ),
  ]);
  return `# demand completion fish > ~/.config/fish/completions/demand.fish\n${lines.join("\n")}\n`;
}

/** The script for a shell, to be put where that shell looks for it. */
export function completion(shell: Shell): string {
  return { bash, zsh, fish }[shell]();
}
