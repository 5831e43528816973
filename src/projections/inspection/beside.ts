import { randomInt } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { type Kysely, sql } from "kysely";
import { kinds, partsOf } from "../../domain/inspection/deciders.ts";
import { type Difference, differences } from "../../domain/inspection/differences.ts";
import { withoutPersons } from "../../domain/inspection/plain.ts";
import type { EventLog, RecordedEvent } from "../../platform/eventLog/port.ts";
import type { EventIndex } from "../../stores/inspection/eventIndex.ts";
import { foldAround, type Progress } from "../kernel/applyBatch.ts";
import { loadSkipped } from "../kernel/parking.ts";
import { type Projection, schemaOf } from "../kernel/projection.ts";
import { createTables, loadShown } from "../kernel/schemas.ts";
import type { KernelTables } from "../kernel/tables.ts";

type Trx = Kysely<KernelTables>;
type Row = Readonly<Record<string, unknown>>;

/** A row that depends on a stream, and its differences from the log. */
export type BesideRow = {
  readonly table: string;
  readonly key: Row;
  /** null: it is not there. */
  readonly row: unknown;
  /** `before`: the value according to the log; `after`: the value in the row. */
  readonly differing: readonly Difference[];
};

export type Beside = {
  readonly projection: string;
  readonly version: number;
  readonly position: string | null;
  /** The number of the stream's events not yet folded. */
  readonly behind: number;
  /** The number of the stream's events that it cannot fold. */
  readonly refused: number;
  readonly rows: readonly BesideRow[];
  /** There are more rows than are shown. */
  readonly is_cut: boolean;
};

/** Build numbers from here on are reserved for comparisons. */
const FIRST_TEMPORARY_BUILD = 2_000_000;
const MAX_ROWS = 100;
/** The maximum number of events of the requested stream, and of its companions together. */
const MAX_EVENTS = 20_000;
/** Companions: other streams whose events are folded into the same rows. */
const MAX_COMPANIONS = 20;
const MAX_NAMED = 1_000;
const MAX_FOLDED = 5_000;
/** The idle timeout of the transaction, which reads companions from the log and may take long. */
const IDLE_TIMEOUT = "30s";
const UUIDS = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

export type BesideDeps = {
  readonly log: Pick<EventLog, "readStream">;
  readonly db: Kysely<KernelTables>;
  readonly index: EventIndex;
  readonly projections: readonly Projection[];
};

/**
 * Compares the rows of read models with a stream: folds the stream and its companions into temporary tables, within a
 * transaction that is rolled back, and compares the resulting rows with the live ones. With too many companions, a
 * read model that depends on the order of streams is omitted; use `runledger projections verify` for it. Returns
 * "too_long" beyond 20,000 events.
 */
export const besideReadModels = async (
  deps: BesideDeps,
  stream: string,
): Promise<readonly Beside[] | "too_long"> => {
  const events = await readAll(deps.log, stream);
  if (!events) return "too_long";
  const concerned = deps.projections.filter(({ handlers }) =>
    events.some(({ type }) => handlers.has(type)),
  );
  const result: Beside[] = [];
  for (const projection of concerned) {
    const beside = await inDiscardedTransaction(deps.db, (trx) =>
      compareOne(trx, deps, projection, events),
    );
    if (beside) result.push(beside);
  }
  return result;
};

/** Runs `work` in a repeatable-read transaction that is always rolled back. */
const inDiscardedTransaction = async <T>(
  db: Kysely<KernelTables>,
  work: (trx: Trx) => Promise<T>,
): Promise<T> => {
  const rollBack = new Error("Nothing of a comparison is kept");
  let result: { readonly value: T } | null = null;
  try {
    await db
      .transaction()
      .setIsolationLevel("repeatable read")
      .execute(async (trx) => {
        result = { value: await work(trx) };
        throw rollBack;
      });
  } catch (error) {
    if (error !== rollBack) throw error;
  }
  if (result === null) throw new Error("A transaction ended without its work");
  return (result as { readonly value: T }).value;
};

