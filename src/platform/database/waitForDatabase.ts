import pg from "pg";
import { addressOf } from "../credentials.ts";
import type { Logger } from "../logger.ts";
import { diagnoseSetting, settingError } from "../settingFailure.ts";
import { sleep } from "../sleep.ts";
import { endConnection } from "./notifications.ts";

const CONNECT_MS = 2_500;
const RETRY_MS = 250;

/**
 * Waits until a database accepts queries. Rejects with SettingError if it does not within `patienceMs`, and at once
 * if it refuses the connection for another reason than a missing server.
 */
export const waitForDatabase = async (
  url: string,
  { patienceMs, logger }: { readonly patienceMs: number; readonly logger: Logger },
): Promise<void> => {
  const deadline = performance.now() + patienceMs;
  for (let attempt = 1; ; attempt += 1) {
    let client: pg.Client | null = null;
    try {
      // The constructor reads the certificate files of the connection string and may throw.
      client = new pg.Client({
        connectionString: url,
        connectionTimeoutMillis: CONNECT_MS,
        query_timeout: CONNECT_MS,
      });
      client.on("error", () => undefined);
      await client.connect();
      await client.query("SELECT 1");
      return;
    } catch (cause) {
      const failure = diagnoseSetting("DATABASE_URL", addressOf(url), cause);
      if (failure.kind !== "absent" || performance.now() > deadline) {
        throw settingError("DATABASE_URL", addressOf(url), cause, failure);
      }
      if (attempt === 1) {
        logger.warn({ setting: "DATABASE_URL", why: failure.why }, "waiting for PostgreSQL");
      }
      await sleep(RETRY_MS);
    } finally {
      if (client) endConnection(client);
    }
  }
};
