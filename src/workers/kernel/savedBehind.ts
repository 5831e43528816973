import { pause } from "../../platform/pause.ts";

/** A checkpoint is written this often at most while events flow. */
const SAVE_EVERY_MS = 250;

export type SavedBehind = {
  /** Everything up to `position` is handled. Waits for nothing. */
  note(position: bigint): void;
  /** Saves what was noted last. Rejects when that fails. */
  end(): Promise<void>;
};

/**
 * Saves a position behind the work instead of in its way: a crash repeats what was handled in the last
 * quarter of a second, and nothing is left out. `onFailure` is called once when it cannot be saved.
 */
export const savedBehind = (
  save: (position: bigint) => Promise<void>,
  onFailure: (error: unknown) => void,
): SavedBehind => {
  const ending = new AbortController();
  let noted: bigint | null = null;
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
      .then(() => pause(SAVE_EVERY_MS, ending.signal))
      .catch((error: unknown) => {
        hasFailed = true;
        onFailure(error);
      })
      .finally(() => {
        saving = null;
        if (noted !== saved) start();
      });
  };

  return {
    note: (position) => {
      noted = position;
      start();
    },
    end: async () => {
      ending.abort();
      await saving;
      await saveNoted();
    },
  };
};
