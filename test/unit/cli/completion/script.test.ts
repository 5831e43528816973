import { execFileSync } from "node:child_process";
import { Argument, Command } from "commander";
import { describe, expect, it } from "vitest";
import { completionScript } from "../../../../src/cli/completion/script.ts";

const program = new Command("runledger");
program.command("run").option("--headed", "show it");
const tests = program.command("tests");
tests.command("push").option("--dry-run", "show it");
tests.command("pull");
program.command("completion").addArgument(new Argument("<shell>").choices(["bash", "fish"]));

/** The completions of bash for the last word. */
const offered = (...words: string[]): string[] =>
  execFileSync(
    "bash",
    [
      "-c",
      `eval "$1"; COMP_WORDS=("\${@:2}"); COMP_CWORD=$((\${#COMP_WORDS[@]} - 1)); _runledger; printf '%s\\n' "\${COMPREPLY[@]}"`,
      "bash",
      completionScript("bash", program),
      ...words,
    ],
    { encoding: "utf8" },
  )
    .split("\n")
    .filter(Boolean);

describe("shell completion", () => {
  it("completes commands and options in bash", () => {
    expect(offered("runledger", "")).toEqual(["run", "tests", "completion", "--help"]);
    expect(offered("runledger", "te")).toEqual(["tests"]);
    expect(offered("runledger", "tests", "pu")).toEqual(["push", "pull"]);
    expect(offered("runledger", "tests", "push", "--")).toEqual(["--dry-run", "--help"]);
    expect(offered("runledger", "run", "file.txt", "--h")).toEqual(["--headed", "--help"]);
    expect(offered("runledger", "run", "tests", "--d")).toEqual([]);
    expect(offered("runledger", "completion", "")).toEqual(["bash", "fish", "--help"]);
  });

  it("has a script with every command for zsh and fish", () => {
    const zsh = completionScript("zsh", program);
    expect(zsh).toMatch(/^#compdef runledger\n[\s\S]*bashcompinit[\s\S]*complete -o default/);
    const fish = completionScript("fish", program);
    expect(fish).toContain(
      'complete -c runledger -n "__fish_seen_subcommand_from tests; and not __fish_seen_subcommand_from push pull" -f -a push',
    );
    expect(fish).toContain(
      'complete -c runledger -n "__fish_seen_subcommand_from tests; and __fish_seen_subcommand_from push" -l dry-run',
    );
  });
});
