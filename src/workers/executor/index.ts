export {
  BrowserNotFoundError,
  type FindBrowserOptions,
  type FoundBrowser,
  findBrowser,
  findOtherBrowser,
} from "./browserFinder.ts";
export { type BrowserPool, createBrowserPool } from "./browserPool.ts";
export { probeAside } from "./browserProbe.ts";
export { type Browsers, createBrowsers } from "./browsers.ts";
export { CannotJudgeError } from "./errors.ts";
export { type EvidenceWish, evidenceOf } from "./evidence.ts";
export type { ReadFile } from "./files.ts";
export type { HealingMemory } from "./healing/memory.ts";
export { allowing, type NetworkPolicy } from "./networkPolicy.ts";
export type { ExecutorReport, ReportSink, Verdict } from "./report.ts";
export { runTest, type TestResult } from "./runTest.ts";
export type { RunTestInput } from "./runTestInput.ts";
export type { ReadSecrets } from "./secrets.ts";
export { type Timeouts, timeoutsOf } from "./steps/context.ts";
export { type BeginSpan, openTraces, withSpans } from "./traces.ts";
export type { VisualFound, Visuals } from "./visual.ts";
