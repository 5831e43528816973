import { randomUUID } from "node:crypto";
import { diffSteps, type StepDifference, summarize } from "../../domain/catalogue/diff.ts";
import type { Step, StepInput } from "../../domain/catalogue/step.ts";
import { keepStepIds } from "../../domain/catalogue/stepIds.ts";
import { describeStep } from "../../domain/english/index.ts";
import type { Terminal } from "../terminal.ts";

/** The changes of a push, as the service will record them. */
export const differenceOf = (
  before: readonly Step[],
  after: readonly StepInput[],
): readonly StepDifference[] =>
  diffSteps(
    before,
    keepStepIds(
      before,
      after.map((step) => ({ id: randomUUID(), ...step })),
    ),
  );

/** Writes a line for each removed, added, changed and moved step. */
export const sayDifference = (terminal: Terminal, differences: readonly StepDifference[]): void => {
  const { paint } = terminal;
  for (const { kind, from, to, before, after, fields } of differences) {
    if (before && kind !== "moved") terminal.say(paint.red(`    - ${from}  ${textOf(before)}`));
    if (after && kind !== "moved") terminal.say(paint.green(`    + ${to}  ${textOf(after)}`));
    if (kind === "moved" && after) {
      terminal.say(paint.yellow(`    ~ ${from} → ${to}  ${textOf(after)}`));
    }
    if (kind === "changed") terminal.say(paint.dim(`         ${fields.join(", ")}`));
  }
  terminal.say(`    ${summarize(differences)}`);
};

const textOf = (step: StepInput): string => {
  const marks = [step.optional && "optional", step.disabled && "disabled"].filter(Boolean);
  const words = [step.action, step.target, step.value].filter((text) => text !== "");
  const text = step.description || describeStep(step) || words.join(" ");
  return marks.length > 0 ? `${text} (${marks.join(", ")})` : text;
};
