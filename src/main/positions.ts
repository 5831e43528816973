import { logFailure } from "../platform/availability.ts";
import type { Database } from "../platform/database/database.ts";
import { listen } from "../platform/database/notifications.ts";
import { parsePosition } from "../platform/database/types.ts";
import type { Logger } from "../platform/logger.ts";
import { ADVANCED_CHANNEL } from "../projections/kernel/applyBatch.ts";
import { createPositions, type Positions } from "../projections/kernel/positions.ts";
import type { Stops } from "./stops.ts";

/**
 * How far the read models are, whichever process folds them: told by NOTIFY on each commit, and read
 * from the checkpoints on each (re)connection, since what was notified meanwhile is lost.
 */
export const followProjectionPositions = async (
  databaseUrl: string,
  database: Database,
  logger: Logger,
  stops: Stops,
): Promise<Positions> => {
  const positions = createPositions();
  const readCheckpoints = async () => {
    const rows: { name: string; position: bigint | null }[] = await database.db
      .selectFrom("projection_checkpoints")
      .select(["name", "position"])
      .where("state", "=", "shown")
      .execute();
    for (const { name, position } of rows) {
      if (position !== null) positions.advance(name, position);
    }
  };
  const listener = listen(
    databaseUrl,
    ADVANCED_CHANNEL,
    (payload) => {
      const [position = "", names = ""] = payload.split(" ");
      for (const name of names.split(",")) positions.advance(name, parsePosition(position));
    },
    {
      onConnected: () => {
        readCheckpoints().catch((error) => logFailure(logger, error, {}, "checkpoints not read"));
      },
      onError: (message) => logger.warn({ message }, "waiting for the database's notifications"),
    },
  );
  stops.add("position listener", listener.close);
  await listener.ready;
  return positions;
};
