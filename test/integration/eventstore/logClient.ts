import { setTimeout as delay } from "node:timers/promises";
import {
  type AppendToStreamOptions,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  type Filter,
  FORWARDS,
  jsonEvent,
  START,
  StreamDeletedError,
  StreamNotFoundError,
  WrongExpectedVersionError,
} from "@eventstore/db-client";
import type { LogEntry, Read, Write } from "./logModel.ts";

/* The model's writes and reads, done by the client against a log that runs. */

/** The response to a write. For an append: revision and position of its last event; otherwise revision null and the position of the event. */
export type Answer =
  | { readonly kind: "written"; readonly revision: number | null; readonly position: bigint | null }
  | { readonly kind: "wrong"; readonly actual: number | null }
  | { readonly kind: "deleted" };

export type Position = { readonly commit: bigint; readonly prepare: bigint };

/** Does a write. `batch`: by BatchAppend, else by Append; a deletion knows one way. */
export const doWrite = async (
  client: EventStoreDBClient,
  write: Write,
  batch: boolean,
): Promise<Answer> => {
  const way: AppendToStreamOptions = batch
    ? {}
    : { credentials: { username: "admin", password: "changeit" } };
  const expectedRevision = write.expected;
  try {
    switch (write.kind) {
      case "append": {
        const events = write.events.map(({ id, type }) => jsonEvent({ id, type, data: { id } }));
        const result = await client.appendToStream(write.stream, events, {
          ...way,
          expectedRevision,
        });
        return {
          kind: "written",
          revision: Number(result.nextExpectedRevision),
          position: result.position?.commit ?? null,
        };
      }
      case "setMetadata": {
        const event = jsonEvent({ type: "$metadata", data: { ...write.metadata } });
        const result = await client.appendToStream(`$$${write.stream}`, event, {
          ...way,
          expectedRevision,
        });
        return {
          kind: "written",
          revision: Number(result.nextExpectedRevision),
          position: result.position?.commit ?? null,
        };
      }
      case "delete":
      case "tombstone": {
        // The client has no name for "stream_exists" here.
        const expected = expectedRevision === "stream_exists" ? "any" : expectedRevision;
        const { position } = await (write.kind === "delete"
          ? client.deleteStream(write.stream, { expectedRevision: expected })
          : client.tombstoneStream(write.stream, { expectedRevision: expected }));
        return { kind: "written", revision: null, position: position?.commit ?? null };
      }
    }
  } catch (error) {
    if (error instanceof StreamDeletedError) return { kind: "deleted" };
    if (error instanceof WrongExpectedVersionError) {
      const actual = error.actualVersion;
      // A deletion has -1 for "no stream".
      return {
        kind: "wrong",
        actual: typeof actual === "bigint" && actual >= 0n ? Number(actual) : null,
      };
    }
    throw error;
  }
};

/** Does a read of a stream: the ids in its order. */
export const doRead = async (
  client: EventStoreDBClient,
  { stream, backwards, from, maxCount }: Read,
): Promise<readonly string[] | "missing" | "deleted"> => {
  const ids: string[] = [];
  try {
    for await (const { event } of client.readStream(stream, {
      direction: backwards ? BACKWARDS : FORWARDS,
      fromRevision: from === null ? (backwards ? END : START) : BigInt(from),
      maxCount,
    })) {
      if (event) ids.push(event.id);
    }
    return ids;
  } catch (error) {
    if (error instanceof StreamNotFoundError) return "missing";
    if (error instanceof StreamDeletedError) return "deleted";
    throw error;
  }
};

export type PlacedEntry = LogEntry & { readonly position: bigint; readonly revision: number };

/** All of $all after a position, in order. */
export const readLog = async (
  client: EventStoreDBClient,
  after: bigint,
  options: { backwards?: boolean; maxCount?: number } = {},
): Promise<PlacedEntry[]> => {
  const entries: PlacedEntry[] = [];
  const { backwards = false, maxCount = Number.MAX_SAFE_INTEGER } = options;
  for await (const { event } of client.readAll({
    direction: backwards ? BACKWARDS : FORWARDS,
    fromPosition: backwards ? END : { commit: after + 1n, prepare: after + 1n },
    maxCount,
  })) {
    if (!event || event.position.commit <= after) continue;
    entries.push({
      stream: event.streamId,
      type: event.type,
      id: event.id,
      data: event.data,
      position: event.position.commit,
      revision: Number(event.revision),
    });
  }
  return entries;
};

/** The ids that a filtered subscription gives after a position, up to and with that of the last. */
export const readFiltered = async (
  client: EventStoreDBClient,
  after: bigint,
  filter: Filter,
  lastId: string,
): Promise<string[]> => {
  const ids: string[] = [];
  const subscription = client.subscribeToAll({
    fromPosition: { commit: after, prepare: after },
    filter,
  });
  for await (const { event } of subscription) {
    if (event) ids.push(event.id);
    if (event?.id === lastId) break;
  }
  return ids;
};

/** A pause of a random length, so that callers meet each other at other places every time. */
export const stumble = (ms: number): Promise<void> => (ms > 0 ? delay(ms) : Promise.resolve());
