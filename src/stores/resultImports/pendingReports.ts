import type { Kysely } from "kysely";

export type PendingReportTables = {
  pending_reports: {
    id: string;
    organization_id: string;
    project_id: string | null;
    received_at: string;
    request: unknown;
    content: Buffer;
  };
};

/** A report whose import is in progress. `Request` is the data that its owner needs to resume. */
export type PendingReport<Request> = {
  readonly id: string;
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly request: Request;
  readonly content: Buffer;
};

/** Reports that are imported in several parts, kept until the last part is recorded. */
export const pendingReports = <Request>(db: Kysely<PendingReportTables>) => ({
  /** Keeps a report; the same id twice is one. */
  keep: async (one: PendingReport<Request> & { readonly at: string }): Promise<void> => {
    await db
      .insertInto("pending_reports")
      .values({
        id: one.id,
        organization_id: one.organizationId,
        project_id: one.projectId,
        received_at: one.at,
        request: JSON.stringify(one.request),
        content: one.content,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  },

  /** The oldest that came before a moment (ISO 8601) and is not done; null when there is none. */
  next: async (before: string): Promise<PendingReport<Request> | null> => {
    const row = await db
      .selectFrom("pending_reports")
      .selectAll()
      .where("received_at", "<", before)
      .orderBy("received_at")
      .limit(1)
      .executeTakeFirst();
    if (!row) return null;
    return {
      id: row.id,
      organizationId: row.organization_id,
      projectId: row.project_id,
      request: row.request as Request,
      content: row.content,
    };
  },

  /** All of it is recorded, or never will be. */
  forget: async (id: string): Promise<void> => {
    await db.deleteFrom("pending_reports").where("id", "=", id).execute();
  },
});
