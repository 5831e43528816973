import { type CommandLoop, createCommandLoop } from "../../commands/kernel/commandLoop.ts";
import type { CalledStep, PinnedCall } from "../../domain/catalogue/calls.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { ExecutionEvent, QueuedExecution } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { Execution } from "../../domain/runs/executions/state.ts";
import { stepsAt } from "../../domain/runs/pinned.ts";
import type { Clock } from "../../platform/clock.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { contextFrom } from "./eventContext.ts";
import type { ExecutionJob } from "./job.ts";
import type { LeaseKeeper } from "./leaseKeeper.ts";
import { createStepPipeline, type StepPipeline } from "./stepPipeline.ts";

/** How long the read model may take to show the steps that a run was pinned to. */
const STEPS_PATIENCE_MS = 5_000;

/** A delivery that this worker holds: its lease is kept and the claim is in the log. */
export type Claimed = {
  readonly planned: QueuedExecution;
  readonly steps: readonly CalledStep[];
  readonly pipeline: StepPipeline;
  /** The event that queued the execution, which is the cause of the worker's events. */
  readonly queued: RecordedEvent;
};

export type ClaimDeps = {
  readonly log: EventLog;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly keeper: LeaseKeeper;
  readonly worker: string;
  /** Whether the run is being watched; absent: true. */
  readonly isWatched?: ((runId: string) => boolean) | undefined;
  /** The steps of a test as they were in a version; null when they are not there (yet). */
  readonly stepsOfVersion: (
    testId: string,
    version: number,
    calls?: readonly PinnedCall[],
  ) => Promise<readonly CalledStep[] | null>;
};

/** The execution of an offer, read before a slot is free and without claiming it. */
export type ReadAhead = {
  readonly execution: ReadExecution;
  readonly steps: readonly CalledStep[];
};

/**
 * Reads the execution of an offer ahead, while no slot is free. Null if reading failed or its steps are not available
 * yet: the claim reads it then. A change in between makes the claim fail.
 */
export const readAhead = async (
  { log, stepsOfVersion }: Pick<ClaimDeps, "log" | "stepsOfVersion">,
  job: ExecutionJob,
): Promise<ReadAhead | null> => {
  try {
    const execution = await readExecution(log, job.execution_id);
    if (!execution) return null;
    const { testId, version } = stepsAt(execution.planned);
    const steps = await stepsOfVersion(testId, version, execution.planned.calls);
    return steps && { execution, steps };
  } catch {
    return null;
  }
};

/**
 * Claims the execution of an offer: first the lease, then the claim in the log. Null if there is nothing to do: the
 * offer is stale, another worker has it, or its steps are gone and it was abandoned. Rejects if the log or the database
 * is unavailable before anything was claimed.
 */
export const claimJob = async (
  deps: ClaimDeps,
  job: ExecutionJob,
  ahead: Promise<ReadAhead | null> = Promise.resolve(null),
): Promise<Claimed | null> => {
  const { log, keeper } = deps;
  const held = { executionId: job.execution_id, delivery: job.delivery };
  let lose: ((reason: string) => void) | null = null;
  let lostEarly: string | null = null;
  // Concurrently, because a person waits for the first step. A lease alone claims nothing.
  const [lease, found] = await Promise.allSettled([
    keeper.take(held, (reason) => {
      if (lose) lose(reason);
      else lostEarly = reason;
    }),
    ahead.then(async (read) => read ?? withoutSteps(await readExecution(log, held.executionId))),
  ]);
  const isHeld = lease.status === "fulfilled" && lease.value;
  try {
    if (lease.status === "rejected") throw lease.reason;
    if (found.status === "rejected") throw found.reason;
    const claimed = isHeld && found.value ? await claimHeld(deps, held, found.value) : null;
    if (claimed) {
      lose = claimed.pipeline.lose;
      if (lostEarly !== null) lose(lostEarly);
      return claimed;
    }
  } catch (error) {
    if (isHeld) await keeper.release(held);
    throw error;
  }
  if (isHeld) await keeper.release(held);
  return null;
};

/** A resumed delivery with its recorded progress: finished browsers and steps, outcomes of pictures, and files. */
export type Resumed = Claimed & {
  readonly delivery: number;
  readonly ended: readonly BrowserFinished[];
  readonly endedSteps: readonly EndedStep[];
  readonly compared: readonly VisualCompared[];
  readonly kept: readonly EvidenceKept[];
};

/**
 * Resumes a delivery after the worker lost its connection. Null if the worker no longer holds it or the organisation
 * differs. Rejects if the log or the database is unavailable.
 */
export const resumeClaim = async (
  deps: ClaimDeps,
  executionId: string,
  organizationId: string,
): Promise<Resumed | null> => {
  const { keeper, worker } = deps;
  const execution = await readExecution(deps.log, executionId);
  if (!execution || execution.queued.metadata.organization_id !== organizationId) return null;
  const { state, queued, planned } = execution;
  if (state.status !== "claimed" && state.status !== "running") return null;
  if (state.worker !== worker) return null;
  const { delivery } = state;
  const steps = await waitForSteps(deps, planned);
  if (!steps) return null;
  const pipeline = pipelineOf(deps, executionId, execution);
  const held = { executionId, delivery };
  if (!(await keeper.take(held, pipeline.lose))) return null;
  const ended = execution.ended.filter((one) => one.delivery === delivery);
  const endedSteps = execution.endedSteps.filter((one) => one.delivery === delivery);
  const compared = execution.compared.filter((one) => one.delivery === delivery);
  const kept = execution.kept.filter((one) => one.delivery === delivery);
  return { planned, steps, pipeline, queued, delivery, ended, endedSteps, compared, kept };
};

