import { EventEmitter } from "node:events";
import type { IncomingHttpHeaders, ServerHttp2Stream } from "node:http2";
import { code, invalidArgument, type ServiceFailure, toServiceError } from "../failures.ts";
import { createInbound, type Receiver, UNREADABLE } from "./inbound.ts";
import { createOutbound, type Trailers } from "./outbound.ts";
import { readTimeout } from "./timeout.ts";

/**
 * A gRPC call on the server. Events: "data" for each message; "end" after the caller's last message;
 * "drain" when there is room to write again; "cancelled" when the caller has left or its deadline has
 * passed; "close" when the stream is closed. Emitting "error" with a ServiceFailure ends the call with it.
 */
export type ServerCall<Request, Response> = {
  /** The caller's deadline in milliseconds since the epoch. */
  readonly deadline: number | undefined;
  /** The host and port at which the caller addressed the server. The host of IPv6 is in brackets. */
  readonly authority: { readonly address: string; readonly port: number };
  on(event: "data", listener: (request: Request) => void): unknown;
  on(event: "end" | "drain" | "cancelled" | "close" | "error", listener: () => void): unknown;
  emit(event: "error", failure: ServiceFailure): boolean;
  /** Sends a message. Returns whether there is room for another one. */
  write(response: Response): boolean;
  /** Ends the call with status OK. */
  end(): void;
  pause(): unknown;
  resume(): unknown;
  isPaused(): boolean;
};

/** A method of a service: the codecs of its messages and its implementation. */
export type Method<Request, Response> = {
  decode(bytes: Buffer): Request;
  encode(response: Response): Uint8Array;
  serve(call: ServerCall<Request, Response>): void;
};

/** The longest delay of a Node.js timer. A longer deadline is not enforced. */
const MAX_TIMER_MS = 2 ** 31 - 1;

/** Serves a call on its HTTP/2 stream. */
export const serveCall = <Request, Response>(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  method: Method<Request, Response>,
  maxMessageBytes: number,
): void => {
  const events = new EventEmitter();
  const outbound = createOutbound(stream, () => events.emit("drain"));
  /** The status was sent, or the caller has left. */
  let isOver = false;
  let hasLeft = false;

  const leave = (): void => {
    if (hasLeft) return;
    hasLeft = true;
    isOver = true;
    clearTimeout(timer);
    events.emit("cancelled");
  };
  const finish = (status: Trailers): void => {
    if (isOver) return;
    isOver = true;
    clearTimeout(timer);
    outbound.end(status);
    // The rest of the request is read and discarded: otherwise the stream would never close.
    if (!stream.destroyed) stream.resume();
  };
  const fail = (failure: ServiceFailure): void => finish(trailersOf(failure));

  const receiver: Receiver = {
    isOver: () => isOver,
    onMessage: (message) => {
      const request = tryDecode(method, message);
      if (request === null) fail(UNREADABLE);
      else events.emit("data", request.value);
      return request !== null;
    },
    onEnd: () => events.emit("end"),
    fail,
  };
  const encoding = String(headers["grpc-encoding"]);
  const inbound = createInbound(stream, receiver, { maxMessageBytes, encoding });
  onceGone(stream, leave);
  stream.on("close", () => events.emit("close"));

  const timeoutMs = readTimeout(headers["grpc-timeout"]);
  const timer = startTimer(timeoutMs, () => {
    fail(DEADLINE_EXCEEDED);
    leave();
  });

  const own: Omit<ServerCall<Request, Response>, "on" | "emit"> = {
    deadline: timeoutMs === undefined ? undefined : Date.now() + timeoutMs,
    get authority() {
      return readAuthority(String(headers[":authority"] ?? ""), stream);
    },
    write: (response) => isOver || outbound.write(method.encode(response)),
    end: () => finish({ "grpc-status": code.OK }),
    ...inbound,
  };
  events.on("error", fail);
  method.serve(Object.assign(events, own) as ServerCall<Request, Response>);
};

/** Calls back when the caller has left or the stream is closed. */
const onceGone = (stream: ServerHttp2Stream, leave: () => void): void => {
  // "close" follows an error.
  stream.on("error", () => undefined);
  stream.on("aborted", leave);
  stream.on("close", leave);
};

const trailersOf = ({ code: status, details, trailers }: ServiceFailure): Trailers => ({
  ...trailers,
  "grpc-status": status,
  "grpc-message": encodeURI(details),
});

const DEADLINE_EXCEEDED: ServiceFailure = {
  code: code.DEADLINE_EXCEEDED,
  details: "Deadline exceeded",
  trailers: {},
};

const tryDecode = <Request>(
  method: Pick<Method<Request, never>, "decode">,
  message: Buffer,
): { readonly value: Request } | null => {
  try {
    return { value: method.decode(message) };
  } catch {
    return null;
  }
};

const startTimer = (
  timeoutMs: number | undefined,
  onTimeout: () => void,
): NodeJS.Timeout | undefined =>
  timeoutMs === undefined || timeoutMs > MAX_TIMER_MS
    ? undefined
    : setTimeout(onTimeout, timeoutMs);

const readAuthority = (
  authority: string,
  stream: ServerHttp2Stream,
): { address: string; port: number } => {
  const { localAddress, localPort } = stream.session?.socket ?? {};
  const [, host, port] = /^(.*?)(?::(\d+))?$/.exec(authority) ?? [];
  return {
    address: host || localAddress || "127.0.0.1",
    port: port === undefined ? (localPort ?? 0) : Number(port),
  };
};

/** Passes the first message of a unary call to `serve`; fails the call if there is none. */
export const onRequest = <Request, Response>(
  call: ServerCall<Request, Response>,
  serve: (request: Request) => void,
): void => {
  let isServed = false;
  call.on("data", (request) => {
    if (isServed) return;
    isServed = true;
    serve(request);
  });
  call.on("end", () => {
    if (!isServed) call.emit("error", toServiceError(invalidArgument("The call has no message")));
  });
};
