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

/** How long a closing connection keeps reading, in milliseconds, so that the client receives the response. */
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

/** Responds to malformed HTTP directly on the socket, after the responses of earlier requests on the connection. */
export const createClientErrorHandler = (
  connectionStateOf: (socket: Duplex) => ConnectionState,
) => {
  const seen = new WeakSet<Socket>();
  return (error: ClientError, socket: Socket): void => {
    if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
      socket.destroy();
      return;
    }
    // The parser reports an error for every further chunk.
    if (seen.has(socket)) return;
    seen.add(socket);
    const { unfinished, whenAnswered } = connectionStateOf(socket);
    void whenAnswered().then(() => {
      if (unfinished?.isAnswered) endLingering(socket);
      else writeRawResponse(socket, answerOf(error));
    });
  };
};

const answerOf = (error: ClientError): RawResponse => {
  // Node has one limit for request line and headers: without a line end, the URL is too long.
  if (error.code === "HPE_HEADER_OVERFLOW" && isOneLine(error.rawPacket)) return tooLong;
  return answers[error.code ?? ""] ?? malformed;
};

const isOneLine = (packet: unknown): boolean =>
  Buffer.isBuffer(packet) &&
  /^[A-Z-]{3,20} \//.test(packet.toString("latin1", 0, 32)) &&
  !packet.subarray(0, 16 * 1024).includes("\n");

/** Writes a complete HTTP response to a socket and closes it. */
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
  endLingering(
    socket,
    `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`,
  );
};

/**
 * Closes a connection on which the client may still be sending. Closing immediately would reset it and lose the
 * response, so further data is discarded until the client closes or the time is up.
 */
const endLingering = (socket: Duplex, text = ""): void => {
  socket.on("error", () => socket.destroy());
  socket.end(text);
  socket.resume();
  setTimeout(() => socket.destroy(), LINGER_MS).unref();
};
