/** What came of a load. */
export type Loaded = {
  readonly asked: number;
  /** Answered with a 2xx, and how many of them a second while the load lasted. */
  readonly done: number;
  readonly perSecond: number;
  /** Answered 503 with Retry-After. */
  readonly refused: number;
  /** The connection ended instead of an answer: how each did. */
  readonly broken: readonly string[];
  /** Answered otherwise, by status. */
  readonly other: Readonly<Record<string, number>>;
  /** Not answered at all. */
  readonly hung: number;
  /** From due to answered, in milliseconds. */
  readonly doneMs: readonly number[];
  readonly refusedMs: readonly number[];
};

type Asks = {
  readonly url: string;
  /** Whole requests as they are sent, in turn. */
  readonly requests: readonly string[];
  readonly seconds: number;
};

/** What the process of the load can be asked. */
export type LoadRequests = {
  /** So many callers, each again as soon as it is answered. */
  readonly closed: {
    readonly asks: Asks & { readonly connections: number };
    readonly answers: Loaded;
  };
  /** So many a second, whatever the answers take. What is not answered `patienceMs` after the end has hung. */
  readonly open: {
    readonly asks: Asks & { readonly perSecond: number; readonly patienceMs: number };
    readonly answers: Loaded;
  };
};

/** A whole request, to be sent again and again. */
export const requestText = (
  url: string,
  key: string,
  method: string,
  path: string,
  body?: object,
): string => {
  const text = body === undefined ? "" : JSON.stringify(body);
  const lines = [
    `${method} ${path} HTTP/1.1`,
    `Host: ${new URL(url).host}`,
    `Authorization: Bearer ${key}`,
    ...(body === undefined
      ? []
      : ["Content-Type: application/json", `Content-Length: ${Buffer.byteLength(text)}`]),
  ];
  return `${lines.join("\r\n")}\r\n\r\n${text}`;
};
