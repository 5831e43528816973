import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import { type Held, LEASE_SECONDS, type Leases } from "../../stores/runs/leases.ts";

const RENEW_MS = 3_000;

export type LeaseKeeper = {
  /**
   * Takes the lease of a delivery and renews it. False if another worker holds it. `onLost` is called once if the lease
   * is lost.
   */
  take(held: Held, onLost: (reason: string) => void): Promise<boolean>;
  /** Gives the lease back. Never rejects: one that stays runs out. */
  release(held: Held): Promise<void>;
  stop(): Promise<void>;
};

type Kept = { readonly held: Held; readonly onLost: (reason: string) => void; validUntil: number };

/**
 * Renews the leases of a worker in one statement every 3 s. A lease is lost if it was taken away, or if it could not be
 * renewed for its whole duration, because the watchdog may have taken it.
 */
export const startLeaseKeeper = (deps: {
  readonly leases: Leases;
  readonly worker: string;
  readonly logger: Logger;
}): LeaseKeeper => {
  const { leases, worker, logger } = deps;
  const kept = new Map<string, Kept>();
  const stopping = new AbortController();

  const validFrom = (asked: number): number => asked + LEASE_SECONDS * 1_000;

  const lose = (key: string, reason: string): void => {
    const one = kept.get(key);
    kept.delete(key);
    one?.onLost(reason);
  };

  const renew = async (): Promise<void> => {
    const asked = performance.now();
    const before = [...kept.keys()];
    try {
      const still = new Set((await leases.renew(worker)).map(keyOf));
      for (const key of before) {
        const one = kept.get(key);
        if (!one) continue;
        if (still.has(key)) one.validUntil = validFrom(asked);
        else lose(key, "The lease was taken away.");
      }
    } catch (error) {
      logFailure(logger, error, {}, "leases cannot be renewed");
    }
    const now = performance.now();
    for (const [key, one] of [...kept]) {
      if (one.validUntil <= now) lose(key, "The lease could not be renewed in time.");
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(RENEW_MS, stopping.signal);
      if (kept.size > 0 && !stopping.signal.aborted) await renew();
    }
  };
  const running = run();

  return {
    take: async (held, onLost) => {
      const asked = performance.now();
      if (!(await leases.take(held, worker))) return false;
      kept.set(keyOf(held), { held, onLost, validUntil: validFrom(asked) });
      return true;
    },
    release: async (held) => {
      kept.delete(keyOf(held));
      await leases.release(held, worker).catch((error: unknown) => {
        logFailure(logger, error, { execution: held.executionId }, "a lease is left to run out");
      });
    },
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};

const keyOf = ({ executionId, delivery }: Held): string => `${executionId}:${delivery}`;
