import { STATUS_CODES } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { newId } from "../../platform/ids.ts";
import { noStore, securityHeaders } from "./headers.ts";

const answers: Readonly<Record<string, { status: number; detail: string }>> = {
  HPE_HEADER_OVERFLOW: { status: 431, detail: "The headers are too large." },
  HPE_CHUNK_EXTENSIONS_OVERFLOW: { status: 413, detail: "The chunk extensions are too large." },
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, detail: "The request took too long to arrive." },
};

/** Answers what is no HTTP request at all: there is neither request nor reply, only the socket. */
export const answerClientError = (error: Error & { code?: string }, socket: Socket): void => {
  if (error.code === "ECONNRESET" || socket.destroyed || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, detail } = answers[error.code ?? ""] ?? {
    status: 400,
    detail: "This is not a valid HTTP request.",
  };
  writeRawError(socket, status, detail);
};

/** Writes an error as a whole HTTP response on a socket, and closes it. */
export const writeRawError = (socket: Duplex, status: number, detail: string): void => {
  const body = JSON.stringify({ detail });
  const headers = {
    ...securityHeaders,
    "cache-control": noStore,
    "x-request-id": newId(),
    "content-type": "application/json; charset=utf-8",
    "content-length": String(Buffer.byteLength(body)),
    connection: "close",
  };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  socket.end(`HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ""}\r\n${lines.join("")}\r\n${body}`);
};
