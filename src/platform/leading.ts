import type { Kysely } from "kysely";
import { logTrouble } from "./away.ts";
import type { AnySchema } from "./database/database.ts";
import { LEADERSHIP_SECONDS, leadership } from "./leadership.ts";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

const RENEW_MS = 750;
const RETRY_MS = 250;

/**
 * Does `work` in one process among any number: in the one that holds the lease `name`. Its signal is
 * aborted when the lease is lost, or could not be renewed for as long as it lasts (another may lead by
 * then, though the database says nothing), or the work is to stop; `work` returns then. What it throws is logged,
 * and it begins again: whenever the log, the database or the bus was away.
 * `stop` resolves when the work has ended and the lease is given back.
 */
export const whileLeading = (deps: {
  readonly name: string;
  readonly db: Kysely<AnySchema>;
  /** Names this process in the lease. */
  readonly holder: string;
  readonly logger: Logger;
  readonly work: (over: AbortSignal) => Promise<void>;
}): { stop(): Promise<void> } => {
  const { name, logger } = deps;
  const lease = leadership(deps.db, name, deps.holder);
  const stopping = new AbortController();

  /** Renews the lease until it is lost, or the work is done. `asked` is when it was last asked for. */
  const keep = async (asked: number, done: AbortSignal): Promise<void> => {
    let validUntil = asked + LEADERSHIP_SECONDS * 1_000;
    while (!done.aborted) {
      await pause(RENEW_MS, done);
      if (done.aborted) return;
      const renewed = performance.now();
      const held = lease.hold().catch(() => false);
      const expiry = new AbortController();
      const late = pause(validUntil - renewed, expiry.signal).then(() => false);
      const kept = await Promise.race([held, late]);
      expiry.abort();
      if (!kept) return;
      validUntil = renewed + LEADERSHIP_SECONDS * 1_000;
    }
  };

  const lead = async (asked: number): Promise<void> => {
    const losing = new AbortController();
    const done = new AbortController();
    const keeping = keep(asked, done.signal).finally(() => losing.abort());
    try {
      await deps.work(AbortSignal.any([losing.signal, stopping.signal]));
    } finally {
      done.abort();
      await keeping;
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        const asked = performance.now();
        if (await lease.hold()) await lead(asked);
      } catch (error) {
        if (!stopping.signal.aborted) logTrouble(logger, error, { leader: name }, "interrupted");
      }
      await pause(RETRY_MS, stopping.signal);
    }
    await lease.release().catch(() => undefined);
  };
  const running = run();

  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
