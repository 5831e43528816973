import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  WrongRevisionError,
} from "../../platform/eventLog/errors.ts";
import type { EventLog, NewEvent } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";

export type AppendOutcome =
  /** It stands at this revision and position. */
  | { readonly kind: "appended"; readonly revision: bigint; readonly position: bigint }
  /** The log must be read to say what came of it: someone else wrote, or an answer was lost. */
  | {
      readonly kind: "look";
      readonly perhapsWritten: boolean;
      /** The stream's last revision, where the log said so. */
      readonly actual: bigint | null;
    };

/** An unknown outcome is tried again for so long, in milliseconds: a caller who waits is to hear something within 5 s. */
const SETTLE_WITHIN_MS = 4_000;

/** Appends; an unknown outcome is tried again with the same ids at the same place, which the log takes as the same append. */
export const appendBatch = async (
  log: Pick<EventLog, "append">,
  stream: string,
  batch: readonly NewEvent[],
  expected: bigint | "no_stream",
): Promise<AppendOutcome> => {
  const began = performance.now();
  for (let unknown = 0; ; ) {
    try {
      const appended = await log.append(stream, batch, expected);
      // What a repeated append answers of its position is up to the server: the log itself is asked.
      if (unknown > 0) return { kind: "look", perhapsWritten: true, actual: null };
      return { kind: "appended", ...appended };
    } catch (error) {
      if (error instanceof WrongRevisionError) {
        return { kind: "look", perhapsWritten: unknown > 0, actual: error.actual };
      }
      // A log that is away has not written this time; what it did with the first try is still open.
      const isOpen =
        error instanceof AppendOutcomeUnknownError ||
        (error instanceof LogUnavailableError && unknown > 0);
      if (!isOpen) throw error;
      unknown += 1;
      const wait = 50 * 2 ** unknown;
      if (performance.now() - began + wait > SETTLE_WITHIN_MS) throw outcomeUnknown(error);
      await sleep(wait);
    }
  }
};

/** The log went away before it could say what became of an append. Other errors stay as they are. */
export const outcomeUnknown = (error: unknown): unknown =>
  error instanceof LogUnavailableError ? new AppendOutcomeUnknownError(error) : error;
