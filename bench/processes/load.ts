import { answerParent } from "../harness/helperProcess.ts";
import { createConnections } from "../parts/loadConnections.ts";
import type { Loaded, LoadRequests } from "../parts/load.ts";

/** Asks a service, in a process of its own: what it costs to ask is not the bench's affair, nor the service's. */
answerParent<LoadRequests>({
  closed: async ({ url, requests, connections, seconds }) => {
    const pool = createConnections(url, connections);
    const loaded = await load(pool, seconds, async (note, until) => {
      let turn = 0;
      const ask = async (): Promise<void> => {
        while (performance.now() < until) {
          turn += 1;
          await note(requests[turn % requests.length] ?? "", performance.now());
        }
      };
      await Promise.all(Array.from({ length: connections }, ask));
    });
    pool.close();
    return loaded;
  },
  open: async ({ url, requests, perSecond, seconds, patienceMs }) => {
    const pool = createConnections(url, MOST_CONNECTIONS);
    const loaded = await load(pool, seconds, async (note, until) => {
      const started = performance.now();
      const asked: Promise<void>[] = [];
      for (let now = started; now < until; now = performance.now()) {
        const due = Math.floor(((now - started) * perSecond) / 1_000);
        // From the moment in which it was due: who is held up by another is late too.
        while (asked.length < due) {
          const dueAt = started + (asked.length * 1_000) / perSecond;
          asked.push(note(requests[asked.length % requests.length] ?? "", dueAt));
        }
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      const late = new Promise((resolve) => setTimeout(resolve, patienceMs));
      await Promise.race([Promise.all(asked), late]);
    });
    pool.close();
    return loaded;
  },
});

/** So long it leaves what comes, to take it together, in milliseconds: as a network card does. */
const TOGETHER_MS = 2;

/**
 * Takes what comes every two milliseconds and not each answer by itself, until it is told to end: a service that wakes
 * who asks with every answer pays for that, here, with its own processor.
 */
const takeTogether = (): (() => void) => {
  const never = new Int32Array(new SharedArrayBuffer(4));
  let isOver = false;
  const rest = (): void => {
    if (isOver) return;
    Atomics.wait(never, 0, 0, TOGETHER_MS);
    setImmediate(rest);
  };
  rest();
  return () => {
    isOver = true;
  };
};

/**
 * More than can be at work at once, so that who asks does not wait for another to be answered; bounded, as a
 * proxy's are: a service that falls behind is not to be asked for ever more connections besides.
 */
const MOST_CONNECTIONS = 1_024;

/** Runs a load and counts what comes of it. `seconds`: how long it lasts; what is answered later is not in the rate. */
const load = async (
  pool: ReturnType<typeof createConnections>,
  seconds: number,
  run: (note: (request: string, dueAt: number) => Promise<void>, until: number) => Promise<void>,
): Promise<Loaded> => {
  const started = performance.now();
  const until = started + seconds * 1_000;
  let asked = 0;
  let done = 0;
  let inTime = 0;
  let refused = 0;
  const broken: string[] = [];
  const other: Record<string, number> = {};
  const doneMs: number[] = [];
  const refusedMs: number[] = [];
  const endTaking = takeTogether();
  await run(async (request, dueAt) => {
    asked += 1;
    const answer = await pool.ask(request);
    const now = performance.now();
    if ("ended" in answer) broken.push(answer.ended);
    else if (answer.status >= 200 && answer.status < 300) {
      done += 1;
      doneMs.push(now - dueAt);
      if (now <= until) inTime += 1;
    } else if (answer.status === 503 && answer.saysWhen) {
      refused += 1;
      refusedMs.push(now - dueAt);
    } else {
      const what = `${answer.status}${answer.status === 503 ? " without Retry-After" : ""}`;
      other[what] = (other[what] ?? 0) + 1;
    }
  }, until);
  endTaking();
  const answered =
    done + refused + broken.length + Object.values(other).reduce((sum, one) => sum + one, 0);
  return {
    asked,
    done,
    perSecond: inTime / seconds,
    refused,
    broken,
    other,
    hung: asked - answered,
    doneMs,
    refusedMs,
  };
};
