const runId = "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a";
const executionId = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";
const testId = "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e";
const queuedAt = "2025-11-21T10:00:00.000Z";
const startedAt = "2025-11-21T10:00:00.120Z";
const finishedAt = "2025-11-21T10:00:02.345Z";

/** A run in a list. */
export const runSummaryExample = {
  id: runId,
  project_id: null,
  status: "failed",
  triggered_by: "api:ci",
  rerun_of: null,
  test_set_id: null,
  queued_at: queuedAt,
  started_at: startedAt,
  finished_at: finishedAt,
  duration_ms: 2_225,
  totals: { passed: 0, failed: 1, flaky: 0, errored: 0, cancelled: 0, quarantined: 0 },
  verdict: "failed",
  tests_with_gaps: 0,
  tests_healed: 0,
  created_at: queuedAt,
  updated_at: finishedAt,
  version: 4,
};

const error = 'Looked for a button named "Save". There were the buttons "Cancel" and "Send".';

/** A run with its tests. */
export const runDetailExample = {
  ...runSummaryExample,
  sequence: 11,
  tests: [
    {
      test_id: testId,
      name: "Saves a note",
      execution_id: executionId,
      row: null,
      source: "tests/notes.yaml",
      content: null,
      status: "failed",
      quarantined: false,
      duration_ms: 2_100,
      steps_done: 2,
      steps_total: 2,
      error,
      attempts: [{ number: 1, status: "failed", error, duration_ms: 2_100 }],
      browsers: [{ browser: "chromium", status: "failed", duration_ms: 2_080 }],
      verdict: "failed",
      gaps: [],
      healed: [],
    },
  ],
};

/** The events of a run. */
export const runEventExample = {
  run_id: runId,
  execution_id: executionId,
  sequence: 6,
  name: "step_passed",
  browser: "chromium",
  attempt: 1,
  delivery: 1,
  step_number: 1,
  data: { duration_ms: 310, locator: null },
  at: "2025-11-21T10:00:00.480Z",
};

/** An execution in a list. */
export const executionSummaryExample = {
  id: executionId,
  run_id: runId,
  test_id: testId,
  test_version: 3,
  test_name: "Saves a note",
  source: "tests/notes.yaml",
  content: null,
  environment: "staging",
  row: { number: 1, values: { user: "ada" } },
  status: "failed",
  quarantined: false,
  delivery: 1,
  error,
  duration_ms: 2_100,
  started_at: startedAt,
  finished_at: finishedAt,
  verdict: "failed",
  gaps: [],
  healed: [],
  created_at: queuedAt,
  updated_at: finishedAt,
  version: 12,
};

const screenshotUrl = `/api/v1/tests/${executionId}/screenshots/chromium/1?attempt=1`;

const plain = {
  reason: null,
  is_gap: false,
  healed_target: null,
  notes: [],
  evidence: null,
  page_problems: null,
};

const browserExample = {
  browser: "chromium",
  browser_version: "140.0.7339.16",
  status: "failed",
  duration_ms: 2_080,
  error,
  steps: [
    {
      number: 1,
      action: "navigate",
      target: "",
      value: "https://notes.example",
      description: "Go to the notes",
      status: "passed",
      duration_ms: 310,
      error: null,
      locator: null,
      ...plain,
      screenshot_url: screenshotUrl,
      screenshot_missing: null,
      visual: null,
    },
    {
      number: 2,
      action: "click",
      target: "Save button",
      value: "",
      description: "Save it",
      status: "failed",
      duration_ms: 1_700,
      error,
      locator: null,
      ...plain,
      page_problems: {
        logged: ["Uncaught (in promise) TypeError: Failed to fetch"],
        exceptions: [],
        requests: [
          { method: "GET", url: "https://notes.example/api/notes", status: 500, error: null },
        ],
        more: 0,
      },
      screenshot_url: null,
      screenshot_missing: null,
      visual: null,
    },
  ],
};

/** An execution with the result of each step. */
export const executionDetailExample = {
  ...executionSummaryExample,
  base_url: "https://notes.example",
  difference: null,
  evidence_deleted: null,
  attempts: [
    { number: 1, status: "failed", duration_ms: 2_100, error, browsers: [browserExample] },
  ],
  browsers: [browserExample],
};

/** A screenshot, without its picture. */
export const screenshotExample = {
  browser: "chromium",
  attempt: 1,
  step_number: 1,
  format: "jpeg",
  name: null,
  url: screenshotUrl,
  taken_at: "2025-11-21T10:00:00.500Z",
};
