import { type AgentHost, HEARTBEAT_SECONDS } from "../../domain/agents/protocol.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Bus } from "../../platform/bus/port.ts";
import { sleep } from "../../platform/sleep.ts";
import { within } from "../../platform/within.ts";
import { connectedAgents } from "../../stores/agents/connectedAgents.ts";
import { dispatchQueue } from "../../stores/runs/dispatchQueue.ts";
import { executionLeases } from "../../stores/runs/leases.ts";
import { followStops, stopError } from "../runs/stopRequests.ts";
import { CLOSE, connect, endSession, type HostState, replaceOthers } from "./connections.ts";
import { createOffers } from "./offers.ts";
import type { AgentHostDeps, Session } from "./session.ts";
import { AGENT_HERE_SUBJECT, AGENT_WORK_SUBJECT, decodeHere } from "./subjects.ts";
import { hostedWorks } from "./works.ts";

/** Interval of looking at the dispatch table, in case a message on the bus is lost. */
const LOOK_MS = 1_000;
/** Silence after which an agent is presumed gone and its connection is closed. */
const SILENT_MS = 4 * HEARTBEAT_SECONDS * 1_000;
const STOP_MS = 5_000;

/**
 * Dispatches waiting executions to the agents connected to this process, within their organisation, and
 * records their reports by the rules of executors: the process keeps a lease per delivery while the agent is
 * connected, and only its holder writes to the log. Any number of processes can do this; an agent may
 * reconnect to another one.
 */
export const startAgentHost = (deps: AgentHostDeps): AgentHost & { stop(): Promise<void> } => {
  const { db, bus, logger } = deps;
  const queue = dispatchQueue(db);
  const leases = executionLeases(db);
  const stopping = new AbortController();
  const { signal } = stopping;
  const sessions = new Set<Session>();
  const hosted = hostedWorks({ ...deps, leases, onPlaceFree: () => offers.lookNow() });
  const offers = createOffers({ ...deps, queue, sessions, hosted, signal });
  const host: HostState = {
    ...{ ...deps, leases, sessions, hosted, offers },
    ...{ agents: connectedAgents(db), ending: new Set() },
  };

  const loops = [
    checkSessions(host, signal),
    subscribe(bus, AGENT_WORK_SUBJECT, signal, offers.lookNow),
    subscribe(bus, AGENT_HERE_SUBJECT, signal, (payload) => {
      const here = decodeHere(payload);
      if (here) replaceOthers(host, here.worker, here.session);
    }),
    followStops({
      ...{ bus, queue, logger, signal },
      held: () => [...hosted.works.keys()],
      stop: (executionId, reason) => {
        const run = hosted.works.get(executionId)?.run;
        run?.cancel(stopError(reason)).catch((error: unknown) => {
          logFailure(logger, error, {}, "an execution could not be stopped");
        });
      },
    }),
  ];

  return {
    connect: (organizationId, hello, line) => connect(host, organizationId, hello, line),
    stop: async () => {
      for (const session of [...sessions]) {
        session.line.close(CLOSE.restart, "The service restarts.");
        endSession(host, session, false);
      }
      stopping.abort();
      // Agents keep accepted deliveries: they can reconnect to any process while the lease lasts.
      for (const work of hosted.works.values())
        if (work.isAccepted) work.lose("The service stops.");
      const all = Promise.all([...loops, ...host.ending, hosted.settled(), offers.settled()]);
      await within(all, STOP_MS, () => undefined);
    },
  };
};

/** Ends silent sessions and looks for work. */
const checkSessions = async (host: HostState, signal: AbortSignal): Promise<void> => {
  while (!signal.aborted) {
    await sleep(LOOK_MS, signal);
    for (const session of [...host.sessions]) {
      if (performance.now() - session.heardAt > SILENT_MS) {
        session.line.close(CLOSE.silent, "No message arrived in time.");
        endSession(host, session, false);
      }
    }
    host.offers.lookNow();
  }
};

const subscribe = async (
  bus: Bus,
  subject: string,
  signal: AbortSignal,
  take: (payload: string) => void,
): Promise<void> => {
  const messages = bus.subscribe(subject);
  signal.addEventListener("abort", () => messages.close(), { once: true });
  for await (const { payload } of messages) take(payload);
};
