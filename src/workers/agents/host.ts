import type {
  AgentHost,
  AgentLine,
  AgentSession,
  FromAgent,
} from "../../domain/agents/protocol.ts";
import { HEARTBEAT_SECONDS } from "../../domain/agents/protocol.ts";
import { secretsIn } from "../../domain/catalogue/secrets.ts";
import { browserName } from "../../domain/runs/run.ts";
import { logTrouble } from "../../platform/away.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Clock } from "../../platform/clock.ts";
import type { Database } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import { newId } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";
import { connectedAgents } from "../../platform/state/connectedAgents.ts";
import { type Dispatch, dispatchQueue } from "../../platform/state/dispatchQueue.ts";
import { AGENT, executionLeases, LEASE_SECONDS } from "../../platform/state/leases.ts";
import type { Span, Tracing } from "../../platform/tracing/port.ts";
import type { VisualsOf } from "../baselines/visuals.ts";
import type { HealingOf } from "../healing/memory.ts";
import {
  type ClaimDeps,
  type Claimed,
  claimJob,
  type Resumed,
  resumeClaim,
} from "../runs/claim.ts";
import type { RunTest } from "../runs/delivery.ts";
import { startLeaseKeeper } from "../runs/leaseKeeper.ts";
import type { ResourcesOf } from "../runs/resources.ts";
import { followStops, stopError } from "../runs/stop.ts";
import { type AgentWork, startAgentWork } from "./agentWork.ts";
import { AGENT_HERE_SUBJECT, AGENT_WORK_SUBJECT, decodeHere } from "./subjects.ts";

export type AgentHostDeps = {
  readonly log: EventLog;
  readonly db: Database["db"];
  readonly bus: Bus;
  readonly blobs: BlobStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The steps of a test as they were in a version; null when they are not there (yet). */
  readonly stepsOfVersion: ClaimDeps["stepsOfVersion"];
  /** What a test may use that is in no event. */
  readonly resourcesOf: ResourcesOf;
  /** What pictures are compared with. */
  readonly visualsOf: VisualsOf;
  /** Absent: nothing is healed. */
  readonly healingOf?: HealingOf;
  /** Given: what agents run is part of the trace of who asked for it. */
  readonly begin?: Tracing["begin"] | undefined;
  /** Follows a test by what its agent tells, where the agent does not do so itself. */
  readonly observeTests?: (runTest: RunTest) => RunTest;
};

/** The table is looked at so often, whatever the bus says or loses. */
const LOOK_MS = 1_000;
/** An agent that has not taken what it was given by then does not get it. */
const ACCEPT_MS = 10_000;
/** An agent that says nothing for so long has gone: its connection is closed. */
const SILENT_MS = 4 * HEARTBEAT_SECONDS * 1_000;
/** One that refuses what it is given is left alone for a while: longer each time, up to a minute. */
const LONGEST_SULK_MS = 60_000;
/** What was claimed just now is still listed for a moment. */
const CLAIMED_MS = 5_000;
const STOP_MS = 5_000;
/** Closing codes of our own: as HTTP's 408 and 409. */
const SILENT = 4408;
const REPLACED = 4409;

type Work = AgentWork & {
  readonly worker: string;
  /** The `traceparent` of its span; undefined where it is of no trace. */
  readonly traceparent: string | undefined;
  session: Session | null;
  isAccepted: boolean;
  /** Ends the wait for a word of the agent: that it takes it, or that it is back. */
  waiting: AbortController;
};

type Session = {
  readonly id: string;
  readonly worker: string;
  readonly organizationId: string;
  readonly hello: Extract<FromAgent, { type: "hello" }>;
  readonly line: AgentLine;
  readonly keeper: ReturnType<typeof startLeaseKeeper>;
  ready: Promise<void>;
  isReady: boolean;
  isEnded: boolean;
  claiming: number;
  heardAt: number;
  refusals: number;
  sulksUntil: number;
};

