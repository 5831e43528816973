import pg from "pg";
import { addressOf } from "../credentials.ts";
import type { Logger } from "../logger.ts";
import { diagnoseSetting, settingError } from "../settingFailure.ts";
import { sleep } from "../sleep.ts";
import { endConnection } from "./notifications.ts";

const DIAL_MS = 2_500;
const RETRY_MS = 250;

/**
 * Waits until the database of a connection string takes queries. Rejects, with the setting's name and without its
 * password, when it is not there in time, and at once when it refuses us: that does not pass by waiting.
 */
export const waitForDatabase = async (
  url: string,
  { patienceMs, logger }: { readonly patienceMs: number; readonly logger: Logger },
): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    let client: pg.Client | null = null;
    try {
      // Made here: it reads the certificates that the connection string names.
      client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: DIAL_MS,
        query_timeout: DIAL_MS,
      });
      client.on("error", () => undefined);
      await client.connect();
      await client.query("SELECT 1");
      return;
    } catch (cause) {
      const trouble = diagnoseSetting("DATABASE_URL", addressOf(url), cause);
      if (trouble.kind !== "absent" || performance.now() > deadline) {
        throw settingError("DATABASE_URL", addressOf(url), cause, trouble);
      }
      if (attempt === 1) {
        logger.warn({ setting: "DATABASE_URL", why: trouble.why }, "waiting for PostgreSQL");
      }
      await sleep(RETRY_MS);
    } finally {
      if (client) endConnection(client);
    }
  }
};
