import { projections } from "../../src/main/core/projections.ts";
import type { Database } from "../../src/platform/database/database.ts";
import type { EventLog, RecordedEvent } from "../../src/platform/eventLog/port.ts";
import { loadShown } from "../../src/projections/kernel/schemas.ts";
import { verifyProjection } from "../../src/projections/kernel/verify.ts";
import { eventually } from "./client.ts";

/**
 * Waits until every read model has reached the head of the log, then rebuilds each separately and compares all rows.
 * `events` are the events of the log that were already read. Returns the differences in words, empty if there are
 * none. Rejects if the read models do not catch up.
 */
export const differingReadModels = async (
  log: EventLog,
  events: readonly RecordedEvent[],
  { patient }: Pick<Database, "patient">,
): Promise<readonly string[]> => {
  const head = events.at(-1)?.position ?? null;
  const behind = async () => {
    const shown = await loadShown(patient, projections);
    const positions = new Map(shown.map((one) => [one.projection.name, one.position ?? -1n]));
    return projections
      .map(({ name }) => name)
      .filter((name) => (positions.get(name) ?? -1n) < (head ?? -1n));
  };
  await eventually(behind, (names) => names.length === 0, 60_000);
  const problems: string[] = [];
  const over = new AbortController().signal;
  for (const projection of projections) {
    const deps = { log: readOnce(log, events), db: patient };
    const found = await verifyProjection(deps, projection, over);
    if (found.outcome === "equal" && found.refused === 0) continue;
    problems.push(`${projection.name}: ${JSON.stringify(found)}`);
  }
  return problems;
};

/** A log with its first events in memory, so that it is read once for all read models. Later events are read again. */
const readOnce = (log: EventLog, events: readonly RecordedEvent[]): EventLog => ({
  ...log,
  readAll: async function* ({ after }) {
    for (const event of events) if (after === null || event.position > after) yield event;
    const last = events.at(-1)?.position ?? null;
    yield* log.readAll({ after: after === null || (last !== null && last > after) ? last : after });
  },
});
