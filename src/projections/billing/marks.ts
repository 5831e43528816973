import type { Kysely } from "kysely";
import type { HistoryPosition } from "../../domain/billing/planLines.ts";
import type { Bounds, Mark } from "../../domain/billing/planMarks.ts";
import { currentPlan } from "../../domain/billing/planState.ts";
import { packed, type StoredPlan, unpacked } from "./state.ts";

export type PlanMarksTables = {
  plan_marks: {
    organization_id: string;
    /** After how many lines of the history. */
    sequence: number;
    hash: string;
    bounds: Bounds;
    state: StoredPlan;
  };
};

/** Where a plan's history stands after every so many lines. */
export const createPlanMarks = (db: Kysely<unknown>): Promise<void> =>
  db.schema
    .createTable("plan_marks")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("sequence", "integer", (c) => c.notNull())
    .addColumn("hash", "text", (c) => c.notNull())
    .addColumn("bounds", "jsonb", (c) => c.notNull())
    .addColumn("state", "jsonb", (c) => c.notNull())
    .addPrimaryKeyConstraint("plan_marks_pkey", ["organization_id", "sequence"])
    .execute();

/** A mark as a row keeps it. */
export const markRow = (
  organizationId: string,
  { reached, bounds }: Mark,
): PlanMarksTables["plan_marks"] => ({
  organization_id: organizationId,
  sequence: reached.sequence,
  hash: reached.hash ?? "",
  bounds,
  state: packed(currentPlan(reached.state)),
});

/** The marks in plans' histories. Those of the newest lines may not be there yet. */
export type PlanMarks = {
  /** The bounds between one mark and the next, from the first on. */
  boundsOf(organizationId: string): Promise<readonly Bounds[]>;
  /** Where it stands after so many lines, by their number; of the marks asked for, those that are there. */
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
      .select("bounds")
      .where("organization_id", "=", organizationId)
      .orderBy("sequence")
      .execute();
    return rows.map(({ bounds }) => bounds);
  },
  reachedAt: async (organizationId, sequences) => {
    if (sequences.length === 0) return new Map();
    const rows = await db
      .selectFrom("plan_marks")
      .select(["sequence", "hash", "state"])
      .where("organization_id", "=", organizationId)
      .where("sequence", "in", sequences)
      .execute();
    return new Map(
      rows.map(({ sequence, hash, state }) => [
        sequence,
        { sequence, hash, state: unpacked(state) },
      ]),
    );
  },
});
