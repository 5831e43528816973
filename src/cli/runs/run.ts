import { randomUUID } from "node:crypto";
import { mkdir, readFile, writeFile } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Step } from "../../domain/catalogue/step.ts";
import { noData, rowVariables, unitsOf } from "../../domain/catalogue/testData.ts";
import { describeStep, parseEnglish } from "../../domain/english/index.ts";
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

export type RunOptions = {
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** A folder that the pictures are written to. */
  readonly screenshots?: string;
  readonly browserPath?: string;
  readonly installBrowser: boolean;
  /** Shows the browser while it works. */
  readonly headed: boolean;
  readonly signal: AbortSignal;
};

/**
 * Runs a file of plain English, or a test as YAML with each of its rows, in a browser on this machine, with no
 * service: the grammar and the executor that the service has. Answers the exit code. Lines that are not understood
 * are shown and nothing is run: a test that leaves some of its sentences out proves nothing.
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
  tellSteps(steps, terminal);
  for (const warning of warnings) terminal.record({ type: "warning", ...warning });
  if (warnings.length > 0) {
    terminal.say(`${lines(warnings.length)} of ${file} not understood, so nothing was run:`);
    for (const warning of warnings) sayWarning(terminal, warning);
    return exitCodes.usage;
  }
  if (steps.length === 0) {
    throw new CommandError(`${file} has no instruction in it.`, exitCodes.usage);
  }
  return runSteps(file, steps, options, terminal);
};

const tellSteps = (steps: readonly Step[], terminal: Terminal): void => {
  for (const [index, { action, target, value, description }] of steps.entries()) {
    terminal.record({ type: "step", number: index + 1, action, target, value, description });
  }
};

/** Runs a test as YAML, row after row, each with a folder for its pictures; answers what is worst. */
const runTestFile = async (
  file: string,
  options: RunOptions,
  terminal: Terminal,
): Promise<number> => {
  const { steps: inputs, data } = await readTestFile(file);
  if (inputs.length === 0) throw new CommandError(`${file} has no steps.`, exitCodes.usage);
  const steps = inputs.map((step): Step => ({ id: randomUUID(), ...step }));
  tellSteps(steps, terminal);
  const { rows } = data ?? noData;
  let worst: number = exitCodes.passed;
  for (let row = 0; row < unitsOf(rows.length); row += 1) {
    const values = data === null ? {} : rowVariables(data, row);
    const said = Object.entries(values).map(([name, value]) => `${name}=${value}`);
    if (said.length > 0) {
      terminal.say(`Row ${row + 1} of ${rows.length}: ${said.join(", ")}`);
      terminal.record({ type: "row", number: row + 1, values });
    }
    // As on the service: what is said for the run goes before what a row says.
    const variables = { ...values, ...options.variables };
    const screenshots =
      options.screenshots === undefined || rows.length < 2
        ? options.screenshots
        : join(options.screenshots, `row-${row + 1}`);
    const ofRow = { ...options, variables, ...(screenshots !== undefined && { screenshots }) };
    const code = await runSteps(file, steps, ofRow, terminal);
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
  const browser = await findBrowser({
    configuredPath: options.browserPath,
    allowInstall: options.installBrowser,
    headed: options.headed,
    onProgress: (message) => terminal.say(message),
  }).catch((error: unknown) => {
    if (error instanceof BrowserNotFoundError) {
      throw new CommandError(
        `${error.message}\nOr run it again with --install-browser.`,
        exitCodes.unavailable,
      );
    }
    throw error;
  });
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
  const pool = createBrowserPool({ find: async () => browser, headed: options.headed });
  try {
    const result = await runTest(
      {
        executionId: randomUUID(),
        browserName: "chromium",
        steps,
        baseUrl: options.baseUrl,
        variables: options.variables,
        // On a laptop local addresses are what people test.
        networkPolicy: "open",
        signal: options.signal,
      },
      pool,
      (report) => {
        show(report, stepLines, terminal);
        if (report.type === "screenshotTaken" && options.screenshots) {
          pictures.push(keep(options.screenshots, report, terminal));
        }
      },
    );
    await Promise.all(pictures);
    const { status, error, durationMs } = result;
    terminal.record({ type: "result", status, duration_ms: durationMs, error });
    if (options.signal.aborted) {
      terminal.say("Stopped.");
      return exitCodes.interrupted;
    }
    const verdict =
      status === "passed"
        ? paint.green("Passed")
        : paint.red(status === "failed" ? "Failed" : "Errored");
    terminal.say(`${paint.bold(verdict)} in ${duration(durationMs)}`);
    if (status === "errored" && error) terminal.say(error);
    if (options.screenshots) terminal.say(`Screenshots: ${options.screenshots}`);
    return status === "passed"
      ? exitCodes.passed
      : status === "failed"
        ? exitCodes.failed
        : exitCodes.unavailable;
  } finally {
    await pool.close();
  }
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
  const nothing = { durationMs: null, locator: null, reason: null, passedOver: false };
  switch (report.type) {
    case "stepPassed":
      return { ...nothing, ...report, status: "passed" };
    case "stepFailed":
      return { ...nothing, ...report, status: "failed", reason: report.error };
    case "stepSkipped":
      return { ...nothing, ...report, status: "skipped" };
    default:
      return null;
  }
};

/** Writes a picture; one that cannot be written is said and does not change the verdict. */
const keep = async (
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
