import type { Tail } from "../read/tail.ts";
import type { ConflictQueue } from "./conflictQueue.ts";
import type { GroupCommit } from "./groupCommit.ts";
import type { PendingAppend } from "./pendingAppends.ts";
import type { WriterSession } from "./session.ts";

/** The log messages of the event store. A pino logger fits. */
export type EngineLogger = {
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
};

/** The state of the one writer of a log. */
export type WriterState = {
  readonly databaseUrl: string;
  readonly tail: Tail;
  readonly logger: EngineLogger;
  readonly conflicts: ConflictQueue;
  /** Aborted by `stop`. */
  readonly stopping: AbortController;
  /** Starts to commit the queue unless that is under way. */
  wake(): void;
  /** null while the database is unavailable. */
  session: WriterSession | null;
  groupCommit: GroupCommit | null;
  queue: PendingAppend[];
  /** The appends of the transaction that is being committed. */
  inFlight: readonly PendingAppend[];
  committing: Promise<void> | null;
  reconnecting: Promise<void> | null;
};
