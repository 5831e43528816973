import { sql } from "kysely";
import type { Actor } from "../../domain/kernel/events.ts";
import { type Trigger, triggeredBy } from "../runs/triggeredBy.ts";
import type { DashboardDb, DashboardScope } from "./scope.ts";

export type ActivityLine = {
  readonly at: string;
  readonly event: string;
  readonly by: string;
  readonly run: { readonly id: string; readonly status: string } | null;
  readonly test: { readonly id: string; readonly name: string } | null;
};

type ActivityRow = {
  readonly at: string;
  readonly event: string;
  readonly actor: Actor;
  readonly run_id: string | null;
  readonly run_status: string | null;
  readonly run_actor_type: Trigger["type"] | null;
  readonly run_actor_id: string | null;
  readonly run_actor_name: string | null;
  readonly test_id: string | null;
  readonly test_name: string | null;
};

const MAX_LINES = 20;
/** Lines of the organisation to search for those of a project. */
const MAX_SEARCHED = 500;

/** The latest activity on tests and runs, newest first. */
export const activityOf = async (
  db: DashboardDb,
  scope: DashboardScope,
): Promise<ActivityLine[]> => {
  const { rows } = await sql<ActivityRow>`
    select a.at, a.event, a.actor, a.run_id, r.status as run_status,
      r.actor_type as run_actor_type, r.actor_id as run_actor_id, r.actor_name as run_actor_name,
      a.test_id, coalesce(t.name, i.name) as test_name
    from (
      select * from dashboard_activity where organization_id = ${scope.organizationId}
      order by position desc limit ${scope.projectId === null ? MAX_LINES : MAX_SEARCHED}
    ) as a
    left join runs as r on r.id = a.run_id
    left join tests as t on t.id = a.test_id
    left join imported_tests as i on i.id = a.test_id
    where ${
      scope.projectId === null
        ? sql`true`
        : sql`coalesce(r.project_id, t.project_id, i.project_id) = ${scope.projectId}`
    }
    order by a.position desc limit ${MAX_LINES}`.execute(db);
  // A run shows who requested it, an imported run who imported it.
  const triggers = rows.map((row): Trigger => {
    const { run_actor_type: type, run_actor_id: id, run_actor_name: name } = row;
    if (type === null || type === "import" || id === null) return row.actor;
    return { type, id, ...(name === null ? {} : { name }) };
  });
  const name = await triggeredBy(db, triggers);
  return rows.map((row, index) => ({
    at: row.at,
    event: row.event,
    by: name(triggers[index] ?? row.actor),
    run: row.run_id === null ? null : { id: row.run_id, status: row.run_status ?? "unknown" },
    test: row.test_id === null ? null : { id: row.test_id, name: row.test_name ?? row.test_id },
  }));
};
