import type { Logger } from "./logger.ts";

/** The backends of the service that may be unavailable for a while. */
export type PartName = "database" | "event_log" | "bus" | "blob_store";

/** The names of the parts in messages. */
export const partTitles: Readonly<Record<PartName, string>> = {
  database: "The database",
  event_log: "The event log",
  bus: "The message bus",
  blob_store: "The store of screenshots",
};

/** A part is unreachable or did not answer in time. The request may have been executed. */
export class PartUnavailableError extends Error {
  readonly part: PartName;

  constructor(part: PartName, why: string, cause?: unknown) {
    super(`${partTitles[part]} ${why}`, cause === undefined ? {} : { cause });
    this.name = "PartUnavailableError";
    this.part = part;
  }
}

/** Tracks which parts are available by the results of calls to them. */
export type PartHealth = {
  /** Calls a part and records the result. A part is unavailable after a call failed for that reason, and available again after any other result. */
  call<T>(part: PartName, work: () => Promise<T>): Promise<T>;
  /** Records the state of a part outside of calls: an error, or null if it is available. */
  report(part: PartName, error: unknown): void;
  /** The parts that are unavailable or have not answered a call for `silentMs` milliseconds. */
  unavailable(silentMs: number): readonly PartName[];
};

type OpenCall = { readonly since: number };

/**
 * Logs once that a part became unavailable and once that it is back, however many calls are affected.
 * `partOf` returns the part that an error reports as unavailable; any other error counts as an answer.
 */
export const createPartHealth = (deps: {
  readonly logger: Pick<Logger, "warn" | "info">;
  readonly partOf: (error: unknown) => PartName | null;
}): PartHealth => {
  const { logger, partOf } = deps;
  const open = new Map<PartName, Set<OpenCall>>();
  const unavailableSince = new Map<PartName, number>();

  const callsTo = (part: PartName): Set<OpenCall> => {
    const calls = open.get(part) ?? new Set();
    open.set(part, calls);
    return calls;
  };

  const report: PartHealth["report"] = (part, error) => {
    const since = unavailableSince.get(part);
    if (error === null) {
      if (since === undefined) return;
      unavailableSince.delete(part);
      const seconds = Math.round((performance.now() - since) / 100) / 10;
      logger.info({ part, away_seconds: seconds }, `${partTitles[part]} is back`);
    } else if (since === undefined) {
      unavailableSince.set(part, performance.now());
      logger.warn(
        { part, err: error },
        `${partTitles[part]} is unavailable; retrying until it is back`,
      );
    }
  };

  return {
    report,
    call: async (part, work) => {
      const calls = callsTo(part);
      const call: OpenCall = { since: performance.now() };
      calls.add(call);
      try {
        const result = await work();
        report(part, null);
        return result;
      } catch (error) {
        report(part, partOf(error) === part ? error : null);
        throw error;
      } finally {
        calls.delete(call);
      }
    },
    unavailable: (silentMs) => {
      const before = performance.now() - silentMs;
      const parts = new Set(unavailableSince.keys());
      for (const [part, calls] of open) {
        // The first is the oldest: a Set keeps insertion order.
        const oldest = calls.values().next();
        if (!oldest.done && oldest.value.since < before) parts.add(part);
      }
      return [...parts];
    },
  };
};

/** Tracks nothing: for operator commands and tests. */
export const untrackedParts: PartHealth = {
  call: (_part, work) => work(),
  report: () => undefined,
  unavailable: () => [],
};
