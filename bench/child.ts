import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findBrowser } from "../src/workers/executor/index.ts";
import { benches } from "./benches/index.ts";
import type { BenchContext } from "./harness/bench.ts";
import { createCleanupStack } from "./harness/cleanup.ts";
import { seededRandom } from "./harness/statistics.ts";

type Task = {
  readonly name: string;
  readonly pairs: number | null;
  readonly postgresUrl: string;
};

/** The time limit for cleanup. */
const CLEANUP_TIMEOUT_MS = 20_000;
/** Fixed, so that every run has the same order of pairs, and the same samples give the same intervals. */
const SEED = 20_250_101;

// tsx enables source maps, which make every Error more expensive; Playwright and gRPC create one per call.
// `npm start` runs without them.
process.setSourceMapsEnabled(false);

const log = (message: string): void => {
  process.stderr.write(`  ${message}\n`);
};
const cleanup = createCleanupStack(log);

/** Cleans up, sends `result` to the parent and exits, even if cleanup hangs. */
const finish = async (result: object): Promise<never> => {
  const timeout = new Promise<void>((resolve) => setTimeout(resolve, CLEANUP_TIMEOUT_MS));
  await Promise.race([cleanup.run(), timeout]);
  await new Promise<void>((resolve) => {
    if (process.connected) process.send?.(result, () => resolve());
    else resolve();
  });
  process.exit(0);
};

const run = async ({ name, pairs, postgresUrl }: Task): Promise<void> => {
  const bench = benches.find((one) => one.name === name);
  if (!bench) throw new Error(`Unknown bench ${name}`);
  const folder = await mkdtemp(path.join(tmpdir(), `runledger-bench-${name}-`));
  cleanup.defer(() => rm(folder, { recursive: true, force: true }));
  const context: BenchContext = {
    pairs: (defaultPairs) => pairs ?? defaultPairs,
    random: seededRandom(SEED),
    postgresUrl,
    folder,
    browserPath: async () => {
      const configuredPath = process.env.BROWSER_PATH_CHROMIUM;
      return (await findBrowser({ configuredPath, allowInstall: false })).executablePath;
    },
    defer: cleanup.defer,
    log,
  };
  const { run: measure } = await bench.load();
  await finish({ rows: await measure(context) });
};

// Ctrl-C signals every process of the terminal; the parent forwards SIGTERM.
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => void finish({ problem: "interrupted" }));
}
process.once("disconnect", () => void finish({}));
process.once("message", (task: Task) => {
  run(task).catch((error: unknown) =>
    finish({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
