import { type Kysely, sql } from "kysely";
import { logFailure } from "./availability.ts";
import type { AnySchema } from "./database/database.ts";
import type { Logger } from "./logger.ts";
import { sleep } from "./sleep.ts";

/** The duration of a lease: another process takes over within 5 s. */
export const LEASE_SECONDS = 3;
/** Two renewals in a row may fail before a lease expires. */
const RENEW_MS = 1_000;
/** The interval of checks for due renewals and expired leases. */
const CHECK_MS = 250;
const RETRY_MS = 250;

/** A row in `leaderships` that one process holds at a time. The database's clock decides, so the clocks of machines may differ. */
export type Lease = {
  /** Takes or renews the lease. Resolves with whether this process holds it. Rejects if the database is unavailable. */
  hold(): Promise<boolean>;
  /** Deletes the lease if this process holds it, so that another takes over at once. */
  release(): Promise<void>;
};

/** `holder` is the id of this process. */
export const createLease = (db: Kysely<AnySchema>, name: string, holder: string): Lease => ({
  hold: async () => (await holdLeases(db, [name], holder)).has(name),
  release: async () => {
    await db
      .deleteFrom("leaderships")
      .where("name", "=", name)
      .where("holder", "=", holder)
      .execute();
  },
});

/** Deletes all leases. Only for the start of a single-process deployment: all previous holders are dead. */
export const deleteAllLeases = async (db: Kysely<AnySchema>): Promise<void> => {
  await db.deleteFrom("leaderships").execute();
};

/** Takes or renews leases in one statement. Resolves with the names of those that the holder has. */
const holdLeases = async (
  db: Kysely<AnySchema>,
  names: readonly string[],
  holder: string,
): Promise<ReadonlySet<string>> => {
  // A fixed lock order: two processes that take the same leases cannot deadlock.
  const sorted = [...names].sort();
  const { rows } = await sql<{ name: string }>`
    insert into leaderships as l (name, holder, expires_at)
    select name, ${holder}::uuid, now() + make_interval(secs => ${LEASE_SECONDS})
    from unnest(${sorted}::text[]) as name
    on conflict (name) do update set holder = excluded.holder, expires_at = excluded.expires_at
      where l.holder = excluded.holder or l.expires_at < now()
    returning l.name`.execute(db);
  return new Set(rows.map(({ name }) => name));
};

type LeaderWork = {
  /** The name of the lease. */
  readonly name: string;
  readonly db: Kysely<AnySchema>;
  /** The id of this process. */
  readonly holder: string;
  /** `over` is aborted when the lease is lost or the work must stop. */
  readonly work: (over: AbortSignal) => Promise<void>;
};

/**
 * Runs `work` in one process of all: the holder of the lease. A rejection is logged and the work starts
 * again. `stop` resolves after the work has ended and the lease is released.
 */
export const runWhileLeader = (
  deps: LeaderWork & {
    readonly logger: Logger;
    /** Whether this process may lead at present. If not, it releases the lease. */
    readonly mayLead?: () => Promise<boolean>;
  },
): { stop(): Promise<void> } => {
  const { name, logger } = deps;
  const lease = createLease(deps.db, name, deps.holder);
  const stopping = new AbortController();

  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        if (!deps.mayLead || (await deps.mayLead())) await runIfFree(deps, lease, stopping.signal);
        else await lease.release();
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
 * Runs `work` once. Resolves with false if another process holds the lease. Rejects with the error of the
 * work. The lease is released afterwards, or expires if the process dies.
 */
export const runOnceAsLeader = async (
  deps: LeaderWork,
  stopping: AbortSignal,
): Promise<boolean> => {
  const lease = createLease(deps.db, deps.name, deps.holder);
  try {
    return await runIfFree(deps, lease, stopping);
  } finally {
    await lease.release().catch(() => undefined);
  }
};

/**
 * Runs the work while the lease is renewed. The lease is lost if another process holds it, or if it was not
 * renewed for its duration by the local clock: a frozen or disconnected process stops by itself.
 */
const runIfFree = async (
  { db, name, holder, work }: LeaderWork,
  lease: Lease,
  stopping: AbortSignal,
): Promise<boolean> => {
  const renewedAt = performance.now();
  if (!(await lease.hold())) return false;
  const losing = new AbortController();
  const stopRenewing = renewerOf(db, holder).add({
    name,
    renewedAt,
    lose: () => losing.abort(),
  });
  try {
    await work(AbortSignal.any([losing.signal, stopping]));
    return true;
  } finally {
    stopRenewing();
  }
};

type HeldLease = { readonly name: string; renewedAt: number; readonly lose: () => void };
type Renewer = { add(lease: HeldLease): () => void };

/** One renewer per database and process. */
const renewers = new WeakMap<Kysely<AnySchema>, Map<string, Renewer>>();

const renewerOf = (db: Kysely<AnySchema>, holder: string): Renewer => {
  const known = renewers.get(db) ?? new Map<string, Renewer>();
  renewers.set(db, known);
  const renewer = known.get(holder) ?? createRenewer(db, holder);
  known.set(holder, renewer);
  return renewer;
};

/** Renews all leases of a process in one statement, as soon as one of them is due. */
const createRenewer = (db: Kysely<AnySchema>, holder: string): Renewer => {
  const held = new Set<HeldLease>();
  let checks: NodeJS.Timeout | null = null;
  let isRenewing = false;

  const renew = async (): Promise<void> => {
    const startedAt = performance.now();
    const leases = [...held];
    const names = leases.map(({ name }) => name);
    isRenewing = true;
    try {
      const renewed = await holdLeases(db, names, holder);
      for (const lease of leases) {
        if (renewed.has(lease.name)) lease.renewedAt = startedAt;
        else lease.lose();
      }
    } catch {
      // The database may be back before the leases expire; until then no other process can take them.
    } finally {
      isRenewing = false;
    }
  };

  const check = (): void => {
    let isDue = false;
    for (const { renewedAt, lose } of held) {
      const age = performance.now() - renewedAt;
      if (age > LEASE_SECONDS * 1_000) lose();
      else if (age >= RENEW_MS) isDue = true;
    }
    if (isDue && !isRenewing) void renew();
  };

  return {
    add: (lease) => {
      held.add(lease);
      checks ??= setInterval(check, CHECK_MS);
      return () => {
        held.delete(lease);
        if (held.size > 0 || checks === null) return;
        clearInterval(checks);
        checks = null;
      };
    },
  };
};
