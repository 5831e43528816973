import { type Kysely, sql } from "kysely";
import { noReservations, type Reservations } from "../../../domain/runs/reservations.ts";
import type { ExecutionTables } from "./tables.ts";

type Db = Kysely<ExecutionTables>;

/** Restricts rows `s` of steps to those of the last attempt. */
const ofLastAttempt = sql`s.attempt = (
  select max(a.attempt) from execution_attempts as a where a.execution_id = s.execution_id)`;

/** The gaps and healed steps of executions, by step. Executions without any have no entry. */
export const reservationsOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, Reservations>> => {
  if (ids.length === 0) return new Map();
  const of = sql`s.execution_id = any(${[...ids]}::uuid[]) and ${ofLastAttempt}
    order by s.number, s.browser`;
  const gaps = await sql<{ execution_id: string } & Reservations["gaps"][number]>`
    select s.execution_id, s.browser, s.number as step, coalesce(s.reason, '') as reason
    from execution_steps as s where s.is_gap and ${of}`.execute(db);
  const healed = await sql<{ execution_id: string } & Reservations["healed"][number]>`
    select s.execution_id, s.browser, s.number as step, s.target, s.healed_target
    from healed_steps as s where ${of}`.execute(db);
  const found = new Map<string, Reservations>();
  const known = (id: string): Reservations => found.get(id) ?? noReservations;
  for (const { execution_id: id, ...gap } of gaps.rows) {
    found.set(id, { ...known(id), gaps: [...known(id).gaps, gap] });
  }
  for (const { execution_id: id, ...one } of healed.rows) {
    found.set(id, { ...known(id), healed: [...known(id).healed, one] });
  }
  return found;
};

/** The number of passed tests of a run with a reservation of each kind. */
export type ReservationCounts = { readonly gaps: number; readonly healed: number };

/** Counts of runs. Tests in quarantine do not count. Runs without any have no entry. */
export const reservationCountsOf = async (
  db: Db,
  runIds: readonly string[],
): Promise<ReadonlyMap<string, ReservationCounts>> => {
  if (runIds.length === 0) return new Map();
  const { rows } = await sql<{ run_id: string; gaps: number; healed: number }>`
    with passed as (
      select id, run_id,
        exists (select 1 from execution_steps as s
          where s.execution_id = id and s.is_gap and ${ofLastAttempt}) as has_gap,
        exists (select 1 from healed_steps as s
          where s.execution_id = id and ${ofLastAttempt}) as is_healed
      from executions
      where run_id = any(${[...runIds]}::uuid[]) and status in ('passed', 'flaky')
        and quarantined_until is null
    )
    select run_id, (count(*) filter (where has_gap))::int as gaps,
      (count(*) filter (where is_healed))::int as healed
    from passed where has_gap or is_healed group by run_id`.execute(db);
  return new Map(rows.map(({ run_id, gaps, healed }) => [run_id, { gaps, healed }]));
};
