export type CleanupStack = {
  defer(task: () => Promise<unknown> | unknown): void;
  /** Runs every task, last added first, even if some fail. A second call waits for the first. */
  run(): Promise<void>;
};

/** Collects cleanup tasks. Failures go to `log`. */
export const createCleanupStack = (log: (message: string) => void): CleanupStack => {
  const tasks: (() => Promise<unknown> | unknown)[] = [];
  let running: Promise<void> | null = null;
  const runAll = async (): Promise<void> => {
    for (let task = tasks.pop(); task; task = tasks.pop()) {
      try {
        await task();
      } catch (error) {
        log(`cleanup failed: ${error instanceof Error ? error.message : error}`);
      }
    }
  };
  return {
    defer: (task) => {
      tasks.push(task);
    },
    run: () => {
      running ??= runAll();
      return running;
    },
  };
};
