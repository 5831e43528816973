import type { CalledStep } from "../../domain/catalogue/calls.ts";
import type { QueuedExecution } from "../../domain/runs/executions/events.ts";
import type { ProgressEvent } from "../../domain/runs/executions/progress.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { HealingMemory } from "../executor/healing/memory.ts";
import type { Visuals } from "../executor/visual.ts";
import type { EvidenceUploads } from "./evidenceUploads.ts";
import type { Resources } from "./resources.ts";
import type { RunTest } from "./runTest.ts";
import type { StepPipeline } from "./stepPipeline.ts";

export type DeliveryDeps = {
  readonly executionId: string;
  readonly delivery: number;
  readonly worker: string;
  readonly planned: QueuedExecution;
  readonly steps: readonly CalledStep[];
  readonly pipeline: StepPipeline;
  readonly blobs: BlobStore;
  readonly runTest: RunTest;
  readonly healing?: HealingMemory | undefined;
  /** Baselines of the test for a browser. */
  readonly visuals: (browser: BrowserName) => Visuals;
  /** Absent: no secrets and no files. */
  readonly resources?: Resources | undefined;
  readonly logger: Logger;
};

/** A delivery whose attempts are under way. */
export type RunningDelivery = DeliveryDeps & {
  readonly uploads: EvidenceUploads;
  /** Aborted when the delivery is given back or cancelled. */
  readonly stopping: AbortSignal;
  /** Aborted when the delivery is stopped or its lease is lost. */
  readonly signal: AbortSignal;
  /** Marks the browser as no longer needed. */
  readonly leaveBrowser: () => void;
};

/** Submits an event of the delivery. `occurredAt` (ISO 8601) defaults to now. */
export const submitProgress = (
  { pipeline, worker, delivery }: RunningDelivery,
  event: ProgressEvent,
  occurredAt?: string,
): void => pipeline.submit({ type: "report", worker, delivery, progress: [event] }, occurredAt);
