import type { Request } from "playwright";
import type { PooledContext } from "./browserPool.ts";
import { killTree, memoryOf } from "./processes.ts";

/** A test has some windows; a page that opens more has run wild. */
const MOST_WINDOWS = 20;
/** The memory limit of a test's browser, with all its processes. */
const MOST_BYTES = 2 * 1024 ** 3;
const MEMORY_CHECK_MS = 500;

type GuardOptions = {
  /** How much memory the test's browser may have, in bytes (2 GiB). */
  readonly mostBytes?: number | undefined;
};

/**
 * Watches what a test's pages do to the browser and to others, and ends the test when it is too much:
 * `lose` takes the reason. The returned function ends the watch.
 */
export const guard = (
  { context, page, gate, processId }: PooledContext,
  lose: (message: string) => void,
  { mostBytes = MOST_BYTES }: GuardOptions = {},
): (() => void) => {
  page.on("crash", () =>
    lose("The page crashed: the browser's tab ran out of memory or was killed."),
  );
  context.on("page", (opened) => {
    if (context.pages().length <= MOST_WINDOWS) return;
    void opened.close().catch(() => {});
    lose(`The page opened more than ${MOST_WINDOWS} windows.`);
  });
  context.on("requestfailed", (request) => {
    if (!isOfAPage(request)) return;
    const refusal = gate.refusalOf(hostOf(request.url()));
    if (refusal !== null) lose(refusal);
  });
  if (processId === null) return () => {};
  const timer = setInterval(() => {
    if (memoryOf(processId) <= mostBytes) return;
    clearInterval(timer);
    lose(`The page used more than ${Math.round(mostBytes / 1024 ** 2)} MiB of memory.`);
    // No other test is in this browser, and asking it nicely takes memory.
    killTree(processId);
  }, MEMORY_CHECK_MS);
  timer.unref();
  return () => clearInterval(timer);
};

/** Whether a request is what a page goes to; that of a window that never came about is not. */
const isOfAPage = (request: Request): boolean => {
  try {
    return request.isNavigationRequest() && request.frame().parentFrame() === null;
  } catch {
    return false;
  }
};

const hostOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).hostname : "";
