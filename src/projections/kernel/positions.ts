/** How far each projection of this deployment has come, as this process knows it. */
export type Positions = {
  /** Notes that a projection has committed everything up to a position. */
  advance(projection: string, position: bigint): void;
  /** Resolves true when the named projections have passed the position, false after `timeoutMs`. */
  waitFor(projections: readonly string[], position: bigint, timeoutMs: number): Promise<boolean>;
  /** Calls back on every advance, until the returned function is called. */
  onAdvance(listener: (projection: string, position: bigint) => void): () => void;
};

/** Positions in memory, fed by the projector's commits (same process) and by NOTIFY (other processes). */
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
