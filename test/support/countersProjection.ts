import { defineProjection, type Projection } from "../../src/projections/kernel/projection.ts";
import { type Counted, counterDecider } from "./counter.ts";

export type CounterTables = { counters: { id: string; total: number; note: string } };

/**
 * Counts the names of each counter. Rejects names that begin with `poison` while `isWell` returns
 * false.
 */
export const countersProjection = (
  name: string,
  options: {
    readonly version?: number;
    readonly note?: string;
    readonly slowMs?: number;
    readonly isWell?: () => boolean;
    readonly table?: string;
  } = {},
): Projection => {
  const { version = 1, note = "v1", slowMs = 0, isWell = () => false } = options;
  const table = (options.table ?? "counters") as "counters";
  return defineProjection<CounterTables, Counted>({
    name,
    version,
    tables: [table],
    codecs: [counterDecider.codec],
    create: (db) =>
      db.schema
        .createTable(table)
        .addColumn("id", "text", (column) => column.primaryKey())
        .addColumn("total", "integer", (column) => column.notNull())
        .addColumn("note", "text", (column) => column.notNull())
        .execute(),
    on: {
      Counted: async (db, event) => {
        if (slowMs > 0) await new Promise((resolve) => setTimeout(resolve, slowMs));
        if (event.data.name.startsWith("poison") && !isWell()) {
          throw new Error(`this one cannot be folded: ${event.data.name}`);
        }
        await db
          .insertInto(table)
          .values({ id: event.stream, total: 1, note })
          .onConflict((conflict) =>
            conflict
              .column("id")
              .doUpdateSet((eb) => ({ total: eb(`${table}.total` as "counters.total", "+", 1) })),
          )
          .execute();
      },
    },
  });
};
