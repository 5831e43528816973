import { examine } from "../../main/doctor/index.ts";
import { exitCodes } from "../exitCodes.ts";
import type { Terminal } from "../terminal.ts";

const NAME_WIDTH = 14;

/**
 * `runledger server doctor`: looks at what a service with this environment would use, and says of each thing what was
 * found and what to do. Answers the exit code: 1 when something is wrong, 0 also when there is something to note.
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
  const noted = counts.note === 0 ? "" : ` ${counts.note} to note.`;
  terminal.say(
    counts.bad === 0
      ? `Nothing is wrong.${noted}`
      : `${counts.bad} ${counts.bad === 1 ? "thing is" : "things are"} wrong.${noted}`,
  );
  return counts.bad === 0 ? exitCodes.passed : exitCodes.failed;
};
