import { type Kysely, sql } from "kysely";
import type { EvidenceTables } from "../runs/evidence.ts";

/** Evidence that waits to be deleted, as the read model has it: whether it is due is decided by the log. */
export type Waiting = { readonly executionId: string; readonly organizationId: string };

type Page = { readonly limit: number; readonly after: string | null };

export type RetentionQueries = ReturnType<typeof retentionQueries>;

/** What whoever deletes evidence looks through. */
export const retentionQueries = (db: Kysely<EvidenceTables>) => {
  const waiting = (rows: { readonly execution_id: string; readonly organization_id: string }[]) =>
    rows.map(
      (row): Waiting => ({ executionId: row.execution_id, organizationId: row.organization_id }),
    );

  return {
    /** Evidence that has expired and is not deleted yet: somebody began, and was cut off. After an execution's id. */
    listBegun: async ({ limit, after }: Page): Promise<readonly Waiting[]> =>
      waiting(
        await db
          .selectFrom("execution_evidence")
          .select(["execution_id", "organization_id"])
          .where("begun_at", "is not", null)
          .$if(after !== null, (q) => q.where("execution_id", ">", after ?? ""))
          .orderBy("execution_id")
          .limit(limit)
          .execute(),
      ),

    /** Organisations that have evidence of an execution that ended before an instant: one index look for each. */
    organizationsWaiting: async (endedBefore: string): Promise<readonly string[]> => {
      const { rows } = await sql<{ organization_id: string }>`
        with recursive oldest as (
          (select organization_id, waits_since from execution_evidence
            where waits_since is not null order by organization_id, waits_since limit 1)
          union all
          select next.* from oldest cross join lateral (
            select organization_id, waits_since from execution_evidence
            where organization_id > oldest.organization_id and waits_since is not null
            order by organization_id, waits_since limit 1) as next
        )
        select organization_id from oldest where waits_since < ${endedBefore}::timestamptz`.execute(
        db,
      );
      return rows.map(({ organization_id }) => organization_id);
    },

    /** Evidence of an organisation's executions that ended before an instant. After an execution's id. */
    listWaiting: async (
      organizationId: string,
      endedBefore: string,
      { limit, after }: Page,
    ): Promise<readonly Waiting[]> =>
      waiting(
        await db
          .selectFrom("execution_evidence")
          .select(["execution_id", "organization_id"])
          .where("organization_id", "=", organizationId)
          .where("waits_since", "<", endedBefore)
          .$if(after !== null, (q) => q.where("execution_id", ">", after ?? ""))
          .orderBy("execution_id")
          .limit(limit)
          .execute(),
      ),
  };
};
