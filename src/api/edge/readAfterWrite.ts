import type { Receipt } from "../../commands/kernel/receipt.ts";
import type { Positions } from "../../projections/kernel/positions.ts";
import type { Projection } from "../../projections/kernel/projection.ts";
import { ApiError } from "../apiError.ts";

/** How long an answer waits for the read models, in milliseconds (operations.md, "Reads after writes"). */
const PATIENCE_MS = 1_000;

export type ReadAfterWrite = {
  /** Waits until the projections that handle what was written have passed it; the headers say whether they did. */
  afterWrite(receipt: Receipt | undefined): Promise<Record<string, string>>;
  /** Waits until every projection has passed the position that `X-Min-Position` asks for. Throws 400 when it is none. */
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
      const caughtUp = await positions.waitFor(concerned, receipt.position, PATIENCE_MS);
      return { "x-log-position": String(receipt.position), ...(caughtUp ? {} : lag) };
    },
    beforeRead: async (minPosition) => {
      if (minPosition === undefined) return {};
      if (!/^\d{1,19}$/.test(minPosition)) {
        throw new ApiError(400, "X-Min-Position must be a position that X-Log-Position gave.");
      }
      return (await positions.waitFor(all, BigInt(minPosition), PATIENCE_MS)) ? {} : lag;
    },
  };
};
