import { type Kysely, sql } from "kysely";

export type ScheduleSlotTables = {
  schedule_slots: { schedule_id: string; organization_id: string; taken_at: string };
};

/**
 * The exact number of schedules of an organisation, counted transactionally so that concurrent creations cannot exceed
 * the limit.
 */
export type ScheduleSlots = {
  /** Takes a place for a schedule, once. False when the organisation has `limit` of them already. */
  take(slot: {
    readonly organizationId: string;
    readonly scheduleId: string;
    readonly limit: number;
    readonly at: string;
  }): Promise<boolean>;
  give(scheduleId: string): Promise<void>;
  /** Slots reserved before an instant, oldest first: the process may have died before it created the schedule. */
  takenBefore(organizationId: string, at: string): Promise<readonly string[]>;
  /** The how manieth of its organisation a schedule is, by age, from 1; null when it has no place. */
  rankOf(scheduleId: string): Promise<number | null>;
};

/** The places of schedules in the database. Ids sort by time, so the oldest schedules come first. */
export const scheduleSlots = (db: Kysely<ScheduleSlotTables>): ScheduleSlots => ({
  take: ({ organizationId, scheduleId, limit, at }) =>
    db.transaction().execute(async (trx) => {
      await sql`select pg_advisory_xact_lock(hashtextextended(${`schedules ${organizationId}`}, 0))`.execute(
        trx,
      );
      const mine = await trx
        .selectFrom("schedule_slots")
        .select("schedule_id")
        .where("organization_id", "=", organizationId)
        .execute();
      if (mine.some(({ schedule_id }) => schedule_id === scheduleId)) return true;
      if (mine.length >= limit) return false;
      await trx
        .insertInto("schedule_slots")
        .values({ schedule_id: scheduleId, organization_id: organizationId, taken_at: at })
        .execute();
      return true;
    }),

  give: async (scheduleId) => {
    await db.deleteFrom("schedule_slots").where("schedule_id", "=", scheduleId).execute();
  },

  takenBefore: async (organizationId, at) => {
    const rows = await db
      .selectFrom("schedule_slots")
      .select("schedule_id")
      .where("organization_id", "=", organizationId)
      .where("taken_at", "<", at)
      .orderBy("schedule_id")
      .execute();
    return rows.map(({ schedule_id }) => schedule_id);
  },

  rankOf: async (scheduleId) => {
    const { rows } = await sql<{ rank: number | null }>`
      select case when exists (select from schedule_slots where schedule_id = ${scheduleId})
        then count(*)::integer end as rank
      from schedule_slots
      where schedule_id <= ${scheduleId} and organization_id =
        (select organization_id from schedule_slots where schedule_id = ${scheduleId})`.execute(db);
    return rows[0]?.rank ?? null;
  },
});
