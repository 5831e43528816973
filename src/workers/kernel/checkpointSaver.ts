import { sleep } from "../../platform/sleep.ts";

/** A checkpoint is written this often at most while there is something to handle. */
const SAVE_EVERY_MS = 1_000;
/** What is only passed over is written this seldom: passing over it again costs next to nothing. */
const PASS_EVERY_MS = 5_000;

export type CheckpointSaver = {
  /** Everything up to `position` is handled. Waits for nothing. */
  note(position: bigint): void;
  /** The same where there was nothing to handle. */
  pass(position: bigint): void;
  /** Saves what was noted last. Rejects when that fails. */
  end(): Promise<void>;
};

/**
 * Saves a position behind the work instead of in its way: a crash repeats what was handled in the last
 * second, and nothing is left out. `onFailure` is called once when it cannot be saved.
 */
export const createCheckpointSaver = (
  save: (position: bigint) => Promise<void>,
  onFailure: (error: unknown) => void,
): CheckpointSaver => {
  const ending = new AbortController();
  let noted: bigint | null = null;
  /** Up to where something was handled. */
  let due: bigint | null = null;
  let passing: NodeJS.Timeout | undefined;
  let saved: bigint | null = null;
  let saving: Promise<void> | null = null;
  let hasFailed = false;

  const saveNoted = async (): Promise<void> => {
    const position = noted;
    if (position === null || position === saved) return;
    await save(position);
    saved = position;
  };
  const start = (): void => {
    if (saving || hasFailed || ending.signal.aborted) return;
    saving = saveNoted()
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
    note: (position) => {
      noted = position;
      due = position;
      start();
    },
    pass: (position) => {
      noted = position;
      passing ??= setTimeout(() => {
        passing = undefined;
        start();
      }, PASS_EVERY_MS).unref();
    },
    end: async () => {
      ending.abort();
      clearTimeout(passing);
      await saving;
      await saveNoted();
    },
  };
};
