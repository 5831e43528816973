import pg from "pg";
import type { TestService } from "./service.ts";

/** Returns the names of the secrets that a text contains in plain text, hex or base64. */
export const foundIn = (text: string, secrets: Readonly<Record<string, string>>): string[] =>
  Object.entries(secrets)
    .filter(([, secret]) => {
      const bytes = Buffer.from(secret, "utf8");
      // The first and last characters of base64 depend on the neighbouring bytes.
      const base64 = bytes.toString("base64").slice(0, -4);
      return [secret, bytes.toString("hex"), base64].some((form) => text.includes(form));
    })
    .map(([name]) => name);

const TABLES = `SELECT format('%I.%I', table_schema, table_name) AS name FROM information_schema.tables
  WHERE table_type = 'BASE TABLE' AND table_schema NOT IN ('pg_catalog', 'information_schema')`;
/** PostgreSQL's error code of a missing table. */
const UNDEFINED_TABLE = "42P01";

/**
 * Returns every table of the database as text, including the tables of the event log.
 *
 * A rebuild may replace a listed schema meanwhile, so tables are listed again until
 * all of them were read.
 */
export const allTables = async (
  service: TestService,
): Promise<{ name: string; text: string }[]> => {
  const client = new pg.Client({ connectionString: service.platform.databaseUrl });
  await client.connect();
  const dumped = new Map<string, string>();
  const unread = async (): Promise<string[]> =>
    (await client.query<{ name: string }>(TABLES)).rows
      .map(({ name }) => name)
      .filter((name) => !dumped.has(name));
  const dump = async (name: string): Promise<void> => {
    try {
      const { rows } = await client.query<{ row: string }>(`SELECT t::text AS row FROM ${name} t`);
      dumped.set(name, rows.map(({ row }) => row).join("\n"));
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || error.code !== UNDEFINED_TABLE) throw error;
    }
  };
  try {
    for (let names = await unread(); names.length > 0; names = await unread()) {
      for (const name of names) await dump(name);
    }
    return [...dumped].map(([name, text]) => ({ name, text }));
  } finally {
    await client.end();
  }
};

/** Returns every event of the log as text. */
export const allEvents = async (service: TestService): Promise<string[]> => {
  const all: string[] = [];
  for await (const { type, stream, data, metadata } of service.platform.log.readAll({
    after: null,
  })) {
    all.push(JSON.stringify({ type, stream, data, metadata }));
  }
  return all;
};
