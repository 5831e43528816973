export type Undoing = {
  defer(undo: () => Promise<unknown> | unknown): void;
  /** Undoes everything, newest first, whatever fails; a second call waits for the first. */
  all(): Promise<void>;
};

/** What is to be undone at the end. Failures are told to `say` and stop nothing. */
export const createUndoing = (say: (message: string) => void): Undoing => {
  const stack: (() => Promise<unknown> | unknown)[] = [];
  let undoing: Promise<void> | null = null;
  const undoAll = async (): Promise<void> => {
    for (let undo = stack.pop(); undo; undo = stack.pop()) {
      try {
        await undo();
      } catch (error) {
        say(`could not be undone: ${error instanceof Error ? error.message : error}`);
      }
    }
  };
  return {
    defer: (undo) => {
      stack.push(undo);
    },
    all: () => {
      undoing ??= undoAll();
      return undoing;
    },
  };
};
