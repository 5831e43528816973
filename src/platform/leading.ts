import type { Kysely } from "kysely";
import { logTrouble } from "./away.ts";
import type { AnySchema } from "./database/database.ts";
import { LEASE_SECONDS, type Leadership, leadership } from "./leadership.ts";
import type { Logger } from "./logger.ts";
import { pause } from "./pause.ts";

/** The lease lasts 3 s: two renewals may fail before another takes over. */
const RENEW_MS = 1_000;
/** So often it is looked whether a renewal is due, and whether the lease has run out. */
const LOOK_MS = 250;
const RETRY_MS = 250;

type Lead = {
  readonly name: string;
  readonly db: Kysely<AnySchema>;
  /** Names this process in the lease. */
  readonly holder: string;
  readonly work: (over: AbortSignal) => Promise<void>;
};

/**
 * Does `work` in one process among any number: in the one that holds the lease `name`. Its signal is
 * aborted when the lease is lost or the work is to stop; `work` returns then. What it throws is logged,
 * and it begins again: whenever the log, the database or the bus was away.
 * `stop` resolves when the work has ended and the lease is given back.
 */
export const whileLeading = (
  deps: Lead & {
    readonly logger: Logger;
    /** Whether this process is to lead at all now; when it is not, it gives the lease back. */
    readonly mayLead?: () => Promise<boolean>;
  },
): { stop(): Promise<void> } => {
  const { name, logger } = deps;
  const lease = leadership(deps.db, name, deps.holder);
  const stopping = new AbortController();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (!deps.mayLead || (await deps.mayLead())) {
          await leadIfFree(lease, deps.work, stopping.signal);
        } else {
          await lease.release();
        }
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

/**
 * Does a piece of work once, unless another process is at it: answers false then. Rejects with what the
 * work throws. The lease is given back in the end; that of a process that dies runs out.
 */
export const leadOnce = async (deps: Lead, stopping: AbortSignal): Promise<boolean> => {
  const lease = leadership(deps.db, deps.name, deps.holder);
  try {
    return await leadIfFree(lease, deps.work, stopping);
  } finally {
    await lease.release().catch(() => undefined);
  }
};

/**
 * Works while the lease is held and renewed. It is taken for lost when another has it, and when it was
 * not renewed for as long as it lasts: a process that was frozen or is cut off from the database finds
 * so by its own clock, before anybody tells it.
 */
const leadIfFree = async (
  lease: Leadership,
  work: Lead["work"],
  stopping: AbortSignal,
): Promise<boolean> => {
  let renewedAt = performance.now();
  if (!(await lease.hold())) return false;
  const losing = new AbortController();
  let isRenewing = false;
  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    isRenewing = true;
    try {
      if (await lease.hold()) renewedAt = askedAt;
      else losing.abort();
    } catch {
      // The database may be back before the lease has run out: until then it is nobody else's.
    } finally {
      isRenewing = false;
    }
  };
  const looking = setInterval(() => {
    const age = performance.now() - renewedAt;
    if (age > LEASE_SECONDS * 1_000) losing.abort();
    else if (age >= RENEW_MS && !isRenewing) void renew();
  }, LOOK_MS);
  try {
    await work(AbortSignal.any([losing.signal, stopping]));
    return true;
  } finally {
    clearInterval(looking);
  }
};
