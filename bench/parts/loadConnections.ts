import { connect, type Socket } from "node:net";

export type Answered = { readonly status: number; readonly saysWhen: boolean };

/** The connection ended instead of an answer: how. */
export type Ended = { readonly ended: string };

type Line = {
  readonly socket: Socket;
  /** What has come of the answer, and where its end is once that is known. */
  parts: Buffer[];
  length: number;
  end: number;
  answer: Answered | null;
  /** Answers that came before, and what became of the connection. */
  answers: number;
  ended: string;
  resolve: ((answer: Answered | Ended) => void) | null;
};

/**
 * Connections to a service that stay open, one request on each at a time. They cost little: a client that
 * is dearer than the service would measure itself. Answers must have a Content-Length.
 */
export const createConnections = (url: string, most: number) => {
  const { hostname, port } = new URL(url);
  const idle: Line[] = [];
  const all = new Set<Line>();
  const waiting: ((line: Line) => void)[] = [];

  const give = (line: Line): void => {
    const next = waiting.shift();
    if (next) next(line);
    else idle.push(line);
  };
  const finish = (line: Line, answer: Answered | Ended): void => {
    const { resolve } = line;
    line.resolve = null;
    line.answers += 1;
    line.parts = [];
    line.length = 0;
    line.end = 0;
    line.answer = null;
    resolve?.(answer);
  };
  const open = (): Line => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true });
    const line: Line = {
      socket,
      parts: [],
      length: 0,
      end: 0,
      answer: null,
      answers: 0,
      ended: "closed",
      resolve: null,
    };
    const openedAt = performance.now();
    all.add(line);
    socket.on("data", (part: Buffer) => {
      line.parts.push(part);
      line.length += part.length;
      if (line.answer === null) readHead(line);
      if (line.answer === null || line.length < line.end) return;
      finish(line, line.answer);
      give(line);
    });
    socket.on("error", (error: NodeJS.ErrnoException) => {
      line.ended = `${error.syscall} ${error.code}`;
      socket.destroy();
    });
    socket.on("close", () => {
      all.delete(line);
      const at = idle.indexOf(line);
      if (at !== -1) idle.splice(at, 1);
      const seconds = ((performance.now() - openedAt) / 1_000).toFixed(1);
      const ended = `${line.ended} after ${seconds} s, ${line.answers} answers and ${line.length} bytes of the next`;
      finish(line, { ended });
      if (waiting.length > 0) give(open());
    });
    return line;
  };
  const take = (): Promise<Line> => {
    const line = idle.pop() ?? (all.size < most ? open() : null);
    return line ? Promise.resolve(line) : new Promise((resolve) => waiting.push(resolve));
  };

  return {
    /** Sends a request. */
    ask: async (request: string): Promise<Answered | Ended> => {
      const line = await take();
      return new Promise((resolve) => {
        line.resolve = resolve;
        line.socket.write(request);
      });
    },
    close: (): void => {
      waiting.length = 0;
      for (const { socket } of all) socket.destroy();
    },
  };
};

const readHead = (line: Line): void => {
  const head = line.parts.length === 1 ? line.parts[0] : Buffer.concat(line.parts);
  const ends = head?.indexOf("\r\n\r\n") ?? -1;
  if (!head || ends === -1) return;
  const text = head.toString("latin1", 0, ends);
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1];
  line.end = ends + 4 + Number(length ?? 0);
  const status = Number(text.slice(9, 12));
  line.answer = { status, saysWhen: status === 503 && /\r\nretry-after: *\d/i.test(text) };
};
