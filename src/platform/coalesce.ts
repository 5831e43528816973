import { setTimeout as delay } from "node:timers/promises";

/**
 * Does in one go what is asked for while the last go is under way: each caller waits for the go that its own
 * part is in, and is rejected when that fails. A go begins `apartMs` milliseconds after the one before at the
 * earliest: who comes alone goes at once, and many that come soon after each other are few goes.
 */
export const coalesce = <Part>(
  doAll: (parts: readonly Part[]) => Promise<void>,
  apartMs = 0,
): ((part: Part) => Promise<void>) => {
  type Waiting = {
    readonly part: Part;
    readonly resolve: () => void;
    readonly reject: (error: unknown) => void;
  };
  let waiting: Waiting[] = [];
  let isUnderWay = false;
  let nextAt = 0;
  const go = async (): Promise<void> => {
    isUnderWay = true;
    while (waiting.length > 0) {
      const early = nextAt - performance.now();
      if (early > 0) await delay(early);
      nextAt = performance.now() + apartMs;
      const taken = waiting.slice(0, MOST_AT_ONCE);
      waiting = waiting.slice(MOST_AT_ONCE);
      try {
        await doAll(taken.map(({ part }) => part));
        for (const { resolve } of taken) resolve();
      } catch (error) {
        for (const { reject } of taken) reject(error);
      }
    }
    isUnderWay = false;
  };
  return (part) =>
    new Promise((resolve, reject) => {
      waiting.push({ part, resolve, reject });
      if (!isUnderWay) void go();
    });
};

const MOST_AT_ONCE = 200;
