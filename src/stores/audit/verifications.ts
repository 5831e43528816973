import type { Kysely } from "kysely";

export type AuditVerificationTables = {
  audit_verifications: { id: number; verified_at: string; size: bigint; finding: string | null };
};

/** The last verification of the log. */
export type LogVerification = {
  readonly verifiedAt: string;
  /** The number of events compared. */
  readonly size: number;
  /** The first difference in a sentence; null if there is none. */
  readonly finding: string | null;
};

export type LogVerifications = ReturnType<typeof logVerifications>;

export const logVerifications = (db: Kysely<AuditVerificationTables>) => ({
  save: async ({ verifiedAt: verified_at, size, finding }: LogVerification): Promise<void> => {
    const row = { id: 1, verified_at, size: BigInt(size), finding };
    await db
      .insertInto("audit_verifications")
      .values(row)
      .onConflict((conflict) => conflict.column("id").doUpdateSet(row))
      .execute();
  },
  /** Null before the first verification. */
  last: async (): Promise<LogVerification | null> => {
    const row = await db.selectFrom("audit_verifications").selectAll().executeTakeFirst();
    return row
      ? { verifiedAt: row.verified_at, size: Number(row.size), finding: row.finding }
      : null;
  },
});
