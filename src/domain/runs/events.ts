import { z } from "zod";
import { pinnedCall } from "../catalogue/calls.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { importedSchemas } from "./importedResults.ts";
import {
  evidenceKinds,
  pinnedEnvironment,
  plannedExecution,
  retries,
  runLimits,
  runTarget,
} from "./pinned.ts";
import { browserName, totals, verdict } from "./verdict.ts";

const schemas = {
  RunQueued: z.object({
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    target: runTarget,
    browsers: z.array(browserName).min(1),
    baseUrl: z.string().nullable(),
    variables: z.record(z.string(), z.string()),
    grammarVersion: z.int(),
    /** The month whose quota the run was reserved from, `yyyymm`. */
    quotaPeriod: z.string(),
    executions: z.array(plannedExecution).min(1),
    /** Absent: 0. */
    retries: retries.optional(),
    evidence: evidenceKinds.optional(),
    /** Absent in runs from before time limits were recorded. */
    limits: runLimits.optional(),
    /** The run that this run repeats. */
    rerunOf: z.uuid().optional(),
    /** The test set that the run was requested for. Absent: selected in another way. */
    testSetId: z.uuid().optional(),
    /** Whether screenshots, traces and videos may show secrets, from the organisation's settings. Absent: false. */
    showsSecrets: z.boolean().optional(),
    /** The requested environment: a name or an id. Absent: none. */
    environment: z.string().optional(),
    environments: z.array(pinnedEnvironment).optional(),
    /** Calls between tests, including indirect ones. */
    calls: z.array(pinnedCall).optional(),
  }),
  /** The run was not queued in time and can no longer be queued. Its reservation is released. */
  RunAbandoned: z.object({ runId: z.uuid() }),
  RunStarted: z.object({ runId: z.uuid() }),
  RunExecutionFinished: z.object({
    runId: z.uuid(),
    executionId: z.uuid(),
    status: verdict,
    /** The test was in quarantine. Absent: it was not. */
    quarantined: z.literal(true).optional(),
  }),
  /** Stops every open execution. `asked`: a user cancelled the run; `overdue`: the run exceeded its time limit. */
  RunCancelRequested: z.object({
    runId: z.uuid(),
    reason: z.enum(["asked", "overdue"]),
    executionIds: z.array(z.uuid()),
  }),
  ExecutionCancelRequested: z.object({ runId: z.uuid(), executionId: z.uuid() }),
  RunFinished: z.object({
    runId: z.uuid(),
    status: z.enum(["passed", "failed", "errored"]),
    totals,
  }),
  RunCancelled: z.object({ runId: z.uuid(), totals }),
  /** The verdict of a finished execution changed. `status` is null while the run is open. */
  RunVerdictChanged: z.object({
    runId: z.uuid(),
    executionId: z.uuid(),
    before: verdict,
    outcome: verdict,
    status: z.enum(["passed", "failed", "errored", "cancelled"]).nullable(),
    totals,
    quarantined: z.literal(true).optional(),
  }),
  ...importedSchemas,
};

export type RunEvent = EventOf<typeof schemas>;
export type DataOf<Type extends RunEvent["type"]> = Extract<RunEvent, { type: Type }>["data"];

export const runCodec = defineCodec(schemas);
