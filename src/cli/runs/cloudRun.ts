import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type FailedFile, failuresToJUnit, toJUnit } from "../../domain/runs/junit.ts";
import { reservationLines, verdictOf, verdictText } from "../../domain/runs/reservations.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { reportLink } from "../reports/open.ts";
import type { CloudRun, QueueBody, QueuedRuns, Service } from "../service.ts";
import { cut, duration, type Terminal } from "../terminal.ts";
import {
  FilesError,
  failedFiles,
  type NamedTests,
  readNamed,
  sayContents,
  sentFiles,
} from "./files.ts";
import { paintVerdict, reservationsOf } from "./verdictText.ts";

export type CloudRunOptions = {
  /** Ids of tests, and YAML files, which run as they are. */
  readonly tests: readonly string[];
  readonly testSets: readonly string[];
  readonly project?: string;
  readonly tag?: string;
  readonly browsers: readonly string[];
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Where the tests run. */
  readonly target?: "cloud" | "agent";
  readonly retries?: number;
  /** The name of an environment, or its id. */
  readonly environment?: string;
  /** Whether to wait for the verdict. */
  readonly wait: boolean;
  /** Stops waiting after this time, in seconds; the runs go on. */
  readonly timeoutSeconds?: number;
  /** The file for a JUnit report. */
  readonly junit?: string;
  /** The URL of the web app. */
  readonly web: string;
  readonly signal: AbortSignal;
};

/** The duration of a long poll, in seconds. */
const WAIT_SECONDS = 25;
/** How long to retry while the service is unavailable, in milliseconds. */
const UNAVAILABLE_LIMIT_MS = 120_000;
/** How long to retry queueing, in milliseconds. */
const QUEUE_LIMIT_MS = 20_000;
const NAME_WIDTH = 50;

/**
 * `runledger cloud-run`: queues runs on the service and, with `--wait`, shows their progress until they end. Returns
 * the exit code: 0 all passed, 1 a test failed, 3 a test has no verdict. The JUnit report is written in every case: tests
 * that could not be run are its errors.
 */
export const cloudRun = async (
  connect: () => Promise<Service>,
  options: CloudRunOptions,
  terminal: Terminal,
): Promise<number> => {
  const named = await readNamed(options.tests);
  try {
    return await runNamed(await connect(), named, options, terminal);
  } catch (error) {
    if (options.junit) await writeFailures(options.junit, failedFiles(named, error), terminal);
    throw error;
  }
};

const runNamed = async (
  service: Service,
  named: NamedTests,
  options: CloudRunOptions,
  terminal: Terminal,
): Promise<number> => {
  for (const { warnings } of named.errors) {
    for (const warning of warnings) terminal.record({ type: "warning", ...warning });
  }
  if (named.errors.length > 0) throw new FilesError(named.errors);
  const queued = await queue(service, named, options);
  terminal.record({ type: "queued", ...queued });
  const tests = `${queued.executions.length} ${queued.executions.length === 1 ? "test" : "tests"}`;
  terminal.say(`Queued ${tests}:`);
  for (const link of linksOf(queued, options.web)) terminal.say(`  ${link}`);
  sayContents(queued, terminal);
  if (!options.wait) return exitCodes.passed;
  return watch(service, queued, options, terminal);
};

const queue = async (
  service: Service,
  { ids, files }: NamedTests,
  options: CloudRunOptions,
): Promise<QueuedRuns> => {
  // With files, the project is theirs rather than a selection of tests.
  const sent = await sentFiles(files, options.project ?? null);
  const body: QueueBody = {
    ...(ids.length > 0 && { test_ids: [...ids] }),
    ...(sent.length > 0 && { files: sent }),
    ...(options.testSets.length > 0 && { test_set_ids: [...options.testSets] }),
    ...(options.project && sent.length === 0 && { project_id: options.project }),
    ...(options.tag && { tag: options.tag }),
    ...(options.browsers.length > 0 && {
      // The service validates the browsers: it may know more than this release.
      browsers: [...options.browsers] as NonNullable<QueueBody["browsers"]>,
    }),
    ...(options.baseUrl && { base_url: options.baseUrl }),
    ...(options.target && { target: options.target }),
    ...(options.retries && { retries: options.retries }),
    ...(options.environment && { environment: options.environment }),
    ...(Object.keys(options.variables).length > 0 && { variables: { ...options.variables } }),
  };
  const key = randomUUID();
  return service.ask(
    (client, signal) =>
      client.POST("/api/v1/cli/cloud-runs", {
        params: { header: { "Idempotency-Key": key } },
        body,
        signal,
      }),
    { signal: options.signal, patienceMs: QUEUE_LIMIT_MS },
  );
};

