import type { Kysely } from "kysely";
import {
  type BaselineEvent,
  baselineDecider,
  type Place,
} from "../../domain/baselines/baseline.ts";
import type { VisualOutcome } from "../../domain/baselines/picture.ts";
import type { ExecutionEvent } from "../../domain/runs/executions/events.ts";
import { executionDecider } from "../../domain/runs/executions/execution.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

export type BaselineTables = {
  /** Tests with baselines or with settings for them. */
  baseline_tests: {
    test_id: string;
    organization_id: string;
    settings: unknown;
    updated_at: string;
    version: number;
  };
  baselines: {
    test_id: string;
    step_id: string;
    browser: string;
    viewport: string;
    /** A picture and the execution that took it. */
    approved: unknown;
    approved_at: string | null;
    /** The actor of the event. A person's name is joined when read. */
    approved_by: unknown;
    proposed: unknown;
    proposed_at: string | null;
  };
  /** Changes by people: approvals, removals and changes of settings. */
  baseline_changes: {
    /** Id of the event. */
    id: string;
    test_id: string;
    kind: "approved" | "removed" | "settings_changed";
    step_id: string | null;
    browser: string | null;
    viewport: string | null;
    /** The actor of the event. A person's name is joined when read. */
    actor: unknown;
    at: string;
  };
  /** Results of comparisons by delivery. Only the last delivery of an execution counts. */
  visual_comparisons: {
    execution_id: string;
    delivery: number;
    attempt: number;
    browser: string;
    step_number: number;
    run_id: string;
    test_id: string;
    step_id: string;
    viewport: string;
    outcome: VisualOutcome;
    pixels: number;
    ratio: number;
    size_differs: boolean;
    threshold: number;
    allowed: number;
    actual: unknown;
    baseline: unknown;
    diff_key: string | null;
    compared_at: string;
  };
};

const tables = ["baseline_tests", "baselines", "baseline_changes", "visual_comparisons"] as const;

const create = async (db: Kysely<unknown>): Promise<void> => {
  await createBaselines(db);
  await createChanges(db);
  await createComparisons(db);
};

const createBaselines = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("baseline_tests")
    .addColumn("test_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("settings", "jsonb")
    .addColumn("updated_at", "timestamptz", (c) => c.notNull())
    .addColumn("version", "integer", (c) => c.notNull())
    .execute();
  await db.schema
    .createTable("baselines")
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("step_id", "uuid", (c) => c.notNull())
    .addColumn("browser", "text", (c) => c.notNull())
    .addColumn("viewport", "text", (c) => c.notNull())
    .addColumn("approved", "jsonb")
    .addColumn("approved_at", "timestamptz")
    .addColumn("approved_by", "jsonb")
    .addColumn("proposed", "jsonb")
    .addColumn("proposed_at", "timestamptz")
    .addPrimaryKeyConstraint("baselines_pkey", ["test_id", "step_id", "browser", "viewport"])
    .execute();
};

const createChanges = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("baseline_changes")
    .addColumn("id", "uuid", (c) => c.primaryKey())
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("kind", "text", (c) => c.notNull())
    .addColumn("step_id", "uuid")
    .addColumn("browser", "text")
    .addColumn("viewport", "text")
    .addColumn("actor", "jsonb", (c) => c.notNull())
    .addColumn("at", "timestamptz", (c) => c.notNull())
    .execute();
  await db.schema
    .createIndex("baseline_changes_by_test")
    .on("baseline_changes")
    .columns(["test_id", "at"])
    .execute();
};

const createComparisons = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("visual_comparisons")
    .addColumn("execution_id", "uuid", (c) => c.notNull())
    .addColumn("delivery", "integer", (c) => c.notNull())
    .addColumn("attempt", "integer", (c) => c.notNull())
    .addColumn("browser", "text", (c) => c.notNull())
    .addColumn("step_number", "integer", (c) => c.notNull())
    .addColumn("run_id", "uuid", (c) => c.notNull())
    .addColumn("test_id", "uuid", (c) => c.notNull())
    .addColumn("step_id", "uuid", (c) => c.notNull())
    .addColumn("viewport", "text", (c) => c.notNull())
    .addColumn("outcome", "text", (c) => c.notNull())
    .addColumn("pixels", "integer", (c) => c.notNull())
    .addColumn("ratio", "double precision", (c) => c.notNull())
    .addColumn("size_differs", "boolean", (c) => c.notNull())
    .addColumn("threshold", "double precision", (c) => c.notNull())
    .addColumn("allowed", "integer", (c) => c.notNull())
    .addColumn("actual", "jsonb", (c) => c.notNull())
    .addColumn("baseline", "jsonb")
    .addColumn("diff_key", "text")
    .addColumn("compared_at", "timestamptz", (c) => c.notNull())
    .addPrimaryKeyConstraint("visual_comparisons_pkey", [
      "execution_id",
      "delivery",
      "attempt",
      "browser",
      "step_number",
    ])
    .execute();
  await db.schema
    .createIndex("visual_comparisons_by_run")
    .on("visual_comparisons")
    .column("run_id")
    .execute();
};

