import { logFailure } from "../platform/availability.ts";
import type { Database } from "../platform/database/database.ts";
import { listen } from "../platform/database/notifications.ts";
import { parsePosition } from "../platform/database/types.ts";
import type { Logger } from "../platform/logger.ts";
import { ADVANCED_CHANNEL } from "../projections/kernel/applyBatch.ts";
import { createPositions, type Positions } from "../projections/kernel/positions.ts";
import type { Stops } from "./stops.ts";

/**
 * Follows the positions of the read models, whichever process folds them: listens to NOTIFY, and reads the checkpoints
 * on each connection, because notifications are lost while disconnected.
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
        readCheckpoints().catch((error) =>
          logFailure(logger, error, {}, "could not read the projection checkpoints"),
        );
      },
      onError: (message) => logger.warn({ message }, "waiting for the database's notifications"),
    },
  );
  stops.add("position listener", listener.close);
  await listener.ready;
  return positions;
};