/**
 * Gives the agents that are connected to this process what waits for agents of their organisation, and
 * records what they report by the rules of executors: a lease for each delivery, which the process keeps for
 * as long as the agent is connected, and a place in the log that nobody else writes to. Any number of
 * processes do this at once; an agent may come back to another than it left.
 */
export const startAgentHost = (deps: AgentHostDeps): AgentHost & { stop(): Promise<void> } => {
  const { db, bus, clock, logger } = deps;
  const queue = dispatchQueue(db);
  const leases = executionLeases(db);
  const agents = connectedAgents(db);
  const stopping = new AbortController();
  const sessions = new Set<Session>();
  const works = new Map<string, Work>();
  const ending = new Set<Promise<unknown>>();
  const claimedAt = new Map<string, number>();

  let last: Promise<unknown> = Promise.resolve();
  /** Large files are put together one after the other. */
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const mine = last.then(work);
    last = mine.catch(() => undefined);
    return mine;
  };

  const trouble = (what: string) => (error: unknown) => logTrouble(logger, error, {}, what);

  // ------------------------------------------------------------ work

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

  const workOf = (
    session: Session,
    executionId: string,
    delivery: number,
    claimed: Claimed,
    before: Resumed | null,
  ): Work => {
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
    const work: Work = {
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
        lookNow();
      })
      .catch(trouble("an agent's lease is left to run out"))
      .finally(() => ending.delete(over));
    ending.add(over);
    return work;
  };

  /** Does something unless a word of the agent comes before. */
  const unlessHeard = (work: Work, ms: number, then: () => void): void => {
    work.waiting.abort();
    const waiting = new AbortController();
    work.waiting = waiting;
    void pause(ms, waiting.signal).then(() => {
      if (!waiting.signal.aborted) then();
    });
  };

  const giveBack = (work: Work, reason: string): void => {
    work.run.giveBack(reason).catch(trouble("an execution could not be given back"));
  };

  const sulk = (session: Session): void => {
    session.refusals += 1;
    const ms = Math.min(LONGEST_SULK_MS, 500 * 2 ** session.refusals);
    session.sulksUntil = performance.now() + ms;
  };

  const offer = async (session: Session, dispatch: Dispatch): Promise<void> => {
    const { executionId, delivery, runId, organizationId } = dispatch;
    const job = {
      execution_id: executionId,
      run_id: runId,
      organization_id: organizationId,
      delivery,
    };
    const { keeper, worker } = session;
    const claimed = await claimJob({ ...deps, keeper, worker }, job);
    if (!claimed) return;
    const work = workOf(session, executionId, delivery, claimed, null);
    if (session.isEnded) return giveBack(work, "The agent went away.");
    const { planned, steps } = claimed;
    const resources = deps.resourcesOf(planned, organizationId);
    const named = secretsIn(steps.flatMap(({ target, value }) => [target, value]).join("\n"));
    const secrets =
      named.length === 0
        ? new Map<string, string>()
        : await resources.secrets(named).catch((error: unknown) => {
            trouble("the secrets of a test cannot be read")(error);
            return null;
          });
    const dueSteps = await work.dueSteps();
    if (!secrets) return giveBack(work, "Its secrets cannot be read now.");
    if (session.isEnded) return;
    session.line.say({
      type: "dispatch",
      execution_id: executionId,
      delivery,
      run_id: planned.runId,
      steps: steps.map(({ ofTest: _, ...step }) => step),
      browsers: [...planned.browsers],
      base_url: planned.baseUrl,
      variables: planned.variables,
      lease_seconds: LEASE_SECONDS,
      retries: planned.retries ?? 0,
      secrets: Object.fromEntries(secrets),
      shows_secrets: resources.showsSecrets,
      ...{ compares_pictures: true, gives_files: true, heals: deps.healingOf !== undefined },
      evidence: [...(planned.evidence ?? [])],
      due_steps: [...dueSteps],
      ...{ step_ms: planned.limits?.stepMs ?? 10_000, test_ms: planned.limits?.testMs ?? 600_000 },
      ...(work.traceparent === undefined ? {} : { traceparent: work.traceparent }),
    });
    unlessHeard(work, ACCEPT_MS, () => {
      sulk(session);
      giveBack(work, "The agent did not take it.");
    });
  };

  const freeOf = (session: Session): number => {
    if (!session.isReady || session.isEnded || session.sulksUntil > performance.now()) return 0;
    const held = [...works.values()].filter((work) => work.session === session).length;
    return session.hello.capacity - held - session.claiming;
  };

  const lookFor = async (session: Session): Promise<void> => {
    const free = freeOf(session);
    if (free <= 0) return;
    const now = performance.now();
    for (const [key, at] of claimedAt) if (now - at > CLAIMED_MS) claimedAt.delete(key);
    const browsers = session.hello.browsers.filter((name) => browserName.safeParse(name).success);
    const limit = free + claimedAt.size;
    const waiting = await queue.listForAgents(session.organizationId, browsers, limit);
    const isNew = ({ executionId, delivery }: Dispatch): boolean =>
      !works.has(executionId) && !claimedAt.has(`${executionId}:${delivery}`);
    for (const dispatch of waiting.filter(isNew).slice(0, freeOf(session))) {
      claimedAt.set(`${dispatch.executionId}:${dispatch.delivery}`, performance.now());
      session.claiming += 1;
      offer(session, dispatch)
        .catch(trouble("an execution could not be given to an agent"))
        .finally(() => {
          session.claiming -= 1;
        });
    }
  };

  let looking: Promise<void> | null = null;
  let lookAgain = false;
  const look = async (): Promise<void> => {
    while (lookAgain && !stopping.signal.aborted) {
      lookAgain = false;
      for (const session of sessions) {
        await lookFor(session).catch(trouble("agents' work cannot be looked up"));
      }
    }
  };
  const lookNow = (): void => {
    lookAgain = true;
    looking ??= look().finally(() => {
      looking = null;
    });
  };

  // ------------------------------------------------------------ sessions

  /** Goes on with what an agent names and holds; it is told what it does not hold any more. */
  const resume = async (session: Session): Promise<void> => {
    const { worker, organizationId, line, keeper, hello } = session;
    for (const work of works.values()) {
      if (work.worker === worker && !hello.resume.includes(work.executionId)) {
        giveBack(work, "The agent does not go on with it.");
      }
    }
    for (const executionId of hello.resume) {
      const here = works.get(executionId);
      const held = here && here.worker === worker ? here : null;
      if (held) {
        const isKept = await keeper.take(held, held.lose);
        if (isKept) {
          held.session = session;
          held.waiting.abort();
          continue;
        }
        held.lose("The agent came back too late.");
      }
      const found = here
        ? null
        : await resumeClaim({ ...deps, keeper, worker }, executionId, organizationId);
      if (found) workOf(session, executionId, found.delivery, found, found);
      else line.say({ type: "cancel", execution_id: executionId });
    }
    await leases.dropOthersOf(worker, hello.resume);
    await agents.seen(session.id, seenAs(session));
  };

  const seenAs = ({ organizationId, hello, id }: Session) => ({
    organizationId,
    agentId: hello.agent_id,
    name: hello.name,
    version: hello.version,
    browsers: hello.browsers,
    capacity: hello.capacity,
    running: [...works.values()].filter(({ session }) => session?.id === id).length,
  });

  const end = (session: Session, revoked: boolean): void => {
    if (session.isEnded) return;
    session.isEnded = true;
    sessions.delete(session);
    for (const work of works.values()) {
      if (work.session !== session) continue;
      work.session = null;
      if (revoked) giveBack(work, "The agent's key was revoked.");
      else if (!work.isAccepted) giveBack(work, "The agent went away before it had it.");
      else {
        unlessHeard(work, LEASE_SECONDS * 1_000, () => work.lose("Its agent has gone."));
      }
    }
    const gone = Promise.all([session.keeper.stop(), agents.remove(session.id)])
      .catch(trouble("an agent's connection is left to be forgotten"))
      .finally(() => ending.delete(gone));
    ending.add(gone);
  };

  const replaceOthers = (worker: string, id: string): void => {
    for (const other of [...sessions]) {
      if (other.worker !== worker || other.id === id) continue;
      other.line.close(REPLACED, "The agent has another connection.");
      end(other, false);
    }
  };

  const connect: AgentHost["connect"] = (organizationId, hello, line) => {
    const worker = `${AGENT}${organizationId}:${hello.agent_id}`;
    const session: Session = {
      ...{ id: newId(), worker, organizationId, hello, line },
      keeper: startLeaseKeeper({ leases, worker, logger }),
      ...{ ready: Promise.resolve(), isReady: false, isEnded: false },
      ...{ claiming: 0, heardAt: performance.now(), refusals: 0, sulksUntil: 0 },
    };
    replaceOthers(worker, session.id);
    bus.publish(AGENT_HERE_SUBJECT, JSON.stringify({ worker, session: session.id }));
    sessions.add(session);
    line.say({ type: "welcome", agent_id: hello.agent_id, heartbeat_seconds: HEARTBEAT_SECONDS });
    session.ready = resume(session).then(() => {
      session.isReady = true;
      lookNow();
    });
    // Whoever waits for it hears of it; without it the agent must come again.
    session.ready.catch((error: unknown) => {
      trouble("an agent could not be taken in")(error);
      line.close(TRY_AGAIN, "The service cannot take you in now.");
    });
    return {
      receive: (message) => receive(session, message),
      end: (revoked) => end(session, revoked),
    };
  };

  const receive = async (
    session: Session,
    message: Parameters<AgentSession["receive"]>[0],
  ): Promise<string | null> => {
    session.heardAt = performance.now();
    await session.ready;
    if (message.type === "heartbeat") {
      await agents.seen(session.id, seenAs(session));
      return null;
    }
    const { execution_id: executionId, delivery } = message;
    const work = works.get(executionId);
    if (!work || work.session !== session || work.delivery !== delivery) {
      return `You do not hold delivery ${delivery} of the execution ${executionId}.`;
    }
    switch (message.type) {
      case "accept":
        work.isAccepted = true;
        work.waiting.abort();
        session.refusals = 0;
        return null;
      case "reject":
        sulk(session);
        await work.run.giveBack(message.reason || "The agent gave it back.");
        return null;
      default:
        work.isAccepted = true;
        work.waiting.abort();
        return work.report(message);
    }
  };

  // ------------------------------------------------------------ loops

  const tick = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await pause(LOOK_MS, stopping.signal);
      for (const session of [...sessions]) {
        if (performance.now() - session.heardAt > SILENT_MS) {
          session.line.close(SILENT, "Nothing was heard of you.");
          end(session, false);
        }
      }
      lookNow();
    }
  };

  const hear = async (subject: string, take: (payload: string) => void): Promise<void> => {
    const heard = bus.subscribe(subject);
    stopping.signal.addEventListener("abort", () => heard.close(), { once: true });
    for await (const { payload } of heard) take(payload);
  };

  const loops = [
    tick(),
    hear(AGENT_WORK_SUBJECT, lookNow),
    hear(AGENT_HERE_SUBJECT, (payload) => {
      const here = decodeHere(payload);
      if (here) replaceOthers(here.worker, here.session);
    }),
    followStops({
      ...{ bus, queue, logger, signal: stopping.signal },
      held: () => [...works.keys()],
      stop: (executionId, reason) => {
        const work = works.get(executionId);
        work?.run.cancel(stopError(reason)).catch(trouble("an execution could not be stopped"));
      },
    }),
  ];

  return {
    connect,
    stop: async () => {
      for (const session of [...sessions]) {
        session.line.close(1012, "The service restarts.");
        end(session, false);
      }
      stopping.abort();
      // What agents have is left to them: they come back, here or to another process, while their lease lasts.
      for (const work of works.values()) if (work.isAccepted) work.lose("The service stops.");
      const ended = new AbortController();
      const all = Promise.all([...loops, ...ending, looking]);
      await Promise.race([all, pause(STOP_MS, ended.signal)]);
      ended.abort();
    },
  };
};

/** As HTTP's 503. */
const TRY_AGAIN = 1013;
