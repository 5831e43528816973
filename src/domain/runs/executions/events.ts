import { z } from "zod";
import { visualSettings } from "../../baselines/settings.ts";
import { pinnedCall } from "../../catalogue/calls.ts";
import { defineCodec, type EventOf } from "../../kernel/events.ts";
import { evidenceKinds, plannedRow, retries, runLimits } from "../pinned.ts";
import { browserName, verdict } from "../verdict.ts";
import { evidenceSchemas } from "./evidence.ts";
import { judgedAttempt, judgedBrowser, judgedPicture } from "./judgement.ts";
import { progressSchemas } from "./progress.ts";

const runId = z.uuid();
const byWorker = { runId, delivery: z.int().positive(), worker: z.string() };

const schemas = {
  ExecutionQueued: z.object({
    runId,
    testId: z.uuid(),
    testVersion: z.int().positive(),
    testName: z.string(),
    stepCount: z.int(),
    browsers: z.array(browserName).min(1),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    quotaPeriod: z.string(),
    /** Number of baseline events of the test that count. Absent: 0. */
    baselineVersion: z.int().nonnegative().optional(),
    /** Further attempts if the test does not pass. Absent: 0. */
    retries: retries.optional(),
    evidence: evidenceKinds.optional(),
    limits: runLimits.pick({ stepMs: true, testMs: true }).optional(),
    /** The project whose files the steps may upload. Absent: none. */
    projectId: z.uuid().optional(),
    /** The environment whose secrets the steps may use. Absent: none. */
    environmentId: z.uuid().optional(),
    /** Whether screenshots, traces and videos may show secrets. Absent: false. */
    showsSecrets: z.boolean().optional(),
    /** The row of test data. Its values are among the variables. */
    row: plannedRow.optional(),
    /** Versions of the called tests. Their steps replace the calls. */
    calls: z.array(pinnedCall).optional(),
    /** The file content that replaces the stored version. Absent: the stored version runs. */
    contentId: z.uuid().optional(),
  }),
  ExecutionClaimed: z.object(byWorker),
  ...progressSchemas,
  ExecutionReturned: z.object({ ...byWorker, reason: z.string() }),
  ExecutionLeaseExpired: z.object(byWorker),
  ExecutionFinished: z.object({
    runId,
    status: verdict.exclude(["cancelled"]),
    durationMs: z.int().nonnegative(),
    error: z.string().nullable(),
    /** The service lost a worker in each delivery. Absent: the execution ended in another way. */
    workersLost: z.literal(true).optional(),
  }),
  /** Cancelled by a user. */
  ExecutionCancelled: z.object({ runId }),
  /** Pictures with a new outcome after a comparison with other settings, and the browsers and attempts they change. */
  VisualRejudged: z.object({
    runId,
    settings: visualSettings,
    pictures: z.array(judgedPicture),
    browsers: z.array(judgedBrowser),
    attempts: z.array(judgedAttempt),
  }),
  ExecutionVerdictChanged: z.object({
    runId,
    from: verdict,
    to: verdict,
    error: z.string().nullable(),
  }),
  ...evidenceSchemas,
};

export type ExecutionEvent = EventOf<typeof schemas>;
export type DataOf<Type extends ExecutionEvent["type"]> = Extract<
  ExecutionEvent,
  { type: Type }
>["data"];

/** The pinned input of an execution: test version, browsers, variables, limits. */
export type QueuedExecution = DataOf<"ExecutionQueued">;

export const executionCodec = defineCodec(schemas);
