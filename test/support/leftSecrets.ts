import pg from "pg";

const hexOf = (text: string): string => Buffer.from(text).toString("hex");
const HEX_DIGIT = "(3[0-9]|6[1-6])";
const LETTER = "(3[0-9]|4[1-9a-f]|5[0-9af]|6[1-9a-f]|7[0-9a]|2d)";

/** Patterns of secrets that no row may contain: passwords, whole API keys and tokens. */
const SECRETS: Readonly<Record<string, string>> = {
  // Passwords created by test/support/client.ts.
  password: `pw-[0-9a-f]{8}-|${hexOf("pw-")}${HEX_DIGIT}{8}2d`,
  // The displayed prefix of a key is shorter.
  "API key": `ak_live_[A-Za-z0-9_-]{30}|${hexOf("ak_live_")}${LETTER}{30}`,
  "access token": `eyJ[A-Za-z0-9_-]{20,}[.]eyJ|${hexOf("eyJ")}${LETTER}{20,}2e${hexOf("eyJ")}`,
};

/**
 * Searches the event log, the read models and all other tables of a database for secrets. Each suite with a service
 * calls it at its end. Returns each finding once as `secret in schema.table`.
 */
export const leftSecrets = async (databaseUrl: string): Promise<readonly string[]> => {
  const client = new pg.Client({ connectionString: databaseUrl });
  client.on("error", () => undefined);
  await client.connect();
  try {
    const tables = await client.query<{ schema: string; name: string }>(
      `select schemaname as schema, tablename as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    );
    const found: string[] = [];
    for (const { schema, name } of tables.rows) {
      const table = `${pg.escapeIdentifier(schema)}.${pg.escapeIdentifier(name)}`;
      for (const [secret, pattern] of Object.entries(SECRETS)) {
        const { rowCount } = await client.query(
          `select from ${table} t where t::text ~ $1 limit 1`,
          [pattern],
        );
        if (rowCount) found.push(`${secret} in ${schema}.${name}`);
      }
    }
    return found;
  } finally {
    await client.end();
  }
};
