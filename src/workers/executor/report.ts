import type { HealedFacts } from "../../domain/healing/healing.ts";
import type { PageProblems, SeenBox } from "../../domain/runs/executions/stepEvidence.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { Evidence } from "./evidence.ts";
import type { VisualReport } from "./visual.ts";

/** How a test ended on a browser: `errored` when it could not be judged. */
export type Verdict = "passed" | "failed" | "errored";

/**
 * What an execution reports while it runs, in order. `number` is the step's place from 1, durations are
 * milliseconds, `at` is ISO 8601 in UTC. Each report maps onto one execution event.
 */
export type ExecutorReport = { readonly at: string } & (
  | {
      readonly type: "browserStarted";
      readonly browser: BrowserName;
      readonly browserVersion: string;
    }
  | { readonly type: "stepStarted"; readonly number: number }
  | {
      readonly type: "stepPassed";
      readonly number: number;
      readonly durationMs: number;
      /** How the step's element was found, e.g. `role=button[name="Sign in"]`; null for a step without one. */
      readonly locator: string | null;
      /** Reservations about the match or the effect, in sentences. */
      readonly notes?: readonly string[];
      /** The element that satisfied the claim. */
      readonly evidence?: SeenBox;
    }
  | {
      readonly type: "stepFailed";
      readonly number: number;
      readonly durationMs: number;
      /** Plain text, at most 2 KiB. */
      readonly error: string;
      readonly locator: string | null;
      /** The step is optional: the test goes on. */
      readonly passedOver: boolean;
      /** The element that refutes the claim. */
      readonly evidence?: SeenBox;
      readonly page?: PageProblems;
    }
  | {
      readonly type: "stepSkipped";
      readonly number: number;
      readonly reason: string;
      /** Plan, policy or browser do not allow the step. */
      readonly gap?: true;
    }
  | {
      readonly type: "screenshotTaken";
      readonly number: number;
      readonly format: "jpeg" | "png";
      readonly bytes: Buffer;
      /** The name that a `screenshot` step gave it. */
      readonly name: string | null;
      /** The step before whose picture it is too: nothing was done to the page between the two, and it was taken when both were over. */
      readonly sameAs?: number;
    }
  /** A picture was taken that cannot be kept. `reason` is for a person. */
  | {
      readonly type: "screenshotLost";
      readonly number: number;
      readonly name: string | null;
      readonly reason: string;
    }
  /** The result of a picture; the picture itself was reported before. */
  | ({ readonly type: "visualCompared"; readonly number: number } & VisualReport)
  /** A file that the test leaves besides its pictures, or why there is none. */
  | ({ readonly type: "evidenceTaken" } & Evidence)
  /** The step went on with another element than its target names. */
  | ({
      readonly type: "locatorHealed";
      readonly number: number;
      readonly stepId: string;
    } & HealedFacts)
  | {
      readonly type: "browserFinished";
      readonly status: Verdict;
      readonly durationMs: number;
      readonly error: string | null;
      /** Nothing was wrong but pictures that differ from their baselines. */
      readonly onlyPictures?: boolean;
    }
);

type WithoutTime<Report> = Report extends unknown ? Omit<Report, "at"> : never;

/** A report before it is stamped with its time. */
export type NewReport = WithoutTime<ExecutorReport>;

/** Takes reports as they come. Called synchronously and never awaited: it must not throw and not block. */
export type ReportSink = (report: ExecutorReport) => void;
