import pino from "pino";
import { openDatabase } from "../../src/platform/database/database.ts";
import { connectEventLog } from "../../src/platform/eventLog/client.ts";
import { newId } from "../../src/platform/ids.ts";
import { createPositions } from "../../src/projections/kernel/positions.ts";
import { startProjector } from "../../src/projections/kernel/projector.ts";
import { prepareProjections } from "../../src/projections/kernel/schemas.ts";
import { countersProjection } from "./countersProjection.ts";

/**
 * A process that applies events to one projection until it is killed. Arguments: database, event log,
 * name of the projection, and the delay per event in milliseconds.
 */
const [databaseUrl = "", logUrl = "", name = "", slowMs = "0"] = process.argv.slice(2);
const database = openDatabase(databaseUrl);
const projections = [countersProjection(name, { slowMs: Number(slowMs) })];
await prepareProjections(database.patient, projections);
startProjector({
  log: connectEventLog(logUrl),
  db: database.db,
  patient: database.patient,
  projections,
  positions: createPositions(),
  logger: pino({ level: "silent" }),
  holder: newId(),
});
process.stdout.write("folding\n");
