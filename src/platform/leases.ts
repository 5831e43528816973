import type { Kysely } from "kysely";
import { logFailure } from "./availability.ts";
import type { AnySchema } from "./database/database.ts";
import { holdLeases, LEASE_SECONDS, type Lease, createLease } from "./leadership.ts";
import type { Logger } from "./logger.ts";
import { sleep } from "./sleep.ts";

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
export const runWhileLeader = (
  deps: Lead & {
    readonly logger: Logger;
    /** Whether this process is to lead at all now; when it is not, it gives the lease back. */
    readonly mayLead?: () => Promise<boolean>;
  },
): { stop(): Promise<void> } => {
  const { name, logger } = deps;
  const lease = createLease(deps.db, name, deps.holder);
  const stopping = new AbortController();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (!deps.mayLead || (await deps.mayLead())) {
          await leadIfFree(deps, lease, stopping.signal);
        } else {
          await lease.release();
        }
      } catch (error) {
        if (!stopping.signal.aborted) logFailure(logger, error, { leader: name }, "interrupted");
      }
      await sleep(RETRY_MS, stopping.signal);
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
export const runOnceAsLeader = async (deps: Lead, stopping: AbortSignal): Promise<boolean> => {
  const lease = createLease(deps.db, deps.name, deps.holder);
  try {
    return await leadIfFree(deps, lease, stopping);
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
  { db, name, holder, work }: Lead,
  lease: Lease,
  stopping: AbortSignal,
): Promise<boolean> => {
  const renewedAt = performance.now();
  if (!(await lease.hold())) return false;
  const losing = new AbortController();
  const letGo = keeperOf(db, holder).keep({ name, renewedAt, lose: () => losing.abort() });
  try {
    await work(AbortSignal.any([losing.signal, stopping]));
    return true;
  } finally {
    letGo();
  }
};

type Kept = { readonly name: string; renewedAt: number; readonly lose: () => void };
type Keeper = { keep(lease: Kept): () => void };

/** Those who lead through a database, by the name of their process. */
const keepers = new WeakMap<Kysely<AnySchema>, Map<string, Keeper>>();

const keeperOf = (db: Kysely<AnySchema>, holder: string): Keeper => {
  const known = keepers.get(db) ?? new Map<string, Keeper>();
  keepers.set(db, known);
  const keeper = known.get(holder) ?? createKeeper(db, holder);
  known.set(holder, keeper);
  return keeper;
};

/** Renews the leases of a process: all of them in one statement, as soon as one is due. */
const createKeeper = (db: Kysely<AnySchema>, holder: string): Keeper => {
  const held = new Set<Kept>();
  let looking: NodeJS.Timeout | null = null;
  let isRenewing = false;

  const renew = async (): Promise<void> => {
    const askedAt = performance.now();
    const asked = [...held];
    isRenewing = true;
    try {
      const mine = await holdLeases(
        db,
        asked.map(({ name }) => name),
        holder,
      );
      for (const lease of asked) {
        if (mine.has(lease.name)) lease.renewedAt = askedAt;
        else lease.lose();
      }
    } catch {
      // The database may be back before the leases have run out: until then they are nobody else's.
    } finally {
      isRenewing = false;
    }
  };

  const look = (): void => {
    let isDue = false;
    for (const { renewedAt, lose } of held) {
      const age = performance.now() - renewedAt;
      if (age > LEASE_SECONDS * 1_000) lose();
      else if (age >= RENEW_MS) isDue = true;
    }
    if (isDue && !isRenewing) void renew();
  };

  return {
    keep: (lease) => {
      held.add(lease);
      looking ??= setInterval(look, LOOK_MS);
      return () => {
        held.delete(lease);
        if (held.size > 0 || looking === null) return;
        clearInterval(looking);
        looking = null;
      };
    },
  };
};
