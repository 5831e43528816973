import { sql } from "kysely";
import type { Database } from "../../platform/database/database.ts";
import { EXECUTOR_DEAD_AFTER_SECONDS } from "./executorSlots.ts";

/** An execution that waits for a worker or has one. Its row is deleted when it finishes. */
export type Dispatch = {
  readonly executionId: string;
  readonly organizationId: string;
  readonly runId: string;
  readonly quotaPeriod: string;
  /** Number of the current or next delivery, from 1. */
  readonly delivery: number;
  /** Number of times this delivery was published to the work queue. */
  readonly offers: number;
  /** A worker has claimed it at least once, so that its quota is used. */
  readonly everClaimed: boolean;
};

/** A new execution for the queue. `deadline`: the time limit of its run (ISO 8601), or null. */
export type NewDispatch = Omit<Dispatch, "delivery" | "offers" | "everClaimed"> & {
  readonly deadline: string | null;
  /** `agent`: only agents of the organisation with these browsers run it; it is never admitted. */
  readonly target: "cloud" | "agent";
  readonly browsers: readonly string[];
};

/** `asked`: a person stopped it. `overdue`: its run exceeded the time limit. */
export type StopReason = "asked" | "overdue";

/** The data that an admission is decided on. `waiting` is in the order of arrival. */
export type AdmissionView = {
  readonly waiting: readonly Dispatch[];
  /** Number of admitted and claimed executions by organisation. */
  readonly active: ReadonlyMap<string, number>;
  /** Number of executions that may be admitted: free slots plus one prefetched offer per executor. */
  readonly freeSlots: number;
};

export type DispatchQueue = ReturnType<typeof dispatchQueue>;

/** Number of executions admitted for each executor beyond its slots, so that a freed slot has its next test at once. */
const AHEAD = 1;

/** Maximum number of admitted and claimed executions. */
const SLOTS = sql`(
  select coalesce(sum(slots + ${sql.lit(AHEAD)}), 0) from executor_slots
  where seen_at > now() - make_interval(secs => ${sql.lit(EXECUTOR_DEAD_AFTER_SECONDS)})
)`;

/** The advisory lock of admissions. Any number that is equal in every process. */
const ADMISSION_LOCK = 7_201_020;

/**
 * The table of executions that wait for a worker or have one. Changes caused by an event pass its position, so that a
 * repeated event changes nothing.
 */
export const dispatchQueue = (db: Database["db"]) => ({
  add: add.bind(null, db),
  markClaimed: markClaimed.bind(null, db),
  requeue: requeue.bind(null, db),
  find: find.bind(null, db),
  remove: remove.bind(null, db),
  removeClaimed: removeClaimed.bind(null, db),
  markToStop: markToStop.bind(null, db),
  listToStop: listToStop.bind(null, db),
  listOverdueRuns: listOverdueRuns.bind(null, db),
  admit: admit.bind(null, db),
  mayAdmit: mayAdmit.bind(null, db),
  keepOffer: keepOffer.bind(null, db),
  reoffer: reoffer.bind(null, db),
  listForAgents: listForAgents.bind(null, db),
  countOf: countOf.bind(null, db),
  listClaimedWithoutLease: listClaimedWithoutLease.bind(null, db),
  countWaiting: countWaiting.bind(null, db),
});

const add = async (
  db: Database["db"],
  dispatches: readonly NewDispatch[],
  position: bigint,
): Promise<void> => {
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
};

const markClaimed = async (
  db: Database["db"],
  executionId: string,
  delivery: number,
  position: bigint,
): Promise<void> => {
  await sql`
    update dispatch_queue
    set state = 'claimed', ever_claimed = true, claimed_at = now(), delivery = ${delivery}, position = ${position}
    where execution_id = ${executionId} and position < ${position}`.execute(db);
};

/** Returns a claimed execution to the queue. Its next delivery has the number `delivery`. */
const requeue = async (
  db: Database["db"],
  executionId: string,
  delivery: number,
  position: bigint,
): Promise<void> => {
  await sql`
    update dispatch_queue
    set state = 'queued', claimed_at = null, position = ${position},
      offers = case when delivery = ${delivery} then offers else 0 end, delivery = ${delivery}
    where execution_id = ${executionId} and position < ${position}`.execute(db);
};

const find = async (db: Database["db"], executionId: string): Promise<Dispatch | null> => {
  const { rows } = await sql<DispatchRow>`
    select ${COLUMNS} from dispatch_queue where execution_id = ${executionId}`.execute(db);
  return rows[0] ? toDispatch(rows[0]) : null;
};

const remove = async (db: Database["db"], executionId: string): Promise<void> => {
  await db.deleteFrom("dispatch_queue").where("execution_id", "=", executionId).execute();
};

/** Removes the execution if a worker has ever claimed it. Resolves with true if it did. */
const removeClaimed = async (db: Database["db"], executionId: string): Promise<boolean> => {
  const { rows } = await sql`
    delete from dispatch_queue where execution_id = ${executionId} and ever_claimed
    returning execution_id`.execute(db);
  return rows.length > 0;
};

/** Asks the worker of an execution to stop it. The first reason is kept. */
const markToStop = async (
  db: Database["db"],
  executionId: string,
  reason: StopReason,
): Promise<void> => {
  await sql`
    update dispatch_queue set stop_reason = coalesce(stop_reason, ${reason})
    where execution_id = ${executionId}`.execute(db);
};

