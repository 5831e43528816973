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

/** An unfinished import. `Request` contains the owner's parameters. */
export type OpenImport<Request> = {
  readonly id: string;
  readonly organizationId: string;
  readonly request: Request;
  readonly content: Buffer;
};

/** Progress of an import: `counts` has the number of answers by status. */
export type ImportRow<Request> = {
  readonly id: string;
  readonly organizationId: string;
  readonly createdAt: string;
  readonly finishedAt: string | null;
  readonly total: number;
  readonly request: Request;
  readonly counts: Readonly<Record<string, number>>;
};

/** The answer for the test at a position of the file. */
type Answered = { readonly position: number; readonly status: string };

/** Number of answers per statement. */
const BATCH = 500;

type Db = Kysely<ImportTables>;

/** Does nothing if there is an import of this id. */
const open = async <Request>(
  db: Db,
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
};

/** The oldest unfinished import; null if there is none. */
const next = async <Request>(
  db: Db,
): Promise<(OpenImport<Request> & { readonly wasBegun: boolean }) | null> => {
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
};

const begin = async (db: Db, id: string, at: string): Promise<void> => {
  await db.updateTable("imports").set({ begun_at: at }).where("id", "=", id).execute();
};

/** Positions that have an answer. */
const answered = async (db: Db, id: string): Promise<ReadonlySet<number>> => {
  const rows = await db
    .selectFrom("import_items")
    .select("position")
    .where("import_id", "=", id)
    .execute();
  return new Set(rows.map(({ position }) => position));
};

/** Stores answers. Positions that have an answer keep it. */
const answer = async (db: Db, id: string, answers: readonly Answered[]): Promise<void> => {
  for (let at = 0; at < answers.length; at += BATCH) {
    const values = answers.slice(at, at + BATCH).map((one) => ({
      import_id: id,
      position: one.position,
      status: one.status,
      answer: JSON.stringify(one),
    }));
    await db
      .insertInto("import_items")
      .values(values)
      .onConflict((conflict) => conflict.columns(["import_id", "position"]).doNothing())
      .execute();
  }
};

/** Ends an import and deletes its file. */
const finish = async (db: Db, id: string, at: string): Promise<void> => {
  await db
    .updateTable("imports")
    .set({ finished_at: at, content: null })
    .where("id", "=", id)
    .where("finished_at", "is", null)
    .execute();
};

const find = async <Request>(db: Db, id: string): Promise<ImportRow<Request> | null> => {
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
};

/** Answers with a position greater than `after`, in order. Returns up to `limit + 1`. */
const answers = async <Answer>(
  db: Db,
  id: string,
  after: number,
  limit: number,
): Promise<readonly Answer[]> => {
  const rows = await db
    .selectFrom("import_items")
    .select("answer")
    .where("import_id", "=", id)
    .where("position", ">", after)
    .orderBy("position")
    .limit(limit + 1)
    .execute();
  return rows.map((row) => row.answer as Answer);
};

/** Deletes imports that finished before `before`. */
const sweep = async (db: Db, before: Date): Promise<void> => {
  await db.deleteFrom("imports").where("finished_at", "<", before.toISOString()).execute();
};

/** Background imports with their files and answers. */
export const importsState = <Request, Answer extends Answered>(db: Kysely<ImportTables>) => ({
  open: (one: OpenImport<Request> & { readonly total: number; readonly at: string }) =>
    open(db, one),
  next: () => next<Request>(db),
  begin: (id: string, at: string) => begin(db, id, at),
  answered: (id: string) => answered(db, id),
  answer: (id: string, given: readonly Answer[]) => answer(db, id, given),
  finish: (id: string, at: string) => finish(db, id, at),
  find: (id: string) => find<Request>(db, id),
  answers: (id: string, after: number, limit: number) => answers<Answer>(db, id, after, limit),
  sweep: (before: Date) => sweep(db, before),
});