/** An execution, and its steps where they were read with it. */
type Found = { readonly execution: ReadExecution; readonly steps: readonly CalledStep[] | null };

const withoutSteps = (execution: ReadExecution | null): Found | null =>
  execution && { execution, steps: null };

/** The claim of a leased delivery; null if it cannot be claimed. */
const claimHeld = async (
  deps: ClaimDeps,
  { executionId, delivery }: { readonly executionId: string; readonly delivery: number },
  { execution, steps: known }: Found,
): Promise<Claimed | null> => {
  const { log, clock, worker } = deps;
  const claim = { type: "claim", worker, delivery } as const;
  if (!isClaimable(claim, execution.state)) return null;

  const { queued, planned } = execution;
  const steps = known ?? (await waitForSteps(deps, planned));
  if (!steps) {
    await abandon(createCommandLoop({ log, clock, cachedStreams: 0 }), executionId, queued, worker);
    return null;
  }
  const pipeline = pipelineOf(deps, executionId, execution);
  pipeline.submit(claim);
  return (await pipeline.settled()) ? { planned, steps, pipeline, queued } : null;
};

/** The writer of a delivery, from the current state of the execution. */
const pipelineOf = (
  { log, clock, logger, worker, isWatched }: ClaimDeps,
  executionId: string,
  { queued, planned, state, revision }: ReadExecution,
): StepPipeline => {
  const context = contextFrom(queued, worker);
  const metadata = {
    $correlationId: context.correlationId,
    $causationId: context.causationId,
    actor: context.actor,
    organization_id: context.organizationId,
    ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }),
  };
  return createStepPipeline({
    ...{ log, clock, logger, executionId, state, revision, metadata },
    isWatched: isWatched && (() => isWatched(planned.runId)),
  });
};

type ReadExecution = {
  readonly queued: RecordedEvent;
  readonly planned: QueuedExecution;
  readonly state: Execution;
  readonly revision: bigint;
  readonly ended: readonly BrowserFinished[];
  readonly endedSteps: readonly EndedStep[];
  readonly compared: readonly VisualCompared[];
  readonly kept: readonly EvidenceKept[];
};

type EndedStep = Extract<
  ExecutionEvent,
  { type: "StepPassed" | "StepFailed" | "StepSkipped" }
>["data"];
type BrowserFinished = Extract<ExecutionEvent, { type: "BrowserFinished" }>["data"];
type VisualCompared = Extract<ExecutionEvent, { type: "VisualCompared" }>["data"];
type EvidenceKept = Extract<ExecutionEvent, { type: "EvidenceKept" }>["data"];

/** Reads an execution from the log: its plan and its state. Null if there is no such stream. */
const readExecution = async (
  log: Pick<EventLog, "readStream">,
  executionId: string,
): Promise<ReadExecution | null> => {
  let found: Pick<ReadExecution, "queued" | "planned"> | null = null;
  let state = executionDecider.initial;
  let revision = -1n;
  const ended: BrowserFinished[] = [];
  const endedSteps: EndedStep[] = [];
  const compared: VisualCompared[] = [];
  const kept: EvidenceKept[] = [];
  for await (const recorded of log.readStream(`${executionDecider.category}-${executionId}`)) {
    const event = executionDecider.codec.decode({
      type: recorded.type,
      data: recorded.data,
      schemaVersion: recorded.metadata.schema_version,
    });
    if (event.type === "ExecutionQueued") found = { queued: recorded, planned: event.data };
    if (event.type === "BrowserFinished") ended.push(event.data);
    if (event.type === "VisualCompared") compared.push(event.data);
    if (event.type === "EvidenceKept") kept.push(event.data);
    if (
      event.type === "StepPassed" ||
      event.type === "StepFailed" ||
      event.type === "StepSkipped"
    ) {
      endedSteps.push(event.data);
    }
    state = executionDecider.evolve(state, event);
    revision = recorded.revision;
  }
  return found && { ...found, state, revision, ended, endedSteps, compared, kept };
};

const isClaimable = (
  claim: { readonly type: "claim"; readonly worker: string; readonly delivery: number },
  state: Execution,
): boolean => {
  try {
    return executionDecider.decide(claim, state).length > 0;
  } catch (error) {
    if (error instanceof DomainError) return false;
    throw error;
  }
};

const waitForSteps = async (
  { stepsOfVersion }: Pick<ClaimDeps, "stepsOfVersion">,
  planned: QueuedExecution,
): Promise<readonly CalledStep[] | null> => {
  const deadline = performance.now() + STEPS_PATIENCE_MS;
  const { testId, version } = stepsAt(planned);
  for (;;) {
    const steps = await stepsOfVersion(testId, version, planned.calls);
    if (steps || performance.now() > deadline) return steps;
    await sleep(100);
  }
};

const abandon = async (
  commands: CommandLoop,
  executionId: string,
  queued: RecordedEvent,
  worker: string,
): Promise<void> => {
  const reason = "The steps of the test are not there any more: it cannot be run.";
  const context = contextFrom(queued, worker);
  await commands.execute(executionDecider, executionId, { type: "abandon", reason }, context);
};
