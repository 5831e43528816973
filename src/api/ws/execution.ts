import type { FastifyInstance, FastifyRequest } from "fastify";
import type { RawData, WebSocket } from "ws";
import { mayDo, type Role } from "../../domain/organizations/permissions.ts";
import { logFailure } from "../../platform/availability.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Logger } from "../../platform/logger.ts";
import type { RunEventQueries } from "../../projections/runs/watchedEvents.ts";
import { ApiError } from "../apiError.ts";
import { type Connection, createConnection } from "./connection.ts";
import { type Incoming, readMessage } from "./messages.ts";
import { createRunFeeds, type RunFeeds, type Watching } from "./runFeed.ts";

/** A browser's session, as its refresh cookie shows it. */
export type SocketSession = { readonly userId: string; readonly sessionId: string };

export type ExecutionSocketDeps = {
  readonly bus: Bus;
  readonly runEvents: Pick<RunEventQueries, "runEventsAfter" | "lastSequence">;
  /** Whose run it is; null when there is none. */
  readonly findRunOwner: (runId: string) => Promise<{ organizationId: string } | null>;
  /** The session of a refresh token that is good now, without using it up; null otherwise. */
  readonly sessionOfCookie: (refreshToken: string) => Promise<SocketSession | null>;
  readonly isSessionOpen: (session: SocketSession) => Promise<boolean>;
  /** A user's role in an organisation; null for who is no member. */
  readonly roleIn: (userId: string, organizationId: string) => Promise<Role | null>;
  /** Origins (scheme, host, port) of pages that may connect: PUBLIC_URL, WEB_BASE_URL, CORS_ORIGINS. */
  readonly allowedOrigins: () => readonly string[];
  readonly logger: Logger;
};

/** Runs that one connection may watch at once. */
const MAX_WATCHED = 100;
/** Messages of one connection that may wait to be handled. */
const MAX_WAITING = 100;
/** How often sessions and roles of those connected are looked at again: a revoked one is closed within seconds. */
const RECHECK_MS = 2_000;
/** In so many parts, so that no look at thousands holds up what is sent to them. */
const LOOKS_IN_A_ROUND = 40;
const LOOKS_AT_ONCE = 4;
const MOMENT_MS = 500;
/** Closing codes of our own (4000–4999 are free for applications): as HTTP's 401 and 429. */
const SESSION_ENDED = 4401;
const TOO_MANY = 4429;

/**
 * Registers `/ws/execution` (operations.md): step events of runs, live, to who may read the results
 * of the run's organisation. A handshake that is refused is answered with HTTP 401 or 403 before the
 * upgrade.
 */
export const registerExecutionSocket = (api: FastifyInstance, deps: ExecutionSocketDeps): void => {
  // Thousands who watch are often one and the same user: a look serves all of theirs.
  const looksUp: ExecutionSocketDeps = { ...deps, roleIn: rememberedForAMoment(deps.roleIn) };
  const feeds = createRunFeeds({ bus: deps.bus, queries: deps.runEvents, logger: deps.logger });
  const sessions = new WeakMap<FastifyRequest, SocketSession>();
  const clients = new Set<Client>();

  const look = async (client: Client): Promise<void> => {
    try {
      await client.recheck();
    } catch (error) {
      logFailure(deps.logger, error, {}, "a session could not be looked at again");
    }
  };
  /** Those left of this round, and how many of them are due. */
  let round = clients.values();
  let due = 0;
  let isLooking = false;
  const nextOfRound = (): Client | undefined => {
    const next = round.next();
    if (!next.done) return next.value;
    round = clients.values();
    return round.next().value;
  };
  /**
   * Looks at some of them, a few at a time: thousands at once would keep every connection to the database
   * from everybody else, and live events from those who wait for them.
   */
  const lookAtSome = async (): Promise<void> => {
    due += clients.size / LOOKS_IN_A_ROUND;
    const lookOn = async (): Promise<void> => {
      while (due >= 1) {
        due -= 1;
        const client = nextOfRound();
        if (client) await look(client);
      }
    };
    await Promise.all(Array.from({ length: LOOKS_AT_ONCE }, lookOn));
  };
  const recheck = setInterval(() => {
    // While the database is away, looks must not pile up.
    if (isLooking) return;
    isLooking = true;
    void lookAtSome().finally(() => {
      isLooking = false;
    });
  }, RECHECK_MS / LOOKS_IN_A_ROUND);
  recheck.unref();
  api.addHook("onClose", async () => {
    clearInterval(recheck);
    feeds.close();
  });

  api.get(
    "/ws/execution",
    {
      websocket: true,
      preValidation: async (request) => {
        sessions.set(request, await authenticate(request, deps));
      },
    },
    (socket, request) => {
      const session = sessions.get(request);
      sessions.delete(request);
      if (!session) return socket.terminate();
      const client = serve(socket, request, session, deps, looksUp, feeds);
      clients.add(client);
      socket.on("close", () => {
        clients.delete(client);
        client.end();
      });
    },
  );
};

