import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { SettingError } from "../platform/partHealth.ts";

/**
 * What an operator has done to a database that its service must know of before it starts: a restore that has not
 * come to its end, a log that was moved to another server.
 */
export type StoreMark =
  | {
      readonly name: "restoring";
      readonly backup: string;
      /** Where the backup was read from. Older releases did not say it. */
      readonly folder?: string;
    }
  | { readonly name: "log_moved"; readonly to: string };

const TABLE = "public.store_marks";

/** Of no migration: it must be there before there is anything else. */
const DEFINITION = `create table if not exists ${TABLE} (name text primary key, mark jsonb not null)`;

/** Sets a mark, in place of one of the same name. */
export const setMark = async (client: pg.ClientBase | pg.Pool, mark: StoreMark): Promise<void> => {
  await client.query(DEFINITION);
  await client.query(
    `insert into ${TABLE} values ($1, $2) on conflict (name) do update set mark = excluded.mark`,
    [mark.name, JSON.stringify(mark)],
  );
};

/** Takes a mark away. */
export const clearMark = async (
  client: pg.ClientBase | pg.Pool,
  name: StoreMark["name"],
): Promise<void> => {
  await client.query(DEFINITION);
  await client.query(`delete from ${TABLE} where name = $1`, [name]);
};

/** The marks of a database. */
export const readMarks = async (client: pg.ClientBase | pg.Pool): Promise<StoreMark[]> => {
  const { rows: tables } = await client.query("select to_regclass($1) as found", [TABLE]);
  if (tables[0]?.found === null) return [];
  const { rows } = await client.query<{ mark: StoreMark }>(`select mark from ${TABLE}`);
  return rows.map(({ mark }) => mark);
};

/** Why no service starts on a database with this mark, and what to do; null where one may. */
export const describeMark = (
  mark: StoreMark,
  { isLogEmbedded }: { readonly isLogEmbedded: boolean },
): { readonly found: string; readonly advice: string } | null => {
  if (mark.name === "restoring") {
    return {
      found: "A restore into this database has not come to its end",
      advice: `Run the same \`runledger restore${mark.folder === undefined ? "" : ` ${mark.folder}`}\` again.`,
    };
  }
  if (!isLogEmbedded) return null;
  return {
    found: `The event log of this database was moved to ${mark.to}`,
    advice: "Set EVENTSTORE_URL to it.",
  };
};

/** Rejects with SettingError when a service must not start on a database as it is. */
export const refuseMarkedDatabase = async (
  pool: pg.Pool,
  log: { readonly isLogEmbedded: boolean },
): Promise<void> => {
  for (const mark of await readMarks(pool)) {
    const trouble = describeMark(mark, log);
    if (trouble) throw new SettingError(`${trouble.found}. ${trouble.advice}`, mark);
  }
};

/** Beside an embedded database: what its marks are, for who looks while it does not run. */
const FILE = "marks.json";

/** Copies the marks of an embedded database into its data folder. */
export const writeMarksFile = async (dataDir: string, pool: pg.Pool): Promise<void> => {
  const marks = await readMarks(pool);
  const file = path.join(dataDir, FILE);
  if (marks.length === 0) await rm(file, { force: true });
  else {
    // A kill in the middle of it leaves the marks of before, and no half a file that nobody can read.
    const aside = `${file}.part`;
    await writeFile(aside, `${JSON.stringify(marks)}\n`, { mode: 0o600 });
    await rename(aside, file);
  }
};

/** The marks that an embedded database had when it last ran. */
export const readMarksFile = async (dataDir: string): Promise<readonly StoreMark[]> => {
  try {
    return JSON.parse(await readFile(path.join(dataDir, FILE), "utf8")) as StoreMark[];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
};
