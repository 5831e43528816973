import { serveParent } from "../harness/helperProcess.ts";
import type { LoadProcedures, LoadResult } from "../parts/load.ts";
import { createLoadConnections } from "../parts/loadConnections.ts";

/** The load generator, in its own process, so that its CPU does not count for the bench or the service. */
serveParent<LoadProcedures>({
  closed: async ({ url, requests, connections, seconds }) => {
    const pool = createLoadConnections(url, connections);
    const result = await load(pool, seconds, async (send, until) => {
      let turn = 0;
      const loop = async (): Promise<void> => {
        while (performance.now() < until) {
          turn += 1;
          await send(requests[turn % requests.length] ?? "", performance.now());
        }
      };
      await Promise.all(Array.from({ length: connections }, loop));
    });
    pool.close();
    return result;
  },
  open: async ({ url, requests, perSecond, seconds, timeoutMs }) => {
    const pool = createLoadConnections(url, MAX_CONNECTIONS);
    const result = await load(pool, seconds, async (send, until) => {
      const started = performance.now();
      const sent: Promise<void>[] = [];
      for (let now = started; now < until; now = performance.now()) {
        const due = Math.floor(((now - started) * perSecond) / 1_000);
        // Latency counts from the scheduled time, so that queueing delays are included.
        while (sent.length < due) {
          const dueAt = started + (sent.length * 1_000) / perSecond;
          sent.push(send(requests[sent.length % requests.length] ?? "", dueAt));
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      const timeout = new Promise((resolve) => setTimeout(resolve, timeoutMs));
      await Promise.race([Promise.all(sent), timeout]);
    });
    pool.close();
    return result;
  },
});

/** The polling interval for responses, in milliseconds, comparable to interrupt coalescing of a network card. */
const POLL_MS = 2;

/**
 * Makes the event loop read responses every `POLL_MS`. Waking for each response would take CPU from the service
 * on the same machine. Returns a function that ends it.
 */
const pollResponses = (): (() => void) => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let isStopped = false;
  const sleep = (): void => {
    if (isStopped) return;
    Atomics.wait(never, 0, 0, POLL_MS);
    setImmediate(sleep);
  };
  sleep();
  return () => {
    isStopped = true;
  };
};

/**
 * More than the service can process at once, so that requests do not wait for a connection.
 * Bounded, as in a proxy, so that a slow service does not get ever more connections.
 */
const MAX_CONNECTIONS = 1_024;

/** Runs a load phase and classifies the responses. Responses after `seconds` do not count towards the rate. */
const load = async (
  pool: ReturnType<typeof createLoadConnections>,
  seconds: number,
  run: (send: (request: string, dueAt: number) => Promise<void>, until: number) => Promise<void>,
): Promise<LoadResult> => {
  const started = performance.now();
  const until = started + seconds * 1_000;
  let sent = 0;
  let succeeded = 0;
  let inTime = 0;
  let refused = 0;
  const broken: string[] = [];
  const other: Record<string, number> = {};
  const succeededMs: number[] = [];
  const refusedMs: number[] = [];
  const stopPolling = pollResponses();
  await run(async (request, dueAt) => {
    sent += 1;
    const response = await pool.send(request);
    const now = performance.now();
    if ("closed" in response) broken.push(response.closed);
    else if (response.status >= 200 && response.status < 300) {
      succeeded += 1;
      succeededMs.push(now - dueAt);
      if (now <= until) inTime += 1;
    } else if (response.status === 503 && response.hasRetryAfter) {
      refused += 1;
      refusedMs.push(now - dueAt);
    } else {
      const status = `${response.status}${response.status === 503 ? " without Retry-After" : ""}`;
      other[status] = (other[status] ?? 0) + 1;
    }
  }, until);
  stopPolling();
  const answered =
    succeeded + refused + broken.length + Object.values(other).reduce((sum, one) => sum + one, 0);
  return {
    sent,
    succeeded,
    perSecond: inTime / seconds,
    refused,
    broken,
    other,
    unanswered: sent - answered,
    succeededMs,
    refusedMs,
  };
};
