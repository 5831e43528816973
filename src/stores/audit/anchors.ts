import type { Kysely } from "kysely";

export type AuditAnchorTables = {
  audit_anchors: {
    target: string;
    size: bigint | null;
    delivered_at: string | null;
    failed_at: string | null;
    error: string | null;
  };
};

/** A place outside the service: the newest checkpoint delivered to it, and its last failure since. */
export type Anchor = {
  readonly target: string;
  /** The number of events of the checkpoint; null if there is none. */
  readonly size: number | null;
  readonly deliveredAt: string | null;
  readonly failedAt: string | null;
  readonly error: string | null;
};

export type Anchors = ReturnType<typeof anchors>;

export const anchors = (db: Kysely<AuditAnchorTables>) => ({
  list: async (): Promise<readonly Anchor[]> =>
    (await db.selectFrom("audit_anchors").selectAll().orderBy("target").execute()).map(
      ({ target, size, delivered_at, failed_at, error }) => ({
        ...{ target, size: size === null ? null : Number(size), error },
        ...{ deliveredAt: delivered_at, failedAt: failed_at },
      }),
    ),
  noteDelivered: async (target: string, size: number, at: string): Promise<void> => {
    const row = { size: BigInt(size), delivered_at: at, failed_at: null, error: null };
    await db
      .insertInto("audit_anchors")
      .values({ target, ...row })
      .onConflict((conflict) => conflict.column("target").doUpdateSet(row))
      .execute();
  },
  noteFailed: async (target: string, error: string, at: string): Promise<void> => {
    const row = { failed_at: at, error };
    await db
      .insertInto("audit_anchors")
      .values({ target, size: null, delivered_at: null, ...row })
      .onConflict((conflict) => conflict.column("target").doUpdateSet(row))
      .execute();
  },
});
