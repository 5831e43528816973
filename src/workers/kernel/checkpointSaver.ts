import { sleep } from "../../platform/sleep.ts";

/** The minimum interval of saves after handled events. */
const SAVE_EVERY_MS = 1_000;
/** The interval of saves after skipped events, which are cheap to repeat. */
const SAVE_SKIPPED_MS = 5_000;

export type CheckpointSaver = {
  /** Records that all events up to `position` are handled. Does not block. */
  handled(position: bigint): void;
  /** As `handled`, for an event without a reaction. */
  skipped(position: bigint): void;
  /** Saves the last position. Rejects if that fails. */
  close(): Promise<void>;
};

/**
 * Saves positions in the background: a crash repeats the events of the last second and skips none. `onFailure` is
 * called once, if a save fails.
 */
export const createCheckpointSaver = (
  save: (position: bigint) => Promise<void>,
  onFailure: (error: unknown) => void,
): CheckpointSaver => {
  const ending = new AbortController();
  let last: bigint | null = null;
  /** The position of the last handled event. */
  let due: bigint | null = null;
  let skippedTimer: NodeJS.Timeout | undefined;
  let saved: bigint | null = null;
  let saving: Promise<void> | null = null;
  let hasFailed = false;

  const saveLast = async (): Promise<void> => {
    const position = last;
    if (position === null || position === saved) return;
    await save(position);
    saved = position;
  };
  const start = (): void => {
    if (saving || hasFailed || ending.signal.aborted) return;
    saving = saveLast()
      .then(() => sleep(SAVE_EVERY_MS, ending.signal))
      .catch((error: unknown) => {
        hasFailed = true;
        onFailure(error);
      })
      .finally(() => {
        saving = null;
        if (due !== null && (saved === null || due > saved)) start();
      });
  };

  return {
    handled: (position) => {
      last = position;
      due = position;
      start();
    },
    skipped: (position) => {
      last = position;
      skippedTimer ??= setTimeout(() => {
        skippedTimer = undefined;
        start();
      }, SAVE_SKIPPED_MS).unref();
    },
    close: async () => {
      ending.abort();
      clearTimeout(skippedTimer);
      await saving;
      await saveLast();
    },
  };
};
