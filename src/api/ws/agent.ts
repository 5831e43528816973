import type { FastifyInstance, FastifyRequest } from "fastify";
import type { WebSocket } from "ws";
import { type AgentHost, type AgentSession, fromAgent } from "../../domain/agents/protocol.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { Authenticator } from "../auth/authenticator.ts";
import { type Connection, createConnection } from "./connection.ts";

export type AgentSocketDeps = {
  readonly host: AgentHost;
  readonly authenticator: Pick<Authenticator, "authenticate">;
  readonly logger: Logger;
};

/** Time limit for the first message, in milliseconds. */
const HELLO_MS = 10_000;
/** Interval for checking the API key of a connection, in milliseconds. */
const RECHECK_MS = 1_000;
/** A connection is closed after more malformed messages. */
const MAX_MALFORMED = 20;
/** Reading pauses while more messages are received and not yet recorded. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
const MAX_PENDING = 500;
/** Close codes of the application (4000–4999), after HTTP 400, 401 and 408. */
const UNREADABLE = 4400;
const KEY_ENDED = 4401;
const NO_HELLO = 4408;
/** The message was not recorded: reconnect and resend. */
const TRY_AGAIN = 1013;

/**
 * Registers `/ws/agent`, on which agents receive executions and report results. An invalid API key gets
 * HTTP 401 instead of the upgrade; a key revoked or expired later closes the connection with 4401.
 */
export const registerAgentSocket = (api: FastifyInstance, deps: AgentSocketDeps): void => {
  const callers = new WeakMap<FastifyRequest, Caller>();
  api.get(
    "/ws/agent",
    {
      websocket: true,
      preValidation: async (request) => {
        callers.set(request, await callerOf(request, deps));
      },
    },
    (socket, request) => {
      const caller = callers.get(request);
      callers.delete(request);
      if (!caller) return socket.terminate();
      serve(socket, request, caller, deps);
    },
  );
};

type Caller = {
  readonly organizationId: string;
  /** Whether the API key is still valid. */
  isValid(): Promise<boolean>;
};

const callerOf = async (request: FastifyRequest, deps: AgentSocketDeps): Promise<Caller> => {
  const { authorization } = request.headers;
  const credentials = { cookies: {}, ...(authorization !== undefined && { authorization }) };
  const ask = () => deps.authenticator.authenticate("apiKey", credentials);
  const principal = await ask();
  if (principal?.kind !== "api_key") throw new Error("Authentication returned no API key");
  return {
    organizationId: principal.organizationId,
    isValid: () =>
      ask().then(
        () => true,
        (error: unknown) => {
          if (isRefusal(error)) return false;
          throw error;
        },
      ),
  };
};

const isRefusal = (error: unknown): boolean =>
  typeof error === "object" && error !== null && "status" in error && error.status === 401;

/** State of one agent connection. */
type AgentConnection = {
  readonly deps: AgentSocketDeps;
  readonly socket: WebSocket;
  readonly connection: Connection;
  readonly organizationId: string;
  readonly helloTimer: NodeJS.Timeout;
  session: AgentSession | null;
  /** Sequence number of the last message received. */
  lastSeq: number;
  /** Number of malformed messages. */
  malformed: number;
  /** Messages received and not yet recorded, and their length. */
  pending: number;
  pendingBytes: number;
};

const serve = (
  socket: WebSocket,
  request: FastifyRequest,
  caller: Caller,
  deps: AgentSocketDeps,
): void => {
  const connection = createConnection(socket, request.raw.socket);
  const ended = new AbortController();
  let revoked = false;
  const agent: AgentConnection = {
    deps,
    socket,
    connection,
    organizationId: caller.organizationId,
    helloTimer: setTimeout(() => connection.close(NO_HELLO, "No hello received."), HELLO_MS),
    session: null,
    lastSeq: 0,
    malformed: 0,
    pending: 0,
    pendingBytes: 0,
  };
  socket.on("close", () => {
    clearTimeout(agent.helloTimer);
    ended.abort();
    agent.session?.end(revoked);
  });
  void recheck(caller, ended.signal, deps.logger, () => {
    revoked = true;
    agent.session?.end(true);
    connection.close(KEY_ENDED, "The API key was revoked or has expired.");
  });
  socket.on("message", (data, isBinary) => receive(agent, isBinary ? null : data.toString()));
};

