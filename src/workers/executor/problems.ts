import { MAX_PROBLEMS, type PageProblems } from "../../domain/runs/executions/stepEvidence.ts";

type FailedRequest = PageProblems["requests"][number];

/** The newest problems of pages since a step that acted on them. Older ones than the limit are counted. */
export const createProblems = () => {
  let logged: string[] = [];
  let exceptions: string[] = [];
  let requests: FailedRequest[] = [];
  let more = 0;
  const keep = <Problem>(list: Problem[], problem: Problem): void => {
    list.push(problem);
    if (list.length <= MAX_PROBLEMS) return;
    list.shift();
    more += 1;
  };
  return {
    /** Forgets what was before. */
    restart: (): void => {
      [logged, exceptions, requests, more] = [[], [], [], 0];
    },
    said: (type: string, text: string): void => {
      // The browser repeats a failed request on the console.
      if (type === "error" && !text.startsWith("Failed to load resource")) keep(logged, text);
    },
    threw: (text: string): void => keep(exceptions, text),
    failed: (request: FailedRequest): void => {
      // A page that is left drops its requests.
      if (request.error !== "net::ERR_ABORTED") {
        keep(requests, { ...request, url: withoutQuery(request.url) });
      }
    },
    /** Null if there are none. */
    sinceRestart: (): PageProblems | null =>
      logged.length + exceptions.length + requests.length === 0
        ? null
        : { logged, exceptions, requests, more },
  };
};

export type Problems = ReturnType<typeof createProblems>;

/** Query and fragment of an address may hold what nobody else should read, and the event log keeps it forever. */
const withoutQuery = (url: string): string => url.replace(/[?#].*$/s, "");
