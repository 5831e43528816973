import { logFailure } from "../../platform/availability.ts";
import type { Logger } from "../../platform/logger.ts";

/** Every client is checked once in this period: revoked sessions are closed within seconds. */
const PERIOD_MS = 2_000;
/** The checks of a period are spread over this many batches, so that they do not delay live events. */
const BATCHES = 40;
const CONCURRENCY = 4;

export type Recheckable = {
  /** Closes the connection if its session has ended or its user may no longer read a watched run. */
  recheck(): Promise<void>;
};

/**
 * Checks the sessions of all clients periodically. Few checks run at once: thousands would take every connection of
 * the database pool.
 */
export const startRechecks = (
  clients: ReadonlySet<Recheckable>,
  logger: Logger,
): { stop(): void } => {
  let round = clients.values();
  let due = 0;
  let isRunning = false;
  const next = (): Recheckable | undefined => {
    const following = round.next();
    if (!following.done) return following.value;
    round = clients.values();
    return round.next().value;
  };
  const checkDue = async (): Promise<void> => {
    while (due >= 1) {
      due -= 1;
      await next()
        ?.recheck()
        .catch((error: unknown) => logFailure(logger, error, {}, "cannot recheck a session"));
    }
  };
  const timer = setInterval(() => {
    // Checks must not pile up while the database is unavailable.
    if (isRunning) return;
    isRunning = true;
    due += clients.size / BATCHES;
    void Promise.all(Array.from({ length: CONCURRENCY }, checkDue)).finally(() => {
      isRunning = false;
    });
  }, PERIOD_MS / BATCHES);
  timer.unref();
  return { stop: () => clearInterval(timer) };
};
