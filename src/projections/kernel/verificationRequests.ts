import { type Kysely, sql } from "kysely";
import { newId } from "../../platform/ids.ts";
import { sleep } from "../../platform/sleep.ts";
import { POLL_MS } from "./buildStatus.ts";
import type { Projection } from "./projection.ts";
import type { KernelTables } from "./tables.ts";
import type { Verification } from "./verify.ts";

/** Requests a verification. Returns its id. Results older than 7 days are deleted. */
export const requestVerification = async (
  db: Kysely<KernelTables>,
  { name, version }: Projection,
): Promise<string> => {
  const id = newId();
  await db
    .deleteFrom("projection_verifications")
    .where("finished_at", "<", sql<string>`now() - interval '7 days'`)
    .execute();
  await db
    .insertInto("projection_verifications")
    .values({ id, name, version, asked_at: sql`now()`, finished_at: null, result: null })
    .execute();
  return id;
};

/** Whether there is a verification of the projection with this id. */
export const hasVerification = async (
  db: Kysely<KernelTables>,
  name: string,
  id: string,
): Promise<boolean> => {
  const query = db.selectFrom("projection_verifications").select("id").where("id", "=", id);
  return (await query.where("name", "=", name).executeTakeFirst()) !== undefined;
};

/** Waits for the result of a verification; null if `over` is aborted first. */
export const waitForVerification = async (
  db: Kysely<KernelTables>,
  id: string,
  over: AbortSignal,
): Promise<Verification | null> => {
  while (!over.aborted) {
    const row = await db
      .selectFrom("projection_verifications")
      .select(["finished_at", "result"])
      .where("id", "=", id)
      .executeTakeFirst();
    if (row?.finished_at) return row.result as Verification;
    await sleep(POLL_MS, over);
  }
  return null;
};
