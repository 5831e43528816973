import { logFailure } from "../../platform/availability.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Span } from "../../platform/tracing/port.ts";
import type { executionLeases } from "../../stores/runs/leases.ts";
import type { Claimed, Resumed } from "../runs/claim.ts";
import { startAgentWork } from "./work.ts";
import type { AgentHostDeps, HostedWork, Session } from "./session.ts";

/** What the agents have that are connected to this process, by execution. */
export const hostedWorks = (
  deps: AgentHostDeps & {
    readonly leases: ReturnType<typeof executionLeases>;
    /** Told when an agent has a place free again. */
    readonly onPlaceFree: () => void;
  },
) => {
  const { clock, leases, logger } = deps;
  const works = new Map<string, HostedWork>();
  const ending = new Set<Promise<unknown>>();

  let last: Promise<unknown> = Promise.resolve();
  /** Large files are put together one after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };

  const trouble = (what: string) => (error: unknown) => logFailure(logger, error, {}, what);

  /** The span of a delivery, as an executor's has one. */
  const spanOf = (
    executionId: string,
    { queued, planned }: Claimed,
    isResumed: boolean,
  ): Span | null => {
    const parent = queued.metadata.traceparent;
    if (!deps.begin || parent === undefined) return null;
    const attributes = {
      "runledger.run_id": planned.runId,
      "runledger.execution_id": executionId,
      "runledger.resumed": isResumed,
    };
    return deps.begin("execution of an agent", { kind: "consumer", parent, attributes });
  };

  /** Goes to work on a delivery that an agent was given (`before` null), or goes on with. */
  const start = (
    session: Session,
    executionId: string,
    delivery: number,
    claimed: Claimed,
    before: Resumed | null,
  ): HostedWork => {
    const { worker, organizationId } = session;
    const { testId, baselineVersion = 0 } = claimed.planned;
    const span = spanOf(executionId, claimed, before !== null);
    const observeTests = session.hello.traces ? undefined : deps.observeTests;
    const begin = () =>
      startAgentWork({
        ...{ executionId, delivery, worker, claimed, before, observeTests },
        blobs: deps.blobs,
        visualsOf: (browser) =>
          deps.visualsOf({ organizationId, testId, baselineVersion, browser }),
        healing: deps.healingOf?.({ organizationId, testId }),
        resources: deps.resourcesOf(claimed.planned, organizationId),
        answer: (answer) => work.session?.line.say(answer),
        ...{ clock, inTurn },
        logger: logger.child({
          correlation_id: claimed.queued.metadata.$correlationId,
          execution: executionId,
        }),
      });
    const work: HostedWork = {
      ...(span ? span.within(begin) : begin()),
      ...{ worker, traceparent: span?.traceparent },
      session,
      isAccepted: before !== null,
      waiting: new AbortController(),
    };
    works.set(executionId, work);
    const over = work.run.done
      .catch(trouble("an agent's delivery broke off"))
      .then(async () => {
        span?.end(claimed.pipeline.lost.aborted ? { error: "lost" } : {});
        work.waiting.abort();
        if (works.get(executionId) === work) works.delete(executionId);
        if (!work.isToldInFull())
          work.session?.line.say({ type: "cancel", execution_id: executionId });
        // A lease that was lost may be the agent's own again, by another process.
        if (!claimed.pipeline.lost.aborted) await leases.release({ executionId, delivery }, worker);
        deps.onPlaceFree();
      })
      .catch(trouble("an agent's lease is left to run out"))
      .finally(() => ending.delete(over));
    ending.add(over);
    return work;
  };

  /** Does something unless a word of the agent comes before. */
  const unlessHeard = (work: HostedWork, ms: number, then: () => void): void => {
    work.waiting.abort();
    const waiting = new AbortController();
    work.waiting = waiting;
    void sleep(ms, waiting.signal).then(() => {
      if (!waiting.signal.aborted) then();
    });
  };

  const giveBack = (work: HostedWork, reason: string): void => {
    work.run.giveBack(reason).catch(trouble("an execution could not be given back"));
  };

  return {
    /** Those under way, by execution. */
    works,
    start,
    unlessHeard,
    giveBack,
    /** Resolves when all that have ended are settled. */
    settled: (): Promise<unknown> => Promise.all(ending),
  };
};

export type HostedWorks = ReturnType<typeof hostedWorks>;
