import { sql } from "kysely";
import { newId } from "../../src/platform/ids.ts";
import { eventually } from "./client.ts";
import type { TestService } from "./service.ts";

/**
 * Takes a lease for longer than any suite runs, so that the service leaves its periodic work to the
 * test.
 */
export const leadInstead = (service: TestService, name: string): Promise<bigint | undefined> =>
  eventually(
    async () => {
      const { numAffectedRows } = await sql`
        update leaderships set holder = ${newId()}, expires_at = now() + interval '1 day'
        where name = ${name}`.execute(service.platform.database.db);
      return numAffectedRows;
    },
    (taken) => taken === 1n,
  );
