import type { BrowserContext } from "playwright";
import type { Problems } from "./problems.ts";

/** How much is kept of each kind. */
const MOST_ENTRIES = 500;
const MOST_CHARACTERS = 2_000;

/** The console messages of the pages of a test: `console.json`. */
export type ConsoleLog = {
  readonly messages: readonly {
    readonly at: string;
    readonly type: string;
    readonly text: string;
    readonly url: string;
    readonly line: number;
  }[];
  /** Errors that no script caught. */
  readonly errors: readonly { readonly at: string; readonly text: string }[];
  /** Requests that failed, or were answered with 400 or more. */
  readonly failed_requests: readonly {
    readonly at: string;
    readonly method: string;
    readonly url: string;
    readonly status: number | null;
    readonly error: string | null;
  }[];
  /** How many more there were than are kept. */
  readonly left_out: number;
};

/**
 * Listens to all pages of a context, and passes problems on. The returned function gives what was heard, null when there
 * was nothing.
 */
export const listenToPages = (
  context: BrowserContext,
  problems: Problems,
): (() => ConsoleLog | null) => {
  const messages: ConsoleLog["messages"][number][] = [];
  const errors: ConsoleLog["errors"][number][] = [];
  const failed_requests: ConsoleLog["failed_requests"][number][] = [];
  let left_out = 0;
  const keep = <Entry>(list: Entry[], entry: Entry): void => {
    if (list.length < MOST_ENTRIES) list.push(entry);
    else left_out += 1;
  };
  const at = () => new Date().toISOString();
  const failed = (request: Omit<ConsoleLog["failed_requests"][number], "at">): void => {
    problems.failed(request);
    keep(failed_requests, { at: at(), ...request });
  };

  context.on("console", (message) => {
    const { url, lineNumber } = message.location();
    const text = cut(message.text());
    problems.said(message.type(), text);
    keep(messages, { at: at(), type: message.type(), text, url: cut(url), line: lineNumber + 1 });
  });
  context.on("weberror", (error) => {
    const text = cut(String(error.error()));
    problems.threw(text);
    keep(errors, { at: at(), text });
  });
  context.on("requestfailed", (request) => {
    const error = request.failure()?.errorText ?? null;
    failed({ method: request.method(), url: cut(request.url()), status: null, error });
  });
  context.on("response", (response) => {
    const status = response.status();
    if (status < 400) return;
    const request = response.request();
    failed({ method: request.method(), url: cut(request.url()), status, error: null });
  });

  return () => {
    const heard = messages.length + errors.length + failed_requests.length;
    return heard === 0 ? null : { messages, errors, failed_requests, left_out };
  };
};

const cut = (text: string): string =>
  text.length > MOST_CHARACTERS ? `${text.slice(0, MOST_CHARACTERS)}…` : text;
