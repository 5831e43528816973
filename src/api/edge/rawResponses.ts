import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { newId } from "../../platform/ids.ts";
import type { ConnectionState } from "./connectionTracking.ts";
import { commonHeaders } from "./responseHeaders.ts";

type RawResponse = {
  readonly status: number;
  readonly detail: string;
  readonly headers?: Readonly<Record<string, string>>;
};

/** How long an answer that ends a connection is left to arrive while the client still sends, in milliseconds. */
const LINGER_MS = 2_000;

const malformed: RawResponse = { status: 400, detail: "This is not a valid HTTP request." };
const tooLong: RawResponse = { status: 414, detail: "The URL is too long." };

const answers: Readonly<Record<string, RawResponse>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: "The headers are too large." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: "The request took too long to arrive." },
};

type ClientError = Error & {
  readonly code?: string | undefined;
  readonly rawPacket?: unknown;
};

/**
 * Answers what is no HTTP request, or is one no longer: there is neither request nor reply, only the
 * socket. Requests before it on the same connection are answered first.
 */
export const createClientErrorHandler = (conversationOn: (socket: Duplex) => ConnectionState) => {
  const seen = new WeakSet<Socket>();
  return (error: ClientError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser complains again about everything that follows.
    if (seen.has(socket)) return;
    seen.add(socket);
    const { unfinished, whenAnswered } = conversationOn(socket);
    void whenAnswered().then(() => {
      if (unfinished?.isAnswered) endSlowly(socket);
      else writeRawResponse(socket, answerOf(error));
    });
  };
};

const answerOf = (error: ClientError): RawResponse => {
  // Node limits line and headers as one: what has not come to the end of its first line is all URL.
  if (error.code === "HPE_HEADER_OVERFLOW" && isOneLine(error.rawPacket)) return tooLong;
  return answers[error.code ?? ""] ?? malformed;
};

const isOneLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) &&
  /^[A-Z-]{3,20} \//.test(packet.toString("latin1", 0, 32)) &&
  !packet.subarray(0, 16 * 1024).includes("\n");

/** Writes a whole HTTP response on a socket, and closes it. */
export const writeRawResponse = (
  socket: Duplex,
  { status, detail, headers }: RawResponse,
): void => {
  if (!socket.writable) return;
  const body = JSON.stringify({ detail });
  const all = {
    ...commonHeaders(newId()),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
    ...headers,
  };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  endSlowly(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`,
  );
};

/**
 * Ends a connection on which the client may still be sending. Closed at once, the system would reset it,
 * and the client would lose the answer: what comes is read and dropped until it closes, or time is up.
 */
const endSlowly = (socket: Duplex, text = ""): void => {
  socket.on("error", () => socket.destroy());
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};
