import { z } from "zod";
import type { Shown } from "../../../domain/baselines/baseline.ts";
import { viewportText } from "../../../domain/baselines/picture.ts";
import { MAX_MASKS, type VisualSettings } from "../../../domain/baselines/settings.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import type {
  BaselineRow,
  BaselinesOfTest,
  ComparisonRow,
} from "../../../projections/baselines/queries.ts";
import { id, timestamp } from "../../schemas.ts";

const pixel = z.int("must be a whole number of pixels").max(100_000);

const mask = z
  .strictObject({
    x: pixel.min(0),
    y: pixel.min(0),
    width: pixel.min(1),
    height: pixel.min(1),
    step_id: id
      .nullable()
      .default(null)
      .describe("The step of the region; null applies to every step of the test."),
    viewport: viewportText
      .nullable()
      .default(null)
      .describe("The viewport of the region; null applies to all."),
  })
  .meta({ id: "Mask", description: "A region that the comparison ignores, in pixels." });

const limits = {
  threshold: z.number().min(0).max(1),
  max_diff_pixels: z.int().min(0).max(1_000_000_000).nullable(),
  max_diff_ratio: z.number().min(0).max(1).nullable(),
};

/** The comparison settings of a test. */
export const settings = z
  .object({ ...limits, masks: z.array(mask) })
  .meta({ id: "BaselineSettings", description: "The comparison settings of a test." });

/** Omitted fields keep their values. */
export const settingsInput = z
  .strictObject({
    threshold: limits.threshold.optional(),
    max_diff_pixels: limits.max_diff_pixels.optional(),
    max_diff_ratio: limits.max_diff_ratio.optional(),
    masks: z.array(mask).max(MAX_MASKS, `must be ${MAX_MASKS} masks at most`).optional(),
  })
  .meta({ id: "BaselineSettingsChange", description: "The changed comparison settings." });

/** Renders settings. */
export const settingsBody = (all: VisualSettings): z.output<typeof settings> => ({
  threshold: all.threshold,
  max_diff_pixels: all.maxDiffPixels,
  max_diff_ratio: all.maxDiffRatio,
  masks: all.masks.map(({ stepId, ...area }) => ({ ...area, step_id: stepId })),
});

/** Applies a change to settings. */
export const settingsAfter = (
  before: VisualSettings,
  input: z.output<typeof settingsInput> = {},
): VisualSettings => ({
  threshold: input.threshold ?? before.threshold,
  maxDiffPixels: input.max_diff_pixels === undefined ? before.maxDiffPixels : input.max_diff_pixels,
  maxDiffRatio: input.max_diff_ratio === undefined ? before.maxDiffRatio : input.max_diff_ratio,
  masks: input.masks?.map(({ step_id, ...area }) => ({ ...area, stepId: step_id })) ?? before.masks,
});

const picture = z
  .object({
    execution_id: id,
    sha256: z.string(),
    width: z.int(),
    height: z.int(),
    url: z.string(),
  })
  .meta({ id: "BaselinePicture", description: "A picture of a baseline." });

/** The baseline of a step, in a browser at a viewport. */
export const baseline = z
  .object({
    step_id: id,
    browser: browserName,
    viewport: z.string(),
    status: z
      .enum(["proposed", "approved"])
      .describe("`proposed`: the picture is not used for comparison until it is approved."),
    approved: picture.nullable(),
    approved_at: timestamp.nullable(),
    approved_by: z.string().nullable(),
    proposed: picture
      .nullable()
      .describe("The picture that awaits a review: the newest one that is not approved."),
    proposed_at: timestamp.nullable(),
  })
  .meta({
    id: "Baseline",
    description: "The visual baseline of a step in a browser at a viewport.",
  });

/** All baselines of a test. */
export const baselines = z
  .object({
    test_id: id,
    version: z.int(),
    settings,
    items: z.array(baseline),
  })
  .meta({
    id: "TestBaselines",
    description: "The baselines of a test and their comparison settings.",
  });

/** The API path of a baseline's picture. */
const pictureUrl = (
  testId: string,
  { step_id, browser, viewport }: Pick<BaselineRow, "step_id" | "browser" | "viewport">,
  which: "approved" | "proposed",
): string =>
  `/api/v1/tests/${testId}/baselines/${step_id}/${browser}?viewport=${viewport}&which=${which}`;

/** Renders a baseline. */
export const baselineBody = (testId: string, row: BaselineRow) => {
  const shown = (one: Shown | null, which: "approved" | "proposed") =>
    one && {
      execution_id: one.executionId,
      sha256: one.picture.sha256,
      width: one.picture.width,
      height: one.picture.height,
      url: pictureUrl(testId, row, which),
    };
  return {
    ...row,
    status: row.approved ? "approved" : "proposed",
    approved: shown(row.approved, "approved"),
    proposed: shown(row.proposed, "proposed"),
  };
};

/** Renders a test's baselines. */
export const baselinesBody = (testId: string, found: BaselinesOfTest) => ({
  test_id: testId,
  version: found.version,
  settings: settingsBody(found.settings),
  items: found.items.map((row) => baselineBody(testId, row)),
});

/** The result of a step's picture comparison. */
export const visual = z
  .object({
    outcome: z.enum(["same", "different", "proposed"]),
    viewport: z.string(),
    pixels: z.int(),
    ratio: z.number(),
    size_differs: z.boolean(),
    threshold: z
      .number()
      .describe("The tolerated colour difference, and the tolerated share of differing pixels."),
    allowed_pixels: z.int(),
    baseline_url: z.string().nullable(),
    diff_url: z.string().nullable(),
  })
  .meta({ id: "VisualComparison", description: "The result of a picture comparison." });

/** Renders a comparison. */
export const visualBody = (one: ComparisonRow): z.output<typeof visual> => {
  const shot = `/api/v1/tests/${one.executionId}/screenshots/${one.browser}/${one.number}`;
  const attempt = `?attempt=${one.attempt}`;
  return {
    outcome: one.outcome,
    viewport: one.viewport,
    pixels: one.pixels,
    ratio: one.ratio,
    size_differs: one.sizeDiffers,
    threshold: one.threshold,
    allowed_pixels: one.allowed,
    baseline_url: one.baseline && `${shot}/baseline${attempt}`,
    diff_url: one.diffKey && `${shot}/diff${attempt}`,
  };
};
