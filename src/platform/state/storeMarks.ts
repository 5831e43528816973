import type pg from "pg";
import { SettingError } from "../parts.ts";

/**
 * What an operator has done to a database that its service must know of before it starts: a restore that has not
 * come to its end, a log that was moved to another server.
 */
export type StoreMark =
  | { readonly name: "restoring"; readonly backup: string }
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

/** Rejects with SettingError when a service must not start on a database as it is. */
export const refuseMarked = async (
  pool: pg.Pool,
  { isLogEmbedded }: { readonly isLogEmbedded: boolean },
): Promise<void> => {
  for (const mark of await readMarks(pool)) {
    if (mark.name === "restoring") {
      throw new SettingError(
        "A restore into this database has not come to its end. Run the same `runledger restore` again.",
        mark,
      );
    }
    if (isLogEmbedded) {
      throw new SettingError(
        `The event log of this database was moved to ${mark.to}. Set EVENTSTORE_URL to it.`,
        mark,
      );
    }
  }
};
