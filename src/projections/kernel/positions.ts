/** The committed positions of projections, as far as this process knows. */
export type Positions = {
  /** Records the committed position of a projection. */
  advance(projection: string, position: bigint): void;
  /** The lowest committed position of the projections; null if one has none. */
  lowest(projections: readonly string[]): bigint | null;
  /** Resolves with true when the projections have reached the position, with false after `timeoutMs`. */
  waitFor(projections: readonly string[], position: bigint, timeoutMs: number): Promise<boolean>;
  /** Adds a listener. Returns a function that removes it. */
  onAdvance(listener: (projection: string, position: bigint) => void): () => void;
};

/** Updated by the commits of this process's projector and by notifications of other processes. */
export const createPositions = (): Positions => {
  const reached = new Map<string, bigint>();
  const waiters = new Set<() => void>();
  const listeners = new Set<(projection: string, position: bigint) => void>();
  const passed = (projections: readonly string[], position: bigint) =>
    projections.every((name) => (reached.get(name) ?? -1n) >= position);

  return {
    advance: (projection, position) => {
      if ((reached.get(projection) ?? -1n) >= position) return;
      reached.set(projection, position);
      for (const wake of [...waiters]) wake();
      for (const listener of listeners) listener(projection, position);
    },
    lowest: (projections) =>
      projections.reduce<bigint | null | undefined>((least, name) => {
        const position = reached.get(name) ?? null;
        if (least === null || position === null) return null;
        return least === undefined || position < least ? position : least;
      }, undefined) ?? null,
    onAdvance: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    waitFor: (projections, position, timeoutMs) => {
      if (passed(projections, position)) return Promise.resolve(true);
      return new Promise((resolve) => {
        const end = (result: boolean) => {
          clearTimeout(timer);
          waiters.delete(wake);
          resolve(result);
        };
        const wake = () => {
          if (passed(projections, position)) end(true);
        };
        const timer = setTimeout(() => end(false), timeoutMs);
        waiters.add(wake);
      });
    },
  };
};
