import { fork } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { loadavg, tmpdir } from "node:os";
import path from "node:path";
import { startEmbeddedPostgres } from "../src/embeddedPostgres/server.ts";
import { benches } from "./benches/index.ts";
import { ArgumentError, readArguments, USAGE, type Wanted } from "./harness/arguments.ts";
import { AS_BUILT } from "./harness/nodeArguments.ts";
import { describeEnvironment, readEnvironment } from "./harness/environment.ts";
import { writePlots } from "./harness/plots.ts";
import { type Row, verdictOf } from "./harness/rows.ts";
import { renderTable } from "./harness/table.ts";
import { createUndoing } from "./harness/cleanup.ts";
import { buildService } from "./parts/build.ts";

const say = (message: string): void => {
  process.stderr.write(`${message}\n`);
};

/**
 * Runs one bench in a process of its own, so that none inherits another's heap or connections.
 * Rejects when it does not come to its end.
 */
const runBench = (
  name: string,
  wanted: Wanted,
  postgresUrl: string,
  signal: AbortSignal,
): Promise<readonly Row[]> =>
  new Promise((resolve, reject) => {
    const child = fork(path.join(import.meta.dirname, "child.ts"), [], {
      execArgv: [...AS_BUILT],
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
      else reject(new Error(problem ?? `${name} ended without a result`));
    });
    child.send({ name, pairs: wanted.pairs, postgresUrl });
  });

const measure = async (wanted: Wanted, signal: AbortSignal): Promise<number> => {
  const load = loadavg()[0] ?? 0;
  const undoing = createUndoing(say);
  const rows: Row[] = [];
  const failed: { readonly bench: string; readonly problem: string }[] = [];
  try {
    const folder = await mkdtemp(path.join(tmpdir(), "runledger-bench-"));
    undoing.defer(() => rm(folder, { recursive: true, force: true }));
    const postgres = await startEmbeddedPostgres({ dataDir: folder });
    undoing.defer(postgres.stop);
    const environment = await readEnvironment(postgres.url, load);
    say(describeEnvironment(environment));
    await buildService(say);
    const started = performance.now();
    for (const name of wanted.only) {
      if (signal.aborted) break;
      const begun = performance.now();
      say(`${name} …`);
      try {
        rows.push(...(await runBench(name, wanted, postgres.url, signal)));
        say(`${name}: ${((performance.now() - begun) / 1_000).toFixed(0)} s`);
      } catch (error) {
        if (signal.aborted) break;
        const problem = error instanceof Error ? error.message : String(error);
        failed.push({ bench: name, problem });
        say(`${name} failed: ${problem}`);
      }
    }
    const seconds = Math.round((performance.now() - started) / 1_000);
    if (wanted.plots !== null) {
      for (const file of await writePlots(wanted.plots, rows)) say(`wrote ${file}`);
    }
    if (wanted.json) {
      const judged = rows.map((row) => ({ ...row, verdict: verdictOf(row) }));
      const answer = { environment, seconds, rows: judged, failed };
      process.stdout.write(`${JSON.stringify(answer, null, 2)}\n`);
    } else if (rows.length > 0) {
      process.stdout.write(`\n${renderTable(rows)}\n\n${describeEnvironment(environment)}\n`);
    }
  } finally {
    await undoing.all();
  }
  if (signal.aborted) return 130;
  if (failed.length > 0) return 2;
  return wanted.strict && rows.some((row) => verdictOf(row) === "MISS") ? 1 : 0;
};

const run = async (): Promise<number> => {
  const wanted = readArguments(
    process.argv.slice(2),
    benches.map(({ name }) => name),
  );
  if (wanted.help) {
    process.stdout.write(`${USAGE}\n`);
    return 0;
  }
  if (wanted.list) {
    const width = Math.max(...benches.map(({ name }) => name.length));
    for (const { name, what } of benches) process.stdout.write(`${name.padEnd(width)}  ${what}\n`);
    return 0;
  }
  const interrupted = new AbortController();
  for (const name of ["SIGINT", "SIGTERM"] as const) {
    process.on(name, () => {
      if (interrupted.signal.aborted) return;
      say("ending: what was started is stopped and removed …");
      interrupted.abort();
    });
  }
  return measure(wanted, interrupted.signal);
};

try {
  process.exitCode = await run();
} catch (error) {
  say(error instanceof ArgumentError ? error.message : String((error as Error)?.stack ?? error));
  process.exitCode = 2;
}