/** The executions among these that their workers shall stop. */
const listToStop = async (
  db: Database["db"],
  executionIds: readonly string[],
): Promise<readonly { readonly executionId: string; readonly reason: StopReason }[]> => {
  const { rows } = await sql<{ execution_id: string; stop_reason: StopReason }>`
    select execution_id, stop_reason from dispatch_queue
    where execution_id = any(${[...executionIds]}::uuid[]) and stop_reason is not null`.execute(db);
  return rows.map((row) => ({ executionId: row.execution_id, reason: row.stop_reason }));
};

/** Runs that exceeded their time limit and have no stop reason yet. */
const listOverdueRuns = async (
  db: Database["db"],
): Promise<readonly { readonly runId: string; readonly organizationId: string }[]> => {
  const { rows } = await sql<{ run_id: string; organization_id: string }>`
    select distinct run_id, organization_id from dispatch_queue
    where deadline < now() and stop_reason is null`.execute(db);
  return rows.map((row) => ({ runId: row.run_id, organizationId: row.organization_id }));
};

/**
 * Admits the executions that `choose` returns, in one transaction. An advisory lock serializes admissions across
 * processes. Resolves with the admitted executions; their offers are counted.
 */
const admit = (
  db: Database["db"],
  choose: (view: AdmissionView) => readonly Dispatch[] | Promise<readonly Dispatch[]>,
): Promise<readonly Dispatch[]> =>
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
  });

/** Whether an execution waits and a slot is free. Takes no lock, so that frequent checks are cheap. */
const mayAdmit = async (db: Database["db"]): Promise<boolean> => {
  const { rows } = await sql<{ may: boolean }>`
    select exists (
      select from dispatch_queue where state = 'queued' and target = 'cloud'
    ) and ${SLOTS} > (
      select count(*) from dispatch_queue where state in ('admitted', 'claimed') and target = 'cloud'
    ) as may`.execute(db);
  return rows[0]?.may ?? false;
};

/** Keeps an offer alive: a worker has received it and waits for a free slot. */
const keepOffer = async (db: Database["db"], executionId: string): Promise<void> => {
  await sql`
    update dispatch_queue set offered_at = now()
    where execution_id = ${executionId} and state = 'admitted'`.execute(db);
};

/**
 * Counts another offer for every admitted execution that no worker has claimed within `afterSeconds`, and resolves with
 * these executions. 0 selects all of them, even if another clock that was ahead offered them.
 */
const reoffer = async (db: Database["db"], afterSeconds: number): Promise<readonly Dispatch[]> => {
  const { rows } = await sql<DispatchRow>`
    update dispatch_queue set offers = offers + 1, offered_at = now()
    where state = 'admitted'
      and (${afterSeconds === 0} or offered_at <= now() - make_interval(secs => ${afterSeconds}))
    returning ${COLUMNS}`.execute(db);
  return rows.map(toDispatch);
};

/** The executions that wait for an agent of the organisation with these browsers, oldest first. */
const listForAgents = async (
  db: Database["db"],
  organizationId: string,
  browsers: readonly string[],
  limit: number,
): Promise<readonly Dispatch[]> => {
  const { rows } = await sql<DispatchRow>`
    select ${COLUMNS} from dispatch_queue
    where state = 'queued' and target = 'agent' and organization_id = ${organizationId}
      and browsers <@ ${[...browsers]}::text[]
    order by ordinal limit ${limit}`.execute(db);
  return rows.map(toDispatch);
};

/** Number of waiting and of claimed executions of an organisation. */
const countOf = async (
  db: Database["db"],
  organizationId: string,
): Promise<{ readonly waiting: number; readonly running: number }> => {
  const { rows } = await sql<{ waiting: number; running: number }>`
    select (count(*) filter (where state <> 'claimed'))::integer as waiting,
      (count(*) filter (where state = 'claimed'))::integer as running
    from dispatch_queue where organization_id = ${organizationId}`.execute(db);
  return rows[0] ?? { waiting: 0, running: 0 };
};

/** Executions claimed at least `afterSeconds` ago without a lease: their workers died between two writes. */
const listClaimedWithoutLease = async (
  db: Database["db"],
  afterSeconds: number,
): Promise<readonly Dispatch[]> => {
  const { rows } = await sql<DispatchRow>`
    select ${COLUMNS} from dispatch_queue as q
    where state = 'claimed' and claimed_at < now() - make_interval(secs => ${afterSeconds})
      and not exists (
        select 1 from execution_leases as l
        where l.execution_id = q.execution_id and l.delivery = q.delivery
      )`.execute(db);
  return rows.map(toDispatch);
};

/** Number of waiting executions, and the age of the oldest in seconds. */
const countWaiting = async (
  db: Database["db"],
): Promise<{ readonly count: number; readonly oldestSeconds: number }> => {
  const { rows } = await sql<{ count: number; oldest: number | null }>`
    select count(*)::integer as count,
      extract(epoch from now() - min(queued_at))::double precision as oldest
    from dispatch_queue where state = 'queued' and target = 'cloud'`.execute(db);
  return { count: rows[0]?.count ?? 0, oldestSeconds: rows[0]?.oldest ?? 0 };
};

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

/** Reads the view in one statement, because the lock is held meanwhile. */
const readView = async (db: Database["db"]): Promise<AdmissionView> => {
  // An organisation gets at most all free slots, so the rest of a long queue is not read.
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