/** Handles one message; null if it was binary. Repeated messages are only acknowledged. */
const receive = (agent: AgentConnection, text: string | null): void => {
  const read = text === null ? BINARY : readAgentMessage(text);
  if (read.seq !== null && read.seq <= agent.lastSeq) {
    acknowledge(agent, read.seq);
    return;
  }
  if (read.seq !== null) agent.lastSeq = read.seq;
  if ("message" in read) accept(agent, read.message, text?.length ?? 0);
  else rejectMalformed(agent, read);
};

const accept = (
  agent: AgentConnection,
  message: ReturnType<typeof fromAgent.parse>,
  bytes: number,
): void => {
  if (message.type === "hello") {
    clearTimeout(agent.helloTimer);
    if (agent.session) sendError(agent, "hello has already been received.", message.seq);
    else {
      const line = lineOf(agent.connection);
      agent.session = agent.deps.host.connect(agent.organizationId, message, line);
    }
    acknowledge(agent, message.seq);
    return;
  }
  if (agent.session) {
    void settle(agent, message.seq, bytes, agent.session.receive(message));
    return;
  }
  sendError(agent, "Send hello first.", message.seq);
  acknowledge(agent, message.seq);
};

const rejectMalformed = (
  agent: AgentConnection,
  { seq, detail }: { readonly seq: number | null; readonly detail: string },
): void => {
  agent.malformed += 1;
  sendError(agent, detail, seq);
  if (seq !== null) acknowledge(agent, seq);
  if (agent.malformed > MAX_MALFORMED) {
    agent.connection.close(UNREADABLE, "Too many malformed messages.");
  }
};

/** Acknowledges a message once it is recorded. Pauses the socket while too much is pending. */
const settle = async (
  agent: AgentConnection,
  seq: number,
  bytes: number,
  recording: Promise<string | null>,
): Promise<void> => {
  agent.pending += 1;
  agent.pendingBytes += bytes;
  if (isOverloaded(agent)) agent.socket.pause();
  try {
    const refusal = await recording;
    if (refusal !== null) sendError(agent, refusal, seq);
    acknowledge(agent, seq);
  } catch (error) {
    logFailure(agent.deps.logger, error, {}, "cannot record a message of an agent");
    agent.connection.close(
      TRY_AGAIN,
      "The service cannot record the message. Reconnect and resend.",
    );
  } finally {
    agent.pending -= 1;
    agent.pendingBytes -= bytes;
    if (!isOverloaded(agent)) agent.socket.resume();
  }
};

const isOverloaded = ({ pending, pendingBytes }: AgentConnection): boolean =>
  pending >= MAX_PENDING || pendingBytes >= MAX_PENDING_BYTES;

const acknowledge = ({ connection }: AgentConnection, seq: number): void =>
  connection.sendJson({ type: "ack", seq });

const sendError = ({ connection }: AgentConnection, detail: string, seq: number | null): void =>
  connection.sendJson({ type: "error", detail, ...(seq !== null && { seq }) });

const lineOf = (connection: Connection) => ({
  say: connection.sendJson,
  close: connection.close,
});

const recheck = async (
  caller: Caller,
  signal: AbortSignal,
  logger: Logger,
  onRevoked: () => void,
): Promise<void> => {
  while (!signal.aborted) {
    await sleep(RECHECK_MS, signal);
    if (signal.aborted) return;
    try {
      if (!(await caller.isValid())) return onRevoked();
    } catch (error) {
      logFailure(logger, error, {}, "cannot recheck the API key of an agent");
    }
  }
};

type Read =
  | { readonly seq: number; readonly message: ReturnType<typeof fromAgent.parse> }
  | { readonly seq: number | null; readonly detail: string };

const BINARY: Read = { seq: null, detail: "Messages must be JSON in text frames." };

const readAgentMessage = (text: string): Read => {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    return { seq: null, detail: "The message is not JSON." };
  }
  const parsed = fromAgent.safeParse(json);
  if (parsed.success) return { seq: parsed.data.seq, message: parsed.data };
  const [issue] = parsed.error.issues;
  const field = issue?.path.join(".") || "the message";
  return { seq: seqOf(json), detail: `${field}: ${issue?.message ?? "is wrong"}` };
};

const seqOf = (json: unknown): number | null =>
  typeof json === "object" && json !== null && "seq" in json && Number.isSafeInteger(json.seq)
    ? Number(json.seq)
    : null;
