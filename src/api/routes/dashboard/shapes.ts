import { z } from "zod";
import { id, timestamp } from "../../schemas.ts";

const day = z.iso.date();
const counts = {
  passed: z.int(),
  flaky: z.int(),
  failed: z.int(),
  errored: z.int(),
  cancelled: z.int(),
  quarantined: z.int().describe("Failed or errored in quarantine. These do not count."),
};
/** The share of passed and flaky executions, from 0 to 1, null if none count. */
const passRate = z.number().nullable();

const named = {
  test_id: id,
  name: z.string(),
  source: z.enum(["own", "import"]).describe("`import`: known only from imported results."),
  quarantined: z.boolean().describe("Whether the test is quarantined now."),
};

export const dashboard = z
  .object({
    project_id: id.nullable(),
    days: z.int(),
    since: day.describe("The first day (UTC)."),
    pass_rate: passRate,
    totals: z.object(counts),
    trend: z
      .array(z.object({ day, ...counts, pass_rate: passRate }))
      .describe("Every day, oldest first. An execution counts on the day of its end."),
    slowest: z.array(
      z.object({ ...named, executions: z.int(), average_ms: z.int(), longest_ms: z.int() }),
    ),
    flakiest: z.array(
      z.object({
        ...named,
        executions: z.int(),
        signs: z
          .int()
          .describe(
            "Executions that passed only on a retry, or changed their outcome without a change of the test.",
          ),
        score: z.number().describe("Signs per execution, from 0 to 1."),
      }),
    ),
    failing_longest: z
      .array(
        z.object({
          ...named,
          status: z.enum(["failed", "errored"]),
          last_execution_id: id,
          since: z
            .object({ at: timestamp, run_id: id, execution_id: id, event_id: id })
            .describe("The first failure of the current series, and its event."),
        }),
      )
      .describe("Tests whose last execution failed, the longest failing one first."),
    quota: z.object({
      period: z.string(),
      used: z.int(),
      reserved: z.int(),
      limit: z.int(),
      remaining: z.int(),
      resets_at: timestamp,
      forecast: z
        .object({
          expected_used: z.int(),
          runs_out_at: timestamp.nullable().describe("When the quota runs out, null if it lasts."),
        })
        .describe("The forecast at the current rate."),
    }),
    activity: z
      .array(
        z.object({
          at: timestamp,
          event: z.string(),
          by: z.string(),
          run: z.object({ id, status: z.string() }).nullable(),
          test: z.object({ id, name: z.string() }).nullable(),
        }),
      )
      .describe("Newest first."),
  })
  .meta({ id: "Dashboard", description: "The aggregated results of an organisation." });

const runId = "0199c2a1-0c4f-7a11-8b21-6f7e8d9c0b1a";
const executionId = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";
const test = {
  test_id: "0199c2a0-7b1e-7c3a-9d4e-1f2a3b4c5d6e",
  name: "Saves a note",
  source: "own" as const,
  quarantined: false,
};
const totals = { passed: 8, flaky: 1, failed: 1, errored: 0, cancelled: 0, quarantined: 0 };
const at = "2025-11-21T10:00:02.345Z";

export const dashboardExample: z.output<typeof dashboard> = {
  project_id: null,
  days: 1,
  since: "2025-11-21",
  pass_rate: 0.9,
  totals,
  trend: [{ day: "2025-11-21", ...totals, pass_rate: 0.9 }],
  slowest: [{ ...test, executions: 10, average_ms: 2_100, longest_ms: 4_000 }],
  flakiest: [{ ...test, executions: 10, signs: 2, score: 0.2 }],
  failing_longest: [
    {
      ...test,
      status: "failed",
      last_execution_id: executionId,
      since: {
        at,
        run_id: runId,
        execution_id: executionId,
        event_id: "0199c2a1-0c4f-7e03-9f44-1b2c3d4e5f60",
      },
    },
  ],
  quota: {
    period: "2025-11",
    used: 30,
    reserved: 0,
    limit: 50,
    remaining: 20,
    resets_at: "2025-12-01T00:00:00.000Z",
    forecast: { expected_used: 44, runs_out_at: null },
  },
  activity: [
    { at, event: "RunFinished", by: "api:ci", run: { id: runId, status: "failed" }, test: null },
  ],
};
