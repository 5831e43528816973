import { type Kysely, type SelectQueryBuilder, sql } from "kysely";
import type { PersonTables } from "../../stores/identity/persons.ts";
import { isId } from "../catalogue/testFilter.ts";
import { inOrder, type Page } from "../kernel/newestFirst.ts";
import type { ExecutionTables } from "./executions/tables.ts";
import type { RunTables } from "./runs.ts";

type Tables = RunTables & ExecutionTables & PersonTables;
type RunRows = SelectQueryBuilder<Tables, "runs", RunTables["runs"]>;

/** Conditions on runs. Absent ones do not apply; `until` is exclusive. */
export type RunFilter = {
  readonly status?: RunTables["runs"]["status"] | undefined;
  readonly triggeredBy?: string | undefined;
  /** Runs with an execution of this test. */
  readonly testId?: string | undefined;
  readonly testSetId?: string | undefined;
  /** Runs that were queued for the project, or execute a test of it. */
  readonly projectId?: string | undefined;
  /** Runs with a test that has the tag now: its name, ignoring case, or its id. */
  readonly tag?: string | undefined;
  readonly since?: string | undefined;
  readonly until?: string | undefined;
};

/** Runs of an organisation that match the filter, in order, after `cursor`: up to `limit`, plus one if there are more. */
export const selectRuns = (
  db: Kysely<Tables>,
  organizationId: string,
  page: Page,
  filter: RunFilter,
): RunRows => inOrder(matchingRuns(db, organizationId, filter), page);

/** The runs of an organisation that match the filter. */
export const matchingRuns = (
  db: Kysely<Tables>,
  organizationId: string,
  filter: RunFilter,
): RunRows => {
  const { status, testId, testSetId, projectId, tag, since, until } = filter;
  let runs = withTrigger(db.selectFrom("runs").selectAll("runs"), filter.triggeredBy).where(
    "organization_id",
    "=",
    organizationId,
  );
  if (status !== undefined) runs = runs.where("status", "=", status);
  if (testSetId !== undefined) runs = runs.where("test_set_id", "=", testSetId);
  if (projectId !== undefined) runs = runs.where(isOfProject(projectId));
  if (tag !== undefined) runs = runs.where(executesTest(sql`${taggedTests(organizationId, tag)}`));
  if (since !== undefined) runs = runs.where("queued_at", ">=", since);
  if (until !== undefined) runs = runs.where("queued_at", "<", until);
  return testId === undefined ? runs : runs.where(executesTest(sql`select ${testId}::uuid`));
};

/** Whether a row of `runs` belongs to a project: it was queued for it, or executes a test of it. */
export const isOfProject = (projectId: string) =>
  sql<boolean>`(runs.project_id = ${projectId}
    or ${executesTest(sql`select id from tests where project_id = ${projectId}`)})`;

/** Selects the ids of tests with a tag. */
export const taggedTests = (organizationId: string, tag: string) =>
  sql`select test_tags.test_id from test_tags join tags on tags.id = test_tags.tag_id
    where tags.organization_id = ${organizationId}
      and ${isId(tag) ? sql`tags.id = ${tag}` : sql`lower(tags.name) = ${tag.toLowerCase()}`}`;

const executesTest = (tests: ReturnType<typeof sql>) =>
  sql<boolean>`exists (
    select 1 from executions where executions.run_id = runs.id and executions.test_id in (${tests}))`;

/** Only runs triggered by `user:<e-mail address>`, `api:<key name>`, `schedule:<name>` or `import`. */
const withTrigger = (runs: RunRows, trigger: string | undefined): RunRows => {
  if (trigger === undefined) return runs;
  if (trigger === "import") return runs.where("actor_type", "=", "import");
  const [kind = "", ...rest] = trigger.split(":");
  const name = rest.join(":");
  if (kind !== "user") {
    return runs
      .where("actor_type", "=", kind === "api" ? "api_key" : kind)
      .where("actor_name", "=", name);
  }
  return runs.where("actor_type", "=", "user").where("actor_id", "in", (eb) =>
    eb
      .selectFrom("persons")
      .select((person) => person.cast<string>("persons.id", "text").as("id"))
      .where((person) => person(person.fn("lower", ["email"]), "=", name.toLowerCase())),
  );
};
