import { randomBytes } from "node:crypto";
import pg from "pg";
import type { BenchContext } from "../harness/bench.ts";

/** Runs one statement on a new connection. */
export const query = async <Row extends pg.QueryResultRow>(
  url: string,
  text: string,
  values: readonly unknown[] = [],
): Promise<readonly Row[]> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    return (await client.query<Row>(text, [...values])).rows;
  } finally {
    await client.end();
  }
};

/** The URL of another database of the same server. */
export const databaseUrl = (postgresUrl: string, name: string): string => {
  const url = new URL(postgresUrl);
  url.pathname = `/${name}`;
  return url.href;
};

/** Creates a database as a copy of `template` and drops it at the end of the bench. Returns its URL. */
export const createDatabase = async (
  context: Pick<BenchContext, "postgresUrl" | "defer">,
  template = "template0",
): Promise<string> => {
  const name = `bench_${randomBytes(6).toString("hex")}`;
  await query(context.postgresUrl, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  context.defer(() => query(context.postgresUrl, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
  return databaseUrl(context.postgresUrl, name);
};