const compareOne = async (
  trx: Trx,
  deps: BesideDeps,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<Beside | null> => {
  await sql`set local idle_in_transaction_session_timeout = ${sql.lit(IDLE_TIMEOUT)}`.execute(trx);
  const [shown] = await loadShown(trx, [projection]);
  if (!shown) return null;
  const upTo = shown.position ?? -1n;
  const leaveOut = await loadSkipped(trx, shown);
  const folded = (some: readonly RecordedEvent[]) =>
    some.filter(
      ({ id, type, position }) =>
        position <= upTo && projection.handlers.has(type) && !leaveOut.has(id),
    );
  const own = folded(events);
  const companions = await companionsOf(deps, projection, events);
  if (companions.isCut && projection.ordersTheLog) return null;
  const others = folded(companions.events);
  const without = await foldInto(trx, projection, others);
  const all = [...own, ...others].sort((a, b) => (a.position < b.position ? -1 : 1));
  const whole = await foldInto(trx, projection, all);
  // Rows that depend on the stream: those that differ without it, and those with its id as key.
  const { id } = partsOf(events[0]?.stream ?? "");
  const concerned = [...new Set([...whole.rows.keys(), ...without.rows.keys()])].filter((name) => {
    const [one, other] = [whole.rows.get(name), without.rows.get(name)];
    const key = one?.key ?? other?.key ?? {};
    return Object.values(key).includes(id) || !isDeepStrictEqual(one, other);
  });
  const rows: BesideRow[] = [];
  for (const name of concerned.slice(0, MAX_ROWS)) {
    const says = whole.rows.get(name);
    const { table, key } = says ?? without.rows.get(name) ?? { table: "", key: {} };
    const live = await rowOf(trx, schemaOf(projection, shown.build), table, key);
    if (!says && live === null) continue;
    const [before, after] = [withoutPersons(says?.row ?? null), withoutPersons(live)];
    rows.push({ table, key, row: after, differing: differences(before, after) });
  }
  return {
    projection: projection.name,
    version: projection.version,
    position: shown.position === null ? null : String(shown.position),
    behind: events.filter(({ type, position }) => position > upTo && projection.handlers.has(type))
      .length,
    refused: whole.refused,
    rows,
    is_cut: concerned.length > MAX_ROWS,
  };
};

type Folded = {
  /** Keyed by table and primary key. */
  readonly rows: ReadonlyMap<
    string,
    { readonly table: string; readonly key: Row; readonly row: Row }
  >;
  readonly refused: number;
};

/** Folds events into temporary tables and returns their rows. */
const foldInto = async (
  trx: Trx,
  projection: Projection,
  events: readonly RecordedEvent[],
): Promise<Folded> => {
  const build = FIRST_TEMPORARY_BUILD + randomInt(1_000_000);
  const schema = schemaOf(projection, build);
  await createTables(trx, projection, schema);
  const one: Progress = { projection, build, position: null };
  let refused = 0;
  await foldAround(trx, one, events, async () => {
    refused += 1;
  });
  const rows = new Map<string, { table: string; key: Row; row: Row }>();
  for (const table of projection.tables) {
    const keys = await keyColumnsOf(trx, schema, table);
    const found = await sql<{ row: Row }>`
      select to_jsonb(t) as row from ${sql.id(schema, table)} as t
      limit ${sql.lit(MAX_FOLDED)}`.execute(trx);
    for (const { row } of found.rows) {
      const key = Object.fromEntries(keys.map((name) => [name, row[name]]));
      rows.set(JSON.stringify([table, key]), { table, key, row: timed(row) });
    }
  }
  return { rows, refused };
};

const keyColumnsOf = async (trx: Trx, schema: string, table: string): Promise<string[]> => {
  const { rows } = await sql<{ name: string }>`
    select a.attname as name from pg_class c
    join pg_namespace n on n.oid = c.relnamespace
    join pg_index i on i.indrelid = c.oid and i.indisprimary
    join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
    where n.nspname = ${schema} and c.relname = ${table} order by a.attnum`.execute(trx);
  return rows.map(({ name }) => name);
};

const rowOf = async (trx: Trx, schema: string, table: string, key: Row): Promise<Row | null> => {
  const typed = sql.join(
    Object.entries(key).map(([name]) => sql`t.${sql.id(name)} = k.${sql.id(name)}`),
    sql` and `,
  );
  const { rows } = await sql<{ row: Row }>`
    select to_jsonb(t) as row from ${sql.id(schema, table)} as t
    join json_populate_record(null::${sql.id(schema, table)}, ${JSON.stringify(key)}::json) as k on ${typed}
    limit 1`.execute(trx);
  return rows[0] ? timed(rows[0].row) : null;
};

/** Converts PostgreSQL's JSON timestamps to the service's format. */
const timed = (row: Row): Row =>
  Object.fromEntries(
    Object.entries(row).map(([name, value]) => [
      name,
      typeof value === "string" && TIME.test(value) ? new Date(value).toISOString() : value,
    ]),
  );

const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?\+00:00$/;

/** The events of companions: the streams whose ids the stream mentions. */
const companionsOf = async (
  { log, index }: BesideDeps,
  { handlers }: Projection,
  own: readonly RecordedEvent[],
): Promise<{ readonly events: readonly RecordedEvent[]; readonly isCut: boolean }> => {
  const writers = [...kinds.values()]
    .filter(({ decider }) => decider.codec.types.some((type) => handlers.has(type)))
    .map(({ decider }) => decider.category);
  const itself = own[0]?.stream ?? "";
  const ids = new Set(JSON.stringify([itself, own.map(({ data }) => data)]).match(UUIDS));
  const names = [...ids].flatMap((id) => writers.map((kind) => `${kind}-${id}`));
  const asked = names.filter((name) => name !== itself);
  const there = await index.findStreams(asked.slice(0, MAX_NAMED));
  let events: RecordedEvent[] = [];
  let isCut = asked.length > MAX_NAMED || there.length > MAX_COMPANIONS;
  for (const { stream } of there.slice(0, MAX_COMPANIONS)) {
    const more = await readAll(log, stream);
    // Too many events to fold in one request.
    if (more === null || events.length + more.length > MAX_EVENTS) isCut = true;
    else events = events.concat(more);
  }
  return { events, isCut };
};

const readAll = async (
  log: Pick<EventLog, "readStream">,
  stream: string,
): Promise<RecordedEvent[] | null> => {
  const events: RecordedEvent[] = [];
  for await (const event of log.readStream(stream, { limit: MAX_EVENTS + 1 })) events.push(event);
  return events.length > MAX_EVENTS ? null : events;
};
