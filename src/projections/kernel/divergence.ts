import { type Kysely, sql } from "kysely";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { foldAround, keepAlive, type Progress } from "./applyBatch.ts";
import type { FoundDifference, RowText } from "./compare.ts";
import { schemaOf } from "./projection.ts";
import { foldRange, type Reading } from "./readLog.ts";
import { createTables } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/** A build number above those of real builds. */
const TRACED_BUILD = 1_000_001;

/** The place of an event in the log. Numbers are texts, because the verification is stored as JSON. */
export type EventReference = {
  readonly id: string;
  readonly type: string;
  readonly stream: string;
  readonly revision: string;
  readonly position: string;
};

type Change = { readonly event: RecordedEvent; readonly row: RowText };

/**
 * Finds the event at which a shown row diverges from the log: the first one after which the shown row is wrong; if
 * the row was never right, the last event that wrote the differing column. null if no event wrote the row. Folds
 * the log again in the caller's transaction and observes the row.
 */
export const findDivergingEvent = async (
  trx: Kysely<KernelTables>,
  range: Reading,
  found: FoundDifference,
  over: AbortSignal,
): Promise<EventReference | null> => {
  const { projection } = range;
  const traced: Progress = { projection, build: TRACED_BUILD, position: null };
  const schema = schemaOf(projection, TRACED_BUILD);
  await createTables(trx, projection, schema);
  const isRow = sql.join(
    found.keyColumns.map((name) => sql`t.${sql.id(name)} = ${String(found.named.key[name])}`),
    sql` and `,
  );
  const readRow = async (): Promise<RowText> => {
    const { rows } = await sql<{ row: string }>`
      select row_to_json(t)::text as row from ${sql.id(schema, found.named.table)} as t
      where ${isRow}`.execute(trx);
    return rows[0]?.row ?? null;
  };
  const changes: Change[] = [];
  let before: RowText = null;
  const fold = (events: readonly RecordedEvent[]) =>
    foldAround(trx, traced, events, async () => undefined);

  /** Folds events, and finds those that change the row by bisection. */
  const observe = async (events: readonly RecordedEvent[]): Promise<void> => {
    const [first] = events;
    if (!first) return;
    await sql`savepoint observed`.execute(trx);
    await fold(events);
    const after = await readRow();
    if (after === before && events.length > 1) {
      await sql`release savepoint observed`.execute(trx);
      return;
    }
    if (events.length === 1) {
      await sql`release savepoint observed`.execute(trx);
      if (after !== before) changes.push({ event: first, row: after });
      before = after;
      return;
    }
    await sql`rollback to savepoint observed`.execute(trx);
    await sql`release savepoint observed`.execute(trx);
    const half = events.length >> 1;
    await observe(events.slice(0, half));
    await observe(events.slice(half));
  };
  await foldRange(
    range,
    ({ events }) => (events.length > 0 ? observe(events) : keepAlive(trx)),
    over,
  );
  return divergingEvent(changes, found);
};

const divergingEvent = (
  changes: readonly Change[],
  found: FoundDifference,
): EventReference | null => {
  const lastRight = [null, ...changes.map(({ row }) => row)].lastIndexOf(found.live);
  const next = lastRight >= 0 ? changes[lastRight] : undefined;
  const wrote = changes.findLast(
    ({ row }, index) =>
      columnOf(row, found.named.column) !==
      columnOf(changes[index - 1]?.row ?? null, found.named.column),
  );
  const event = (next ?? wrote)?.event;
  return event
    ? {
        id: event.id,
        type: event.type,
        stream: event.stream,
        revision: String(event.revision),
        position: String(event.position),
      }
    : null;
};

const columnOf = (row: RowText, column: string | null): string | null => {
  if (row === null || column === null) return row;
  return JSON.stringify(JSON.parse(row)[column]) ?? null;
};
