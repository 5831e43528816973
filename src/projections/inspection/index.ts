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

/** Operators' queries on the log. Persons are identified by id, and e-mail addresses are hidden. */
export const inspectorQueries = (deps: {
  readonly db: Kysely<AnySchema>;
  readonly log: Pick<EventLog, "readStream" | "readStreamBackwards">;
  readonly persons: Pick<PersonsState, "findByAddress">;
  readonly projections: readonly Projection[];
}) => {
  const index = eventIndex(deps.db);
  return {
    ...createStreamReads(deps.log),
    /** Streams found by an e-mail address, an id, a key prefix or a provider's event. */
    find: createFind({ ...deps, index }),
    /** Streams by name prefix, one more than `limit` if there are more. */
    listStreams: (page: {
      readonly prefix: string;
      readonly after: string | null;
      readonly limit: number;
    }) => index.listStreams(page.prefix, page.after, page.limit + 1),
    /** An event with its causes and effects, null if it is not indexed. */
    treeOf: (eventId: string) => findTree(index, eventId),
    /** The rows of read models that depend on a stream, compared with the log. */
    beside: (stream: string) => besideReadModels({ ...deps, index }, stream),
  };
};
