import {
  type AgentHost,
  type AgentSession,
  HEARTBEAT_SECONDS,
} from "../../domain/agents/protocol.ts";
import { logFailure } from "../../platform/availability.ts";
import { newId } from "../../platform/ids.ts";
import type { connectedAgents } from "../../stores/agents/connectedAgents.ts";
import { AGENT, type executionLeases, LEASE_SECONDS } from "../../stores/runs/leases.ts";
import { resumeClaim } from "../runs/claim.ts";
import { startLeaseKeeper } from "../runs/leaseKeeper.ts";
import type { Offers } from "./offers.ts";
import type { AgentHostDeps, Session } from "./session.ts";
import { AGENT_HERE_SUBJECT } from "./subjects.ts";
import type { HostedWorks } from "./works.ts";

export type HostState = AgentHostDeps & {
  readonly leases: ReturnType<typeof executionLeases>;
  readonly agents: ReturnType<typeof connectedAgents>;
  readonly sessions: Set<Session>;
  /** Removals of ended sessions that are under way. */
  readonly ending: Set<Promise<unknown>>;
  readonly hosted: HostedWorks;
  readonly offers: Offers;
};

/** Close codes of the WebSocket. The 44xx codes follow HTTP 408 and 409. */
export const CLOSE = { restart: 1012, tryAgain: 1013, silent: 4408, replaced: 4409 } as const;

type Hello = Session["hello"];
type Message = Parameters<AgentSession["receive"]>[0];

/** Accepts an agent, closes its other connections and resumes the deliveries that it still holds. */
export const connect = (
  host: HostState,
  organizationId: string,
  hello: Hello,
  line: Session["line"],
): ReturnType<AgentHost["connect"]> => {
  const { leases, logger, bus, sessions, offers } = host;
  const worker = `${AGENT}${organizationId}:${hello.agent_id}`;
  const session: Session = {
    ...{ id: newId(), worker, organizationId, hello, line },
    keeper: startLeaseKeeper({ leases, worker, logger }),
    ...{ ready: Promise.resolve(), isReady: false, isEnded: false },
    ...{ claiming: 0, heardAt: performance.now(), refusals: 0, pausedUntil: 0 },
  };
  replaceOthers(host, worker, session.id);
  bus.publish(AGENT_HERE_SUBJECT, JSON.stringify({ worker, session: session.id }));
  sessions.add(session);
  line.say({ type: "welcome", agent_id: hello.agent_id, heartbeat_seconds: HEARTBEAT_SECONDS });
  session.ready = resume(host, session).then(() => {
    session.isReady = true;
    offers.lookNow();
  });
  session.ready.catch((error: unknown) => {
    logFailure(logger, error, {}, "an agent could not be accepted");
    line.close(CLOSE.tryAgain, "The service cannot accept the agent now.");
  });
  return {
    receive: (message) => receive(host, session, message),
    end: (revoked) => endSession(host, session, revoked),
  };
};

/** Resumes the deliveries that the agent names and holds; tells it to cancel the others. */
const resume = async (host: HostState, session: Session): Promise<void> => {
  const { hosted, leases, agents } = host;
  const { worker, organizationId, line, keeper, hello } = session;
  for (const work of hosted.works.values()) {
    if (work.worker === worker && !hello.resume.includes(work.executionId)) {
      hosted.giveBack(work, "The agent did not resume it.");
    }
  }
  for (const executionId of hello.resume) {
    const here = hosted.works.get(executionId);
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
      : await resumeClaim({ ...host, keeper, worker }, executionId, organizationId);
    if (found) hosted.start(session, executionId, found.delivery, found, found);
    else line.say({ type: "cancel", execution_id: executionId });
  }
  await leases.dropOthersOf(worker, hello.resume);
  await agents.seen(session.id, agentRow(host, session));
};

const agentRow = ({ hosted }: HostState, { organizationId, hello, id }: Session) => ({
  organizationId,
  agentId: hello.agent_id,
  name: hello.name,
  version: hello.version,
  browsers: hello.browsers,
  capacity: hello.capacity,
  running: [...hosted.works.values()].filter(({ session }) => session?.id === id).length,
});

/** Ends a session. Accepted deliveries stay with the agent while their lease lasts, unless its key was revoked. */
export const endSession = (host: HostState, session: Session, revoked: boolean): void => {
  const { hosted, agents, sessions, ending, logger } = host;
  if (session.isEnded) return;
  session.isEnded = true;
  sessions.delete(session);
  for (const work of hosted.works.values()) {
    if (work.session !== session) continue;
    work.session = null;
    if (revoked) hosted.giveBack(work, "The agent's key was revoked.");
    else if (!work.isAccepted) hosted.giveBack(work, "The agent disconnected before it accepted.");
    else hosted.unlessHeard(work, LEASE_SECONDS * 1_000, () => work.lose("The agent is gone."));
  }
  const removed = Promise.all([session.keeper.stop(), agents.remove(session.id)])
    .catch((error: unknown) => logFailure(logger, error, {}, "an agent could not be removed"))
    .finally(() => ending.delete(removed));
  ending.add(removed);
};

/** Closes the other connections of an agent. */
export const replaceOthers = (host: HostState, worker: string, id: string): void => {
  for (const other of [...host.sessions]) {
    if (other.worker !== worker || other.id === id) continue;
    other.line.close(CLOSE.replaced, "The agent has another connection.");
    endSession(host, other, false);
  }
};

/** Takes a message of an agent. Resolves with null once recorded, or with the reason of the refusal. */
const receive = async (
  host: HostState,
  session: Session,
  message: Message,
): Promise<string | null> => {
  session.heardAt = performance.now();
  await session.ready;
  if (message.type === "heartbeat") {
    await host.agents.seen(session.id, agentRow(host, session));
    return null;
  }
  const { execution_id: executionId, delivery } = message;
  const work = host.hosted.works.get(executionId);
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
      host.offers.pauseOffers(session);
      await work.run.giveBack(message.reason || "The agent gave it back.");
      return null;
    default:
      work.isAccepted = true;
      work.waiting.abort();
      return work.report(message);
  }
};
