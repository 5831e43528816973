import { cut, duration, type Terminal } from "../terminal.ts";

/** How a step ended, as it is shown. */
export type StepOutcome = {
  readonly number: number;
  readonly status: "passed" | "failed" | "skipped";
  readonly durationMs: number | null;
  readonly locator: string | null;
  /** Why it failed or was skipped. */
  readonly reason: string | null;
  /** An optional step that failed and was passed over. */
  readonly passedOver: boolean;
};

const TEXT_WIDTH = 58;

/** Prints a test's steps as they come: a line each, and what is under way on a TTY. */
export const createStepLines = (terminal: Terminal, texts: readonly string[]) => {
  const { paint } = terminal;
  const total = texts.length;
  const textOf = (number: number): string => texts[number - 1] ?? `step ${number}`;
  return {
    started: (number: number): void => {
      terminal.progress(`  … ${number}/${total}  ${textOf(number)}`);
    },
    ended: (step: StepOutcome): void => {
      const mark =
        step.status === "passed"
          ? paint.green("✓")
          : step.status === "skipped"
            ? paint.dim("–")
            : step.passedOver
              ? paint.yellow("!")
              : paint.red("✗");
      const time = step.durationMs === null ? "" : duration(step.durationMs);
      const text = cut(textOf(step.number), TEXT_WIDTH).padEnd(TEXT_WIDTH);
      const locator = step.locator ? `  ${paint.dim(step.locator)}` : "";
      const number = String(step.number).padStart(String(total).length);
      terminal.say(`  ${mark} ${number}  ${text} ${time.padStart(8)}${locator}`.trimEnd());
      if (step.reason && step.status === "failed") {
        terminal.say(
          `      ${paint.red(step.reason)}${step.passedOver ? " (optional: passed over)" : ""}`,
        );
      }
      if (step.reason && step.status === "skipped") terminal.say(`      ${paint.dim(step.reason)}`);
    },
  };
};
