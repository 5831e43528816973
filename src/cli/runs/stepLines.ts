import { cut, duration, type Terminal } from "../terminal.ts";

/** The outcome of a step. */
export type StepOutcome = {
  readonly number: number;
  readonly status: "passed" | "failed" | "skipped";
  readonly durationMs: number | null;
  readonly locator: string | null;
  /** The reason of a failure or skip. */
  readonly reason: string | null;
  /** Whether the step is optional and its failure was ignored. */
  readonly passedOver: boolean;
};

const TEXT_WIDTH = 58;

/** Writes a line per step and, on a TTY, the running step. */
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
          `      ${paint.red(step.reason)}${step.passedOver ? " (optional: ignored)" : ""}`,
        );
      }
      if (step.reason && step.status === "skipped") terminal.say(`      ${paint.dim(step.reason)}`);
    },
  };
};
