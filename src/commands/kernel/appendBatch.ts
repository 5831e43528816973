import {
  AppendOutcomeUnknownError,
  LogUnavailableError,
  WrongRevisionError,
} from "../../platform/eventLog/errors.ts";
import type { EventLog, NewEvent } from "../../platform/eventLog/port.ts";
import { sleep } from "../../platform/sleep.ts";

export type AppendOutcome =
  | { readonly kind: "appended"; readonly revision: bigint; readonly position: bigint }
  /** There was a conflict or a lost response: read the stream to find the outcome. */
  | {
      readonly kind: "look";
      readonly perhapsWritten: boolean;
      /** The stream's last revision, if the log reported it. */
      readonly actual: bigint | null;
    };

/** The time for repetitions of an append of unknown outcome: below the 5 s in which a caller gets a response. */
const SETTLE_WITHIN_MS = 4_000;

/** Appends events. An append of unknown outcome is repeated with the same ids and revision, which the log treats as the same append. */
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
      // The position in the response to a repeated append depends on the server: read it from the log.
      if (unknown > 0) return { kind: "look", perhapsWritten: true, actual: null };
      return { kind: "appended", ...appended };
    } catch (error) {
      if (error instanceof WrongRevisionError) {
        return { kind: "look", perhapsWritten: unknown > 0, actual: error.actual };
      }
      // An unavailable log has not written this time; the outcome of the first attempt is still unknown.
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

/** Converts LogUnavailableError after an append of unknown outcome. Other errors are returned unchanged. */
export const outcomeUnknown = (error: unknown): unknown =>
  error instanceof LogUnavailableError ? new AppendOutcomeUnknownError(error) : error;
