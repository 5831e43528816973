import { connect, type Socket } from "node:net";

export type RawAnswer = {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
};

export type RawConnection = {
  readonly socket: Socket;
  send(bytes: string | Buffer): void;
  /** Returns the next complete response. Rejects with the received text if the connection ends before. */
  next(isHead?: boolean): Promise<RawAnswer>;
  /** Resolves with the unread text when the service has closed the connection. */
  readonly closed: Promise<string>;
};

/** Maximum wait for a response, in milliseconds. Only a hanging service takes so long. */
const PATIENCE_MS = 30_000;

/** Opens a connection that sends any bytes unchanged. */
export const openRaw = (url: string): RawConnection => {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port) });
  let unread = Buffer.alloc(0);
  let hasEnded = false;
  const listeners = new Set<() => void>();
  const look = () => {
    for (const listener of [...listeners]) listener();
  };
  socket.on("data", (chunk: Buffer) => {
    unread = Buffer.concat([unread, chunk]);
    look();
  });
  socket.on("error", () => socket.destroy());
  const closed = new Promise<string>((resolve) => {
    socket.on("close", () => {
      hasEnded = true;
      look();
      resolve(unread.toString("latin1"));
    });
  });

  const next = (isHead = false): Promise<RawAnswer> =>
    new Promise((resolve, reject) => {
      const fail = (why: string) => {
        done();
        reject(new Error(`${why} after: ${JSON.stringify(unread.toString("latin1", 0, 2_000))}`));
      };
      const timer = setTimeout(() => fail("No whole answer in time"), PATIENCE_MS);
      const done = () => {
        clearTimeout(timer);
        listeners.delete(check);
      };
      const check = () => {
        const found = readAnswer(unread, isHead);
        if (found) {
          unread = unread.subarray(found.length);
          done();
          resolve(found.answer);
        } else if (hasEnded) fail("The connection ended");
      };
      listeners.add(check);
      check();
    });

  return { socket, send: (bytes) => void socket.write(bytes), next, closed };
};

/** Parses the first complete response and its length in bytes. Returns null if it is incomplete. */
const readAnswer = (
  bytes: Buffer,
  isHead: boolean,
): { readonly answer: RawAnswer; readonly length: number } | null => {
  const end = bytes.indexOf("\r\n\r\n");
  if (end === -1) return null;
  const [first = "", ...lines] = bytes.toString("latin1", 0, end).split("\r\n");
  const status = Number(/^HTTP\/1\.1 (\d{3}) /.exec(first)?.[1]);
  if (!status) throw new Error(`This is no answer: ${first}`);
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    const name = line.slice(0, colon).toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = name in headers ? `${headers[name]}, ${value}` : value;
  }
  const start = end + 4;
  if (isHead || status < 200 || status === 204 || status === 304) {
    return { answer: { status, headers, body: "" }, length: start };
  }
  if (headers["transfer-encoding"] === "chunked") return readChunked(bytes, start, status, headers);
  const size = Number(headers["content-length"]);
  if (!Number.isInteger(size)) throw new Error(`An answer without a length: ${first}`);
  if (bytes.length < start + size) return null;
  const body = bytes.toString("utf8", start, start + size);
  return { answer: { status, headers, body }, length: start + size };
};

const readChunked = (
  bytes: Buffer,
  start: number,
  status: number,
  headers: Record<string, string>,
): { readonly answer: RawAnswer; readonly length: number } | null => {
  let body = "";
  for (let at = start; ; ) {
    const line = bytes.indexOf("\r\n", at);
    if (line === -1) return null;
    const size = Number.parseInt(bytes.toString("latin1", at, line), 16);
    if (bytes.length < line + 2 + size + 2) return null;
    body += bytes.toString("utf8", line + 2, line + 2 + size);
    at = line + 2 + size + 2;
    if (size === 0) return { answer: { status, headers, body }, length: at };
  }
};
