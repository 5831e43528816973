import { randomUUID } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { z } from "zod";
import { toJUnit } from "../../domain/runs/junit.ts";
import { isTestFile, readTestFile } from "../catalogue/testFile.ts";
import { CommandError, exitCodes } from "../exitCodes.ts";
import { reportLink } from "../reports/open.ts";
import type { CloudRun, QueueBody, QueuedRuns, Service } from "../service.ts";
import { cut, duration, type Terminal } from "../terminal.ts";

export type CloudRunOptions = {
  /** Ids of tests, or files that `tests push` wrote them into. */
  readonly tests: readonly string[];
  readonly testSets: readonly string[];
  readonly project?: string;
  readonly tag?: string;
  readonly browsers: readonly string[];
  readonly baseUrl?: string;
  readonly variables: Readonly<Record<string, string>>;
  /** Who runs them. */
  readonly target?: "cloud" | "agent";
  readonly retries?: number;
  /** The name of an environment, or its id. */
  readonly environment?: string;
  /** Waits for the verdict. */
  readonly wait: boolean;
  /** How long it waits at most, in seconds; the runs go on. */
  readonly timeoutSeconds?: number;
  /** A file for a JUnit report of the verdicts. */
  readonly junit?: string;
  /** Where the web app is. */
  readonly web: string;
  readonly signal: AbortSignal;
};

/** How long the service holds an answer back until there is news, in seconds. */
const WAIT_SECONDS = 25;
/** A service that is away for so long is not waited for any more: the runs go on without us. */
const AWAY_MS = 120_000;
/** How long a service that is busy or restarts is asked to queue. */
const QUEUE_MS = 20_000;
const NAME_WIDTH = 50;

/**
 * `runledger cloud-run`: queues runs on the service and, with `--wait`, shows how they go until they are
 * over. Answers the exit code: 0 all passed, 1 a test failed, 3 one could not be judged.
 */
export const cloudRun = async (
  service: Service,
  options: CloudRunOptions,
  terminal: Terminal,
): Promise<number> => {
  const queued = await queue(service, options);
  terminal.record({ type: "queued", ...queued });
  const tests = `${queued.executions.length} ${queued.executions.length === 1 ? "test" : "tests"}`;
  terminal.say(`Queued ${tests}:`);
  for (const link of linksOf(queued, options.web)) terminal.say(`  ${link}`);
  if (!options.wait) return exitCodes.passed;
  return watch(service, queued, options, terminal);
};

const queue = async (service: Service, options: CloudRunOptions): Promise<QueuedRuns> => {
  const testIds = await Promise.all(options.tests.map(idOf));
  const body: QueueBody = {
    ...(testIds.length > 0 && { test_ids: testIds }),
    ...(options.testSets.length > 0 && { test_set_ids: [...options.testSets] }),
    ...(options.project && { project_id: options.project }),
    ...(options.tag && { tag: options.tag }),
    ...(options.browsers.length > 0 && {
      // The service says which there are: it may be newer than we are.
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
    { signal: options.signal, patienceMs: QUEUE_MS },
  );
};

/** The id of a test that is named by it, or by a file in which a push has kept it. */
const idOf = async (named: string): Promise<string> => {
  if (!isTestFile(named)) {
    if (z.uuid().safeParse(named).success) return named;
    throw new CommandError(
      `"${named}" is neither the id of a test nor a .yaml file. \`runledger tests list\` shows the ids.`,
      exitCodes.usage,
    );
  }
  const { id, path } = await readTestFile(named);
  if (id === null) {
    throw new CommandError(
      `${path} has no id yet: push it first (runledger tests push ${path}).`,
      exitCodes.usage,
    );
  }
  return id;
};

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
  const late = new AbortController();
  const timer =
    options.timeoutSeconds === undefined
      ? undefined
      : setTimeout(() => late.abort(), options.timeoutSeconds * 1_000);
  const signal = AbortSignal.any([options.signal, late.signal]);
  const goesOn = (code: number, why: string): number => {
    terminal.record({ type: "detached", run_ids: queued.run_ids, reason: why });
    terminal.say(`${why} ${queued.run_ids.length === 1 ? "The run goes" : "The runs go"} on:`);
    for (const link of linksOf(queued, options.web)) terminal.say(`  ${link}`);
    return code;
  };
  try {
    const followed = queued.run_ids.map((id) => follow(service, id, terminal, signal));
    const runs = await Promise.all(followed);
    if (options.junit) await writeReport(options.junit, runs, terminal);
    return sayVerdict(runs, terminal);
  } catch (error) {
    if (options.signal.aborted) return goesOn(exitCodes.interrupted, "Stopped watching.");
    if (late.signal.aborted) {
      return goesOn(exitCodes.unavailable, `Not over after ${options.timeoutSeconds} s.`);
    }
    if (error instanceof CommandError && error.exitCode === exitCodes.unavailable) {
      return goesOn(exitCodes.unavailable, error.message);
    }
    throw error;
  } finally {
    clearTimeout(timer);
  }
};

/** Shows a run's tests as they end, by long poll, until the run is over; answers how it ended. */
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
      { signal, patienceMs: AWAY_MS, onTrouble: (message) => terminal.progress(`  … ${message}`) },
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
      },
    });
    if (!isOver(status)) continue;
    const { paint } = terminal;
    const mark =
      status === "passed"
        ? paint.green("✓")
        : status === "flaky" || quarantined
          ? paint.yellow("!")
          : paint.red("✗");
    const time = duration_ms === null ? "" : duration(duration_ms);
    const said = quarantined ? `${status}, in quarantine` : status;
    const label = status === "passed" ? "" : `  ${said}`;
    terminal.say(
      `  ${mark} ${cut(name, NAME_WIDTH).padEnd(NAME_WIDTH)} ${time.padStart(8)}${label}`,
    );
    if (error && status !== "passed") terminal.say(`      ${paint.red(error)}`);
  }
  const over = run.tests.filter(({ status }) => isOver(status)).length;
  const underWay = run.tests.filter(({ status }) => status === "running");
  const [first] = underWay;
  const now = first ? `  ${first.name}: step ${first.steps_done} of ${first.steps_total}` : "";
  if (run.finished_at === null) terminal.progress(`  … ${over}/${run.tests.length}${now}`);
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
  for (const { id, status: how, totals: each, duration_ms } of runs) {
    terminal.record({ type: "run", id, status: how, totals: each, duration_ms });
  }
  terminal.record({ type: "result", status, totals });
  const { paint } = terminal;
  const verdict = `${status.charAt(0).toUpperCase()}${status.slice(1)}`;
  const counts = Object.entries(totals)
    .filter(([, count]) => count > 0)
    .map(([kind, count]) => `${count} ${kind}`);
  terminal.say(
    `${paint.bold(status === "passed" ? paint.green(verdict) : paint.red(verdict))}: ${counts.join(", ")}`,
  );
  return status === "passed"
    ? exitCodes.passed
    : status === "failed"
      ? exitCodes.failed
      : exitCodes.unavailable;
};

const writeReport = async (
  path: string,
  runs: readonly CloudRun[],
  terminal: Terminal,
): Promise<void> => {
  await writeFile(path, toJUnit(runs)).catch((error: NodeJS.ErrnoException) => {
    throw new CommandError(
      `The report ${path} cannot be written: ${error.code ?? error.message}`,
      exitCodes.usage,
    );
  });
  terminal.record({ type: "report", format: "junit", path });
  terminal.say(`Report: ${path}`);
};
