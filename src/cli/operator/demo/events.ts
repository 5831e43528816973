import { createStepLines } from "../../runs/stepLines.ts";
import type { Terminal } from "../../terminal.ts";
import type { RunEvent } from "./watch.ts";

const textOrNull = (value: unknown): string | null => (typeof value === "string" ? value : null);
const numberOrNull = (value: unknown): number | null => (typeof value === "number" ? value : null);

/** Writes a line for each step that has ended. */
export const showEvents = (
  texts: readonly string[],
  terminal: Terminal,
): ((event: RunEvent) => void) => {
  const stepLines = createStepLines(terminal, texts);
  return (event) => {
    terminal.record(event);
    const { name, step_number: number, data } = event;
    if (name === "execution_redelivered") {
      terminal.say("  The executor was lost. Another one starts the test again.");
    }
    if (name === "browser_started") {
      terminal.say(`  Chromium ${textOrNull(data.browser_version) ?? ""} is ready`);
    }
    if (number === null) return;
    if (name === "step_started") stepLines.started(number);
    const status = /^step_(passed|failed|skipped)$/.exec(name)?.[1];
    if (status !== "passed" && status !== "failed" && status !== "skipped") return;
    stepLines.ended({
      number,
      status,
      durationMs: numberOrNull(data.duration_ms),
      locator: textOrNull(data.locator),
      reason: textOrNull(data.error) ?? textOrNull(data.reason),
      passedOver: data.passed_over === true,
    });
  };
};
