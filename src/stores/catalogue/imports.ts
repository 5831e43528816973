import { type Kysely, sql } from "kysely";

export type ImportTables = {
  imports: {
    id: string;
    organization_id: string;
    created_at: string;
    begun_at: string | null;
    finished_at: string | null;
    total: number;
    request: unknown;
    content: Buffer | null;
  };
  import_items: { import_id: string; position: number; status: string; answer: unknown };
};

/** An import that is to be done. `Request` is what its owner needs to do it. */
export type OpenImport<Request> = {
  readonly id: string;
  readonly organizationId: string;
  readonly request: Request;
  readonly content: Buffer;
};

/** An import as it stands: how many of its tests have their answer, by what it was. */
export type ImportRow<Request> = {
  readonly id: string;
  readonly organizationId: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly total: number;
  readonly request: Request;
  readonly counts: Readonly<Record<string, number>>;
};

/** The answer for one place of a file. */
type Answered = { readonly position: number; readonly status: string };

/** So many answers go into one statement. */
const AT_ONCE = 500;

/** Imports that are done in the background. An answer is written once: what comes again changes nothing. */
export const importsState = <Request, Answer extends Answered>(db: Kysely<ImportTables>) => ({
  /** Takes an import; the same id twice is one. */
  open: async (
    one: OpenImport<Request> & { readonly total: number; readonly at: string },
  ): Promise<void> => {
    await db
      .insertInto("imports")
      .values({
        id: one.id,
        organization_id: one.organizationId,
        created_at: one.at,
        begun_at: null,
        finished_at: null,
        total: one.total,
        request: JSON.stringify(one.request),
        content: one.content,
      })
      .onConflict((conflict) => conflict.column("id").doNothing())
      .execute();
  },

  /** The import that waits longest; null when there is none. */
  next: async (): Promise<(OpenImport<Request> & { readonly wasBegun: boolean }) | null> => {
    const row = await db
      .selectFrom("imports")
      .select(["id", "organization_id", "begun_at", "request", "content"])
      .where("finished_at", "is", null)
      .orderBy("created_at")
      .limit(1)
      .executeTakeFirst();
    if (!row) return null;
    return {
      id: row.id,
      organizationId: row.organization_id,
      request: row.request as Request,
      content: row.content ?? Buffer.alloc(0),
      wasBegun: row.begun_at !== null,
    };
  },

  begin: async (id: string, at: string): Promise<void> => {
    await db.updateTable("imports").set({ begun_at: at }).where("id", "=", id).execute();
  },

  /** The places that have their answer. */
  answered: async (id: string): Promise<ReadonlySet<number>> => {
    const rows = await db
      .selectFrom("import_items")
      .select("position")
      .where("import_id", "=", id)
      .execute();
    return new Set(rows.map(({ position }) => position));
  },

  answer: async (id: string, answers: readonly Answer[]): Promise<void> => {
    for (let at = 0; at < answers.length; at += AT_ONCE) {
      const some = answers.slice(at, at + AT_ONCE);
      await db
        .insertInto("import_items")
        .values(
          some.map((answer) => ({
            import_id: id,
            position: answer.position,
            status: answer.status,
            answer: JSON.stringify(answer),
          })),
        )
        .onConflict((conflict) => conflict.columns(["import_id", "position"]).doNothing())
        .execute();
    }
  },

  /** Ends an import; its file is forgotten. */
  finish: async (id: string, at: string): Promise<void> => {
    await db
      .updateTable("imports")
      .set({ finished_at: at, content: null })
      .where("id", "=", id)
      .where("finished_at", "is", null)
      .execute();
  },

  find: async (id: string): Promise<ImportRow<Request> | null> => {
    const row = await db
      .selectFrom("imports")
      .select(["id", "organization_id", "created_at", "finished_at", "total", "request"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (!row) return null;
    const counts = await db
      .selectFrom("import_items")
      .select(["status", sql<number>`count(*)::integer`.as("count")])
      .where("import_id", "=", id)
      .groupBy("status")
      .execute();
    return {
      id: row.id,
      organizationId: row.organization_id,
      createdAt: row.created_at,
      finishedAt: row.finished_at,
      total: row.total,
      request: row.request as Request,
      counts: Object.fromEntries(counts.map(({ status, count }) => [status, count])),
    };
  },

  /** Answers by their place, after the place `after`; one more than `limit` where there are more. */
  answers: async (id: string, after: number, limit: number): Promise<readonly Answer[]> => {
    const rows = await db
      .selectFrom("import_items")
      .select("answer")
      .where("import_id", "=", id)
      .where("position", ">", after)
      .orderBy("position")
      .limit(limit + 1)
      .execute();
    return rows.map(({ answer }) => answer as Answer);
  },

  /** Forgets what ended before `before`. */
  sweep: async (before: Date): Promise<void> => {
    await db.deleteFrom("imports").where("finished_at", "<", before.toISOString()).execute();
  },
});
