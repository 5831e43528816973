import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RawData, WebSocket } from "ws";
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

/** An agent that has not said who it is by then is cut off. */
const HELLO_MS = 10_000;
/** How often the keys of those connected are looked at again. */
const RECHECK_MS = 1_000;
/** Messages that are no messages: after so many an agent is cut off. */
const MOST_UNREADABLE = 20;
/** What was sent and is not recorded yet: beyond it an agent is not read any further. */
const MOST_WAITING_BYTES = 16 * 1024 * 1024;
const MOST_WAITING = 500;
/** Closing codes of our own (4000–4999 are free for applications): as HTTP's 400, 401 and 408. */
const UNREADABLE = 4400;
const KEY_ENDED = 4401;
const NO_HELLO = 4408;
/** The service could not take in what was said: come again, and say it again. */
const TRY_AGAIN = 1013;

/**
 * Registers `/ws/agent` (operations.md): agents fetch their work and report it, with an API key. A bad key is
 * answered with HTTP 401 before the upgrade; one that is revoked or runs out closes with 4401.
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
  /** Whether its key is still good. */
  isGood(): Promise<boolean>;
};

const callerOf = async (request: FastifyRequest, deps: AgentSocketDeps): Promise<Caller> => {
  const { authorization } = request.headers;
  const credentials = { cookies: {}, ...(authorization !== undefined && { authorization }) };
  const ask = () => deps.authenticator.authenticate("apiKey", credentials);
  const principal = await ask();
  if (principal?.kind !== "api_key") throw new Error("An agent without an organisation");
  return {
    organizationId: principal.organizationId,
    isGood: () =>
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

const serve = (
  socket: WebSocket,
  request: FastifyRequest,
  caller: Caller,
  { host, logger }: AgentSocketDeps,
): void => {
  const connection = createConnection(socket, request.raw.socket);
  const ended = new AbortController();
  let session: AgentSession | null = null;
  let revoked = false;
  let lastSeq = 0;
  let unreadable = 0;
  let waiting = 0;
  let waitingBytes = 0;

  const noHello = setTimeout(() => connection.close(NO_HELLO, "No hello came."), HELLO_MS);
  socket.on("close", () => {
    clearTimeout(noHello);
    ended.abort();
    session?.end(revoked);
  });
  void recheck(caller, ended.signal, logger, () => {
    revoked = true;
    session?.end(true);
    connection.close(KEY_ENDED, "The API key was revoked or has run out.");
  });

  const refuse = (detail: string, seq: number | null): void =>
    connection.sendJson({ type: "error", detail, ...(seq !== null && { seq }) });

  /** Answers a message once what it says is recorded. */
  const settle = async (seq: number, bytes: number, taking: Promise<string | null>) => {
    waiting += 1;
    waitingBytes += bytes;
    if (isBehind()) socket.pause();
    try {
      const refusal = await taking;
      if (refusal !== null) refuse(refusal, seq);
      connection.sendJson({ type: "ack", seq });
    } catch (error) {
      logFailure(logger, error, {}, "what an agent says cannot be recorded");
      connection.close(TRY_AGAIN, "The service cannot record this now. Come again.");
    } finally {
      waiting -= 1;
      waitingBytes -= bytes;
      if (!isBehind()) socket.resume();
    }
  };
  const isBehind = (): boolean => waiting >= MOST_WAITING || waitingBytes >= MOST_WAITING_BYTES;

  const take = (data: RawData, isBinary: boolean): void => {
    const text = isBinary ? null : data.toString();
    const read = text === null ? BINARY : readAgentMessage(text);
    if (read.seq !== null && read.seq <= lastSeq) {
      connection.sendJson({ type: "ack", seq: read.seq });
      return;
    }
    if (read.seq !== null) lastSeq = read.seq;
    if (!("message" in read)) {
      unreadable += 1;
      refuse(read.detail, read.seq);
      if (read.seq !== null) connection.sendJson({ type: "ack", seq: read.seq });
      if (unreadable > MOST_UNREADABLE) connection.close(UNREADABLE, "Too much is no message.");
      return;
    }
    const { message } = read;
    if (message.type === "hello") {
      clearTimeout(noHello);
      if (session) refuse("You have said hello already.", message.seq);
      else session = host.connect(caller.organizationId, message, lineOf(connection));
      connection.sendJson({ type: "ack", seq: message.seq });
      return;
    }
    if (!session) {
      refuse("Say hello first.", message.seq);
      connection.sendJson({ type: "ack", seq: message.seq });
      return;
    }
    void settle(message.seq, text?.length ?? 0, session.receive(message));
  };

  socket.on("message", take);
};

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
      if (!(await caller.isGood())) return onRevoked();
    } catch (error) {
      logFailure(logger, error, {}, "an agent's key could not be looked at again");
    }
  }
};

type Read =
  | { readonly seq: number; readonly message: ReturnType<typeof fromAgent.parse> }
  | { readonly seq: number | null; readonly detail: string };

const BINARY: Read = { seq: null, detail: "Messages are JSON in text frames." };

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
