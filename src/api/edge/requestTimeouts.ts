import { type PartHealth, type PartName, PartUnavailableError } from "../../platform/partHealth.ts";
import type { Operation } from "../operation.ts";

/** Below the 5 s within which a caller is told that a part is away, with something left for the way back. */
const PATIENCE_MS = 4_200;
/** A part that leaves a call unanswered for so long is in trouble: a healthy one is never that slow. */
const SILENT_MS = 1_500;
const LOOK_EVERY_MS = 200;

/**
 * The parts that an operation may wait for: what only reads asks the database, also when it waits for news as long
 * as it was told to. Bus and blob store have bounds of their own, or nobody waits for them.
 */
export const requiredParts = ({ method }: Pick<Operation, "method">): readonly PartName[] =>
  method === "GET" ? ["database"] : ["event_log", "database"];

/**
 * Waits for an answer that began `spentMs` ago. Each call to a part is bounded, but a request makes several,
 * and some are tried again: once it has taken too long while a part is away or silent, the caller is told so.
 * What it began goes on; whether it was done is open. While every part answers there is no limit.
 */
export const withRequestTimeout = <T>(
  troubled: PartHealth["unavailable"],
  waitedFor: readonly PartName[],
  spentMs: number,
  work: Promise<T>,
): Promise<T> =>
  new Promise((resolve, reject) => {
    const look = (): void => {
      const parts = troubled(SILENT_MS);
      const part = waitedFor.find((name) => parts.includes(name));
      if (part) reject(new PartUnavailableError(part, "does not answer"));
      else timer = setTimeout(look, LOOK_EVERY_MS);
    };
    // In whole looks: timers of the same length share a list, and each length of its own makes one.
    const spentLooks = Math.ceil(spentMs / LOOK_EVERY_MS);
    let timer = setTimeout(look, Math.max(0, PATIENCE_MS - spentLooks * LOOK_EVERY_MS));
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
