import type { AgentHost, AgentSession } from "../../domain/agents/protocol.ts";
import { HEARTBEAT_SECONDS } from "../../domain/agents/protocol.ts";
import { logFailure } from "../../platform/availability.ts";
import { newId } from "../../platform/ids.ts";
import { sleep } from "../../platform/sleep.ts";
import { connectedAgents } from "../../stores/agents/connectedAgents.ts";
import { dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { AGENT, executionLeases, LEASE_SECONDS } from "../../stores/runs/leases.ts";
import { resumeClaim } from "../runs/claim.ts";
import { startLeaseKeeper } from "../runs/leaseKeeper.ts";
import { followStops, stopError } from "../runs/stopRequests.ts";
import type { AgentHostDeps, Session } from "./session.ts";
import { hostedWorks } from "./works.ts";
import { createOffers } from "./offers.ts";
import { AGENT_HERE_SUBJECT, AGENT_WORK_SUBJECT, decodeHere } from "./subjects.ts";

/** The table is looked at so often, whatever the bus says or loses. */
const LOOK_MS = 1_000;
/** An agent that says nothing for so long has gone: its connection is closed. */
const SILENT_MS = 4 * HEARTBEAT_SECONDS * 1_000;
const STOP_MS = 5_000;
/** Closing codes of our own: as HTTP's 408 and 409. */
const SILENT = 4408;
const REPLACED = 4409;
/** As HTTP's 503. */
const TRY_AGAIN = 1013;

/**
 * Gives the agents that are connected to this process what waits for agents of their organisation, and
 * records what they report by the rules of executors: a lease for each delivery, which the process keeps for
 * as long as the agent is connected, and a place in the log that nobody else writes to. Any number of
 * processes do this at once; an agent may come back to another than it left.
 */
export const startAgentHost = (deps: AgentHostDeps): AgentHost & { stop(): Promise<void> } => {
  const { db, bus, logger } = deps;
  const queue = dispatchQueue(db);
  const leases = executionLeases(db);
  const agents = connectedAgents(db);
  const stopping = new AbortController();
  const sessions = new Set<Session>();
  const ending = new Set<Promise<unknown>>();
  const hosted = hostedWorks({ ...deps, leases, onPlaceFree: () => offers.lookNow() });
  const { works, giveBack, unlessHeard } = hosted;
  const offers = createOffers({ ...deps, queue, sessions, hosted, signal: stopping.signal });
  const { lookNow, sulk } = offers;

  const trouble = (what: string) => (error: unknown) => logFailure(logger, error, {}, what);

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
      if (found) hosted.start(session, executionId, found.delivery, found, found);
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
      await sleep(LOOK_MS, stopping.signal);
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
      const all = Promise.all([...loops, ...ending, hosted.settled(), offers.settled()]);
      await Promise.race([all, sleep(STOP_MS, ended.signal)]);
      ended.abort();
    },
  };
};
