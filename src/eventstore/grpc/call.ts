import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import {
  CallFailure,
  code,
  invalidArgument,
  type ServiceFailure,
  toServiceError,
} from "../failures.ts";
import { createFrameReader, frameAll } from "./frames.ts";

/**
 * One call, as the server has it. It emits "data" for each message and "end" when the caller has said all,
 * "drain" when there is room again, "cancelled" when the caller is gone or its deadline has passed, and
 * "close" at last. To emit "error" with a ServiceFailure ends it so.
 */
export type ServerCall<Request, Response> = {
  /** Until when the caller waits, in milliseconds since the epoch. */
  readonly deadline: number | undefined;
  on(event: "data", listener: (request: Request) => void): unknown;
  on(event: "end" | "drain" | "cancelled" | "close" | "error", listener: () => void): unknown;
  emit(event: "error", failure: ServiceFailure): boolean;
  /** Sends a message. Whether there is room for another at once. */
  write(response: Response): boolean;
  /** Ends the call well. */
  end(): void;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
};

/** A method of a service: how its messages are read and written, and who serves it. */
export type Method<Request, Response> = {
  decode(bytes: Buffer): Request;
  encode(response: Response): Uint8Array;
  serve(call: ServerCall<Request, Response>): void;
};

/** So many bytes may be on their way to the socket before a call is told to wait. */
const MAX_UNSENT_BYTES = 128 * 1024;
/** Messages gather up to this, or until nothing more is sent in the same turn, and go out as one piece. */
const PIECE_BYTES = 32 * 1024;
/** The longest that a timer of Node takes; who waits longer waits without end. */
const MAX_TIMER_MS = 2 ** 31 - 1;

const HEADERS = {
  ":status": 200,
  "content-type": "application/grpc+proto",
  "grpc-encoding": "identity",
  "grpc-accept-encoding": "identity,deflate,gzip",
} as const;

/** Serves a call on its HTTP/2 stream. */
export const serveCall = <Request, Response>(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  method: Method<Request, Response>,
  maxMessageBytes: number,
): void => {
  const events = new EventEmitter();
  const readFrames = createFrameReader(maxMessageBytes, String(headers["grpc-encoding"]));
  /** The status has been sent, or nobody is there to get it. */
  let isOver = false;
  let isLeft = false;

  const leave = (): void => {
    if (isLeft) return;
    isLeft = true;
    isOver = true;
    clearTimeout(timer);
    events.emit("cancelled");
  };

  // What goes out.
  let gathered: Uint8Array[] = [];
  let gatheredBytes = 0;
  let unsentBytes = 0;
  let isFull = false;
  let trailers: Record<string, string | number> = {};

  const sent = (bytes: number): void => {
    unsentBytes -= bytes;
    if (!isFull || unsentBytes >= MAX_UNSENT_BYTES) return;
    isFull = false;
    events.emit("drain");
  };
  const flush = (): void => {
    if (gathered.length === 0 || stream.destroyed) return;
    const [messages, bytes] = [gathered, gatheredBytes];
    gathered = [];
    gatheredBytes = 0;
    if (!stream.headersSent) stream.respond(HEADERS, { waitForTrailers: true });
    stream.write(frameAll(messages, bytes), () => sent(bytes));
  };
  const finish = (status: Record<string, string | number>): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    flush();
    if (stream.destroyed) return;
    if (stream.headersSent) {
      trailers = status;
      stream.end();
    } else stream.respond({ ...HEADERS, ...status }, { endStream: true });
    // Whatever else the caller says is heard, so that the stream comes to its end, and passed over.
    stream.resume();
  };
  const fail = ({ code: status, details, trailers: more }: ServiceFailure): void =>
    finish({ ...more, "grpc-status": status, "grpc-message": encodeURI(details) });

  // What comes in.
  const waiting: Buffer[] = [];
  let isPaused = false;
  let hasEnded = false;
  let isEndSaid = false;
  const deliver = (): void => {
    while (waiting.length > 0 && !isPaused && !isOver) {
      const message = waiting.shift() as Buffer;
      let request: Request;
      try {
        request = method.decode(message);
      } catch {
        fail({ code: code.INTERNAL, details: "The message cannot be read", trailers: {} });
        return;
      }
      events.emit("data", request);
    }
    if (isPaused || isOver) return;
    if (!hasEnded) stream.resume();
    else if (!isEndSaid) {
      isEndSaid = true;
      events.emit("end");
    }
  };
  stream.on("data", (piece: Buffer) => {
    if (isOver) return;
    try {
      waiting.push(...readFrames(piece));
    } catch (error) {
      const failure = error instanceof CallFailure ? error : null;
      const details = failure?.message ?? "The message cannot be read";
      fail({ code: failure?.code ?? code.INTERNAL, details, trailers: {} });
      return;
    }
    deliver();
    if (isPaused) stream.pause();
  });
  stream.on("end", () => {
    hasEnded = true;
    deliver();
  });
  stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  // A stream that breaks is closed next.
  stream.on("error", () => undefined);
  stream.on("aborted", leave);
  stream.on("close", () => {
    leave();
    events.emit("close");
  });

  const timeoutMs = readTimeout(headers["grpc-timeout"]);
  const timer =
    timeoutMs === undefined || timeoutMs > MAX_TIMER_MS
      ? undefined
      : setTimeout(() => {
          fail({ code: code.DEADLINE_EXCEEDED, details: "Deadline exceeded", trailers: {} });
          leave();
        }, timeoutMs);

  const own: Omit<ServerCall<Request, Response>, "on" | "emit"> = {
    deadline: timeoutMs === undefined ? undefined : Date.now() + timeoutMs,
    write: (response) => {
      if (isOver) return true;
      const message = method.encode(response);
      if (gathered.length === 0) process.nextTick(flush);
      gathered.push(message);
      gatheredBytes += message.length;
      unsentBytes += message.length;
      if (gatheredBytes >= PIECE_BYTES) flush();
      isFull = unsentBytes >= MAX_UNSENT_BYTES;
      return !isFull;
    },
    end: () => finish({ "grpc-status": code.OK }),
    pause: () => {
      isPaused = true;
    },
    resume: () => {
      if (!isPaused) return;
      isPaused = false;
      process.nextTick(deliver);
    },
    isPaused: () => isPaused,
  };
  events.on("error", fail);
  method.serve(Object.assign(events, own) as ServerCall<Request, Response>);
};

/** Takes the one request of a call whose caller says no more than that. */
export const onRequest = <Request, Response>(
  call: ServerCall<Request, Response>,
  serve: (request: Request) => void,
): void => {
  let isAsked = false;
  call.on("data", (request) => {
    if (isAsked) return;
    isAsked = true;
    serve(request);
  });
  call.on("end", () => {
    if (!isAsked) call.emit("error", toServiceError(invalidArgument("The call has no message")));
  });
};

const UNITS: Readonly<Record<string, number>> = {
  H: 3_600_000,
  M: 60_000,
  S: 1_000,
  m: 1,
  u: 0.001,
  n: 0.000001,
};

/** A timeout as gRPC writes it, up to eight digits and a unit, in milliseconds. */
const readTimeout = (header: string | string[] | undefined): number | undefined => {
  const [, digits, unit] = /^(\d{1,8})([HMSmun])$/.exec(String(header)) ?? [];
  return digits === undefined || unit === undefined
    ? undefined
    : Number(digits) * (UNITS[unit] ?? 1);
};
