import { type Kysely, sql } from "kysely";
import { type Principal, principalKey } from "../../domain/usage/spender.ts";
import type { UsageEvent } from "../../domain/usage/usage.ts";
import type { AnyRecorded, Target } from "../kernel/projection.ts";
import { insertRows } from "../kernel/rows.ts";

export type UsageDayTables = {
  /** Units per principal and day (UTC). A released or refunded unit is deducted on the day of its reservation. */
  usage_days: {
    organization_id: string;
    day: string;
    who: string;
    by: unknown;
    units: number;
    refused: number;
  };
  /** The day and principal of a run's reservation. */
  usage_reservations: {
    run_id: string;
    organization_id: string;
    day: string;
    by: unknown;
  };
};

type Day = UsageDayTables["usage_days"];
type Reservation = UsageDayTables["usage_reservations"];

/** Creates the tables of days. */
export const createUsageDays = async (db: Kysely<unknown>): Promise<void> => {
  await db.schema
    .createTable("usage_days")
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("who", "text", (c) => c.notNull())
    .addColumn("by", "jsonb", (c) => c.notNull())
    .addColumn("units", "integer", (c) => c.notNull())
    .addColumn("refused", "integer", (c) => c.notNull())
    .addPrimaryKeyConstraint("usage_days_pkey", ["organization_id", "day", "who"])
    .execute();
  await db.schema
    .createTable("usage_reservations")
    .addColumn("run_id", "uuid", (c) => c.primaryKey())
    .addColumn("organization_id", "uuid", (c) => c.notNull())
    .addColumn("day", "text", (c) => c.notNull())
    .addColumn("by", "jsonb", (c) => c.notNull())
    .execute();
};

const keyOf = (organizationId: string, day: string, by: Principal): string =>
  `${organizationId} ${day} ${principalKey(by)}`;

/** Folds a batch into the days. */
export const foldUsageDays = async (
  into: Target,
  events: readonly AnyRecorded<UsageEvent>[],
  organizationOf: (stream: string) => string,
): Promise<void> => {
  const reservations = new Map<string, Reservation>();
  const fresh: Reservation[] = [];
  const released = events.flatMap(({ type, data }) =>
    type === "ReservationReleased" || type === "UnitRefunded" ? [data.runId] : [],
  );
  const db = into.db as Kysely<UsageDayTables>;
  if (released.length > 0) {
    const rows = await db
      .selectFrom("usage_reservations")
      .selectAll()
      .where("run_id", "in", released)
      .execute();
    for (const row of rows) reservations.set(row.run_id, row);
  }
  const changes = new Map<string, Day>();
  const add = (organizationId: string, day: string, by: Principal, units: number, refused = 0) => {
    const key = keyOf(organizationId, day, by);
    const known = changes.get(key);
    changes.set(key, {
      organization_id: organizationId,
      day,
      who: principalKey(by),
      by,
      units: (known?.units ?? 0) + units,
      refused: (known?.refused ?? 0) + refused,
    });
  };
  for (const event of events) {
    const organizationId = organizationOf(event.stream);
    const day = event.metadata.occurred_at.slice(0, 10);
    switch (event.type) {
      case "RunsReserved": {
        const { by, runs } = event.data;
        for (const { runId, units } of runs) {
          const row = { run_id: runId, organization_id: organizationId, day, by };
          reservations.set(runId, row);
          fresh.push(row);
          add(organizationId, day, by, units);
        }
        break;
      }
      case "UnitRefunded":
      case "ReservationReleased": {
        const of = reservations.get(event.data.runId);
        const units = event.type === "UnitRefunded" ? 1 : event.data.units;
        if (of) add(organizationId, of.day, of.by as Principal, -units);
        break;
      }
      case "RunsRefused":
        add(organizationId, day, event.data.by, 0, event.data.count);
        break;
      case "ReservationUsed":
        break;
    }
  }
  await insertRows(into, "usage_reservations", fresh, "ignore");
  await addToDays(into, db, [...changes.values()]);
};

const addToDays = async (
  into: Target,
  db: Kysely<UsageDayTables>,
  changes: readonly Day[],
): Promise<void> => {
  if (changes.length === 0) return;
  const organizations = [...new Set(changes.map((row) => row.organization_id))];
  const days = [...new Set(changes.map((row) => row.day))];
  const known = new Map(
    (
      await db
        .selectFrom("usage_days")
        .selectAll()
        .where("organization_id", "in", organizations)
        .where("day", "in", days)
        .execute()
    ).map((row) => [`${row.organization_id} ${row.day} ${row.who}`, row]),
  );
  const rows = changes.map((row) => {
    const before = known.get(`${row.organization_id} ${row.day} ${row.who}`);
    const [units, refused] = [before?.units ?? 0, before?.refused ?? 0];
    return { ...row, units: units + row.units, refused: refused + row.refused };
  });
  await insertRows(into, "usage_days", rows, {
    key: ["organization_id", "day", "who"],
    set: ["by", "units", "refused"],
  });
};

/** Queries on usage by day and principal. */
export const usageDayQueries = (db: Kysely<UsageDayTables>) => ({
  /** Days from `from` to `to`, inclusive (`2025-11-21`), oldest first. Within a day the largest spender comes first. */
  daysOf: async (
    organizationId: string,
    from: string,
    to: string,
  ): Promise<readonly { day: string; by: Principal; units: number; refused: number }[]> => {
    const rows = await db
      .selectFrom("usage_days")
      .select(["day", "by", "units", "refused"])
      .where("organization_id", "=", organizationId)
      .where("day", ">=", from)
      .where("day", "<=", to)
      .where(sql<boolean>`units > 0 or refused > 0`)
      .orderBy("day")
      .orderBy("units", "desc")
      .orderBy("who")
      .execute();
    return rows.map((row) => ({ ...row, by: row.by as Principal }));
  },
});
