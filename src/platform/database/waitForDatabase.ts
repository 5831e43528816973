import pg from "pg";
import { withoutCredentials } from "../credentials.ts";
import type { Logger } from "../logger.ts";
import { SettingError } from "../parts.ts";
import { pause } from "../pause.ts";
import { isAbsence } from "./failures.ts";
import { letGo } from "./notifications.ts";

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
    const client = new pg.Client({
      connectionString: url,
      connectionTimeoutMillis: DIAL_MS,
      query_timeout: DIAL_MS,
    });
    client.on("error", () => undefined);
    try {
      await client.connect();
      await client.query("SELECT 1");
      return;
    } catch (cause) {
      const why = withoutCredentials(cause instanceof Error ? cause.message : String(cause));
      const at = `DATABASE_URL (${withoutCredentials(url)})`;
      if (!mayPass(cause))
        throw new SettingError(`The PostgreSQL at ${at} refuses the service: ${why}.`, cause);
      if (performance.now() > deadline)
        throw new SettingError(
          `No PostgreSQL answers at ${at}: ${why}. Start it, or unset DATABASE_URL for the embedded one.`,
          cause,
        );
      if (attempt === 1) logger.warn({ setting: "DATABASE_URL" }, "waiting for PostgreSQL");
      await pause(RETRY_MS);
    } finally {
      letGo(client);
    }
  }
};

const mayPass = (error: unknown): boolean =>
  isAbsence(error) || (error instanceof Error && /timeout/i.test(error.message));
