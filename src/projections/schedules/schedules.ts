import type { Kysely } from "kysely";
import { readCron } from "../../domain/schedules/cron.ts";
import {
  type ScheduleEvent,
  type ScheduleTerms,
  scheduleDecider,
} from "../../domain/schedules/schedule.ts";
import { nextTick } from "../../domain/schedules/ticks.ts";
import { zoneOf } from "../../domain/schedules/zone.ts";
import { changeRow } from "../kernel/changeRow.ts";
import { defineProjection, type Recorded } from "../kernel/projection.ts";

/** The outcome of a tick. */
export const tickOutcomes = ["fired", "skipped", "missed", "refused"] as const;
type TickOutcome = (typeof tickOutcomes)[number];

export type ScheduleTables = {
  schedules: {
    id: string;
    organization_id: string;
    status: "active" | "paused";
    name: string;
    terms: unknown;
    /** The first tick without an outcome; null while paused, and where none comes. */
    next_tick_at: string | null;
    last_tick_at: string | null;
    last_outcome: TickOutcome | null;
    created_at: string;
    updated_at: string;
    version: number;
  };
  schedule_ticks: {
    /** Of the event. */
    id: string;
    schedule_id: string;
    tick_at: string;
    /** The last of the missed ticks of one event; else the tick itself. */
    until_at: string;
    count: number;
    outcome: TickOutcome;
    run_ids: unknown;
    code: string | null;
    reason: string | null;
    at: string;
  };
};

export const schedulesProjection = defineProjection<ScheduleTables, ScheduleEvent>({
  name: "schedules",
  version: 1,
  tables: ["schedules", "schedule_ticks"],
  create: async (db) => {
    await db.schema
      .createTable("schedules")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("organization_id", "uuid", (c) => c.notNull())
      .addColumn("status", "text", (c) => c.notNull())
      .addColumn("name", "text", (c) => c.notNull())
      .addColumn("terms", "jsonb", (c) => c.notNull())
      .addColumn("next_tick_at", "timestamptz")
      .addColumn("last_tick_at", "timestamptz")
      .addColumn("last_outcome", "text")
      .addColumn("created_at", "timestamptz", (c) => c.notNull())
      .addColumn("updated_at", "timestamptz", (c) => c.notNull())
      .addColumn("version", "integer", (c) => c.notNull())
      .execute();
    await db.schema
      .createTable("schedule_ticks")
      .addColumn("id", "uuid", (c) => c.primaryKey())
      .addColumn("schedule_id", "uuid", (c) => c.notNull())
      .addColumn("tick_at", "timestamptz", (c) => c.notNull())
      .addColumn("until_at", "timestamptz", (c) => c.notNull())
      .addColumn("count", "integer", (c) => c.notNull())
      .addColumn("outcome", "text", (c) => c.notNull())
      .addColumn("run_ids", "jsonb", (c) => c.notNull())
      .addColumn("code", "text")
      .addColumn("reason", "text")
      .addColumn("at", "timestamptz", (c) => c.notNull())
      .execute();
    await db.schema
      .createIndex("schedules_by_organization")
      .on("schedules")
      .columns(["organization_id", "id"])
      .execute();
    await db.schema
      .createIndex("schedules_by_next_tick")
      .on("schedules")
      .columns(["next_tick_at"])
      .execute();
    await db.schema
      .createIndex("schedule_ticks_by_schedule")
      .on("schedule_ticks")
      .columns(["schedule_id", "tick_at"])
      .execute();
  },
  codecs: [scheduleDecider.codec],
  on: {
    ScheduleCreated: async (db, { data, ...event }) => {
      await db
        .insertInto("schedules")
        .values({
          id: data.scheduleId,
          organization_id: data.organizationId,
          status: "active",
          name: data.terms.name,
          terms: JSON.stringify(data.terms),
          next_tick_at: tickAfter(data.terms, data.at),
          last_tick_at: null,
          last_outcome: null,
          created_at: event.metadata.occurred_at,
          updated_at: event.metadata.occurred_at,
          version: 1,
        })
        .execute();
    },
    ScheduleChanged: async (db, { data, ...event }) => {
      const before = await read(db, data.scheduleId);
      await change(db, event, data.scheduleId, {
        name: data.terms.name,
        terms: JSON.stringify(data.terms),
        ...(before.status === "active" && { next_tick_at: tickAfter(data.terms, data.at) }),
      });
    },
    SchedulePaused: async (db, { data, ...event }) => {
      await change(db, event, data.scheduleId, { status: "paused", next_tick_at: null });
    },
    ScheduleResumed: async (db, { data, ...event }) => {
      const { terms } = await read(db, data.scheduleId);
      const next = tickAfter(terms as ScheduleTerms, data.at);
      await change(db, event, data.scheduleId, { status: "active", next_tick_at: next });
    },
    ScheduleDeleted: async (db, { data }) => {
      await db.deleteFrom("schedules").where("id", "=", data.scheduleId).execute();
      await db.deleteFrom("schedule_ticks").where("schedule_id", "=", data.scheduleId).execute();
    },
    ScheduleFired: (db, { data, ...event }) =>
      settle(db, event, data, { outcome: "fired", run_ids: JSON.stringify(data.runIds) }),
    ScheduleTickSkipped: (db, { data, ...event }) =>
      settle(db, event, data, { outcome: "skipped", reason: data.reason }),
    ScheduleTickRefused: (db, { data, ...event }) =>
      settle(db, event, data, {
        outcome: "refused",
        code: data.code,
        reason: data.reason,
        run_ids: JSON.stringify(data.runIds ?? []),
      }),
    ScheduleTickMissed: (db, { data, ...event }) =>
      settle(db, event, data, {
        outcome: "missed",
        until_at: data.until,
        count: data.count,
        reason: "The service was not there in time.",
      }),
  },
});

