import { type Kysely, sql } from "kysely";
import type { EvidenceTables } from "../runs/evidence.ts";

/** Candidates for the deletion of evidence. The log decides whether one is due. */
export type Waiting = { readonly executionId: string; readonly organizationId: string };

type Page = { readonly limit: number; readonly after: string | null };

export type RetentionQueries = ReturnType<typeof retentionQueries>;

/** Queries of the evidence deleter. */
export const retentionQueries = (db: Kysely<EvidenceTables>) => {
  const waiting = (rows: { readonly execution_id: string; readonly organization_id: string }[]) =>
    rows.map(
      (row): Waiting => ({ executionId: row.execution_id, organizationId: row.organization_id }),
    );

  return {
    /** Expired evidence whose deletion was interrupted. Pages after an execution id. */
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

    /** Organisations with evidence of an execution that ended before an instant. One index lookup each. */
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

    /** Evidence of an organisation's executions that ended before an instant. Pages after an execution id. */
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
