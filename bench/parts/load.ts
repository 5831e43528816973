/** The outcome of a load phase. */
export type LoadResult = {
  readonly sent: number;
  /** Responses with 2xx. */
  readonly succeeded: number;
  /** 2xx responses per second that arrived before the end of the phase. */
  readonly perSecond: number;
  /** 503 responses with Retry-After. */
  readonly refused: number;
  /** How each connection that closed before its response ended. */
  readonly broken: readonly string[];
  /** Other responses, by status. */
  readonly other: Readonly<Record<string, number>>;
  /** Requests without a response. */
  readonly unanswered: number;
  /** Milliseconds from the scheduled time to the response. */
  readonly succeededMs: readonly number[];
  readonly refusedMs: readonly number[];
};

type LoadRequest = {
  readonly url: string;
  /** Complete HTTP requests, sent in rotation. */
  readonly requests: readonly string[];
  readonly seconds: number;
};

/** Procedures of the load generator. */
export type LoadProcedures = {
  /** Closed loop: each connection sends its next request after the response. */
  readonly closed: {
    readonly request: LoadRequest & { readonly connections: number };
    readonly response: LoadResult;
  };
  /** Open loop at a fixed rate. A request without a response `timeoutMs` after the end is unanswered. */
  readonly open: {
    readonly request: LoadRequest & { readonly perSecond: number; readonly timeoutMs: number };
    readonly response: LoadResult;
  };
};

/** Formats a complete HTTP request. */
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
