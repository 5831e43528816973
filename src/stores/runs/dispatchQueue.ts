import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { EXECUTOR_DEAD_AFTER_SECONDS } from "./executorSlots.ts";

/** An execution that waits for a worker or has one. It has no row once it has finished. */
export type Dispatch = {
  readonly executionId: string;
  readonly organizationId: string;
  readonly runId: string;
  readonly quotaPeriod: string;
  /** Which delivery is next, or under way, from 1. */
  readonly delivery: number;
  /** How often this delivery was put in the work queue. */
  readonly offers: number;
  /** Whether any worker ever took it: only then its quota is used up. */
  readonly everClaimed: boolean;
};

/** An execution that is put in the queue. `deadline`: when its run has taken too long (ISO 8601); null: never. */
export type NewDispatch = Omit<Dispatch, "delivery" | "offers" | "everClaimed"> & {
  readonly deadline: string | null;
  /** `agent`: it waits for agents of its organisation that have these browsers, and is never admitted. */
  readonly target: "cloud" | "agent";
  readonly browsers: readonly string[];
};

/** Why an execution is to stop: somebody asked for it, or its run takes too long. */
export type StopReason = "asked" | "overdue";

/** What an admission is decided on. `waiting` is in the order of arrival. */
export type AdmissionView = {
  readonly waiting: readonly Dispatch[];
  /** How many are admitted or claimed, by organisation. */
  readonly active: ReadonlyMap<string, number>;
  /** How many more may be admitted: the slots that are free, and what may wait for the next one. */
  readonly freeSlots: number;
};

/**
 * The dispatcher's table. Changes that follow from an event name its position: an event that comes
 * again changes nothing.
 */
export type DispatchQueue = {
  add(dispatches: readonly NewDispatch[], position: bigint): Promise<void>;
  markClaimed(executionId: string, delivery: number, position: bigint): Promise<void>;
  /** Puts it back in the queue, to be handed out as `delivery`. */
  requeue(executionId: string, delivery: number, position: bigint): Promise<void>;
  find(executionId: string): Promise<Dispatch | null>;
  remove(executionId: string): Promise<void>;
  /** Removes it if a worker ever took it; says whether it was so. */
  removeClaimed(executionId: string): Promise<boolean>;
  /** Notes that whoever has an execution is to stop it. */
  markToStop(executionId: string, reason: StopReason): Promise<void>;
  /** Which of these executions are to stop. */
  listToStop(
    executionIds: readonly string[],
  ): Promise<readonly { readonly executionId: string; readonly reason: StopReason }[]>;
  /** Runs whose time is over and that were not told to stop yet. */
  listOverdueRuns(): Promise<
    readonly { readonly runId: string; readonly organizationId: string }[]
  >;
  /**
   * Admits what `choose` picks, in one transaction and never two at once, in whatever processes;
   * answers the admitted with their offers counted.
   */
  admit(
    choose: (view: AdmissionView) => readonly Dispatch[] | Promise<readonly Dispatch[]>,
  ): Promise<readonly Dispatch[]>;
  /** Notes that a worker has seen an offer and waits for room: it is not lost. */
  keepOffer(executionId: string): Promise<void>;
  /** Whether anything waits to be admitted and a slot is free: seen without the lock, so that looking in vain costs little. */
  mayAdmit(): Promise<boolean>;
  /**
   * What was admitted but taken by no worker for so long, counted as offered once more; after 0 s all of it,
   * even what was offered by a clock that was ahead.
   */
  reoffer(afterSeconds: number): Promise<readonly Dispatch[]>;
  /** What waits for agents of an organisation that have these browsers, oldest first. */
  listForAgents(
    organizationId: string,
    browsers: readonly string[],
    limit: number,
  ): Promise<readonly Dispatch[]>;
  /** How many executions of an organisation wait, and how many a worker has. */
  countOf(organizationId: string): Promise<{ readonly waiting: number; readonly running: number }>;
  /** Claimed for longer than a lease lasts, with no lease: its worker died between two writes. */
  listClaimedWithoutLease(afterSeconds: number): Promise<readonly Dispatch[]>;
  /** How many wait, and for how many seconds the oldest does. */
  countWaiting(): Promise<{ readonly count: number; readonly oldestSeconds: number }>;
};

