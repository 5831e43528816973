import pg from "pg";
import type { Append, StoredEvent } from "../records.ts";
import { loadDuplicates } from "./duplicates.ts";
import { insertEvents } from "./insertEvents.ts";
import type { WriterSession } from "./session.ts";
import { type StagedResult, stageAppend, stageTransaction } from "./stagedTransaction.ts";
import { createStreamHeads, type StreamHeads } from "./streamHeads.ts";

/** Commits groups of appends, each group as one statement and one transaction. */
export type GroupCommit = {
  /**
   * Decides the appends in order, each on the outcome of the ones before it, and commits their events.
   * Rejects if the database fails; then the cached heads may be stale and a new instance is needed.
   */
  commit(
    appends: readonly Append[],
  ): Promise<{ results: readonly StagedResult[]; written: readonly StoredEvent[] }>;
  /** Whether the appends may have been committed although `commit` rejected with this error. */
  isOutcomeUnknown(error: unknown): boolean;
};

/** `session` holds the writer's lock; `head` is the last position of the log. */
export const createGroupCommit = (deps: { session: WriterSession; head: number }): GroupCommit => {
  const { client } = deps.session;
  const heads = createStreamHeads(client);
  let position = deps.head;
  let isInserting = false;

  return {
    commit: async (appends) => {
      isInserting = false;
      await heads.load(appends);
      const duplicates = await loadDuplicates(client, appends, (stream) => heads.get(stream).last);
      const hidingMetadata = await loadHidingMetadata(client, appends, heads);
      const staged = stageTransaction({ heads, duplicates, hidingMetadata, position });
      const results = appends.map((append) => stageAppend(staged, append));
      const { events } = staged;
      if (events.length > 0) {
        isInserting = true;
        await insertEvents(client, events);
        isInserting = false;
        position += events.length;
      }
      heads.set(staged.changedHeads);
      return { results, written: events };
    },
    isOutcomeUnknown: (error) => isInserting && !isRejectedStatement(error),
  };
};

/** The newest metadata of the soft-deleted streams among the streams that are appended to. */
const loadHidingMetadata = async (
  client: pg.Client,
  appends: readonly Append[],
  heads: StreamHeads,
): Promise<Map<string, Uint8Array>> => {
  const hidden = new Set<string>();
  for (const { stream } of appends) if (heads.get(stream).softDeleted) hidden.add(stream);
  if (hidden.size === 0) return new Map();
  const { rows } = await client.query<{ stream: string; data: Buffer }>({
    name: "hidingMetadata",
    text: `SELECT wanted.stream, (
             SELECT m.data FROM eventstore.events m
             WHERE m.stream = '$$' || wanted.stream ORDER BY m.revision DESC LIMIT 1
           ) AS data
           FROM unnest($1::text[]) AS wanted(stream)`,
    values: [[...hidden]],
  });
  return new Map(rows.map((row) => [row.stream, row.data]));
};

/**
 * Whether PostgreSQL rejected the statement, so that nothing was written. FATAL and PANIC are a server
 * shutdown, which may happen between the commit and its response; other errors are connection errors.
 */
const isRejectedStatement = (error: unknown): boolean =>
  error instanceof pg.DatabaseError && error.severity === "ERROR" && !error.code?.startsWith("57P");
