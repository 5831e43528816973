import type { Kysely } from "kysely";
import type { AnySchema } from "./database/database.ts";
import { leadership } from "./leadership.ts";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

/** The lease lasts 3 s: three renewals may fail before another takes over. */
const RENEW_MS = 1_000;
const RETRY_MS = 250;

/**
 * Does `work` in one process among any number: in the one that holds the lease `name`. Its signal is
 * aborted when the lease is lost or the work is to stop; `work` returns then. What it throws is logged,
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

  const lead = async (): Promise<void> => {
    const losing = new AbortController();
    const lose = () => losing.abort();
    const renewal = setInterval(() => {
      lease.hold().then((held) => held || lose(), lose);
    }, RENEW_MS);
    try {
      await deps.work(AbortSignal.any([losing.signal, stopping.signal]));
    } finally {
      clearInterval(renewal);
    }
  };

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (await lease.hold()) await lead();
      } catch (error) {
        if (!stopping.signal.aborted) logger.warn({ err: error, leader: name }, "interrupted");
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
