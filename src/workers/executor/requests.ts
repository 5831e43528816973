import type { BrowserContext, Request } from "playwright";

/** Requests that may last for ever, and requests that nobody waits for. */
const ENDLESS: ReadonlySet<string> = new Set([
  "eventsource",
  "websocket",
  "ping",
  "media",
  "cspreport",
]);

/** Counts the requests of a context's pages that are in flight, streams and beacons aside. */
export const countRequests = (context: BrowserContext): (() => number) => {
  const inFlight = new Set<Request>();
  const end = (request: Request): void => {
    inFlight.delete(request);
  };
  context.on("request", (request) => {
    if (!ENDLESS.has(request.resourceType())) inFlight.add(request);
  });
  context.on("requestfinished", end);
  context.on("requestfailed", end);
  context.on("response", (response) => {
    const type = response.headers()["content-type"] ?? "";
    if (/event-stream|multipart\/x-mixed-replace|x-ndjson/.test(type)) end(response.request());
  });
  // Requests of a closed page never end.
  context.on("page", (page) => {
    page.on("close", () => {
      for (const request of inFlight) if (isOf(request, page)) inFlight.delete(request);
    });
  });
  return () => inFlight.size;
};

const isOf = (request: Request, page: unknown): boolean => {
  try {
    return request.frame().page() === page;
  } catch {
    return true;
  }
};
