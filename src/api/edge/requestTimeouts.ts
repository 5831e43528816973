import { type PartHealth, type PartName, PartUnavailableError } from "../../platform/partHealth.ts";
import type { Operation } from "../operation.ts";

/** Time before the parts are checked: callers learn of an unavailable part within 5 s. */
const TIMEOUT_MS = 4_200;
/** A part that leaves a call unanswered for this long counts as unavailable. */
const SILENT_MS = 1_500;
const CHECK_INTERVAL_MS = 200;

/** The parts that an operation depends on. Bus and blob store have their own timeouts. */
export const requiredParts = ({ method }: Pick<Operation, "method">): readonly PartName[] =>
  method === "GET" ? ["database"] : ["event_log", "database"];

/**
 * Awaits work that began `spentMs` ago. Rejects with PartUnavailableError if the work exceeds the timeout while a
 * required part is unavailable; the work continues and its outcome is unknown. There is no limit while every part
 * responds. Needed in addition to the timeouts per call because a request makes several calls and retries some.
 */
export const withRequestTimeout = <T>(
  unavailable: PartHealth["unavailable"],
  required: readonly PartName[],
  spentMs: number,
  work: Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const check = (): void => {
      const parts = unavailable(SILENT_MS);
      const part = required.find((name) => parts.includes(name));
      if (part) reject(new PartUnavailableError(part, "does not respond"));
      else timer = setTimeout(check, CHECK_INTERVAL_MS);
    };
    // Rounded to whole intervals: Node keeps one list per timer duration.
    const spentIntervals = Math.ceil(spentMs / CHECK_INTERVAL_MS);
    let timer = setTimeout(check, Math.max(0, TIMEOUT_MS - spentIntervals * CHECK_INTERVAL_MS));
    work.then(
      (value) => {
        clearTimeout(timer);
        resolve(value);
      },
      (error: unknown) => {
        clearTimeout(timer);
        reject(error);
      },
    );
  });
