import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { findBrowser } from "../src/workers/executor/index.ts";
import { benches } from "./benches/index.ts";
import type { BenchContext } from "./harness/bench.ts";
import { seededRandom } from "./harness/statistics.ts";
import { createUndoing } from "./harness/cleanup.ts";

type Task = {
  readonly name: string;
  readonly pairs: number | null;
  readonly postgresUrl: string;
};

/** How long everything may take to be stopped once the bench is over. */
const STOP_MS = 20_000;
/** The same order of pairs and the same intervals from the same samples, in every run. */
const SEED = 20_250_101;

// tsx turns them on, and each error then pays for them, of which Playwright and gRPC make one a call: `npm start` has none.
process.setSourceMapsEnabled(false);

const say = (message: string): void => {
  process.stderr.write(`  ${message}\n`);
};
const undoing = createUndoing(say);

/** Answers, stops everything and ends, whatever still hangs. */
const end = async (answer: object): Promise<never> => {
  const late = new Promise<void>((resolve) => setTimeout(resolve, STOP_MS));
  await Promise.race([undoing.all(), late]);
  await new Promise<void>((resolve) => {
    if (process.connected) process.send?.(answer, () => resolve());
    else resolve();
  });
  process.exit(0);
};

const run = async ({ name, pairs, postgresUrl }: Task): Promise<void> => {
  const bench = benches.find((one) => one.name === name);
  if (!bench) throw new Error(`There is no bench ${name}`);
  const folder = await mkdtemp(path.join(tmpdir(), `runledger-bench-${name}-`));
  undoing.defer(() => rm(folder, { recursive: true, force: true }));
  const context: BenchContext = {
    pairs: (usual) => pairs ?? usual,
    random: seededRandom(SEED),
    postgresUrl,
    folder,
    browserPath: async () => {
      const configuredPath = process.env.BROWSER_PATH_CHROMIUM;
      return (await findBrowser({ configuredPath, allowInstall: false })).executablePath;
    },
    defer: undoing.defer,
    say,
  };
  const { run: measure } = await bench.load();
  await end({ rows: await measure(context) });
};

// Ctrl-C reaches every process of the terminal; the parent also passes a request to end on.
for (const name of ["SIGINT", "SIGTERM"] as const) {
  process.on(name, () => void end({ problem: "interrupted" }));
}
process.once("disconnect", () => void end({}));
process.once("message", (task: Task) => {
  run(task).catch((error: unknown) =>
    end({ problem: error instanceof Error ? (error.stack ?? error.message) : String(error) }),
  );
});
