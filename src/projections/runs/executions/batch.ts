import { sql } from "kysely";
import type { Target } from "../../kernel/projection.ts";
import { insertRows, recordset } from "../../kernel/rows.ts";
import type { ExecutionTables } from "./tables.ts";

type ExecutionRow = ExecutionTables["executions"];
type AttemptRow = ExecutionTables["execution_attempts"];
type BrowserRow = ExecutionTables["execution_browsers"];
type StepRow = ExecutionTables["execution_steps"];
type HealedRow = ExecutionTables["healed_steps"];
type ScreenshotRow = ExecutionTables["screenshots"];
type Ending = Pick<BrowserRow, "status" | "error" | "duration_ms">;

/**
 * The changes of an event to an execution. `started_at` keeps its first value; an ending sets all its fields, including
 * `finished_at`.
 */
type Change = Partial<
  Pick<ExecutionRow, "status" | "delivery" | "error" | "duration_ms" | "started_at" | "finished_at">
> &
  Pick<ExecutionRow, "updated_at" | "version">;

/**
 * The changes to the row of a browser in one batch, in order: conditional on an existing row, the row itself, later
 * updates.
 */
type BrowserOps = {
  before?: Ending;
  insert?: BrowserRow;
  after?: Ending;
};

/** Rows of one execution, by key. */
type Parts = {
  readonly attempts: Map<number, { row: AttemptRow; isFinal: boolean }>;
  readonly browsers: Map<string, BrowserOps>;
  readonly steps: Map<string, StepRow>;
  readonly healed: Map<string, HealedRow>;
  readonly screenshots: Map<string, ScreenshotRow>;
};

/**
 * Gathers the row changes of a batch of events in memory and writes them with one statement per table and
 * kind. Reads nothing: the result is the same as one statement per call, in the order of the calls.
 */
export const executionBatch = () => {
  const batch: Batch = {
    ...{ inserts: [], inserted: new Map(), changes: new Map(), cleared: new Set() },
    ...{ parts: new Map(), judged: new Map(), withoutPictures: new Set() },
  };
  return {
    ...executionChanges(batch),
    ...partChanges(batch),
    /** Writes the gathered rows. */
    write: (into: Target): Promise<void> => writeBatch(into, batch),
  };
};

type Batch = {
  readonly inserts: ExecutionRow[];
  /** `inserts` by id. */
  readonly inserted: Map<string, ExecutionRow>;
  readonly changes: Map<string, Change>;
  readonly cleared: Set<string>;
  readonly parts: Map<string, Parts>;
  readonly judged: Map<string, JudgedAnew>;
  readonly withoutPictures: Set<string>;
};

/** The changes of whole executions. */
const executionChanges = ({
  inserts,
  inserted,
  changes,
  cleared,
  parts,
  judged,
  withoutPictures,
}: Batch) => ({
  insert: (row: ExecutionRow): void => {
    inserts.push(row);
    inserted.set(row.id, row);
  },

  /** Changes an execution if it exists. */
  change: (id: string, { started_at, ...change }: Change): void => {
    const row = inserted.get(id);
    const earlier = row ?? changes.get(id);
    const started = started_at ? { started_at: earlier?.started_at ?? started_at } : {};
    if (row) Object.assign(row, change, started);
    else changes.set(id, { ...earlier, ...change, ...started });
  },

  /** Deletes the attempts, browsers, steps and screenshots of an execution, for a new delivery. */
  clear: (id: string): void => {
    parts.delete(id);
    cleared.add(id);
  },

  /** Deletes the screenshots of an execution. */
  dropScreenshots: (id: string): void => {
    parts.get(id)?.screenshots.clear();
    withoutPictures.add(id);
  },

  /** Replaces the outcome of a finished row if it exists. */
  judgeAnew: (
    table: JudgedAnew["table"],
    key: JudgedAnew["key"],
    outcome: JudgedAnew["outcome"],
  ): void => {
    judged.set(`${table} ${Object.values(key).join(" ")}`, { table, key, outcome });
  },
});