export const baselinesProjection = defineProjection<BaselineTables, BaselineEvent | ExecutionEvent>(
  {
    name: "baselines",
    version: 2,
    tables,
    create,
    codecs: [baselineDecider.codec, executionDecider.codec],
    on: {
      BaselineProposed: async (db, event) => {
        const { picture, executionId } = event.data;
        await setBaseline(db, event, {
          proposed: JSON.stringify({ picture, executionId }),
          proposed_at: event.metadata.occurred_at,
        });
      },
      BaselineApproved: async (db, event) => {
        const { picture, executionId } = event.data;
        await setBaseline(db, event, {
          approved: JSON.stringify({ picture, executionId }),
          approved_at: event.metadata.occurred_at,
          approved_by: JSON.stringify(event.metadata.actor),
          proposed: null,
          proposed_at: null,
        });
        await noteChange(db, event, "approved", event.data);
      },
      BaselineRejected: async (db, event) => {
        await setBaseline(db, event, { proposed: null, proposed_at: null });
      },
      BaselineRemoved: async (db, event) => {
        const { testId, stepId, browser, viewport } = event.data;
        await db
          .deleteFrom("baselines")
          .where("test_id", "=", testId)
          .where("step_id", "=", stepId)
          .where("browser", "=", browser)
          .where("viewport", "=", viewport)
          .execute();
        await touch(db, event, {});
        await noteChange(db, event, "removed", event.data);
      },
      BaselineSettingsChanged: async (db, event) => {
        await touch(db, event, { settings: JSON.stringify(event.data.settings) });
        await noteChange(db, event, "settings_changed", null);
      },
      VisualCompared: async (db, { data, stream, metadata }) => {
        await db
          .insertInto("visual_comparisons")
          .values({
            execution_id: stream.slice(stream.indexOf("-") + 1),
            delivery: data.delivery,
            attempt: data.attempt,
            browser: data.browser,
            step_number: data.number,
            run_id: data.runId,
            test_id: data.testId,
            step_id: data.stepId,
            viewport: data.viewport,
            outcome: data.outcome,
            pixels: data.pixels,
            ratio: data.ratio,
            size_differs: data.sizeDiffers,
            threshold: data.threshold,
            allowed: data.allowed,
            actual: JSON.stringify(data.actual),
            baseline: data.baseline && JSON.stringify(data.baseline),
            diff_key: data.diff,
            compared_at: metadata.occurred_at,
          })
          .onConflict((conflict) => conflict.doNothing())
          .execute();
      },
      EvidenceDeleted: async (db, { stream }) => {
        await db
          .updateTable("visual_comparisons")
          .set({ diff_key: null })
          .where("execution_id", "=", stream.slice(stream.indexOf("-") + 1))
          .execute();
      },
      VisualRejudged: async (db, { data, stream }) => {
        for (const judged of data.pictures) {
          await db
            .updateTable("visual_comparisons")
            .set({
              outcome: judged.outcome,
              pixels: judged.pixels,
              ratio: judged.ratio,
              size_differs: judged.sizeDiffers,
              threshold: data.settings.threshold,
              diff_key: judged.diff,
            })
            .where("execution_id", "=", stream.slice(stream.indexOf("-") + 1))
            .where("attempt", "=", judged.attempt)
            .where("browser", "=", judged.browser)
            .where("step_number", "=", judged.number)
            .execute();
        }
      },
    },
  },
);

type OnPlace = Recorded<
  Extract<BaselineEvent, { type: "BaselineProposed" | "BaselineApproved" | "BaselineRejected" }>
>;

const setBaseline = async (
  db: Kysely<BaselineTables>,
  event: OnPlace,
  values: Partial<BaselineTables["baselines"]>,
): Promise<void> => {
  const { testId, stepId, browser, viewport } = event.data;
  const nothing = {
    approved: null,
    approved_at: null,
    approved_by: null,
    proposed: null,
    proposed_at: null,
  };
  await db
    .insertInto("baselines")
    .values({ test_id: testId, step_id: stepId, browser, viewport, ...nothing, ...values })
    .onConflict((conflict) =>
      conflict.columns(["test_id", "step_id", "browser", "viewport"]).doUpdateSet(values),
    )
    .execute();
  await touch(db, event, {});
};

const noteChange = async (
  db: Kysely<BaselineTables>,
  { id, data, metadata }: Recorded<BaselineEvent>,
  kind: BaselineTables["baseline_changes"]["kind"],
  place: Place | null,
): Promise<void> => {
  await db
    .insertInto("baseline_changes")
    .values({
      id,
      test_id: data.testId,
      kind,
      step_id: place?.stepId ?? null,
      browser: place?.browser ?? null,
      viewport: place?.viewport ?? null,
      actor: JSON.stringify(metadata.actor),
      at: metadata.occurred_at,
    })
    .execute();
};

const touch = async (
  db: Kysely<BaselineTables>,
  event: Recorded<BaselineEvent>,
  values: { readonly settings?: string },
): Promise<void> => {
  const { testId } = event.data;
  const changed = {
    ...values,
    updated_at: event.metadata.occurred_at,
    version: Number(event.revision) + 1,
  };
  await db
    .insertInto("baseline_tests")
    .values({
      test_id: testId,
      organization_id: event.metadata.organization_id ?? "",
      settings: null,
      ...changed,
    })
    .onConflict((conflict) => conflict.column("test_id").doUpdateSet(changed))
    .execute();
};
