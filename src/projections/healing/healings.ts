import type { ExpressionBuilder, Kysely } from "kysely";
import type { TestEvent } from "../../domain/catalogue/tests/events.ts";
import { testDecider } from "../../domain/catalogue/tests/test.ts";
import type { HealedFacts } from "../../domain/healing/healing.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import type { Database } from "../../platform/database/database.ts";
import { defineProjection } from "../kernel/projection.ts";

export type HealingTables = {
  healings: {
    /** Id of the first event that reported it. */
    id: string;
    organization_id: string;
    /** The executed test. */
    test_id: string;
    /** The test that contains the step; differs if it was called by another test. */
    step_test_id: string;
    step_id: string;
    status: "proposed" | "accepted" | "rejected";
    target: string;
    healed_target: string;
    score: number;
    runner_up: number | null;
    changes: unknown;
    /** The last execution that used it, and the number of executions. */
    execution_id: string;
    step_number: number;
    browser: string;
    times: number;
    healed_at: string;
    last_healed_at: string;
    decided_at: string | null;
  };
};

/** Healings, one for each step and new target. */
export const healingsProjection = defineProjection<HealingTables, ExecutionEvent | TestEvent>({
  name: "healings",
  version: 2,
  tables: ["healings"],
  create: async (db) => {
    await db.schema
      .createTable("healings")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("test_id", "uuid", (c) => c.notNull())
      .addColumn("step_test_id", "uuid", (c) => c.notNull())
      .addColumn("step_id", "uuid", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull())
      .addColumn("target", "text", (c) => c.notNull())
      .addColumn("healed_target", "text", (c) => c.notNull())
      .addColumn("score", "double precision", (c) => c.notNull())
      .addColumn("runner_up", "double precision")
      .addColumn("changes", "jsonb", (c) => c.notNull())
      .addColumn("execution_id", "uuid", (c) => c.notNull())
      .addColumn("step_number", "integer", (c) => c.notNull())
      .addColumn("browser", "text", (c) => c.notNull())
      .addColumn("times", "integer", (c) => c.notNull())
      .addColumn("healed_at", "timestamptz", (c) => c.notNull())
      .addColumn("last_healed_at", "timestamptz", (c) => c.notNull())
      .addColumn("decided_at", "timestamptz")
      .execute();
    await db.schema
      .createIndex("healings_by_test")
      .on("healings")
      .columns(["test_id", "id"])
      .execute();
    await db.schema
      .createIndex("healings_by_step_test")
      .on("healings")
      .columns(["step_test_id", "id"])
      .execute();
  },
  codecs: [executionDecider.codec, testDecider.codec],
  // After a decision, the same healing becomes a new proposal.
  ordersTheLog: true,
  on: {
    LocatorHealed: async (db, { data, metadata, stream, id }) => {
      const seen = {
        score: data.score,
        runner_up: data.runnerUp,
        changes: JSON.stringify(data.changes),
        execution_id: stream.slice(stream.indexOf("-") + 1),
        step_number: data.number,
        browser: data.browser,
        last_healed_at: metadata.occurred_at,
      };
      const again = await db
        .updateTable("healings")
        .set((eb) => ({ ...seen, times: eb("times", "+", 1) }))
        .where("test_id", "=", data.testId)
        .where("step_id", "=", data.stepId)
        .where("target", "=", data.target)
        .where("healed_target", "=", data.healedTarget)
        .where("status", "=", "proposed")
        .executeTakeFirst();
      if (again.numUpdatedRows > 0n) return;
      await db
        .insertInto("healings")
        .values({
          id,
          organization_id: metadata.organization_id ?? "",
          test_id: data.testId,
          step_test_id: data.stepTestId ?? data.testId,
          step_id: data.stepId,
          status: "proposed",
          target: data.target,
          healed_target: data.healedTarget,
          times: 1,
          healed_at: metadata.occurred_at,
          decided_at: null,
          ...seen,
        })
        .execute();
    },
    HealingAccepted: async (db, { data, metadata }) => {
      await decide(db, data.healingId, "accepted", metadata.occurred_at);
    },
    HealingRejected: async (db, { data, metadata }) => {
      await decide(db, data.healingId, "rejected", metadata.occurred_at);
    },
  },
});

const decide = async (
  db: Kysely<HealingTables>,
  id: string,
  status: "accepted" | "rejected",
  at: string,
): Promise<void> => {
  await db.updateTable("healings").set({ status, decided_at: at }).where("id", "=", id).execute();
};

/** A proposal to replace the target of a step. */
export type HealingRow = Omit<HealingTables["healings"], "changes"> & {
  readonly changes: HealedFacts["changes"];
};

export type HealingQueries = ReturnType<typeof healingQueries>;

/** Matches executed tests and called tests. */
const isOf = (testId: string) => (eb: ExpressionBuilder<HealingTables, "healings">) =>
  eb.or([eb("test_id", "=", testId), eb("step_test_id", "=", testId)]);

/** These queries do not check permissions: the caller looks up the test first. */
export const healingQueries = (database: Database["db"]) => {
  const db: Kysely<HealingTables> = database;
  return {
    /** The healings of a test, newest first after `cursor`, up to `limit + 1`. Includes steps of the tests that it calls, and its own steps in tests that call it. */
    healingsOf: async (
      testId: string,
      page: { readonly limit: number; readonly cursor?: string | undefined },
    ): Promise<HealingRow[]> => {
      const rows = await db
        .selectFrom("healings")
        .selectAll()
        .where(isOf(testId))
        .$if(page.cursor !== undefined, (q) => q.where("id", "<", page.cursor ?? ""))
        .orderBy("id", "desc")
        .limit(page.limit + 1)
        .execute();
      return rows as HealingRow[];
    },

    findHealing: async (testId: string, id: string): Promise<HealingRow | null> => {
      const row = await db
        .selectFrom("healings")
        .selectAll()
        .where(isOf(testId))
        .where("id", "=", id)
        .executeTakeFirst();
      return (row as HealingRow | undefined) ?? null;
    },

    /** Targets that somebody said are not the element of a step, by step; also of the steps of tests that it calls. */
    rejectedTargets: async (testId: string): Promise<ReadonlyMap<string, readonly string[]>> => {
      const rows = await db
        .selectFrom("healings")
        .select(["step_id", "healed_target"])
        .where(isOf(testId))
        .where("status", "=", "rejected")
        .execute();
      const byStep = new Map<string, string[]>();
      for (const { step_id, healed_target } of rows) {
        byStep.set(step_id, [...(byStep.get(step_id) ?? []), healed_target]);
      }
      return byStep;
    },
  };
};
