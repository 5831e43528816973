import { type Kysely, sql } from "kysely";
import type { ExecutionTables } from "./tables.ts";

type Db = Kysely<ExecutionTables>;

/** Rows by the execution that they belong to. */
type ByExecution<Row> = ReadonlyMap<string, readonly Row[]>;

const byExecution = <Row extends { readonly execution_id: string }>(
  rows: readonly Row[],
): ByExecution<Row> => {
  const grouped = new Map<string, Row[]>();
  for (const row of rows) {
    const known = grouped.get(row.execution_id);
    if (known) known.push(row);
    else grouped.set(row.execution_id, [row]);
  }
  return grouped;
};

/** `execution_id = any(…)`: one parameter, however many executions a run has. */
const ofExecutions = (ids: readonly string[]) =>
  sql<boolean>`execution_id = any(${[...ids]}::uuid[])`;

type PartStatus = ExecutionTables["execution_browsers"]["status"] | "cancelled";

/** The status of a part of an execution: a part that was running when its execution ended has ended with it. */
export const partStatus = (
  execution: Pick<ExecutionTables["executions"], "status" | "finished_at">,
  status: ExecutionTables["execution_browsers"]["status"],
): PartStatus => {
  if (status !== "running" || execution.finished_at === null) return status;
  return execution.status === "cancelled" ? "cancelled" : "errored";
};

/** Attempts of executions, in order. */
export const attemptsOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ByExecution<ExecutionTables["execution_attempts"]>> =>
  byExecution(
    await db
      .selectFrom("execution_attempts")
      .selectAll()
      .where(ofExecutions(ids))
      .orderBy("attempt")
      .execute(),
  );

/** The verdict of each browser, by attempt and name. */
export const browsersOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ByExecution<ExecutionTables["execution_browsers"]>> =>
  byExecution(
    await db
      .selectFrom("execution_browsers")
      .selectAll()
      .where(ofExecutions(ids))
      .orderBy("attempt")
      .orderBy("browser")
      .execute(),
  );

/** Steps that were begun, in order. */
export const stepsOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ByExecution<ExecutionTables["execution_steps"]>> =>
  byExecution(
    await db
      .selectFrom("execution_steps")
      .selectAll()
      .where(ofExecutions(ids))
      .orderBy("attempt")
      .orderBy("browser")
      .orderBy("number")
      .execute(),
  );

/** Steps that went on with another element. */
export const healedStepsOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ByExecution<ExecutionTables["healed_steps"]>> =>
  byExecution(await db.selectFrom("healed_steps").selectAll().where(ofExecutions(ids)).execute());

/** How many steps each execution has behind it in its last attempt, over all its browsers. */
export const stepsDoneOf = async (
  db: Db,
  ids: readonly string[],
): Promise<ReadonlyMap<string, number>> => {
  const rows = await db
    .selectFrom("execution_steps")
    .select((eb) => ["execution_id", "attempt", eb.fn.countAll<bigint>().as("done")])
    .where(ofExecutions(ids))
    .where("status", "!=", "running")
    .groupBy(["execution_id", "attempt"])
    .orderBy("attempt")
    .execute();
  return new Map(rows.map(({ execution_id, done }) => [execution_id, Number(done)]));
};
