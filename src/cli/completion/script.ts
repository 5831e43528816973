import type { Command } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A command, and what may follow it. `path`: the words that lead to it, such as `tests push`. */
type Place = { readonly path: string; readonly words: readonly string[] };

/** The script that a shell sources so that Tab knows every command and option. */
export const completionScript = (shell: Shell, program: Command): string =>
  WRITERS[shell](program.name(), placesOf(program, ""));

const placesOf = (command: Command, path: string): readonly Place[] => {
  const children = command.commands.filter((child) => child.name() !== "help");
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const names = children.map((child) => child.name());
  const place = { path, words: [...names, ...choices, ...options, "--help"] };
  const below = children.map((child) => placesOf(child, `${path} ${child.name()}`.trim()));
  return [place, ...below.flat()];
};

/** Bash: follows the words so far from command to command; file names where nothing else fits. */
const bash = (
  name: string,
  places: readonly Place[],
): string => `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${places
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      "${path}") path="${path}" ;;`)
  .join("\n")}
    esac
  done
  case "$path" in
${places.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;

/** Zsh reads bash's way of completing. */
const zsh = (name: string, places: readonly Place[]): string => `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(name, places).split("\n").slice(1).join("\n")}`;

const fish = (name: string, places: readonly Place[]): string => {
  const lines = places.flatMap(({ path, words }) => {
    const given = path.split(" ").filter(Boolean);
    const below = words.filter((word) => !word.startsWith("--"));
    const seen = given.map((word) => `__fish_seen_subcommand_from ${word}`);
    const unseen = below.length > 0 ? [`not __fish_seen_subcommand_from ${below.join(" ")}`] : [];
    const condition = [...seen, ...unseen].join("; and ") || "true";
    return words.map((word) =>
      word.startsWith("--")
        ? `complete -c ${name} -n "${condition}" -l ${word.slice(2)}`
        : `complete -c ${name} -n "${condition}" -f -a ${word}`,
    );
  });
  return `# ${name} completion for fish: ${name} completion fish | source\n${lines.join("\n")}\n`;
};

const WRITERS: Readonly<Record<Shell, (name: string, places: readonly Place[]) => string>> = {
  bash,
  zsh,
  fish,
};
