import type { Kysely } from "kysely";
import type { ScheduleTerms } from "../../domain/schedules/schedule.ts";
import { newestFirst, type Page, type Period, within } from "../kernel/newestFirst.ts";
import type { ScheduleTables } from "./schedules.ts";

export type ScheduleRow = Omit<ScheduleTables["schedules"], "terms"> & {
  readonly terms: ScheduleTerms;
};

export type TickRow = Omit<ScheduleTables["schedule_ticks"], "run_ids"> & {
  readonly run_ids: readonly string[];
};

/** Conditions on ticks, by the time that they were due. */
export type TickFilter = Period & {
  readonly outcome?: ScheduleTables["schedule_ticks"]["outcome"] | undefined;
};

export type ScheduleQueries = ReturnType<typeof scheduleQueries>;

/** Queries of schedules in any organisation. Rows contain the organisation id: the caller authorises access. */
export const scheduleQueries = (db: Kysely<ScheduleTables>) => ({
  /** A schedule, whosever it is; null when there is none of that id. */
  findSchedule: async (id: string): Promise<ScheduleRow | null> => {
    const row = await db
      .selectFrom("schedules")
      .selectAll()
      .where("id", "=", id)
      .executeTakeFirst();
    return row ? withTerms(row) : null;
  },

  /** Schedules of an organisation, newest first, one more than `limit` where there are more. */
  listSchedules: async (organizationId: string, page: Page): Promise<readonly ScheduleRow[]> => {
    const all = db.selectFrom("schedules").selectAll();
    const rows = await newestFirst(all.where("organization_id", "=", organizationId), page);
    return rows.map(withTerms);
  },

  /** The outcomes of a schedule's ticks, latest first unless sorted; one row more than `limit` if there are more. */
  listTicks: async (
    scheduleId: string,
    page: Page,
    filter: TickFilter = {},
  ): Promise<readonly TickRow[]> => {
    const { cursor, sort } = page;
    const isAscending = sort === "created_at";
    const before =
      cursor === undefined
        ? null
        : await db
            .selectFrom("schedule_ticks")
            .select("tick_at")
            .where("id", "=", cursor)
            .where("schedule_id", "=", scheduleId)
            .executeTakeFirst();
    if (before === undefined) return [];
    const all = db.selectFrom("schedule_ticks").selectAll().where("schedule_id", "=", scheduleId);
    const { outcome } = filter;
    const rows = await within(all, "tick_at", filter)
      .$if(outcome !== undefined, (q) => q.where("outcome", "=", outcome ?? "fired"))
      .$if(before !== null, (q) =>
        q.where("tick_at", isAscending ? ">" : "<", before?.tick_at ?? ""),
      )
      .orderBy("tick_at", isAscending ? "asc" : "desc")
      .limit(page.limit + 1)
      .execute();
    return rows.map((row) => ({ ...row, run_ids: row.run_ids as readonly string[] }));
  },

  /** Schedules with a tick that is due by an instant, the longest due first. */
  listDue: async (now: string, limit: number): Promise<readonly string[]> => {
    const due = db.selectFrom("schedules").select("id").where("next_tick_at", "<=", now);
    const rows = await due.orderBy("next_tick_at").limit(limit).execute();
    return rows.map(({ id }) => id);
  },
});

const withTerms = (row: ScheduleTables["schedules"]): ScheduleRow => ({
  ...row,
  terms: row.terms as ScheduleTerms,
});
