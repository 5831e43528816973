export {
  BrowserNotFoundError,
  type FindBrowserOptions,
  type FoundBrowser,
  findBrowser,
} from "./browserFinder.ts";
export { type BrowserPool, createBrowserPool } from "./browserPool.ts";
export { isPublicAddress, type NetworkPolicy, refusalOf } from "./networkPolicy.ts";
export type { ExecutorReport, ReportSink, Verdict } from "./report.ts";
export { type RunTestInput, runTest, type TestResult } from "./runTest.ts";
export { DEFAULT_TIMEOUTS, type Timeouts } from "./steps/context.ts";
