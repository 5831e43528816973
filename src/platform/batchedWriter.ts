/** Work that nobody waits for. */
export type BatchedWriter<Part> = {
  /** Has a part done, with those that come meanwhile. */
  add(part: Part): void;
  /** Does at once what has come, and waits for what is under way. Rejects when that fails. */
  flush(): Promise<void>;
};

/**
 * Does in one go what comes within `gatherMs` milliseconds, one go after the other. `onFailure` hears of a go that
 * failed; it is not made again.
 */
export const createBatchedWriter = <Part>(
  gatherMs: number,
  doAll: (parts: readonly Part[]) => Promise<void>,
  onFailure: (error: unknown) => void,
): BatchedWriter<Part> => {
  let parts: Part[] = [];
  let timer: NodeJS.Timeout | undefined;
  let underWay: Promise<void> = Promise.resolve();

  const go = (): Promise<void> => {
    clearTimeout(timer);
    timer = undefined;
    if (parts.length === 0) return underWay;
    const taken = parts;
    parts = [];
    const mine = underWay.then(() => doAll(taken));
    underWay = mine.catch(onFailure);
    return mine;
  };

  return {
    add: (part) => {
      parts.push(part);
      timer ??= setTimeout(() => void go().catch(() => undefined), gatherMs);
    },
    flush: go,
  };
};
