import { logFailure } from "../../platform/availability.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { PartUnavailableError } from "../../platform/partHealth.ts";
import { sleep } from "../../platform/sleep.ts";

/** How long an execution waits at its end for screenshots that are still being stored. */
const SETTLE_MS = 5_000;

const TOO_LATE = "It was not stored in time.";

type Shot = {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: Buffer;
};

export type Shots = {
  /**
   * Stores a picture, or another file, beside the test, then calls `stored`; or `lost`, with a reason for a
   * person, when storing fails or takes too long. One of the two is called, once. What is being stored under its
   * key already is not stored again: it is the same.
   */
  store(shot: Shot, stored: () => void, lost: (reason: string) => void): void;
  /** Calls `stored` once the pictures of these keys are stored; not when one of them could not be, or comes too late. */
  after(keys: readonly string[], stored: () => void): void;
  /** Resolves when every picture so far is stored or lost, at the latest after 5 s; what of them comes later no longer counts. */
  settle(): Promise<void>;
};

/** Keeps the pictures of one delivery: the bytes first, then the word that they are there. */
export const createShots = (deps: {
  readonly blobs: BlobStore;
  readonly logger: Logger;
}): Shots => {
  const underWay = new Set<Promise<void>>();
  const byKey = new Map<string, Promise<void>>();
  const puts = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  /** What is still to be said of each that is under way. */
  const givenUp = new Set<() => void>();
  /** Counts how often it was settled. */
  let round = 0;
  return {
    store: ({ key, contentType, bytes }, stored, lost) => {
      const end = (say: () => void): void => {
        if (givenUp.delete(giveUp)) say();
      };
      const giveUp = (): void => end(() => lost(TOO_LATE));
      givenUp.add(giveUp);
      const putting = puts.get(key) ?? deps.blobs.put(key, { bytes, contentType });
      puts.set(key, putting);
      const storing = putting
        .then(
          () => end(stored),
          (error: unknown) => {
            failed.add(key);
            logFailure(deps.logger, error, {}, "evidence cannot be stored");
            end(() => lost(inWords(error)));
          },
        )
        .finally(() => {
          underWay.delete(storing);
          byKey.delete(key);
          puts.delete(key);
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
      await Promise.race([Promise.all(underWay), sleep(SETTLE_MS, waiting.signal)]);
      waiting.abort();
      round += 1;
      for (const giveUp of [...givenUp]) giveUp();
    },
  };
};

/** Why something could not be stored, as far as it may be said. */
const inWords = (error: unknown): string =>
  error instanceof PartUnavailableError ? `${error.message}.` : "It could not be stored.";
