import { z } from "zod";
import { logFailure } from "../../platform/availability.ts";
import type { Bus } from "../../platform/bus/port.ts";
import type { Logger } from "../../platform/logger.ts";
import { sleep } from "../../platform/sleep.ts";
import type { DispatchQueue, StopReason } from "../../stores/runs/dispatchQueue.ts";

/** The polling interval, because a stop request on the bus may have been lost. */
const STOP_CHECK_MS = 1_000;

/** The subject of stop requests on the bus. The dispatcher's table contains lost ones. */
export const STOP_SUBJECT = "executions.stop";

const stop = z.object({ execution_id: z.uuid(), reason: z.enum(["asked", "overdue"]) });

/** Parses a message; null if it is invalid. */
const decodeStop = (
  payload: string,
): { readonly executionId: string; readonly reason: StopReason } | null => {
  try {
    const { execution_id, reason } = stop.parse(JSON.parse(payload));
    return { executionId: execution_id, reason };
  } catch {
    return null;
  }
};

/** The reason recorded for a stopped execution: null if a person cancelled it. */
export const stopError = (reason: StopReason): string | null =>
  reason === "asked"
    ? null
    : "The run took longer than its organisation allows (run_timeout_seconds): its unfinished executions were stopped.";

/** Tells which of the executions that a worker holds are to stop, as it hears of them, until `signal` is aborted. */
export const followStops = async (deps: {
  readonly bus: Bus;
  readonly queue: Pick<DispatchQueue, "listToStop">;
  readonly logger: Logger;
  readonly held: () => readonly string[];
  readonly stop: (executionId: string, reason: StopReason) => void;
  readonly signal: AbortSignal;
}): Promise<void> => {
  const { signal, stop } = deps;
  const hear = async (): Promise<void> => {
    const heard = deps.bus.subscribe(STOP_SUBJECT);
    signal.addEventListener("abort", () => heard.close(), { once: true });
    for await (const { payload } of heard) {
      const said = decodeStop(payload);
      if (said) stop(said.executionId, said.reason);
    }
  };
  const look = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(STOP_CHECK_MS, signal);
      const held = deps.held();
      if (held.length === 0) continue;
      try {
        for (const { executionId, reason } of await deps.queue.listToStop(held))
          stop(executionId, reason);
      } catch (error) {
        logFailure(deps.logger, error, {}, "stop requests could not be read");
      }
    }
  };
  await Promise.all([hear(), look()]);
};
