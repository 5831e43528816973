import { type Kysely, sql } from "kysely";

export type RefusalTables = {
  sign_in_refusals: {
    principal: string;
    rule: string;
    minute: string;
    known: boolean;
    count: number;
  };
};

export type CountedRefusals = {
  readonly principal: string;
  readonly rule: string;
  readonly minute: string;
  readonly known: boolean;
  readonly count: number;
};

export type SignInRefusalsState = {
  /** Counts a refusal in its minute. `known` is false if no account has the address: nothing will be recorded. */
  count(refusal: {
    readonly principal: string;
    readonly rule: string;
    readonly known: boolean;
    readonly at: Date;
  }): Promise<void>;
  /** Counts of minutes that have ended before `before`, oldest first. */
  ended(before: Date): Promise<readonly CountedRefusals[]>;
  /** Deletes a count that was recorded. */
  forget(refusals: CountedRefusals): Promise<void>;
};

const MINUTE_MS = 60_000;

/** Refused sign-ins, counted by principal, rule and minute until the minute is over. */
export const signInRefusalsState = (db: Kysely<RefusalTables>): SignInRefusalsState => ({
  count: async ({ principal, rule, known, at }) => {
    const minute = new Date(at.getTime() - (at.getTime() % MINUTE_MS)).toISOString();
    await db
      .insertInto("sign_in_refusals")
      .values({ principal, rule, minute, known, count: 1 })
      .onConflict((conflict) =>
        conflict
          .columns(["principal", "rule", "minute"])
          .doUpdateSet({ count: sql<number>`sign_in_refusals.count + 1` }),
      )
      .execute();
  },
  ended: (before) =>
    db
      .selectFrom("sign_in_refusals")
      .selectAll()
      .where("minute", "<=", new Date(before.getTime() - MINUTE_MS).toISOString())
      .orderBy("minute")
      .limit(1_000)
      .execute(),
  forget: async ({ principal, rule, minute }) => {
    await db
      .deleteFrom("sign_in_refusals")
      .where("principal", "=", principal)
      .where("rule", "=", rule)
      .where("minute", "=", minute)
      .execute();
  },
});
