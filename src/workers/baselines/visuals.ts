import type { BaselineCommands } from "../../commands/baselines/baselines.ts";
import { judgePair } from "../../commands/baselines/judgePair.ts";
import { baselineAt } from "../../domain/baselines/baseline.ts";
import { allowedPixels } from "../../domain/baselines/settings.ts";
import type { BrowserName } from "../../domain/runs/verdict.ts";
import type { BlobStore } from "../../platform/blobs/port.ts";
import type { Comparer } from "../../platform/pictures/comparer.ts";
import { sizeOfPng } from "../../platform/pictures/png.ts";
import type { Visuals } from "../executor/visual.ts";

/** Creates the comparison of an execution in one browser. */
export type VisualsOf = (execution: {
  readonly organizationId: string;
  readonly testId: string;
  readonly baselineVersion: number;
  readonly browser: BrowserName;
}) => Visuals;

/**
 * Compares pictures with the baselines that the run pinned, if the organisation's plan includes baselines. Loads plan and
 * baselines with the first picture, because most tests take none.
 */
export const visualsFrom =
  (deps: {
    readonly baselines: Pick<BaselineCommands, "baselinesAt" | "planRefusal">;
    readonly blobs: Pick<BlobStore, "get">;
    readonly comparer: Pick<Comparer, "compare">;
  }): VisualsOf =>
  ({ organizationId, testId, baselineVersion, browser }) => {
    const { blobs, comparer } = deps;
    const lookUp = async () => {
      const reason = await deps.baselines.planRefusal(organizationId);
      return { reason, pinned: await deps.baselines.baselinesAt(testId, baselineVersion) };
    };
    let known: ReturnType<typeof lookUp> | null = null;

    return async ({ stepId, viewport }) => {
      known ??= lookUp();
      known.catch(() => {
        known = null;
      });
      const { reason, pinned } = await known;
      if (reason !== null) return { kind: "refused", reason };
      const { settings } = pinned;
      const { approved } = baselineAt(pinned, { stepId, browser, viewport });
      if (approved === null) {
        const { threshold } = settings;
        return {
          kind: "compare",
          sha256: null,
          compare: async (png) => {
            const { width, height } = sizeOfPng(png);
            const allowed = allowedPixels(settings, width * height);
            const nothing = { pixels: 0, ratio: 0, sizeDiffers: false, baseline: null, diff: null };
            return { outcome: "proposed", threshold, allowed, ...nothing };
          },
        };
      }
      const baseline = approved.picture;
      const blob = await blobs.get(baseline.key);
      if (!blob) throw new Error("the baseline's picture has been deleted");
      return {
        kind: "compare",
        sha256: baseline.sha256,
        compare: async (png) => {
          const pair = { baseline: blob.bytes, actual: png };
          return { ...(await judgePair(comparer, pair, settings, { stepId, viewport })), baseline };
        },
      };
    };
  };
