import { examine } from "../../main/doctor/index.ts";
import { exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";

const NAME_WIDTH = 14;

/**
 * `runledger server doctor`: checks what a service with this environment would use. Returns the exit code: 1 if there
 * is a problem; notes do not count.
 */
export const runServerDoctor = async (
  environment: Readonly<Record<string, string | undefined>>,
  terminal: Terminal,
): Promise<number> => {
  const { paint } = terminal;
  const marks = { ok: paint.green("✓"), note: paint.yellow("!"), bad: paint.red("✗") };
  const counts = { ok: 0, note: 0, bad: 0 };
  await examine(environment, ({ name, outcome, found, advice }) => {
    counts[outcome] += 1;
    terminal.record({ type: "check", name, outcome, found, advice: advice ?? null });
    terminal.say(`${marks[outcome]} ${name.padEnd(NAME_WIDTH)} ${found}`);
    for (const line of advice?.split("\n") ?? []) {
      terminal.say(`${" ".repeat(NAME_WIDTH + 3)}${line}`);
    }
  });
  terminal.record({ type: "summary", ...counts });
  const noted = counts.note === 0 ? "" : ` ${counts.note} ${counts.note === 1 ? "note" : "notes"}.`;
  terminal.say(
    counts.bad === 0
      ? `No problems found.${noted}`
      : `${counts.bad} ${counts.bad === 1 ? "problem" : "problems"} found.${noted}`,
  );
  return counts.bad === 0 ? exitCodes.passed : exitCodes.failed;
};
