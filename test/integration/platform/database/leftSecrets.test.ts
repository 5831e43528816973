import { randomUUID } from "node:crypto";
import pg from "pg";
import { expect, test } from "vitest";
import { leftSecrets } from "../../../support/leftSecrets.ts";
import { createTestDatabase } from "../../../support/postgres.ts";

/** The search for secrets at the end of every suite finds each kind of secret. */
test("finds secrets in text, JSON and bytes without printing them", async () => {
  const database = await createTestDatabase();
  const client = new pg.Client({ connectionString: database.url });
  await client.connect();
  try {
    const password = `pw-${randomUUID()}`;
    const key = `ak_live_${"a1B2c3D4e5".repeat(4)}`;
    const token = `eyJ${"a".repeat(30)}.eyJ${"b".repeat(30)}.c`;
    await client.query("create table clean (t text, j jsonb, b bytea)");
    const harmless = ["ak_live_a1B2c3", "pw-", "eyJhbGciOi"];
    for (const text of harmless) {
      await client.query("insert into clean values ($1, $2, $3)", [
        text,
        JSON.stringify({ text }),
        Buffer.from(text),
      ]);
    }
    expect(await leftSecrets(database.url)).toEqual([]);
    await client.query("create table as_text (t text)");
    await client.query("insert into as_text values ($1)", [`x ${password} y`]);
    await client.query("create table as_json (j jsonb)");
    await client.query("insert into as_json values ($1)", [JSON.stringify({ deep: [key] })]);
    await client.query("create table as_bytes (b bytea)");
    await client.query("insert into as_bytes values ($1)", [
      Buffer.from(JSON.stringify({ password, key, token })),
    ]);
    expect([...(await leftSecrets(database.url))].sort()).toEqual([
      "API key in public.as_bytes",
      "API key in public.as_json",
      "access token in public.as_bytes",
      "password in public.as_bytes",
      "password in public.as_text",
    ]);
  } finally {
    await client.end();
    await database.drop();
  }
});