/** The changes of the parts of executions. */
const partChanges = (batch: Batch) => ({
  /** Inserts an attempt. An existing one is replaced only by its final row. */
  putAttempt: (row: AttemptRow, isFinal: boolean): void => {
    const { attempts } = partsOf(batch, row.execution_id);
    if (isFinal || !attempts.has(row.attempt)) attempts.set(row.attempt, { row, isFinal });
  },

  /** Inserts a browser of an attempt unless it exists. */
  putBrowser: (row: BrowserRow): void => {
    const { browsers } = partsOf(batch, row.execution_id);
    const key = `${row.attempt} ${row.browser}`;
    const ops = browsers.get(key) ?? {};
    ops.insert ??= row;
    browsers.set(key, ops);
  },

  /** Sets the outcome of a browser if it exists. */
  endBrowser: (
    key: Pick<BrowserRow, "execution_id" | "attempt" | "browser">,
    ending: Ending,
  ): void => {
    const { browsers } = partsOf(batch, key.execution_id);
    const name = `${key.attempt} ${key.browser}`;
    const ops = browsers.get(name) ?? {};
    if (ops.insert) ops.after = ending;
    else ops.before = ending;
    browsers.set(name, ops);
  },

  /** Inserts or replaces a step. */
  putStep: (row: StepRow): void => {
    const { steps } = partsOf(batch, row.execution_id);
    steps.set(`${row.attempt} ${row.browser} ${row.number}`, row);
  },

  /** Inserts a healed step unless it exists. */
  putHealed: (row: HealedRow): void => {
    const { healed } = partsOf(batch, row.execution_id);
    const key = `${row.attempt} ${row.browser} ${row.number}`;
    if (!healed.has(key)) healed.set(key, row);
  },

  /** Inserts the screenshot of a step unless it has one. */
  putScreenshot: (row: ScreenshotRow): void => {
    const { screenshots } = partsOf(batch, row.execution_id);
    const key = `${row.attempt} ${row.browser} ${row.step_number}`;
    if (!screenshots.has(key)) screenshots.set(key, row);
  },
});

const partsOf = ({ parts }: Batch, id: string): Parts => {
  const known = parts.get(id);
  if (known) return known;
  const made: Parts = {
    attempts: new Map(),
    browsers: new Map(),
    steps: new Map(),
    healed: new Map(),
    screenshots: new Map(),
  };
  parts.set(id, made);
  return made;
};

const writeBatch = async (into: Target, batch: Batch): Promise<void> => {
  const { inserts, changes, cleared, parts, judged, withoutPictures } = batch;
  await updateExecutions(into, changes);
  await insertRows(into, "executions", inserts, "refuse");
  await clearParts(into, [...cleared]);
  await dropPictures(into, [...withoutPictures]);
  const gathered = [...parts.entries()];
  const attempts = gathered.flatMap(([, one]) => [...one.attempts.values()]);
  await insertRows(
    into,
    "execution_attempts",
    attempts.filter(({ isFinal }) => isFinal).map(({ row }) => row),
    { key: ["execution_id", "attempt"], set: ["status", "error", "duration_ms"] },
  );
  await insertRows(
    into,
    "execution_attempts",
    attempts.filter(({ isFinal }) => !isFinal).map(({ row }) => row),
    "ignore",
  );
  await writeBrowsers(into, gathered, cleared);
  await insertRows(
    into,
    "execution_steps",
    gathered.flatMap(([, one]) => [...one.steps.values()]),
    {
      key: ["execution_id", "attempt", "browser", "number"],
      set: [
        ...["status", "duration_ms", "error", "locator"],
        ...["reason", "is_gap", "notes", "evidence", "page"],
      ],
    },
  );
  await insertRows(
    into,
    "healed_steps",
    gathered.flatMap(([, one]) => [...one.healed.values()]),
    "ignore",
  );
  await insertRows(
    into,
    "screenshots",
    gathered.flatMap(([, one]) => [...one.screenshots.values()]),
    "ignore",
  );
  await writeJudged(into, [...judged.values()]);
};

