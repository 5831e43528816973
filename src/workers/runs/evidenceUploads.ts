import { logFailure } from "../../platform/availability.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { PartUnavailableError } from "../../platform/partHealth.ts";
import { within } from "../../platform/within.ts";

/** Time that an attempt waits for pending uploads. */
const SETTLE_MS = 5_000;

const TOO_LATE = "It was not stored in time.";

type EvidenceFile = {
  readonly key: string;
  readonly contentType: string;
  readonly bytes: Buffer;
};

export type EvidenceUploads = {
  /**
   * Stores a file in the background, then calls exactly one of `stored` and `lost`. `lost` gets a reason
   * for a person. An upload of the same key that is pending is shared: its bytes are the same.
   */
  upload(file: EvidenceFile, stored: () => void, lost: (reason: string) => void): void;
  /** Calls `stored` once the uploads of these keys succeeded. Never calls it if one of them fails or is late. */
  afterUploads(keys: readonly string[], stored: () => void): void;
  /** Waits for pending uploads, up to 5 s. Reports the unfinished ones as lost. */
  settle(): Promise<void>;
};

/** Stores the evidence of one delivery. */
export const createEvidenceUploads = (deps: {
  readonly blobs: BlobStore;
  readonly logger: Logger;
}): EvidenceUploads => {
  const pending = new Set<Promise<void>>();
  const byKey = new Map<string, Promise<void>>();
  const puts = new Map<string, Promise<void>>();
  const failed = new Set<string>();
  /** One per upload without an outcome; calls its `lost`. */
  const giveUps = new Set<() => void>();
  /** Number of calls of `settle`. */
  let round = 0;
  return {
    upload: ({ key, contentType, bytes }, stored, lost) => {
      const end = (notify: () => void): void => {
        if (giveUps.delete(giveUp)) notify();
      };
      const giveUp = (): void => end(() => lost(TOO_LATE));
      giveUps.add(giveUp);
      const putting = puts.get(key) ?? deps.blobs.put(key, { bytes, contentType });
      puts.set(key, putting);
      const storing = putting
        .then(
          () => end(stored),
          (error: unknown) => {
            failed.add(key);
            logFailure(deps.logger, error, {}, "evidence cannot be stored");
            end(() => lost(storeError(error)));
          },
        )
        .finally(() => {
          pending.delete(storing);
          byKey.delete(key);
          puts.delete(key);
        });
      pending.add(storing);
      byKey.set(key, storing);
    },
    afterUploads: (keys, stored) => {
      const begun = round;
      const waiting = Promise.all(keys.map((key) => byKey.get(key)))
        .then(() => {
          if (round === begun && !keys.some((key) => failed.has(key))) stored();
        })
        .finally(() => pending.delete(waiting));
      pending.add(waiting);
    },
    settle: async () => {
      await within(Promise.all(pending), SETTLE_MS, () => undefined);
      round += 1;
      for (const giveUp of [...giveUps]) giveUp();
    },
  };
};

/** The reason of a failed upload, without internals. */
const storeError = (error: unknown): string =>
  error instanceof PartUnavailableError ? `${error.message}.` : "It could not be stored.";
