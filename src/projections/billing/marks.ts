import type { Kysely } from "kysely";
import type { HistoryPosition } from "../../domain/billing/planLines.ts";
import type { Bounds, Mark } from "../../domain/billing/planMarks.ts";
import { currentPlan } from "../../domain/billing/planState.ts";
import {
  addPlanColumns,
  columnsOfPlan,
  type PlanColumns,
  planColumnNames,
  planOfColumns,
} from "./planColumns.ts";

export type PlanMarksTables = {
  /** Checkpoints of plans' histories: the plan after `sequence` lines, and the bounds of the lines since the previous mark. */
  plan_marks: PlanColumns & {
    organization_id: string;
    sequence: number;
    hash: string;
    occurred_from: string;
    occurred_to: string;
    recorded_from: string;
    recorded_to: string;
  };
};

export const createPlanMarks = (db: Kysely<unknown>): Promise<void> =>
  addPlanColumns(
    db.schema
      .createTable("plan_marks")
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("sequence", "integer", (c) => c.notNull())
      .addColumn("hash", "text", (c) => c.notNull())
      .addColumn("occurred_from", "timestamptz", (c) => c.notNull())
      .addColumn("occurred_to", "timestamptz", (c) => c.notNull())
      .addColumn("recorded_from", "timestamptz", (c) => c.notNull())
      .addColumn("recorded_to", "timestamptz", (c) => c.notNull()),
  )
    .addPrimaryKeyConstraint("plan_marks_pkey", ["organization_id", "sequence"])
    .execute();

export const rowOfMark = (
  organizationId: string,
  { reached, bounds }: Mark,
): PlanMarksTables["plan_marks"] => ({
  organization_id: organizationId,
  sequence: reached.sequence,
  hash: reached.hash ?? "",
  occurred_from: bounds.occurredFrom,
  occurred_to: bounds.occurredTo,
  recorded_from: bounds.recordedFrom,
  recorded_to: bounds.recordedTo,
  ...columnsOfPlan(currentPlan(reached.state)),
});

/** The marks of plans' histories. Marks of the newest lines may be missing. */
export type PlanMarks = {
  /** The bounds of the lines before each mark, in order. */
  boundsOf(organizationId: string): Promise<readonly Bounds[]>;
  /** The positions of the requested marks that exist, by sequence. */
  reachedAt(
    organizationId: string,
    sequences: readonly number[],
  ): Promise<ReadonlyMap<number, HistoryPosition>>;
};

/** Reads marks from the read model. */
export const planMarks = (db: Kysely<PlanMarksTables>): PlanMarks => ({
  boundsOf: async (organizationId) => {
    const rows = await db
      .selectFrom("plan_marks")
      .select(["occurred_from", "occurred_to", "recorded_from", "recorded_to"])
      .where("organization_id", "=", organizationId)
      .orderBy("sequence")
      .execute();
    return rows.map((row) => ({
      occurredFrom: row.occurred_from,
      occurredTo: row.occurred_to,
      recordedFrom: row.recorded_from,
      recordedTo: row.recorded_to,
    }));
  },
  reachedAt: async (organizationId, sequences) => {
    if (sequences.length === 0) return new Map();
    const rows = await db
      .selectFrom("plan_marks")
      .select(["sequence", "hash", ...planColumnNames])
      .where("organization_id", "=", organizationId)
      .where("sequence", "in", sequences)
      .execute();
    return new Map(
      rows.map((row) => {
        const { sequence, hash } = row;
        return [sequence, { sequence, hash, state: planOfColumns(row) }];
      }),
    );
  },
});
