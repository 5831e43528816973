import type { AgentReport } from "../../domain/agents/protocol.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import { type Delivery, runDelivery } from "../runs/delivery.ts";
import { takeAgentEvidence } from "./evidence.ts";
import { judgeAgentPictures } from "./pictures.ts";
import { reportedTests } from "./reportedTests.ts";
import { agentResources } from "./resources.ts";
import { takeReport } from "./takeReport.ts";
import { runReportedTest } from "./testTurns.ts";
import { type AgentWorkDeps, stepKeyOf, type WorkState } from "./workState.ts";

/** A delivery held by an agent. Its reports are recorded like those of an executor. */
export type AgentWork = {
  readonly executionId: string;
  readonly delivery: number;
  readonly run: Delivery;
  /** Ids of the steps whose element the agent should describe. Never rejects. */
  dueSteps(): Promise<readonly string[]>;
  /** Records reports in order. Resolves with null once recorded, or with the reason of the refusal. */
  report(message: AgentReport): Promise<string | null>;
  /** Whether the agent has reported every test, so that it need not be told to stop. */
  isReportedInFull(): boolean;
  /** Ends recording: the agent will not come back. */
  lose(reason: string): void;
};

/**
 * Runs a delivery whose tests run on an agent. Progress of a resumed delivery (`before`) is not
 * recorded again.
 */
export const startAgentWork = (deps: AgentWorkDeps): AgentWork => {
  const { executionId, delivery, claimed, worker, logger } = deps;
  const { planned, steps, pipeline } = claimed;
  const state = initialState(deps);
  let turn: Promise<unknown> = Promise.resolve();

  const run = runDelivery({
    ...{ executionId, delivery, worker, planned, steps, pipeline, logger },
    blobs: trackUploads(deps.blobs, state.uploads),
    runTest: runReportedTest(state),
    visuals: deps.visualsOf,
  });
  void run.done.finally(() => {
    state.isOver = true;
    state.began.abort();
    // A lost delivery may be resumed by another process, which needs the evidence parts.
    if (!pipeline.lost.aborted) void turn.then(state.evidence.end);
  });

  const recorded = async (): Promise<string | null> => {
    await Promise.all(state.uploads);
    if (state.reported.isInFull()) await run.done;
    return (await pipeline.settled()) ? null : "You do not hold this execution any more.";
  };

  return {
    executionId,
    delivery,
    run,
    dueSteps: state.agentResources.dueSteps,
    report: async (message) => {
      const refusal = turn.then(() => takeReport(state, message));
      turn = refusal.catch(() => undefined);
      return (await refusal) ?? recorded();
    },
    isReportedInFull: state.reported.isInFull,
    lose: pipeline.lose,
  };
};

const initialState = (deps: AgentWorkDeps): WorkState => {
  const { executionId, delivery, claimed, before, blobs, inTurn } = deps;
  const { planned, steps } = claimed;
  const endedSteps = before?.endedSteps ?? [];
  return {
    ...deps,
    reported: reportedTests(planned, before?.ended ?? []),
    endedSteps: new Set(
      endedSteps.map(({ attempt, browser, number }) => stepKeyOf(attempt, browser, number)),
    ),
    pictures: judgeAgentPictures({
      ...{ steps, visualsOf: deps.visualsOf, before: before?.compared ?? [] },
    }),
    agentResources: agentResources({
      ...{ steps, healing: deps.healing, files: deps.resources.files },
    }),
    evidence: takeAgentEvidence({
      ...{ executionId, delivery, runId: planned.runId, blobs, inTurn },
      asked: planned.evidence ?? [],
      before: before?.kept ?? null,
    }),
    uploads: new Set(),
    current: null,
    began: new AbortController(),
    isOver: false,
  };
};

/** Adds uploads under way to the set: a report is acknowledged after its uploads. */
const trackUploads = (blobs: BlobStore, uploads: Set<Promise<unknown>>): BlobStore => ({
  ...blobs,
  put: (key, blob) => {
    const putting = blobs.put(key, blob);
    const settled = putting.catch(() => undefined).finally(() => uploads.delete(settled));
    uploads.add(settled);
    return putting;
  },
});
