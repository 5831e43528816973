import { type Kysely, sql } from "kysely";
import type { RecordedEvent } from "../../platform/eventLog/port.ts";
import { foldAround, type Progress, stayIn } from "./applyBatch.ts";
import type { FoundDifference, RowText } from "./compare.ts";
import { schemaOf } from "./projection.ts";
import { foldRange, type Reading } from "./readLog.ts";
import { createTables } from "./schemas.ts";
import type { KernelTables } from "./tables.ts";

/** A build number that no real build has. */
const TRACED = 1_000_001;

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
 * The event that made a row what it should be and is not: the one after which the row that is shown was
 * right for the last time; where it never was, the last one that wrote what differs. null when the log
 * accounts for nothing of it. Folds the log once more and watches the row, in the caller's transaction.
 */
export const findDivergingEvent = async (
  trx: Kysely<KernelTables>,
  range: Reading,
  found: FoundDifference,
  over: AbortSignal,
): Promise<EventReference | null> => {
  const { projection } = range;
  const traced: Progress = { projection, build: TRACED, position: null };
  const schema = schemaOf(projection, TRACED);
  await createTables(trx, projection, schema);
  const isIt = sql.join(
    found.keyColumns.map((name) => sql`t.${sql.id(name)} = ${String(found.named.key[name])}`),
    sql` and `,
  );
  const look = async (): Promise<RowText> => {
    const { rows } = await sql<{ row: string }>`
      select row_to_json(t)::text as row from ${sql.id(schema, found.named.table)} as t
      where ${isIt}`.execute(trx);
    return rows[0]?.row ?? null;
  };
  const changes: Change[] = [];
  let before: RowText = null;
  const fold = (events: readonly RecordedEvent[]) =>
    foldAround(trx, traced, events, async () => undefined);

  /** Folds events, and finds by halves those that change the row. */
  const watch = async (events: readonly RecordedEvent[]): Promise<void> => {
    const [first] = events;
    if (!first) return;
    await sql`savepoint watched`.execute(trx);
    await fold(events);
    const after = await look();
    if (after === before && events.length > 1) {
      await sql`release savepoint watched`.execute(trx);
      return;
    }
    if (events.length === 1) {
      await sql`release savepoint watched`.execute(trx);
      if (after !== before) changes.push({ event: first, row: after });
      before = after;
      return;
    }
    await sql`rollback to savepoint watched`.execute(trx);
    await sql`release savepoint watched`.execute(trx);
    const half = events.length >> 1;
    await watch(events.slice(0, half));
    await watch(events.slice(half));
  };
  await foldRange(range, ({ events }) => (events.length > 0 ? watch(events) : stayIn(trx)), over);
  return culpritOf(changes, found);
};

const culpritOf = (changes: readonly Change[], found: FoundDifference): EventReference | null => {
  const rightUntil = [null, ...changes.map(({ row }) => row)].lastIndexOf(found.live);
  const next = rightUntil >= 0 ? changes[rightUntil] : undefined;
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
