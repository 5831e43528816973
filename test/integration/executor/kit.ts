import { randomUUID } from "node:crypto";
import { afterAll, beforeAll } from "vitest";
import type { Step } from "../../../src/domain/catalogue/step.ts";
import { findBrowser } from "../../../src/workers/executor/browserFinder.ts";
import { type BrowserPool, createBrowserPool } from "../../../src/workers/executor/browserPool.ts";
import type { NetworkPolicy } from "../../../src/workers/executor/networkPolicy.ts";
import type { ExecutorReport } from "../../../src/workers/executor/report.ts";
import { runTest, type TestResult } from "../../../src/workers/executor/runTest.ts";
import type { RunTestInput } from "../../../src/workers/executor/runTestInput.ts";
import { type Pages, servePages } from "./pages.ts";

/** A pool on the browser that this machine has. */
export const openPool = (
  onLog?: (message: string) => void,
  network: NetworkPolicy = "open",
): BrowserPool =>
  createBrowserPool({
    find: () => findBrowser({ allowInstall: false }),
    network,
    ...(onLog && { onLog }),
  });

/** A pool, and a site on loopback with these pages, until the tests of the file are over. */
export const openSite = (
  pages: Parameters<typeof servePages>[0],
): { readonly pool: BrowserPool; readonly site: { readonly url: string } } => {
  const pool = openPool();
  let served: Pages | undefined;
  beforeAll(async () => {
    served = await servePages(pages);
  });
  afterAll(async () => {
    await pool.close();
    await served?.close();
  });
  return {
    pool,
    site: {
      get url() {
        return served?.url ?? "";
      },
    },
  };
};

/** A step from its action, target and value. */
export const step = (action: string, target = "", value = "", more: Partial<Step> = {}): Step => ({
  id: randomUUID(),
  action,
  target,
  value,
  description: "",
  optional: false,
  disabled: false,
  ...more,
});

export type Ran = TestResult & {
  readonly steps: readonly Step[];
  readonly reports: readonly ExecutorReport[];
  /** The reports of one type, in order. */
  of<Type extends ExecutorReport["type"]>(type: Type): Extract<ExecutorReport, { type: Type }>[];
};

/** Runs steps to their end and keeps what was reported. Short time-outs: what is there on loopback is there at once. */
export const run = async (
  pool: BrowserPool,
  steps: readonly Step[],
  more: Partial<RunTestInput> & { readonly onReport?: (report: ExecutorReport) => void } = {},
): Promise<Ran> => {
  const reports: ExecutorReport[] = [];
  const { onReport, ...input } = more;
  const result = await runTest(
    {
      executionId: randomUUID(),
      browserName: "chromium",
      steps,
      variables: {},
      networkPolicy: "open",
      signal: new AbortController().signal,
      timeouts: { actionMs: 3_000, assertionMs: 1_500 },
      ...input,
    },
    pool,
    (report) => {
      reports.push(report);
      onReport?.(report);
    },
  );
  return {
    ...result,
    steps,
    reports,
    of: <Type extends ExecutorReport["type"]>(type: Type) =>
      reports.filter(
        (report): report is Extract<ExecutorReport, { type: Type }> => report.type === type,
      ),
  };
};
