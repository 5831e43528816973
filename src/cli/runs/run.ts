import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Step } from "../../domain/catalogue/step.ts";
import { noData, rowVariables, unitsOf } from "../../domain/catalogue/testData.ts";
import { describeStep, parseEnglish } from "../../domain/english/index.ts";
import { type Gap, verdictOf } from "../../domain/runs/reservations.ts";
import {
  BrowserNotFoundError,
  createBrowserPool,
  type ExecutorReport,
  findBrowser,
  runTest,
} from "../../workers/executor/index.ts";
import { isTestFile, readTestFile } from "../catalogue/testFile.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { duration, sayWarning, type Terminal } from "../terminal.ts";
import { createStepLines, type StepOutcome } from "./stepLines.ts";
import { paintVerdict } from "./verdictText.ts";

export type RunOptions = {
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** The folder for screenshots. */
  readonly screenshots?: string;
  readonly browserPath?: string;
  readonly installBrowser: boolean;
  /** Whether to show the browser window. */
  readonly headed: boolean;
  readonly signal: AbortSignal;
};

/**
 * `runledger run`: runs a test in plain English, or a YAML test with each of its rows, in a browser on this machine,
 * with the grammar and the executor of the service. If a line is not understood, shows it and runs nothing. Returns
 * the exit code.
 */
export const runFile = async (
  file: string,
  options: RunOptions,
  terminal: Terminal,
): Promise<number> => {
  if (isTestFile(file)) return runTestFile(file, options, terminal);
  const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `${file} cannot be read: ${error.code ?? error.message}`,
      exitCodes.usage,
    );
  });
  const { steps: inputs, warnings } = parseEnglish(text);
  const steps = inputs.map((step): Step => ({ id: randomUUID(), ...step }));
  recordSteps(steps, terminal);
  for (const warning of warnings) terminal.record({ type: "warning", ...warning });
  if (warnings.length > 0) {
    terminal.say(`${lines(warnings.length)} of ${file} not understood, so nothing was run:`);
    for (const warning of warnings) sayWarning(terminal, file, warning);
    return exitCodes.usage;
  }
  if (steps.length === 0) {
    throw new CommandError(`${file} has no instructions.`, exitCodes.usage);
  }
  return runSteps(file, steps, options, terminal);
};

const recordSteps = (steps: readonly Step[], terminal: Terminal): void => {
  for (const [index, { action, target, value, description }] of steps.entries()) {
    terminal.record({ type: "step", number: index + 1, action, target, value, description });
  }
};

/** Runs a YAML test with each of its rows. Returns the highest exit code. */
const runTestFile = async (
  file: string,
  options: RunOptions,
  terminal: Terminal,
): Promise<number> => {
  const { steps: inputs, data } = await readTestFile(file);
  if (inputs.length === 0) throw new CommandError(`${file} has no steps.`, exitCodes.usage);
  const steps = inputs.map((step): Step => ({ id: randomUUID(), ...step }));
  recordSteps(steps, terminal);
  const { rows } = data ?? noData;
  let worst: number = exitCodes.passed;
  for (let row = 0; row < unitsOf(rows.length); row += 1) {
    const values = data === null ? {} : rowVariables(data, row);
    const assignments = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    if (assignments.length > 0) {
      terminal.say(`Row ${row + 1} of ${rows.length}: ${assignments.join(", ")}`);
      terminal.record({ type: "row", number: row + 1, values });
    }
    // As on the service, the variables of the run override those of the row.
    const variables = { ...values, ...options.variables };
    const screenshots =
      options.screenshots === undefined || rows.length < 2
        ? options.screenshots
        : join(options.screenshots, `row-${row + 1}`);
    const rowOptions = { ...options, variables, ...(screenshots !== undefined && { screenshots }) };
    const code = await runSteps(file, steps, rowOptions, terminal);
    worst = Math.max(worst, code);
    if (options.signal.aborted) break;
  }
  return worst;
};

const lines = (count: number): string => (count === 1 ? "1 line" : `${count} lines`);

