import type { Logger } from "./logger.ts";

/** The parts of the service that may go away for a while, by the names that `/health/ready` gives them. */
export type PartName = "database" | "event_log" | "bus" | "blob_store";

/** What a person calls each part. */
export const partTitles: Readonly<Record<PartName, string>> = {
  database: "The database",
  event_log: "The event log",
  bus: "The message bus",
  blob_store: "The store of screenshots",
};

/** A part could not be reached, or did not answer in time. What was asked of it may have been done. */
export class PartUnavailableError extends Error {
  readonly part: PartName;

  constructor(part: PartName, why: string, cause?: unknown) {
    super(`${partTitles[part]} ${why}`, cause === undefined ? {} : { cause });
    this.name = "PartAwayError";
    this.part = part;
  }
}

/** The part that a setting names cannot be had, so that the service cannot start. The message names the setting and holds no secret. */
export class SettingError extends Error {
  constructor(message: string, cause: unknown) {
    super(message, { cause });
    this.name = "SettingError";
  }
}

/** Which parts are there, as the calls to them find out. */
export type PartHealth = {
  /** Makes a call to a part and notes how it goes. `part` is away once a call fails for that reason, and back with the next that does not. */
  call<T>(part: PartName, work: () => Promise<T>): Promise<T>;
  /** Notes that a part answered, or why it did not, for what is no single call. */
  note(part: PartName, trouble: unknown): void;
  /** The parts that are away, or have left some call unanswered for `silentMs` milliseconds. */
  unavailable(silentMs: number): readonly PartName[];
};

/** A call under way. */
type Call = { readonly since: number };

/**
 * Keeps count of the calls to each part. That a part went away, and that it is back, is said in the log
 * once, however many calls it concerns. `isAway` tells which errors say that a part is away: any
 * other error is an answer.
 */
export const createPartHealth = (deps: {
  readonly logger: Pick<Logger, "warn" | "info">;
  readonly partOf: (error: unknown) => PartName | null;
}): PartHealth => {
  const { logger, partOf } = deps;
  const open = new Map<PartName, Set<Call>>();
  const awaySince = new Map<PartName, number>();

  const callsTo = (part: PartName): Set<Call> => {
    const calls = open.get(part) ?? new Set();
    open.set(part, calls);
    return calls;
  };

  const note: PartHealth["note"] = (part, trouble) => {
    const since = awaySince.get(part);
    if (trouble === null) {
      if (since === undefined) return;
      awaySince.delete(part);
      const seconds = Math.round((performance.now() - since) / 100) / 10;
      logger.info({ part, away_seconds: seconds }, `${partTitles[part]} is back`);
    } else if (since === undefined) {
      awaySince.set(part, performance.now());
      logger.warn({ part, err: trouble }, `${partTitles[part]} is away: trying until it is back`);
    }
  };

  return {
    note,
    call: async (part, work) => {
      const calls = callsTo(part);
      const call: Call = { since: performance.now() };
      calls.add(call);
      try {
        const result = await work();
        note(part, null);
        return result;
      } catch (error) {
        note(part, partOf(error) === part ? error : null);
        throw error;
      } finally {
        calls.delete(call);
      }
    },
    unavailable: (silentMs) => {
      const before = performance.now() - silentMs;
      const troubled = new Set(awaySince.keys());
      for (const [part, calls] of open) {
        // The oldest is the first: a Set keeps the order in which calls began.
        const oldest = calls.values().next();
        if (!oldest.done && oldest.value.since < before) troubled.add(part);
      }
      return [...troubled];
    },
  };
};

/** For those who keep no count: operator commands and tests. */
export const untrackedParts: PartHealth = {
  call: (_part, work) => work(),
  note: () => undefined,
  unavailable: () => [],
};
