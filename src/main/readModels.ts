import type { Bus } from "../platform/bus/port.ts";
import { trackWatchedRuns } from "../platform/bus/watchedRuns.ts";
import type { Database } from "../platform/database/database.ts";
import type { EventLog } from "../platform/eventLog/port.ts";
import { newId } from "../platform/ids.ts";
import type { Logger } from "../platform/logger.ts";
import type { Traced } from "../platform/tracing/port.ts";
import { analyze } from "../projections/kernel/analyze.ts";
import { isDeferrable } from "../projections/kernel/deferrableEvents.ts";
import { createPositions, type Positions } from "../projections/kernel/positions.ts";
import { startProjector } from "../projections/kernel/projector.ts";
import { prepareProjections } from "../projections/kernel/schemas.ts";
import { verifyProjection } from "../projections/kernel/verify.ts";
import { projections } from "./core/projections.ts";
import type { Stops } from "./stops.ts";

/** Gives up after this time without progress. */
const STALLED_MS = 120_000;
const CHECK_MS = 1_000;

/** Starts folding the log into the read models. Events of unwatched runs may be deferred briefly (decision 039). */
export const startProjections = (deps: {
  readonly database: Pick<Database, "db" | "patient">;
  readonly log: EventLog;
  readonly bus: Pick<Bus, "subscribe">;
  readonly positions: Positions;
  readonly logger: Logger;
  readonly traced: Traced | undefined;
  readonly stops: Stops;
}): void => {
  const { database, log, bus, positions, logger, traced, stops } = deps;
  const { db, patient } = database;
  const ending = new AbortController();
  const watched = trackWatchedRuns({ bus, signal: ending.signal });
  stops.add("watched runs", () => {
    ending.abort();
    return watched.ended;
  });
  const projector = startProjector({
    ...{ log, db, patient, projections, positions, logger, traced, holder: newId() },
    mayWait: isDeferrable(watched.isWatched),
  });
  stops.add("projector", projector.stop);
};

/**
 * Folds the log into empty read models up to its end, then verifies each against the log. Returns the names of those
 * that differ. No other process may write to the log or fold it meanwhile.
 */
export const rebuildReadModels = async (deps: {
  readonly database: Pick<Database, "db" | "patient">;
  readonly log: EventLog;
  readonly logger: Logger;
  readonly onProgress: (message: string) => void;
}): Promise<readonly string[]> => {
  const { database, log, logger, onProgress } = deps;
  const { db, patient } = database;
  await prepareProjections(patient, projections);
  const positions = createPositions();
  const projector = startProjector({
    ...{ log, db, patient, projections, positions, logger, holder: newId() },
  });
  try {
    await waitUntilFolded(await log.head(), positions, onProgress);
  } finally {
    await projector.stop();
  }
  const differing: string[] = [];
  for (const projection of projections) {
    // Empty read models are at build 1.
    await analyze(patient, projection, 1);
    onProgress(`comparing ${projection.name} with the log`);
    const never = new AbortController().signal;
    const { outcome } = await verifyProjection({ log, db: patient }, projection, never);
    if (outcome !== "equal") differing.push(projection.name);
  }
  return differing;
};

const waitUntilFolded = async (
  head: bigint | null,
  positions: ReturnType<typeof createPositions>,
  onProgress: (message: string) => void,
): Promise<void> => {
  if (head === null) return;
  const names = projections.map(({ name }) => name);
  let movedAt = performance.now();
  const unsubscribe = positions.onAdvance((_name, position) => {
    movedAt = performance.now();
    onProgress(`read models: ${position} of ${head}`);
  });
  try {
    while (!(await positions.waitFor(names, head, CHECK_MS))) {
      if (performance.now() - movedAt > STALLED_MS) {
        throw new Error("The read models make no progress towards the end of the log");
      }
    }
  } finally {
    unsubscribe();
  }
};
