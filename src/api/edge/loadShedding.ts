import type { IncomingMessage, RequestListener, ServerResponse } from "node:http";
import type { FastifyInstance } from "fastify";
import { corsHeaders } from "./cors.ts";
import { requestPath } from "./requestChecks.ts";
import { requestIdOf } from "./requestId.ts";
import { staticHeaders } from "./responseHeaders.ts";

/** Concurrent requests that are always accepted, so that short bursts are not rejected. */
const MIN_LIMIT = 256;
/** Above the minimum, the limit is the recent throughput during this time: the longest expected wait. */
const MAX_WAIT_MS = 100;
/** Throughput is measured over `BUCKETS` buckets of this length, in milliseconds. */
const BUCKET_MS = 100;
const BUCKETS = 10;
/** The connection of a rejected request with a longer body, in bytes, is closed instead of reading the body. */
const MAX_DISCARDED_BYTES = 64 * 1024;
const RETRY_SECONDS = "1";
/** Rejections are sent in batches with this interval, which costs less than sending each by itself. */
const REJECTION_BATCH_MS = 50;
const DETAIL = "The service is overloaded. The request was not processed; try again.";

/** Limits the number of requests processed concurrently. */
export type ConcurrencyLimit = {
  readonly isFull: () => boolean;
  readonly enter: () => void;
  readonly leave: () => void;
};

/**
 * Limits concurrency to what can be processed within `MAX_WAIT_MS` at the recent throughput. By Little's law, more
 * concurrent requests only increase the latency of all.
 */
export const createConcurrencyLimit = (
  now: () => number = () => performance.now(),
): ConcurrencyLimit => {
  const completed = new Array<number>(BUCKETS).fill(0);
  let active = 0;
  let bucket = Math.floor(now() / BUCKET_MS);

  /** Clears the buckets that have expired. */
  const advance = (): void => {
    const current = Math.floor(now() / BUCKET_MS);
    for (let gone = Math.min(BUCKETS, current - bucket); gone > 0; gone -= 1) {
      completed[(current - gone + 1) % BUCKETS] = 0;
    }
    bucket = current;
  };

  return {
    isFull: () => {
      if (active < MIN_LIMIT) return false;
      advance();
      const recent = completed.reduce((sum, one) => sum + one, 0);
      return active >= (recent * MAX_WAIT_MS) / (BUCKET_MS * BUCKETS);
    },
    enter: () => {
      active += 1;
    },
    leave: () => {
      active -= 1;
      advance();
      const at = bucket % BUCKETS;
      completed[at] = (completed[at] ?? 0) + 1;
    },
  };
};

export type LoadShedding = {
  /** Stops counting a request that waits, such as long polling. */
  readonly release: (request: IncomingMessage) => void;
};

/**
 * Rejects requests with 503 while the concurrency limit is reached, before they are processed. Health checks are
 * exempt. A request counts from when it is received completely until its response is ready, so that slow clients do
 * not use up the limit.
 */
export const registerLoadShedding = (
  app: FastifyInstance,
  options: {
    readonly corsOrigins: readonly string[];
    readonly onShed?: (() => void) | undefined;
    readonly limit?: ConcurrencyLimit;
  },
): LoadShedding => {
  const limit = options.limit ?? createConcurrencyLimit();
  const counted = new WeakSet<IncomingMessage>();
  const enter = (request: IncomingMessage): void => {
    counted.add(request);
    limit.enter();
  };
  const leave = (request: IncomingMessage): void => {
    if (counted.delete(request)) limit.leave();
  };

  const reject = createRejections(options.corsOrigins);

  const { server } = app;
  const listeners = server.listeners("request") as RequestListener<typeof IncomingMessage>[];
  server.removeAllListeners("request");
  server.on("request", (request: IncomingMessage, response: ServerResponse) => {
    if (limit.isFull() && !isHealthRequest(request)) {
      reject(request, response);
      options.onShed?.();
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

/** The constant headers as a flat array, which Node writes fastest. */
const HEADERS = Object.entries({
  ...staticHeaders,
  "content-type": "application/json; charset=utf-8",
  "content-length": String(Buffer.byteLength(BODY)),
  "retry-after": RETRY_SECONDS,
}).flat();

/** Sends rejections as cheaply as possible, in batches. */
const createRejections = (
  corsOrigins: readonly string[],
): ((request: IncomingMessage, response: ServerResponse) => void) => {
  let pending: { request: IncomingMessage; response: ServerResponse }[] = [];

  const flush = (): void => {
    const batch = pending;
    pending = [];
    for (const { request, response } of batch) {
      if (!response.closed) refuse(request, response, corsOrigins);
    }
  };

  return (request, response) => {
    if (pending.push({ request, response }) === 1) setTimeout(flush, REJECTION_BATCH_MS);
  };
};

const refuse = (
  request: IncomingMessage,
  response: ServerResponse,
  corsOrigins: readonly string[],
): void => {
  response.writeHead(503, [
    ...HEADERS,
    "x-request-id",
    requestIdOf(request),
    ...Object.entries(corsHeaders(request.headers.origin, corsOrigins)).flat(),
    ...(hasLongBody(request) ? ["connection", "close"] : []),
  ]);
  response.end(request.method === "HEAD" ? undefined : BODY);
};

/** Whether the body is too long to read and discard. */
const hasLongBody = ({ headers }: IncomingMessage): boolean =>
  headers["transfer-encoding"] !== undefined ||
  headers.expect !== undefined ||
  Number(headers["content-length"] ?? 0) > MAX_DISCARDED_BYTES;
