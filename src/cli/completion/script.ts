import type { Command } from "commander";

export const shells = ["bash", "zsh", "fish"] as const;
export type Shell = (typeof shells)[number];

/** A command and the words that may follow it. `path`: the words of the command, such as `tests push`. */
type Completion = { readonly path: string; readonly words: readonly string[] };

/** The completion script of a shell, with every command and option. */
export const completionScript = (shell: Shell, program: Command): string =>
  WRITERS[shell](program.name(), completionsOf(program, ""));

const completionsOf = (command: Command, path: string): readonly Completion[] => {
  const children = command.commands.filter((child) => child.name() !== "help");
  const options = command.options.filter(({ hidden }) => !hidden).flatMap(({ long }) => long ?? []);
  const choices = command.registeredArguments.flatMap(({ argChoices }) => argChoices ?? []);
  const names = children.map((child) => child.name());
  const completion = { path, words: [...names, ...choices, ...options, "--help"] };
  const below = children.map((child) => completionsOf(child, `${path} ${child.name()}`.trim()));
  return [completion, ...below.flat()];
};

/** Finds the command in the words so far; falls back to file names. */
const bash = (
  name: string,
  completions: readonly Completion[],
): string => `# ${name} completion for bash: source <(${name} completion bash)
_${name}() {
  local cur="\${COMP_WORDS[COMP_CWORD]}" path="" word words=""
  for word in "\${COMP_WORDS[@]:1:COMP_CWORD-1}"; do
    case "\${path:+$path }$word" in
${completions
  .filter(({ path }) => path !== "")
  .map(({ path }) => `      "${path}") path="${path}" ;;`)
  .join("\n")}
    esac
  done
  case "$path" in
${completions.map(({ path, words }) => `    "${path}") words="${words.join(" ")}" ;;`).join("\n")}
  esac
  COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _${name} ${name}
`;

/** Zsh can run bash completion functions. */
const zsh = (name: string, completions: readonly Completion[]): string => `#compdef ${name}
# ${name} completion for zsh: source <(${name} completion zsh)
autoload -U +X bashcompinit && bashcompinit
${bash(name, completions).split("\n").slice(1).join("\n")}`;

const fish = (name: string, completions: readonly Completion[]): string => {
  const lines = completions.flatMap(({ path, words }) => {
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

const WRITERS: Readonly<
  Record<Shell, (name: string, completions: readonly Completion[]) => string>
> = {
  bash,
  zsh,
  fish,
};