type Event = Pick<Recorded<ScheduleEvent>, "metadata" | "id">;

/** The first tick of a schedule after an instant; null where none comes, and where its terms are no longer understood. */
const tickAfter = (terms: ScheduleTerms, after: string): string | null => {
  const read = readCron(terms.cron);
  if (!read.ok) return null;
  const next = nextTick(read.cron, zoneOf(terms.zone), Date.parse(after));
  return next === null ? null : new Date(next).toISOString();
};

const read = (db: Kysely<ScheduleTables>, id: string) =>
  db
    .selectFrom("schedules")
    .select(["status", "terms", "next_tick_at"])
    .where("id", "=", id)
    .executeTakeFirstOrThrow();

const change = (
  db: Kysely<ScheduleTables>,
  event: Event,
  id: string,
  values: Partial<ScheduleTables["schedules"]>,
): Promise<void> => changeRow(db, "schedules", event, id, values);

const settle = async (
  db: Kysely<ScheduleTables>,
  event: Event,
  { scheduleId, tick }: { readonly scheduleId: string; readonly tick: string },
  what: Pick<ScheduleTables["schedule_ticks"], "outcome"> &
    Partial<ScheduleTables["schedule_ticks"]>,
): Promise<void> => {
  const until = what.until_at ?? tick;
  await db
    .insertInto("schedule_ticks")
    .values({
      id: event.id,
      schedule_id: scheduleId,
      tick_at: tick,
      until_at: until,
      count: 1,
      run_ids: "[]",
      code: null,
      reason: null,
      at: event.metadata.occurred_at,
      ...what,
    })
    .execute();
  const { terms, next_tick_at } = await read(db, scheduleId);
  // Ticks that were due before a change are settled after it: the next due tick stays.
  const isNext = next_tick_at !== null && next_tick_at <= until;
  await db
    .updateTable("schedules")
    .set({
      last_tick_at: until,
      last_outcome: what.outcome,
      ...(isNext && { next_tick_at: tickAfter(terms as ScheduleTerms, until) }),
    })
    .where("id", "=", scheduleId)
    .execute();
};
