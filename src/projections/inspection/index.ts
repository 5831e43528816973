import type { Kysely } from "kysely";
import type { AnySchema } from "../../platform/database/database.ts";
import type { EventLog } from "../../platform/eventLog/port.ts";
import type { PersonsState } from "../../stores/identity/persons.ts";
import { eventIndex } from "../../stores/inspection/eventIndex.ts";
import type { Projection } from "../kernel/projection.ts";
import { besideReadModels } from "./beside.ts";
import { createFind } from "./find.ts";
import { createStreamReads } from "./streams.ts";
import { findTree } from "./tree.ts";

export type InspectorQueries = ReturnType<typeof inspectorQueries>;

/** What those who look after the service ask of the log. Persons are ids, and addresses in texts are hidden. */
export const inspectorQueries = (deps: {
  readonly db: Kysely<AnySchema>;
  readonly log: Pick<EventLog, "readStream" | "readStreamBackwards">;
  readonly persons: Pick<PersonsState, "findByAddress">;
  readonly projections: readonly Projection[];
}) => {
  const index = eventIndex(deps.db);
  return {
    ...createStreamReads(deps.log),
    /** Streams that a text touches: an address, an id, the beginning of a key, a provider's event. */
    find: createFind({ ...deps, index }),
    /** Streams by the beginning of their names, one more than `limit` where there are more. */
    listStreams: (page: {
      readonly prefix: string;
      readonly after: string | null;
      readonly limit: number;
    }) => index.listStreams(page.prefix, page.after, page.limit + 1),
    /** An event with its causes and effects; null when the index does not have it. */
    treeOf: (eventId: string) => findTree(index, eventId),
    /** The read models' rows that a stream speaks of, beside what it says. */
    beside: (stream: string) => besideReadModels({ ...deps, index }, stream),
  };
};