const runSteps = async (
  file: string,
  steps: readonly Step[],
  options: RunOptions,
  terminal: Terminal,
): Promise<number> => {
  const { paint } = terminal;
  const browser = await findLocalBrowser(options, terminal);
  if (options.screenshots) await mkdir(options.screenshots, { recursive: true });

  const count = steps.length === 1 ? "1 step" : `${steps.length} steps`;
  terminal.say(
    `${paint.bold(basename(file))}: ${count}, Chromium ${browser.version ?? ""}`.trimEnd(),
  );
  const stepLines = createStepLines(
    terminal,
    steps.map((step) => step.description || describeStep(step)),
  );
  const pictures: Promise<void>[] = [];
  const gaps: Gap[] = [];
  const pool = createBrowserPool({ find: async () => browser, headed: options.headed });
  try {
    const result = await runTest(
      {
        executionId: randomUUID(),
        browserName: "chromium",
        steps,
        baseUrl: options.baseUrl,
        variables: options.variables,
        // Users test local addresses on their own machines.
        networkPolicy: "open",
        signal: options.signal,
      },
      pool,
      (report) => {
        show(report, stepLines, terminal);
        if (report.type === "stepSkipped" && report.gap) {
          gaps.push({ browser: "chromium", step: report.number, reason: report.reason });
        }
        if (report.type === "screenshotTaken" && options.screenshots) {
          pictures.push(saveScreenshot(options.screenshots, report, terminal));
        }
      },
    );
    await Promise.all(pictures);
    return showVerdict(result, gaps, options, terminal);
  } finally {
    await pool.close();
  }
};

/** Finds the browser of the options. Throws CommandError (unavailable) if there is none. */
const findLocalBrowser = async (options: RunOptions, terminal: Terminal) => {
  return findBrowser({
    configuredPath: options.browserPath,
    allowInstall: options.installBrowser,
    headed: options.headed,
    onProgress: (message) => terminal.say(message),
  }).catch((error: unknown) => {
    if (error instanceof BrowserNotFoundError) {
      throw new CommandError(
        `${error.message}\nOr run the command again with --install-browser.`,
        exitCodes.unavailable,
      );
    }
    throw error;
  });
};

/** Shows the verdict. Returns the exit code. */
const showVerdict = (
  { status, error, durationMs }: Awaited<ReturnType<typeof runTest>>,
  gaps: readonly Gap[],
  options: RunOptions,
  terminal: Terminal,
): number => {
  // Nothing is healed here: what is known of elements is kept by the service.
  const verdict = verdictOf(status, { gaps: gaps.length, healed: 0 }) ?? status;
  terminal.record({ type: "result", status, verdict, gaps, duration_ms: durationMs, error });
  if (options.signal.aborted) {
    terminal.say("Stopped.");
    return exitCodes.interrupted;
  }
  terminal.say(`${paintVerdict(verdict, terminal)} in ${duration(durationMs)}`);
  if (status === "errored" && error) terminal.say(error);
  if (options.screenshots) terminal.say(`Screenshots: ${options.screenshots}`);
  return status === "passed"
    ? exitCodes.passed
    : status === "failed"
      ? exitCodes.failed
      : exitCodes.unavailable;
};

const show = (
  report: ExecutorReport,
  stepLines: ReturnType<typeof createStepLines>,
  terminal: Terminal,
): void => {
  if (report.type === "stepStarted") stepLines.started(report.number);
  const outcome = outcomeOf(report);
  if (!outcome) return;
  stepLines.ended(outcome);
  const { number, status, durationMs, locator, reason, passedOver } = outcome;
  terminal.record({
    type: `step_${status}`,
    at: report.at,
    number,
    duration_ms: durationMs,
    locator,
    reason,
    passed_over: passedOver,
  });
};

const outcomeOf = (report: ExecutorReport): StepOutcome | null => {
  const defaults = { durationMs: null, locator: null, reason: null, passedOver: false };
  switch (report.type) {
    case "stepPassed":
      return { ...defaults, ...report, status: "passed" };
    case "stepFailed":
      return { ...defaults, ...report, status: "failed", reason: report.error };
    case "stepSkipped":
      return { ...defaults, ...report, status: "skipped" };
    default:
      return null;
  }
};

/** Writes a screenshot. A failure is reported and does not change the verdict. */
const saveScreenshot = async (
  folder: string,
  { number, format, name, bytes }: Extract<ExecutorReport, { type: "screenshotTaken" }>,
  terminal: Terminal,
): Promise<void> => {
  const label = name ? `-${name.replaceAll(/[^\p{L}\p{N}._-]+/gu, "-").slice(0, 60)}` : "";
  const path = join(
    folder,
    `${String(number).padStart(3, "0")}${label}.${format === "jpeg" ? "jpg" : "png"}`,
  );
  try {
    await writeFile(path, bytes);
    terminal.record({ type: "screenshot", number, path });
  } catch (error) {
    terminal.say(`The screenshot of step ${number} could not be written: ${String(error)}`);
  }
};
