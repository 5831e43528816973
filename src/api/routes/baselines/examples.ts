const executionId = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";
const testId = "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e";
const stepId = "0199c2a0-7b1e-7f11-8a22-3b4c5d6e7f80";
const path = `/api/v1/tests/${testId}/baselines/${stepId}/chromium?viewport=1280x720`;
const sha256 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const picture = { execution_id: executionId, sha256, width: 1280, height: 720 };

export const settingsExample = {
  threshold: 0.2,
  max_diff_pixels: null,
  max_diff_ratio: null,
  masks: [{ x: 1080, y: 0, width: 200, height: 40, step_id: null, viewport: null }],
};

/** An approved baseline. */
export const baselineExample = {
  step_id: stepId,
  browser: "chromium",
  viewport: "1280x720",
  status: "approved",
  approved: { ...picture, url: `${path}&which=approved` },
  approved_at: "2025-11-21T10:05:00.000Z",
  approved_by: "user:ada@example.com",
  proposed: null,
  proposed_at: null,
};

/** All baselines of a test. */
export const baselinesExample = {
  test_id: testId,
  version: 2,
  settings: settingsExample,
  items: [baselineExample],
};

const shot = `/api/v1/tests/${executionId}/screenshots/chromium/2`;

const visualExample = {
  outcome: "different",
  viewport: "1280x720",
  pixels: 312,
  ratio: 0.0003,
  size_differs: false,
  threshold: 0.2,
  allowed_pixels: 0,
  baseline_url: `${shot}/baseline?attempt=1`,
  diff_url: `${shot}/diff?attempt=1`,
};

/** A decision on the pictures of a run. */
export const reviewedExample = {
  items: [
    {
      test_id: testId,
      execution_id: executionId,
      step_id: stepId,
      step_number: 2,
      attempt: 1,
      browser: "chromium",
      viewport: "1280x720",
      visual: visualExample,
      review: "approved",
    },
  ],
};

export const rejudgedExample = {
  execution_id: executionId,
  status: "passed",
  pictures: [
    {
      attempt: 1,
      browser: "chromium",
      step_number: 2,
      outcome: "same",
      pixels: 0,
      ratio: 0,
      size_differs: false,
    },
  ],
};
