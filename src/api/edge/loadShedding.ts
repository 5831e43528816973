import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { corsHeaders } from "./cors.ts";
import { requestPath } from "./requestChecks.ts";
import { requestIdOf } from "./requestId.ts";
import { staticHeaders } from "./responseHeaders.ts";

/** So many requests may always be at work: what a burst brings is not turned away. */
const ALWAYS = 256;
/** Beyond that, as many as were answered in so many milliseconds lately: who is let in need not wait longer. */
const WAIT_MS = 100;
/** What is reckoned as lately, and in what parts, in milliseconds. */
const PART_MS = 100;
const PARTS = 10;
/** A body that is not read is longer than this, in bytes: its connection is better closed than read to its end. */
const MOST_UNREAD = 64 * 1024;
const RETRY_SECONDS = "1";
/** Who is turned away is told so together with others: read and written at once they cost less than each by itself. */
const TOLD_EVERY_MS = 50;
const DETAIL = "Too much is asked of the service at this moment. Nothing was done; try again.";

/** How many requests are at work, and how many may be. */
export type ConcurrencyLimit = {
  /** Whether one more may come in. */
  readonly isFull: () => boolean;
  readonly enter: () => void;
  /** One was answered. */
  readonly leave: () => void;
};

/**
 * Lets as many in as can be answered soon. With more at work than that nobody is answered earlier, and everybody
 * later: by Little's law, who comes in waits for as long as those before take.
 */
export const createConcurrencyLimit = (
  now: () => number = () => performance.now(),
): ConcurrencyLimit => {
  const answered = new Array<number>(PARTS).fill(0);
  let inside = 0;
  let part = Math.floor(now() / PART_MS);

  /** Forgets what is not lately any more. */
  const turn = (): void => {
    const current = Math.floor(now() / PART_MS);
    for (let gone = Math.min(PARTS, current - part); gone > 0; gone -= 1) {
      answered[(current - gone + 1) % PARTS] = 0;
    }
    part = current;
  };

  return {
    isFull: () => {
      if (inside < ALWAYS) return false;
      turn();
      const lately = answered.reduce((sum, one) => sum + one, 0);
      return inside >= (lately * WAIT_MS) / (PART_MS * PARTS);
    },
    enter: () => {
      inside += 1;
    },
    leave: () => {
      inside -= 1;
      turn();
      const at = part % PARTS;
      answered[at] = (answered[at] ?? 0) + 1;
    },
  };
};

/** Who is let in, on the way from Node to the app. */
export type LoadShedding = {
  /** A request waits for something that may take long, and is no work meanwhile. */
  readonly release: (request: IncomingMessage) => void;
};

/**
 * Turns requests away, with 503, before anything is made of them, while more are at work than can be answered
 * soon. Questions after health are let in. A request is at work from when it has come in whole until its answer
 * is ready to be sent: who sends or reads slowly takes nobody's place.
 */
export const registerLoadShedding = (
  app: FastifyInstance,
  options: {
    readonly corsOrigins: readonly string[];
    readonly turnedAway?: (() => void) | undefined;
    readonly room?: ConcurrencyLimit;
  },
): LoadShedding => {
  const room = options.room ?? createConcurrencyLimit();
  const atWork = new WeakSet<IncomingMessage>();
  const enter = (request: IncomingMessage): void => {
    atWork.add(request);
    room.enter();
  };
  const leave = (request: IncomingMessage): void => {
    if (atWork.delete(request)) room.leave();
  };

  const reject = createRefusals(options.corsOrigins);

  const { server } = app;
  const listeners = server.listeners("request") as RequestListener<typeof IncomingMessage>[];
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (room.isFull() && !isHealthRequest(request)) {
      reject(request, response);
      options.turnedAway?.();
      return;
    }
    response.once("close", () => leave(request));
    if (!hasBody(request)) enter(request);
    else {
      request.once("end", () => {
        if (!response.closed) enter(request);
      });
    }
    for (const listener of listeners) listener.call(server, request, response);
  });
  app.addHook("onSend", (request, _reply, _payload, done) => {
    leave(request.raw);
    done();
  });
  return { release: leave };
};

const hasBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined || Number(headers["content-length"] ?? 0) > 0;

const isHealthRequest = (request: IncomingMessage): boolean =>
  requestPath(request).startsWith("/api/v1/health/");

const BODY = JSON.stringify({ detail: DETAIL });

/** What each of these answers says, as Node takes it soonest: names and values in turn. */
const ALIKE = Object.entries({
  ...staticHeaders,
  "content-type": "application/json; charset=utf-8",
  "content-length": String(Buffer.byteLength(BODY)),
  "retry-after": RETRY_SECONDS,
}).flat();

/** Costs as little as it can: what is turned away is to leave the time to what was let in. */
const createRefusals = (
  corsOrigins: readonly string[],
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  let held: { request: IncomingMessage; response: ServerResponse }[] = [];

  const tellAll = (): void => {
    const told = held;
    held = [];
    for (const { request, response } of told) {
      if (!response.closed) refuse(request, response, corsOrigins);
    }
  };

  return (request, response) => {
    if (held.push({ request, response }) === 1) setTimeout(tellAll, TOLD_EVERY_MS);
  };
};

const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  corsOrigins: readonly string[],
): void => {
  response.writeHead(503, [
    ...ALIKE,
    "x-request-id",
    requestIdOf(request),
    ...Object.entries(corsHeaders(request.headers.origin, corsOrigins)).flat(),
    ...(sendsMuch(request) ? ["connection", "close"] : []),
  ]);
  response.end(request.method === "HEAD" ? undefined : BODY);
};

/** Whether more comes than should be read to be thrown away. */
const sendsMuch = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined ||
  headers.expect !== undefined ||
  Number(headers["content-length"] ?? 0) > MOST_UNREAD;
