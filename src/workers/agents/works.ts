import { logFailure } from "../../platform/availability.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Span } from "../../platform/tracing/port.ts";
import type { executionLeases } from "../../stores/runs/leases.ts";
import type { Claimed, Resumed } from "../runs/claim.ts";
import type { AgentHostDeps, HostedWork, Session } from "./session.ts";
import { type AgentWork, startAgentWork } from "./work.ts";

type WorksDeps = AgentHostDeps & {
  readonly leases: ReturnType<typeof executionLeases>;
  /** Called when an agent has free capacity again. */
  readonly onPlaceFree: () => void;
};

type WorksState = WorksDeps & {
  /** Deliveries under way, by execution. */
  readonly works: Map<string, HostedWork>;
  readonly ending: Set<Promise<unknown>>;
  /** Runs one task at a time: limits the memory of large files. */
  readonly inTurn: <T>(work: () => Promise<T>) => Promise<T>;
};

/** The deliveries held by the agents connected to this process. */
export const hostedWorks = (deps: WorksDeps) => {
  const state: WorksState = { ...deps, works: new Map(), ending: new Set(), inTurn: createTurns() };
  return {
    works: state.works,
    /** Starts a new delivery (`before` null) or resumes one. */
    start: (
      session: Session,
      executionId: string,
      delivery: number,
      claimed: Claimed,
      before: Resumed | null,
    ): HostedWork => start(state, session, { executionId, delivery, claimed, before }),
    unlessHeard,
    giveBack: (work: HostedWork, reason: string): void => {
      work.run.giveBack(reason).catch(failure(state, "an execution could not be given back"));
    },
    /** Resolves when all deliveries have ended. */
    settled: (): Promise<unknown> => Promise.all(state.ending),
  };
};

export type HostedWorks = ReturnType<typeof hostedWorks>;

const createTurns = (): WorksState["inTurn"] => {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
};

type Held = {
  readonly executionId: string;
  readonly delivery: number;
  readonly claimed: Claimed;
  readonly before: Resumed | null;
};

const start = (state: WorksState, session: Session, held: Held): HostedWork => {
  const { executionId, before } = held;
  const span = startSpan(state, held);
  const begin = () => startWork(state, session, held, (answer) => work.session?.line.say(answer));
  const work: HostedWork = {
    ...(span ? span.within(begin) : begin()),
    ...{ worker: session.worker, traceparent: span?.traceparent },
    session,
    isAccepted: before !== null,
    waiting: new AbortController(),
  };
  state.works.set(executionId, work);
  const ended = work.run.done
    .catch(failure(state, "an agent's delivery failed"))
    .then(() => endWork(state, work, held, span))
    .catch(failure(state, "a lease could not be released and will expire"))
    .finally(() => state.ending.delete(ended));
  state.ending.add(ended);
  return work;
};

const startWork = (
  state: WorksState,
  { worker, organizationId, hello }: Session,
  { executionId, delivery, claimed, before }: Held,
  answer: Parameters<typeof startAgentWork>[0]["answer"],
): AgentWork => {
  const { testId, baselineVersion = 0 } = claimed.planned;
  const { blobs, clock, inTurn } = state;
  return startAgentWork({
    ...{ executionId, delivery, worker, claimed, before, answer, blobs, clock, inTurn },
    observeTests: hello.traces ? undefined : state.observeTests,
    visualsOf: (browser) => state.visualsOf({ organizationId, testId, baselineVersion, browser }),
    healing: state.healingOf?.({ organizationId, testId }),
    resources: state.resourcesOf(claimed.planned, organizationId),
    logger: state.logger.child({
      correlation_id: claimed.queued.metadata.$correlationId,
      execution: executionId,
    }),
  });
};

const endWork = async (
  { works, leases, onPlaceFree }: WorksState,
  work: HostedWork,
  { executionId, delivery, claimed }: Held,
  span: Span | null,
): Promise<void> => {
  const isLost = claimed.pipeline.lost.aborted;
  span?.end(isLost ? { error: "lost" } : {});
  work.waiting.abort();
  if (works.get(executionId) === work) works.delete(executionId);
  if (!work.isReportedInFull()) {
    work.session?.line.say({ type: "cancel", execution_id: executionId });
  }
  // The agent may hold a lost lease again through another process.
  if (!isLost) await leases.release({ executionId, delivery }, work.worker);
  onPlaceFree();
};

const startSpan = ({ begin }: WorksState, { executionId, claimed, before }: Held): Span | null => {
  const parent = claimed.queued.metadata.traceparent;
  if (!begin || parent === undefined) return null;
  const attributes = {
    "runledger.run_id": claimed.planned.runId,
    "runledger.execution_id": executionId,
    "runledger.resumed": before !== null,
  };
  return begin("execution of an agent", { kind: "consumer", parent, attributes });
};

/** Calls `then` after `ms`, unless the agent sends a message about the delivery before. */
const unlessHeard = (work: HostedWork, ms: number, then: () => void): void => {
  work.waiting.abort();
  const waiting = new AbortController();
  work.waiting = waiting;
  void sleep(ms, waiting.signal).then(() => {
    if (!waiting.signal.aborted) then();
  });
};

const failure =
  ({ logger }: WorksState, message: string) =>
  (error: unknown): void =>
    logFailure(logger, error, {}, message);
