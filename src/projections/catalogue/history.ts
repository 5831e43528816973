import type { Kysely } from "kysely";
import type { Step } from "../../domain/catalogue/step.ts";
import { noData, type TestData } from "../../domain/catalogue/testData.ts";
import type { Principal } from "../../domain/usage/spender.ts";
import type { PersonTables } from "../../stores/identity/persons.ts";
import { triggeredBy } from "../runs/triggeredBy.ts";
import type { CatalogueTables } from "./tables.ts";

/** A version in the history of a test: the event and the resulting content. */
export type HistoryEntry = {
  readonly version: number;
  /** Type of the event. */
  readonly event: string;
  readonly at: string;
  /** The actor, in the format of the run history. */
  readonly by: string;
  readonly name: string;
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly revertedTo: number | null;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly data: TestData;
};

type Row = CatalogueTables["test_history"];
type Content = Pick<HistoryEntry, "version" | "text" | "steps" | "data">;

type HistoryDb = {
  readonly db: Kysely<CatalogueTables>;
  /** The same database: the persons belong to another context. */
  readonly persons: Kysely<PersonTables>;
};

/** The queries of test histories. `database` also contains the persons. */
// biome-ignore lint/suspicious/noExplicitAny: tables of several contexts.
export const historyQueries = (database: Kysely<any>) => {
  const deps: HistoryDb = { db: database, persons: database };
  return {
    listHistory: listHistory.bind(null, deps),
    findHistoryEntry: findHistoryEntry.bind(null, deps),
    findVersionAt: findVersionAt.bind(null, deps),
  };
};

/** Versions before `before`, newest first. Returns up to `limit + 1` rows. */
const listHistory = async (
  deps: HistoryDb,
  testId: string,
  page: { readonly limit: number; readonly before?: number | undefined },
): Promise<readonly HistoryEntry[]> => {
  const rows = await history(deps, testId)
    .$if(page.before !== undefined, (q) => q.where("version", "<", page.before ?? 0))
    .orderBy("version", "desc")
    .limit(page.limit + 1)
    .execute();
  return entriesOf(deps, testId, rows);
};

const findHistoryEntry = async (
  deps: HistoryDb,
  testId: string,
  version: number,
): Promise<HistoryEntry | null> => {
  const rows = await history(deps, testId).where("version", "=", version).execute();
  return (await entriesOf(deps, testId, rows))[0] ?? null;
};

/** The version at a time; null before the creation. */
const findVersionAt = async (
  deps: HistoryDb,
  testId: string,
  instant: string,
): Promise<HistoryEntry | null> => {
  const rows = await history(deps, testId)
    .where("at", "<=", instant)
    .orderBy("version", "desc")
    .limit(1)
    .execute();
  return (await entriesOf(deps, testId, rows))[0] ?? null;
};

const history = ({ db }: HistoryDb, testId: string) =>
  db.selectFrom("test_history").selectAll().where("test_id", "=", testId);

const entriesOf = async (
  deps: HistoryDb,
  testId: string,
  rows: readonly Row[],
): Promise<HistoryEntry[]> => {
  const versions = rows.map(({ version }) => version);
  if (versions.length === 0) return [];
  const from = Math.min(...versions);
  const contents = await contentsOf(deps.db, testId, from, Math.max(...versions));
  const actors = rows.map(({ actor }) => actor as Principal);
  const nameOf = await triggeredBy(deps.persons, actors);
  return rows.map((row) => {
    const content = contents.find(({ version }) => version <= row.version);
    return {
      version: row.version,
      event: row.event,
      at: row.at,
      by: nameOf(row.actor as Principal),
      name: row.name,
      projectId: row.project_id,
      folderId: row.folder_id,
      revertedTo: row.reverted_to,
      text: content?.text ?? "",
      steps: content?.steps ?? [],
      data: content?.data ?? noData,
    };
  });
};

/** The contents of these versions and of the one before the first. */
const contentsOf = async (
  db: HistoryDb["db"],
  testId: string,
  from: number,
  to: number,
): Promise<readonly Content[]> => {
  const rows = await db
    .selectFrom("test_versions")
    .select(["version", "text", "steps", "data"])
    .where("test_id", "=", testId)
    .where("version", "<=", to)
    .where("version", ">=", (eb) =>
      eb
        .selectFrom("test_versions as earlier")
        .select((of) => of.fn.max<number>("earlier.version").as("version"))
        .where("earlier.test_id", "=", testId)
        .where("earlier.version", "<=", from),
    )
    .orderBy("version", "desc")
    .execute();
  return rows.map((row) => ({
    ...row,
    steps: row.steps as readonly Step[],
    data: row.data as TestData,
  }));
};
