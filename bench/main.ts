import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedPostgres } from "../src/embeddedPostgres/server.ts";
import { benches } from "./benches/index.ts";
import { ArgumentError, type Options, readArguments, USAGE } from "./harness/arguments.ts";
import { createCleanupStack } from "./harness/cleanup.ts";
import { describeEnvironment, type Environment, readEnvironment } from "./harness/environment.ts";
import { BUILT_SOURCE_ARGUMENTS } from "./harness/nodeArguments.ts";
import { writePlots } from "./harness/plots.ts";
import { appendResults, resultsOf } from "./harness/results.ts";
import { type Row, verdictOf } from "./harness/rows.ts";
import { renderTable } from "./harness/table.ts";
import { buildService } from "./parts/build.ts";

const RESULTS = path.join(import.meta.dirname, "results");

const log = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

type Failure = { readonly bench: string; readonly problem: string };
type Outcome = { readonly rows: readonly Row[]; readonly failed: readonly Failure[] };

/**
 * Runs one bench in a child process, so that it does not inherit another bench's heap or connections.
 * Rejects if the bench fails or exits early.
 */
const runBench = (
  name: string,
  options: Options,
  postgresUrl: string,
  signal: AbortSignal,
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, "child.ts"), [], {
      execArgv: [...BUILT_SOURCE_ARGUMENTS],
      stdio: ["ignore", "inherit", "inherit", "ipc"],
    });
    let rows: readonly Row[] | null = null;
    let problem: string | null = null;
    const stop = () => child.kill("SIGTERM");
    signal.addEventListener("abort", stop, { once: true });
    child.on("message", (message: { rows?: readonly Row[]; problem?: string }) => {
      rows = message.rows ?? null;
      problem = message.problem ?? null;
    });
    child.on("exit", () => {
      signal.removeEventListener("abort", stop);
      if (rows) resolve(rows);
      else reject(new Error(problem ?? `${name} exited without a result`));
    });
    child.send({ name, pairs: options.pairs, postgresUrl });
  });

/** Runs the benches in sequence. A failed bench does not stop the others. */
const runBenches = async (
  options: Options,
  postgresUrl: string,
  signal: AbortSignal,
): Promise<Outcome> => {
  const rows: Row[] = [];
  const failed: Failure[] = [];
  for (const name of options.only) {
    if (signal.aborted) break;
    const started = performance.now();
    log(`${name} …`);
    try {
      rows.push(...(await runBench(name, options, postgresUrl, signal)));
      log(`${name}: ${((performance.now() - started) / 1_000).toFixed(0)} s`);
    } catch (error) {
      if (signal.aborted) break;
      const problem = error instanceof Error ? error.message : String(error);
      failed.push({ bench: name, problem });
      log(`${name} failed: ${problem}`);
    }
  }
  return { rows, failed };
};

/** Prints the report first, so that a write error does not lose it; then writes plots and results. */
const writeOutputs = async (
  options: Options,
  environment: Environment,
  { rows, failed }: Outcome,
  seconds: number,
): Promise<void> => {
  if (options.json) {
    const judged = rows.map((row) => ({ ...row, verdict: verdictOf(row) }));
    const report = { environment, seconds, rows: judged, failed };
    process.stdout.write(`${JSON.stringify(report, null, 2)}\n`);
  } else if (rows.length > 0) {
    process.stdout.write(`\n${renderTable(rows)}\n\n${describeEnvironment(environment)}\n`);
  }
  const files = [
    ...(options.plots === null ? [] : await writePlots(options.plots, rows)),
    ...(options.record
      ? await appendResults(RESULTS, resultsOf(rows, environment, new Date()))
      : []),
  ];
  for (const file of files) log(`wrote ${file}`);
};

/** Measures and reports. Returns the exit code. */
const measure = async (options: Options, signal: AbortSignal): Promise<number> => {
  const load = loadavg()[0] ?? 0;
  const cleanup = createCleanupStack(log);
  let outcome: Outcome = { rows: [], failed: [] };
  try {
    const folder = await mkdtemp(path.join(tmpdir(), "runledger-bench-"));
    cleanup.defer(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startEmbeddedPostgres({ dataDir: folder });
    cleanup.defer(postgres.stop);
    const environment = await readEnvironment(postgres.url, load);
    log(describeEnvironment(environment));
    await buildService(log);
    const started = performance.now();
    outcome = await runBenches(options, postgres.url, signal);
    const seconds = Math.round((performance.now() - started) / 1_000);
    await writeOutputs(options, environment, outcome, seconds);
  } finally {
    await cleanup.run();
  }
  if (signal.aborted) return 130;
  if (outcome.failed.length > 0) return 2;
  return options.strict && outcome.rows.some((row) => verdictOf(row) === "MISS") ? 1 : 0;
};

const run = async (): Promise<number> => {
  const options = readArguments(
    process.argv.slice(2),
    benches.map(({ name }) => name),
  );
  if (options.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (options.list) {
    const width = Math.max(...benches.map(({ name }) => name.length));
    for (const { name, what } of benches) process.stdout.write(`${name.padEnd(width)}  ${what}\n`);
    return 0;
  }
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) return;
      log("interrupted, cleaning up …");
      interrupted.abort();
    });
  }
  return measure(options, interrupted.signal);
};

try {
  process.exitCode = await run();
} catch (error) {
  log(error instanceof ArgumentError ? error.message : String((error as Error)?.stack ?? error));
  process.exitCode = 2;
}
