import type { FastifyRequest } from "fastify";
import type { RawData, WebSocket } from "ws";
import { mayDo, type Role } from "../../domain/organizations/permissions.ts";
import { logFailure } from "../../platform/availability.ts";
import type { SocketCaller } from "../auth/authenticator.ts";
import { type Connection, createConnection } from "./connection.ts";
import { type Incoming, readMessage } from "./messages.ts";
import type { Recheckable } from "./recheck.ts";
import type { RunFeeds, RunSubscription } from "./runFeeds.ts";
import { type ScopeFeedDeps, type ScopeSubscription, subscribeToScope } from "./scopeFeed.ts";

type Session = Extract<SocketCaller, { kind: "session" }>;

export type ExecutionClientDeps = ScopeFeedDeps & {
  readonly feeds: RunFeeds;
  /** The organisation of a run; null if there is no such run. */
  readonly findRunOwner: (runId: string) => Promise<{ organizationId: string } | null>;
  readonly isSessionOpen: (session: Session) => Promise<boolean>;
  /** The organisation of a project; null if there is no such project. */
  readonly findProjectOwner: (projectId: string) => Promise<{ organizationId: string } | null>;
  /** A user's role in an organisation; null if the user is not a member. */
  readonly roleIn: (userId: string, organizationId: string) => Promise<Role | null>;
  /** As `roleIn`, cached for a moment. */
  readonly cachedRoleIn: ExecutionClientDeps["roleIn"];
};

/** Maximum of runs, projects and organisations that one connection may watch. */
const MAX_WATCHED = 100;
const MAX_SCOPES = 10;
/** Maximum of unhandled messages per connection. */
const MAX_PENDING = 100;
/** Close codes of the application (4000–4999), after HTTP 401 and 429. */
const SESSION_ENDED = 4401;
const TOO_MANY = 4429;

type Watched = {
  readonly organizationId: string;
  readonly subscription: RunSubscription | ScopeSubscription;
  /** Whether all runs of a project or an organisation are watched. */
  readonly isScope: boolean;
};

/** State of one connection to /ws/execution. */
type State = {
  readonly connection: Connection;
  readonly caller: SocketCaller;
  /** By the id of the run, project or organisation. */
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
  caller: SocketCaller,
): ExecutionClient => {
  const state: State = {
    connection: createConnection(socket, request.raw.socket),
    caller,
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
      for (const id of [...state.watched.keys()]) unwatch(state, id);
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
      return unwatch(state, subjectOf(message));
    case "subscribe":
      return "run_id" in message ? watch(deps, state, message) : watchScope(deps, state, message);
  }
};

type Subscribe = Extract<Incoming, { type: "subscribe" }>;

const subjectOf = (message: Exclude<Incoming, { type: "ping" }>): string => {
  if ("run_id" in message) return message.run_id;
  return "project_id" in message ? message.project_id : message.organization_id;
};

const watch = async (
  deps: ExecutionClientDeps,
  state: State,
  message: Extract<Subscribe, { run_id: string }>,
): Promise<void> => {
  const { run_id: runId, after = 0 } = message;
  const { connection, caller, watched } = state;
  if (watched.has(runId)) return sendError(state, `You already watch the run ${runId}.`);
  if (watched.size >= MAX_WATCHED)
    return sendError(state, `A connection can watch at most ${MAX_WATCHED} runs.`);
  const owner = await deps.findRunOwner(runId);
  if (!owner) return sendError(state, `There is no run ${runId}.`);
  const { organizationId } = owner;
  const refusal = await refusalOf(deps.roleIn, caller, organizationId);
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
  watched.set(runId, { organizationId, subscription, isScope: false });
  connection.sendJson({ type: "subscribed", run_id: runId, sequence: subscription.sequence });
  subscription.start(after, connection);
};

/** Watches all runs of a project or an organisation. */
const watchScope = async (
  deps: ExecutionClientDeps,
  state: State,
  message: Exclude<Subscribe, { run_id: string }>,
): Promise<void> => {
  const { connection, caller, watched } = state;
  const id = subjectOf(message);
  const kind = "project_id" in message ? "project" : "organization";
  if (watched.has(id)) return sendError(state, `You already watch the ${kind} ${id}.`);
  const scopes = [...watched.values()].filter(({ isScope }) => isScope).length;
  if (scopes >= MAX_SCOPES)
    return sendError(
      state,
      `A connection can watch at most ${MAX_SCOPES} projects and organisations.`,
    );
  const owner = kind === "project" ? await deps.findProjectOwner(id) : { organizationId: id };
  if (!owner) return sendError(state, `There is no project ${id}.`);
  const { organizationId } = owner;
  const refusal = await refusalOf(deps.roleIn, caller, organizationId);
  if (refusal !== null) return sendError(state, refusal);
  if (state.ended) return;
  const after = message.after === undefined ? null : BigInt(message.after);
  const subscription = subscribeToScope(deps, { kind, id }, after);
  watched.set(id, { organizationId, subscription, isScope: true });
  const position = String(subscription.position);
  connection.sendJson({ type: "subscribed", [`${kind}_id`]: id, position });
  subscription.start(connection);
};

const unwatch = ({ watched }: State, id: string): void => {
  watched.get(id)?.subscription.close();
  watched.delete(id);
};

const recheck = async (deps: ExecutionClientDeps, state: State): Promise<void> => {
  const { connection, caller, watched } = state;
  const isKey = caller.kind === "api_key";
  if (!(await (isKey ? caller.isValid() : deps.isSessionOpen(caller)))) {
    const detail = isKey ? "The API key was revoked or has expired." : "The session has ended.";
    connection.close(SESSION_ENDED, detail);
    return;
  }
  const organizations = new Set([...watched.values()].map((one) => one.organizationId));
  for (const organizationId of organizations) {
    const refusal = await refusalOf(deps.cachedRoleIn, caller, organizationId);
    if (refusal === null) continue;
    connection.close(SESSION_ENDED, refusal);
    return;
  }
};

/** Why the caller may not read the results of an organisation; null if allowed. */
const refusalOf = async (
  roleIn: ExecutionClientDeps["roleIn"],
  caller: SocketCaller,
  organizationId: string,
): Promise<string | null> => {
  if (caller.kind === "api_key" && caller.organizationId !== organizationId)
    return "The API key belongs to another organisation.";
  const standing =
    caller.kind === "api_key" ? caller.kind : await roleIn(caller.userId, organizationId);
  if (!standing) return "You are not a member of the organisation that this run belongs to.";
  const verdict = mayDo(standing, "results:read");
  return verdict.allowed ? null : verdict.reason;
};

const sendError = ({ connection }: State, detail: string): void =>
  connection.sendJson({ type: "error", detail });

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};