/**
 * So many more than it has slots are admitted for each executor, within their organisations' limits: when a
 * test ends the next need not be looked for. It is the same for whoever comes then: one test in the way.
 */
const AHEAD = 1;

/** How many may be admitted in all. */
const SLOTS = sql`(
  select coalesce(sum(slots + ${sql.lit(AHEAD)}), 0) from executor_slots
  where seen_at > now() - make_interval(secs => ${sql.lit(EXECUTOR_DEAD_AFTER_SECONDS)})
)`;

/** Any number, the same in every process: the advisory lock of admissions. */
const ADMISSION_LOCK = 7_201_020;

/** The table of executions that wait for a worker or have one. */
export const dispatchQueue = (db: Database["db"]): DispatchQueue => ({
  add: async (dispatches, position) => {
    if (dispatches.length === 0) return;
    await db
      .insertInto("dispatch_queue")
      .values(
        dispatches.map((one) => ({
          execution_id: one.executionId,
          organization_id: one.organizationId,
          run_id: one.runId,
          quota_period: one.quotaPeriod,
          delivery: 1,
          state: "queued",
          position,
          deadline: one.deadline,
          target: one.target,
          browsers: [...one.browsers],
        })),
      )
      .onConflict((conflict) => conflict.column("execution_id").doNothing())
      .execute();
  },
  markClaimed: async (executionId, delivery, position) => {
    await sql`
      update dispatch_queue
      set state = 'claimed', ever_claimed = true, claimed_at = now(), delivery = ${delivery}, position = ${position}
      where execution_id = ${executionId} and position < ${position}`.execute(db);
  },
  requeue: async (executionId, delivery, position) => {
    await sql`
      update dispatch_queue
      set state = 'queued', claimed_at = null, position = ${position},
        offers = case when delivery = ${delivery} then offers else 0 end, delivery = ${delivery}
      where execution_id = ${executionId} and position < ${position}`.execute(db);
  },
  find: async (executionId) => {
    const { rows } = await sql<DispatchRow>`
      select ${COLUMNS} from dispatch_queue where execution_id = ${executionId}`.execute(db);
    return rows[0] ? toDispatch(rows[0]) : null;
  },
  remove: async (executionId) => {
    await db.deleteFrom("dispatch_queue").where("execution_id", "=", executionId).execute();
  },
  removeClaimed: async (executionId) => {
    const { rows } = await sql`
      delete from dispatch_queue where execution_id = ${executionId} and ever_claimed
      returning execution_id`.execute(db);
    return rows.length > 0;
  },
  markToStop: async (executionId, reason) => {
    await sql`
      update dispatch_queue set stop_reason = coalesce(stop_reason, ${reason})
      where execution_id = ${executionId}`.execute(db);
  },
  listToStop: async (executionIds) => {
    const { rows } = await sql<{ execution_id: string; stop_reason: StopReason }>`
      select execution_id, stop_reason from dispatch_queue
      where execution_id = any(${[...executionIds]}::uuid[]) and stop_reason is not null`.execute(
      db,
    );
    return rows.map((row) => ({ executionId: row.execution_id, reason: row.stop_reason }));
  },
  listOverdueRuns: async () => {
    const { rows } = await sql<{ run_id: string; organization_id: string }>`
      select distinct run_id, organization_id from dispatch_queue
      where deadline < now() and stop_reason is null`.execute(db);
    return rows.map((row) => ({ runId: row.run_id, organizationId: row.organization_id }));
  },
  admit: (choose) =>
    db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(${ADMISSION_LOCK})`.execute(trx);
      const view = await readView(trx);
      const chosen = (await choose(view)).map((one) => one.executionId);
      if (chosen.length === 0) return [];
      const { rows } = await sql<DispatchRow>`
        update dispatch_queue set state = 'admitted', offers = offers + 1, offered_at = now()
        where execution_id = any(${chosen}::uuid[]) and state = 'queued'
        returning ${COLUMNS}`.execute(trx);
      return rows.map(toDispatch);
    }),
  mayAdmit: async () => {
    const { rows } = await sql<{ may: boolean }>`
      select exists (
        select from dispatch_queue where state = 'queued' and target = 'cloud'
      ) and ${SLOTS} > (
        select count(*) from dispatch_queue where state in ('admitted', 'claimed') and target = 'cloud'
      ) as may`.execute(db);
    return rows[0]?.may ?? false;
  },
  keepOffer: async (executionId) => {
    await sql`
      update dispatch_queue set offered_at = now()
      where execution_id = ${executionId} and state = 'admitted'`.execute(db);
  },
  reoffer: async (afterSeconds) => {
    const { rows } = await sql<DispatchRow>`
      update dispatch_queue set offers = offers + 1, offered_at = now()
      where state = 'admitted'
        and (${afterSeconds === 0} or offered_at <= now() - make_interval(secs => ${afterSeconds}))
      returning ${COLUMNS}`.execute(db);
    return rows.map(toDispatch);
  },
  listForAgents: async (organizationId, browsers, limit) => {
    const { rows } = await sql<DispatchRow>`
      select ${COLUMNS} from dispatch_queue
      where state = 'queued' and target = 'agent' and organization_id = ${organizationId}
        and browsers <@ ${[...browsers]}::text[]
      order by ordinal limit ${limit}`.execute(db);
    return rows.map(toDispatch);
  },
  countOf: async (organizationId) => {
    const { rows } = await sql<{ waiting: number; running: number }>`
      select (count(*) filter (where state <> 'claimed'))::integer as waiting,
        (count(*) filter (where state = 'claimed'))::integer as running
      from dispatch_queue where organization_id = ${organizationId}`.execute(db);
    return rows[0] ?? { waiting: 0, running: 0 };
  },
  listClaimedWithoutLease: async (afterSeconds) => {
    const { rows } = await sql<DispatchRow>`
      select ${COLUMNS} from dispatch_queue as q
      where state = 'claimed' and claimed_at < now() - make_interval(secs => ${afterSeconds})
        and not exists (
          select 1 from execution_leases as l
          where l.execution_id = q.execution_id and l.delivery = q.delivery
        )`.execute(db);
    return rows.map(toDispatch);
  },
  countWaiting: async () => {
    const { rows } = await sql<{ count: number; oldest: number | null }>`
      select count(*)::integer as count,
        extract(epoch from now() - min(queued_at))::double precision as oldest
      from dispatch_queue where state = 'queued' and target = 'cloud'`.execute(db);
    return { count: rows[0]?.count ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 };
  },
});

const COLUMNS = sql.raw(
  "execution_id, organization_id, run_id, quota_period, delivery, offers, ever_claimed",
);

type DispatchRow = {
  execution_id: string;
  organization_id: string;
  run_id: string;
  quota_period: string;
  delivery: number;
  offers: number;
  ever_claimed: boolean;
};

const toDispatch = (row: DispatchRow): Dispatch => ({
  executionId: row.execution_id,
  organizationId: row.organization_id,
  runId: row.run_id,
  quotaPeriod: row.quota_period,
  delivery: row.delivery,
  offers: row.offers,
  everClaimed: row.ever_claimed,
});

type ViewRow = {
  active: readonly { organization_id: string; count: number }[];
  free: number;
  waiting: readonly DispatchRow[];
};

/** In one statement: somebody waits for it. */
const readView = async (db: Database["db"]): Promise<AdmissionView> => {
  // No organisation can be given more than all free slots: the rest of a long queue need not be read.
  const { rows } = await sql<ViewRow>`
    with active as (
      select organization_id, count(*)::integer as count from dispatch_queue
      where state in ('admitted', 'claimed') and target = 'cloud' group by organization_id
    ), free as (
      select greatest(0, ${SLOTS} - (select coalesce(sum(count), 0) from active))::integer as slots
    ), waiting as (
      select ${COLUMNS}, ordinal from (
        select *, row_number() over (partition by organization_id order by ordinal) as place
        from dispatch_queue where state = 'queued' and target = 'cloud'
      ) as ranked
      where place <= (select slots from free)
    )
    select
      (select coalesce(json_agg(active), '[]') from active) as active,
      (select slots from free) as free,
      (select coalesce(json_agg(waiting order by ordinal), '[]') from waiting) as waiting`.execute(
    db,
  );
  const view = rows[0] ?? { active: [], free: 0, waiting: [] };
  return {
    waiting: view.waiting.map(toDispatch),
    active: new Map(view.active.map((row) => [row.organization_id, row.count])),
    freeSlots: view.free,
  };
};
