import type { FastifyRequest } from "fastify";
import type { RawData, WebSocket } from "ws";
import { mayDo, type Role } from "../../domain/organizations/permissions.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { type Connection, createConnection } from "./connection.ts";
import { type Incoming, readMessage } from "./messages.ts";
import type { Recheckable } from "./recheck.ts";
import type { RunFeeds, RunSubscription } from "./runFeeds.ts";

/** A session identified by its refresh cookie. */
export type SocketSession = { readonly userId: string; readonly sessionId: string };

export type ExecutionClientDeps = {
  readonly feeds: RunFeeds;
  /** The organisation of a run; null if there is no such run. */
  readonly findRunOwner: (runId: string) => Promise<{ organizationId: string } | null>;
  readonly isSessionOpen: (session: SocketSession) => Promise<boolean>;
  /** A user's role in an organisation; null if the user is not a member. */
  readonly roleIn: (userId: string, organizationId: string) => Promise<Role | null>;
  /** As `roleIn`, cached for a moment. */
  readonly cachedRoleIn: ExecutionClientDeps["roleIn"];
  readonly logger: Logger;
};

/** Maximum of runs that one connection may watch. */
const MAX_WATCHED = 100;
/** Maximum of unhandled messages per connection. */
const MAX_PENDING = 100;
/** Close codes of the application (4000–4999), after HTTP 401 and 429. */
const SESSION_ENDED = 4401;
const TOO_MANY = 4429;

type Watched = { readonly organizationId: string; readonly subscription: RunSubscription };

/** State of one connection to /ws/execution. */
type State = {
  readonly connection: Connection;
  readonly session: SocketSession;
  /** By run id. */
  readonly watched: Map<string, Watched>;
  pending: number;
  ended: boolean;
  /** Messages are handled one at a time, so that an unsubscribe never overtakes its subscribe. */
  lastHandled: Promise<void>;
};

export type ExecutionClient = Recheckable & { end(): void };

/** Serves one connection to /ws/execution. */
export const serveClient = (
  deps: ExecutionClientDeps,
  socket: WebSocket,
  request: FastifyRequest,
  session: SocketSession,
): ExecutionClient => {
  const state: State = {
    connection: createConnection(socket, request.raw.socket),
    session,
    watched: new Map(),
    pending: 0,
    ended: false,
    lastHandled: Promise.resolve(),
  };
  socket.on("message", (data, isBinary) => {
    const read = readMessage(bytesOf(data), isBinary);
    if ("detail" in read) sendError(state, read.detail);
    else enqueue(deps, state, read.message);
  });
  return {
    recheck: () => recheck(deps, state),
    end: () => {
      state.ended = true;
      for (const runId of [...state.watched.keys()]) unwatch(state, runId);
    },
  };
};

const enqueue = (deps: ExecutionClientDeps, state: State, message: Incoming): void => {
  if (state.pending === MAX_PENDING) {
    state.connection.close(TOO_MANY, "Too many messages at once.");
    return;
  }
  state.pending += 1;
  state.lastHandled = state.lastHandled
    .then(() => (state.ended ? undefined : handle(deps, state, message)))
    .catch((error: unknown) => {
      logFailure(deps.logger, error, {}, "cannot handle a WebSocket message");
      sendError(state, "The service cannot handle this message at the moment. Try again.");
    })
    .finally(() => {
      state.pending -= 1;
    });
};

const handle = async (
  deps: ExecutionClientDeps,
  state: State,
  message: Incoming,
): Promise<void> => {
  switch (message.type) {
    case "ping":
      return state.connection.sendJson({ type: "pong" });
    case "unsubscribe":
      return unwatch(state, message.run_id);
    case "subscribe":
      return watch(deps, state, message);
  }
};

const watch = async (
  deps: ExecutionClientDeps,
  state: State,
  message: Extract<Incoming, { type: "subscribe" }>,
): Promise<void> => {
  const { run_id: runId, after = 0 } = message;
  const { connection, session, watched } = state;
  if (watched.has(runId)) return sendError(state, `You already watch the run ${runId}.`);
  if (watched.size >= MAX_WATCHED)
    return sendError(state, `A connection can watch at most ${MAX_WATCHED} runs.`);
  const owner = await deps.findRunOwner(runId);
  if (!owner) return sendError(state, `There is no run ${runId}.`);
  const { organizationId } = owner;
  const refusal = await refusalOf(deps.roleIn, session, organizationId);
  if (refusal !== null) return sendError(state, refusal);
  const subscription = await deps.feeds.subscribe(runId, after);
  if (state.ended) return subscription.close();
  if (after > subscription.sequence) {
    subscription.close();
    return sendError(
      state,
      `after: the last event of the run has number ${subscription.sequence}, not ${after}.`,
    );
  }
  watched.set(runId, { organizationId, subscription });
  connection.sendJson({ type: "subscribed", run_id: runId, sequence: subscription.sequence });
  subscription.start(after, connection);
};

const unwatch = ({ watched }: State, runId: string): void => {
  watched.get(runId)?.subscription.close();
  watched.delete(runId);
};

const recheck = async (deps: ExecutionClientDeps, state: State): Promise<void> => {
  const { connection, session, watched } = state;
  if (!(await deps.isSessionOpen(session))) {
    connection.close(SESSION_ENDED, "The session has ended.");
    return;
  }
  const organizations = new Set([...watched.values()].map((one) => one.organizationId));
  for (const organizationId of organizations) {
    const refusal = await refusalOf(deps.cachedRoleIn, session, organizationId);
    if (refusal === null) continue;
    connection.close(SESSION_ENDED, refusal);
    return;
  }
};

/** Why the user may not read the results of an organisation; null if allowed. */
const refusalOf = async (
  roleIn: ExecutionClientDeps["roleIn"],
  { userId }: SocketSession,
  organizationId: string,
): Promise<string | null> => {
  const role = await roleIn(userId, organizationId);
  if (!role) return "You are not a member of the organisation that this run belongs to.";
  const verdict = mayDo(role, "results:read");
  return verdict.allowed ? null : verdict.reason;
};

const sendError = ({ connection }: State, detail: string): void =>
  connection.sendJson({ type: "error", detail });

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};
