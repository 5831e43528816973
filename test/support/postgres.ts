import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

declare module "vitest" {
  interface ProvidedContext {
    /** Connection string of the PostgreSQL that the test run started, with the right to make databases. */
    postgresUrl: string;
    /** The database with the tables of a service and without rows (globalPostgres.ts). */
    postgresTemplate: string;
  }
}

export type TestDatabase = { readonly url: string; drop(): Promise<void> };

/** An empty database of its own for one test file, on the PostgreSQL that the test run started. */
export const createTestDatabase = (): Promise<TestDatabase> => create("template1");

/** Like {@link createTestDatabase}, with the tables of a service: cloning takes a fifth of the time of migrating. */
export const cloneServiceDatabase = (): Promise<TestDatabase> => create(inject("postgresTemplate"));

const create = async (template: string): Promise<TestDatabase> => {
  const base = inject("postgresUrl");
  const name = `t_${randomBytes(8).toString("hex")}`;
  await execute(base, `CREATE DATABASE ${name} TEMPLATE ${template}`);
  const url = new URL(base);
  url.pathname = `/${name}`;
  return {
    url: url.href,
    drop: () => execute(base, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`),
  };
};

const execute = async (url: string, statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(statement);
  } finally {
    await client.end();
  }
};
