import { readFile, rename, rm, writeFile } from "node:fs/promises";
import path from "node:path";
import type pg from "pg";
import { SettingError } from "../platform/settingError.ts";

/**
 * A mark that prevents a service from starting on a database: an unfinished restore, or an event log that was moved to
 * another server.
 */
export type StoreMark =
  | {
      readonly name: "restoring";
      readonly backup: string;
      /** The folder of the backup; absent in marks of older releases. */
      readonly folder?: string;
    }
  | { readonly name: "log_moved"; readonly to: string };

const TABLE = "public.store_marks";

/** Not part of a migration: a restore sets its mark before any table exists. */
const DEFINITION = `create table if not exists ${TABLE} (name text primary key, mark jsonb not null)`;

/** Sets a mark and replaces one of the same name. */
export const setMark = async (client: pg.ClientBase | pg.Pool, mark: StoreMark): Promise<void> => {
  await client.query(DEFINITION);
  await client.query(
    `insert into ${TABLE} values ($1, $2) on conflict (name) do update set mark = excluded.mark`,
    [mark.name, JSON.stringify(mark)],
  );
};

/** Removes a mark. */
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

/** Why a service must not start on a database with this mark, and the remedy; null if it may start. */
export const describeMark = (
  mark: StoreMark,
  { isLogEmbedded }: { readonly isLogEmbedded: boolean },
): { readonly found: string; readonly advice: string } | null => {
  if (mark.name === "restoring") {
    return {
      found: "A restore into this database has not finished",
      advice: `Run the same \`runledger restore${mark.folder === undefined ? "" : ` ${mark.folder}`}\` again.`,
    };
  }
  if (!isLogEmbedded) return null;
  return {
    found: `The event log of this database was moved to ${mark.to}`,
    advice: "Set EVENTSTORE_URL to it.",
  };
};

/** Rejects with SettingError if a mark prevents a service from starting. */
export const refuseMarkedDatabase = async (
  pool: pg.Pool,
  log: { readonly isLogEmbedded: boolean },
): Promise<void> => {
  for (const mark of await readMarks(pool)) {
    const trouble = describeMark(mark, log);
    if (trouble) throw new SettingError(`${trouble.found}. ${trouble.advice}`, mark);
  }
};

/** A copy of the marks of an embedded database, readable while it is stopped. */
const FILE = "marks.json";

/** Copies the marks of an embedded database into its data folder. */
export const writeMarksFile = async (dataDir: string, pool: pg.Pool): Promise<void> => {
  const marks = await readMarks(pool);
  const file = path.join(dataDir, FILE);
  if (marks.length === 0) await rm(file, { force: true });
  else {
    // Replaced atomically: a kill must not leave a partial file.
    const temporary = `${file}.part`;
    await writeFile(temporary, `${JSON.stringify(marks)}\n`, { mode: 0o600 });
    await rename(temporary, file);
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
