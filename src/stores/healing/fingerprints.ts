import type { Kysely } from "kysely";

export type FingerprintTables = {
  step_fingerprints: {
    test_id: string;
    step_id: string;
    target: string;
    fingerprint: unknown;
    taken_at: string;
  };
};

export type KnownFingerprint = {
  /** The step's target at that time. */
  readonly target: string;
  readonly fingerprint: unknown;
  readonly takenAt: string;
};

/** Larger fingerprints are not stored. In bytes of JSON. */
const MAX_BYTES = 32 * 1024;

export type FingerprintsState = ReturnType<typeof fingerprintsState>;

/** Stores the newest fingerprint of each step. */
export const fingerprintsState = (db: Kysely<FingerprintTables>) => ({
  /** Fingerprints of a test by step id. */
  ofTest: async (testId: string): Promise<ReadonlyMap<string, KnownFingerprint>> => {
    const rows = await db
      .selectFrom("step_fingerprints")
      .selectAll()
      .where("test_id", "=", testId)
      .execute();
    return new Map(
      rows.map(({ step_id, target, fingerprint, taken_at }) => [
        step_id,
        { target, fingerprint, takenAt: taken_at },
      ]),
    );
  },

  /** Replaces the fingerprint of a step. Ignores one that is too large. */
  keep: async (
    testId: string,
    stepId: string,
    { target, fingerprint, takenAt }: KnownFingerprint,
  ): Promise<void> => {
    const json = JSON.stringify(fingerprint).replaceAll("\\u0000", "");
    if (Buffer.byteLength(json) > MAX_BYTES) return;
    const values = { target, fingerprint: json, taken_at: takenAt };
    await db
      .insertInto("step_fingerprints")
      .values({ test_id: testId, step_id: stepId, ...values })
      .onConflict((conflict) => conflict.columns(["test_id", "step_id"]).doUpdateSet(values))
      .execute();
  },
});