/** A new outcome of a finished row. */
type JudgedAnew = {
  readonly table: "executions" | "execution_attempts" | "execution_browsers" | "execution_steps";
  readonly key: Readonly<Record<string, string | number>>;
  readonly outcome: { readonly status: string; readonly error: string | null };
};

const writeJudged = async (into: Target, all: readonly JudgedAnew[]): Promise<void> => {
  for (const { table, key, outcome } of all) {
    const same = Object.entries(key).map(([name, value]) => sql`${sql.id(name)} = ${value}`);
    await sql`
      update ${sql.id(into.schema, table)} set status = ${outcome.status}, error = ${outcome.error}
      where ${sql.join(same, sql` and `)}`.execute(into.db);
  }
};

const updateExecutions = async (
  into: Target,
  changes: ReadonlyMap<string, Change>,
): Promise<void> => {
  if (changes.size === 0) return;
  const rows = [...changes].map(([id, change]) => ({ id, ...change }));
  await sql`
    update ${sql.id(into.schema, "executions")} as e set
      status = coalesce(c.status, e.status),
      delivery = coalesce(c.delivery, e.delivery),
      started_at = coalesce(e.started_at, c.started_at),
      error = case when c.finished_at is null then e.error else c.error end,
      duration_ms = case when c.finished_at is null then e.duration_ms else c.duration_ms end,
      finished_at = coalesce(c.finished_at, e.finished_at),
      updated_at = c.updated_at,
      version = c.version
    from ${recordset(into, "executions", rows)} as c
    where e.id = c.id`.execute(into.db);
};

const clearParts = async (into: Target, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  const from = (table: string) =>
    sql`delete from ${sql.id(into.schema, table)} where execution_id = any(${ids}::uuid[])`;
  await sql`
    with attempts as (${from("execution_attempts")}), browsers as (${from("execution_browsers")}),
      steps as (${from("execution_steps")}), healed as (${from("healed_steps")})
    ${from("screenshots")}`.execute(into.db);
};

const dropPictures = async (into: Target, ids: readonly string[]): Promise<void> => {
  if (ids.length === 0) return;
  const table = sql.id(into.schema, "screenshots");
  await sql`delete from ${table} where execution_id = any(${ids}::uuid[])`.execute(into.db);
};

const writeBrowsers = async (
  into: Target,
  gathered: readonly (readonly [string, Parts])[],
  cleared: ReadonlySet<string>,
): Promise<void> => {
  const before: object[] = [];
  const inserts: BrowserRow[] = [];
  const after: object[] = [];
  for (const [execution_id, { browsers }] of gathered) {
    for (const [key, ops] of browsers) {
      const [attempt = "", ...browser] = key.split(" ");
      const at = { execution_id, attempt, browser: browser.join(" ") };
      // A cleared execution has no rows in the table that an outcome could apply to.
      const isAlone = cleared.has(execution_id);
      if (ops.before && !isAlone) before.push({ ...at, ...ops.before });
      if (ops.insert) inserts.push(isAlone ? { ...ops.insert, ...ops.after } : ops.insert);
      if (ops.after && !isAlone) after.push({ ...at, ...ops.after });
    }
  }
  await endBrowsers(into, before);
  await insertRows(into, "execution_browsers", inserts, "ignore");
  await endBrowsers(into, after);
};

const endBrowsers = async (into: Target, endings: readonly object[]): Promise<void> => {
  if (endings.length === 0) return;
  const rows = endings as readonly Record<string, unknown>[];
  await sql`
    update ${sql.id(into.schema, "execution_browsers")} as b
    set status = c.status, error = c.error, duration_ms = c.duration_ms
    from ${recordset(into, "execution_browsers", rows)} as c
    where b.execution_id = c.execution_id and b.attempt = c.attempt
      and b.browser = c.browser`.execute(into.db);
};