const authenticate = async (
  request: FastifyRequest,
  deps: ExecutionSocketDeps,
): Promise<SocketSession> => {
  const { origin } = request.headers;
  if (origin !== undefined && !deps.allowedOrigins().includes(origin))
    throw new ApiError(403, "Pages of this origin may not connect.");
  const cookie = request.cookies.refresh_token;
  const session = cookie ? await deps.sessionOfCookie(cookie) : null;
  if (!session) throw new ApiError(401, "Sign in first: the session cookie is missing or ended.");
  return session;
};

type Client = {
  /** Closes the connection of a session that has ended, and what its user may no longer see. */
  recheck(): Promise<void>;
  end(): void;
};

const serve = (
  socket: WebSocket,
  request: FastifyRequest,
  session: SocketSession,
  deps: ExecutionSocketDeps,
  looksUp: Pick<ExecutionSocketDeps, "roleIn">,
  feeds: RunFeeds,
): Client => {
  const connection = createConnection(socket, request.raw.socket);
  const watched = new Map<string, { organizationId: string; watching: Watching }>();
  let waiting = 0;
  let ended = false;
  let turn: Promise<void> = Promise.resolve();

  const unwatch = (runId: string): void => {
    watched.get(runId)?.watching.close();
    watched.delete(runId);
  };

  const subscribe = async (message: Extract<Incoming, { type: "subscribe" }>): Promise<void> => {
    const { run_id: runId, after = 0 } = message;
    if (watched.has(runId)) return complain(connection, `You watch the run ${runId} already.`);
    if (watched.size >= MAX_WATCHED)
      return complain(connection, `A connection watches at most ${MAX_WATCHED} runs.`);
    const owner = await deps.findRunOwner(runId);
    if (!owner) return complain(connection, `There is no run ${runId}.`);
    const refusal = await whyNot(deps, session, owner.organizationId);
    if (refusal !== null) return complain(connection, refusal);
    const watching = await feeds.watch(runId, after);
    if (ended) return watching.close();
    if (after > watching.sequence) {
      watching.close();
      return complain(
        connection,
        `after: the last event of the run is number ${watching.sequence}, not ${after}.`,
      );
    }
    watched.set(runId, { organizationId: owner.organizationId, watching });
    connection.say({ type: "subscribed", run_id: runId, sequence: watching.sequence });
    watching.start(after, connection);
  };

  const handle = async (message: Incoming): Promise<void> => {
    switch (message.type) {
      case "ping":
        return connection.say({ type: "pong" });
      case "unsubscribe":
        return unwatch(message.run_id);
      case "subscribe":
        return subscribe(message);
    }
  };

  /** One message after the other, so that an unsubscribe never overtakes its subscribe. */
  const inTurn = (message: Incoming): void => {
    if (waiting === MAX_WAITING) {
      connection.close(TOO_MANY, "Too many messages at once.");
      return;
    }
    waiting += 1;
    turn = turn
      .then(() => (ended ? undefined : handle(message)))
      .catch((error: unknown) => {
        logFailure(deps.logger, error, {}, "a message of a WebSocket could not be handled");
        complain(connection, "This cannot be answered at the moment. Try again.");
      })
      .finally(() => {
        waiting -= 1;
      });
  };

  socket.on("message", (data, isBinary) => {
    const read = readMessage(bytesOf(data), isBinary);
    if ("detail" in read) complain(connection, read.detail);
    else inTurn(read.message);
  });

  return {
    recheck: async () => {
      if (!(await deps.isSessionOpen(session))) {
        connection.close(SESSION_ENDED, "The session has ended.");
        return;
      }
      const organizations = new Set([...watched.values()].map((one) => one.organizationId));
      for (const organizationId of organizations) {
        const refusal = await whyNot(looksUp, session, organizationId);
        if (refusal === null) continue;
        for (const [runId, one] of watched) {
          if (one.organizationId === organizationId) unwatch(runId);
        }
        complain(connection, refusal);
      }
    },
    end: () => {
      ended = true;
      for (const runId of [...watched.keys()]) unwatch(runId);
    },
  };
};

/** Asks once for all who ask within a moment. What fails is asked again. */
const rememberedForAMoment = (roleIn: ExecutionSocketDeps["roleIn"]): typeof roleIn => {
  let known = new Map<string, Promise<Role | null>>();
  let until = 0;
  return (userId, organizationId) => {
    const now = performance.now();
    if (now > until) {
      known = new Map();
      until = now + MOMENT_MS;
    }
    const key = `${userId} ${organizationId}`;
    const asked = known.get(key) ?? roleIn(userId, organizationId);
    known.set(key, asked);
    asked.catch(() => known.delete(key));
    return asked;
  };
};

/** Why the user may not read the results of an organisation; null when they may. */
const whyNot = async (
  deps: Pick<ExecutionSocketDeps, "roleIn">,
  { userId }: SocketSession,
  organizationId: string,
): Promise<string | null> => {
  const role = await deps.roleIn(userId, organizationId);
  if (!role) return "You are not a member of the organisation that this run belongs to.";
  const verdict = mayDo(role, "results:read");
  return verdict.allowed ? null : verdict.reason;
};

const complain = (connection: Connection, detail: string): void =>
  connection.say({ type: "error", detail });

const bytesOf = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};
