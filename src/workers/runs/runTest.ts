import type { Step } from "../../domain/catalogue/step.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { EvidenceWish } from "../executor/evidence.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";
import type { ReportSink, Verdict } from "../executor/report.ts";
import type { Visuals } from "../executor/visual.ts";
import type { Resources } from "./resources.ts";

/** The pinned steps of one test, to be run in one browser. */
export type TestToRun = {
  readonly executionId: string;
  readonly steps: readonly Step[];
  readonly browser: BrowserName;
  /** Number of the attempt, from 1. */
  readonly attempt: number;
  readonly baseUrl: string | null;
  readonly variables: Readonly<Record<string, string>>;
  /** Time limits of a step and of the whole test in milliseconds. */
  readonly limits: { readonly stepMs: number; readonly testMs: number };
  /** Baselines of the visual checks. */
  readonly visuals: Visuals;
  /** Known elements of the steps. Absent: no step is healed. */
  readonly healing?: HealingMemory | undefined;
  readonly resources: Resources | undefined;
  /** Evidence to record besides steps and screenshots. */
  readonly evidence: EvidenceWish;
  /** May be called with the verdict after the last step, when only the last screenshot is still to be taken. */
  readonly stepsOver?: ((status: Verdict) => void) | undefined;
  /** Aborted when the test must stop. Later reports are ignored. */
  readonly signal: AbortSignal;
};

/** Runs a test and reports its progress. The last report is `browserFinished` unless the test was aborted. */
export type RunTest = (test: TestToRun, report: ReportSink) => Promise<unknown>;
