import type { Receipt } from "../../commands/kernel/receipt.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { Projection } from "../../projections/kernel/projection.ts";
import { ApiError } from "../apiError.ts";

/** How long a response waits for the read models, in milliseconds. */
const MAX_WAIT_MS = 1_000;

export type ReadAfterWrite = {
  /** Waits until the affected projections have passed the written events. Returns headers with the outcome. */
  afterWrite(receipt: Receipt | undefined): Promise<Record<string, string>>;
  /** Waits until every projection has passed `X-Min-Position`. Throws ApiError 400 for a malformed position. */
  beforeRead(minPosition: string | undefined): Promise<Record<string, string>>;
};

export const createReadAfterWrite = (
  positions: Positions,
  projections: readonly Projection[],
): ReadAfterWrite => {
  const all = projections.map((projection) => projection.name);
  const lag = { "x-read-model-lag": "true" };

  return {
    afterWrite: async (receipt) => {
      if (!receipt || receipt.position === null) return {};
      const concerned = projections
        .filter((projection) => receipt.eventTypes.some((type) => projection.handlers.has(type)))
        .map((projection) => projection.name);
      const caughtUp = await positions.waitFor(concerned, receipt.position, MAX_WAIT_MS);
      return { "x-log-position": String(receipt.position), ...(caughtUp ? {} : lag) };
    },
    beforeRead: async (minPosition) => {
      if (minPosition === undefined) return {};
      if (!/^\d{1,19}$/.test(minPosition)) {
        throw new ApiError(400, "X-Min-Position must be the X-Log-Position of a response.");
      }
      return (await positions.waitFor(all, BigInt(minPosition), MAX_WAIT_MS)) ? {} : lag;
    },
  };
};