/** The tests of runs that are no longer watched, as errors of a report. */
const unfinished = (queued: QueuedRuns, reason: string): readonly FailedFile[] =>
  queued.executions.map(({ id, run_id, test_id, source }) => ({
    path: source ?? test_id,
    name: `execution ${id}`,
    error: `No result: ${reason} The run ${run_id} continues.`,
  }));

/** A link to the report of each run. */
const linksOf = (queued: QueuedRuns, web: string): readonly string[] =>
  queued.run_ids.flatMap((runId) => {
    const first = queued.executions.find(({ run_id }) => run_id === runId);
    return first ? [reportLink(web, { testId: first.test_id, runId })] : [];
  });

const watch = async (
  service: Service,
  queued: QueuedRuns,
  options: CloudRunOptions,
  terminal: Terminal,
): Promise<number> => {
  const timeout = new AbortController();
  const timer =
    options.timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => timeout.abort(), options.timeoutSeconds * 1_000);
  const signal = AbortSignal.any([options.signal, timeout.signal]);
  const detach = async (code: number, reason: string): Promise<number> => {
    if (options.junit) await writeFailures(options.junit, unfinished(queued, reason), terminal);
    terminal.record({ type: "detached", run_ids: queued.run_ids, reason });
    terminal.say(
      `${reason} ${queued.run_ids.length === 1 ? "The run continues" : "The runs continue"}:`,
    );
    for (const link of linksOf(queued, options.web)) terminal.say(`  ${link}`);
    return code;
  };
  try {
    const followed = queued.run_ids.map((id) => follow(service, id, terminal, signal));
    const runs = await Promise.all(followed);
    if (options.junit) await writeReport(options.junit, runs, terminal);
    return sayVerdict(runs, terminal);
  } catch (error) {
    if (options.signal.aborted) return await detach(exitCodes.interrupted, "Stopped watching.");
    if (timeout.signal.aborted) {
      return await detach(exitCodes.unavailable, `Not finished after ${options.timeoutSeconds} s.`);
    }
    if (error instanceof CommandError && error.exitCode === exitCodes.unavailable) {
      return await detach(exitCodes.unavailable, error.message);
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** Polls a run and shows its tests until it has ended. Returns the ended run. */
const follow = async (
  service: Service,
  id: string,
  terminal: Terminal,
  signal: AbortSignal,
): Promise<CloudRun> => {
  const shown = new Map<string, string>();
  let since: number | null = null;
  for (;;) {
    const query: { wait: number; since?: number } =
      since === null ? { wait: 0 } : { wait: WAIT_SECONDS, since };
    const run: CloudRun = await service.ask(
      (client, ended) =>
        client.GET("/api/v1/cli/cloud-runs/{id}", {
          params: { path: { id }, query },
          signal: ended,
        }),
      {
        signal,
        patienceMs: UNAVAILABLE_LIMIT_MS,
        onRetry: (message) => terminal.progress(`  … ${message}`),
      },
    );
    since = run.sequence;
    showTests(run, shown, terminal);
    if (run.finished_at !== null) return run;
  }
};

const showTests = (run: CloudRun, shown: Map<string, string>, terminal: Terminal): void => {
  for (const test of run.tests) {
    const { execution_id, row, status, quarantined, steps_done, steps_total, duration_ms, error } =
      test;
    const name = row === null ? test.name : `${test.name} (row ${row})`;
    const state = `${status} ${steps_done}`;
    if (shown.get(execution_id) === state) continue;
    shown.set(execution_id, state);
    const { test_id } = test;
    terminal.record({
      type: "test",
      run_id: run.id,
      ...{
        execution_id,
        test_id,
        name: test.name,
        row,
        status,
        quarantined,
        steps_done,
        steps_total,
        duration_ms,
        error,
        verdict: test.verdict,
        gaps: test.gaps,
        healed: test.healed,
      },
    });
    if (isOver(status)) showEnded(test, name, terminal);
  }
  const over = run.tests.filter(({ status }) => isOver(status)).length;
  const underWay = run.tests.filter(({ status }) => status === "running");
  const [first] = underWay;
  const current = first ? `  ${first.name}: step ${first.steps_done} of ${first.steps_total}` : "";
  if (run.finished_at === null) terminal.progress(`  … ${over}/${run.tests.length}${current}`);
};

const showEnded = (
  test: CloudRun["tests"][number],
  name: string,
  { paint, say }: Terminal,
): void => {
  const { status, quarantined, duration_ms, error } = test;
  const verdict = test.verdict ?? status;
  const mark =
    verdict === "passed"
      ? paint.green("✓")
      : status === "passed" || status === "flaky" || quarantined
        ? paint.yellow("!")
        : paint.red("✗");
  const time = duration_ms === null ? "" : duration(duration_ms);
  const said = verdictText(verdict);
  const label = verdict === "passed" ? "" : `  ${quarantined ? `${said}, in quarantine` : said}`;
  say(`  ${mark} ${cut(name, NAME_WIDTH).padEnd(NAME_WIDTH)} ${time.padStart(8)}${label}`);
  if (error && status !== "passed") say(`      ${paint.red(error)}`);
  for (const line of reservationLines(reservationsOf(test), test.browsers.length)) {
    say(`      ${paint.yellow(line)}`);
  }
};

const isOver = (status: string): boolean =>
  status !== "queued" && status !== "claimed" && status !== "running";

const sayVerdict = (runs: readonly CloudRun[], terminal: Terminal): number => {
  const sum = (kind: keyof CloudRun["totals"]): number =>
    runs.reduce((total, run) => total + run.totals[kind], 0);
  const totals = {
    passed: sum("passed"),
    failed: sum("failed"),
    flaky: sum("flaky"),
    errored: sum("errored"),
    cancelled: sum("cancelled"),
    quarantined: sum("quarantined"),
  };
  const status =
    totals.failed > 0
      ? "failed"
      : totals.errored > 0
        ? "errored"
        : totals.cancelled > 0
          ? "cancelled"
          : "passed";
  const reserved = {
    gaps: runs.reduce((sum, run) => sum + (run.tests_with_gaps ?? 0), 0),
    healed: runs.reduce((sum, run) => sum + (run.tests_healed ?? 0), 0),
  };
  const verdict = verdictOf(status, reserved) ?? status;
  for (const { id, status: how, verdict: said, totals: each, duration_ms } of runs) {
    terminal.record({ type: "run", id, status: how, verdict: said, totals: each, duration_ms });
  }
  terminal.record({ type: "result", status, verdict, totals });
  const counted = (counts: Readonly<Record<string, number>>): string =>
    Object.entries(counts)
      .filter(([, count]) => count > 0)
      .map(([kind, count]) => `${count} ${kind}`)
      .join(", ");
  const among = counted({ "with gaps": reserved.gaps, healed: reserved.healed });
  const counts = `${counted(totals)}${among === "" ? "" : ` (${among})`}`;
  terminal.say(`${paintVerdict(verdict, terminal)}: ${counts}`);
  return status === "passed"
    ? exitCodes.passed
    : status === "failed"
      ? exitCodes.failed
      : exitCodes.unavailable;
};

const writeReport = (path: string, runs: readonly CloudRun[], terminal: Terminal): Promise<void> =>
  writeJUnit(path, toJUnit(runs), terminal);

/** Writes a report of tests that could not be run. Keeps the error of the command if the file cannot be written. */
const writeFailures = (
  path: string,
  failed: readonly FailedFile[],
  terminal: Terminal,
): Promise<void> =>
  writeJUnit(path, failuresToJUnit(failed), terminal).catch((error: Error) =>
    terminal.say(error.message),
  );

const writeJUnit = async (path: string, report: string, terminal: Terminal): Promise<void> => {
  await writeFile(path, report).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `The report ${path} cannot be written: ${error.code ?? error.message}`,
      exitCodes.usage,
    );
  });
  terminal.record({ type: "report", format: "junit", path });
  terminal.say(`Report: ${path}`);
};
