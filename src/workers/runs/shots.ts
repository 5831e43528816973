import { logTrouble } from "../../platform/away.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { pause } from "../../platform/pause.ts";

/** How long an execution waits at its end for screenshots that are still being stored. */
const SETTLE_MS = 5_000;

type Shot = {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: Buffer;
};

export type Shots = {
  /** Stores a picture, or another file, beside the test, then calls `stored`; not when storing fails or comes too late. */
  store(shot: Shot, stored: () => void): void;
  /** Calls `stored` once the pictures of these keys are stored; not when one of them could not be, or comes too late. */
  after(keys: readonly string[], stored: () => void): void;
  /** Resolves when every picture so far is stored or has failed, at the latest after 5 s; what of them comes later no longer counts. */
  settle(): Promise<void>;
};

/** Keeps the pictures of one delivery: the bytes first, then the word that they are there. */
export const createShots = (deps: {
  readonly blobs: BlobStore;
  readonly logger: Logger;
}): Shots => {
  const underWay = new Set<Promise<void>>();
  const byKey = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  /** Counts how often it was settled. */
  let round = 0;
  return {
    store: ({ key, contentType, bytes }, stored) => {
      const begun = round;
      const storing = deps.blobs
        .put(key, { bytes, contentType })
        .then(
          () => {
            if (round === begun) stored();
          },
          (error: unknown) => {
            failed.add(key);
            logTrouble(deps.logger, error, {}, "evidence cannot be stored");
          },
        )
        .finally(() => {
          underWay.delete(storing);
          byKey.delete(key);
        });
      underWay.add(storing);
      byKey.set(key, storing);
    },
    after: (keys, stored) => {
      const begun = round;
      const waiting = Promise.all(keys.map((key) => byKey.get(key)))
        .then(() => {
          if (round === begun && !keys.some((key) => failed.has(key))) stored();
        })
        .finally(() => underWay.delete(waiting));
      underWay.add(waiting);
    },
    settle: async () => {
      const waiting = new AbortController();
      await Promise.race([Promise.all(underWay), pause(SETTLE_MS, waiting.signal)]);
      waiting.abort();
      round += 1;
    },
  };
};
