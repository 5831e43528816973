import { z } from "zod";
import { CONTENT_VERSION } from "./content.ts";

/** A row of a test's data, pinned by a run. */
export const plannedRow = z.object({
  number: z.int().positive(),
  values: z.record(z.string(), z.string()),
});

/** An environment pinned by a run. Secrets are not part of it: a worker reads them when a step needs them. */
export const pinnedEnvironment = z.object({
  environmentId: z.uuid(),
  name: z.string(),
  baseUrl: z.string().nullable(),
  variables: z.record(z.string(), z.string()),
});
export type PinnedEnvironment = z.output<typeof pinnedEnvironment>;

/** The content of a test file that an execution runs instead of a stored version. */
export const pinnedContent = z.object({
  contentId: z.uuid(),
  /** The commit of the file. Null: unknown, or the file has uncommitted changes. */
  commit: z.string().nullable(),
  /** The stored version that the content differs from. Null: the test is not stored. */
  storedVersion: z.int().positive().nullable(),
  /** The difference from the stored version, such as `1 step changed`. Null: the test is not stored. */
  summary: z.string().nullable(),
});
export type PinnedContent = z.output<typeof pinnedContent>;

/** The stored steps of an execution: those of its file content, else those of its test at a version. */
export const stepsAt = (of: {
  readonly testId: string;
  readonly testVersion: number;
  readonly contentId?: string | undefined;
}): { readonly testId: string; readonly version: number } =>
  of.contentId === undefined
    ? { testId: of.testId, version: of.testVersion }
    : { testId: of.contentId, version: CONTENT_VERSION };

/** A test pinned by a run. A later change of the test does not affect the run. */
export const plannedExecution = z.object({
  executionId: z.uuid(),
  testId: z.uuid(),
  testVersion: z.int().positive(),
  testName: z.string(),
  stepCount: z.int(),
  /** Number of baseline events of the test that count for this run. Absent: 0. */
  baselineVersion: z.int().nonnegative().optional(),
  /** The project of the test, whose files the test may upload. Absent: none. */
  projectId: z.uuid().optional(),
  /** One of the run's environments. Absent: none. */
  environmentId: z.uuid().optional(),
  /** The row of test data, numbered from 1. Absent: the test has no data. */
  row: plannedRow.optional(),
  /** End of the test's quarantine when the run was requested. Absent: not in quarantine. */
  quarantinedUntil: z.string().optional(),
  /** The path of the test's file in its repository. Absent: none. */
  source: z.string().optional(),
  /** Absent: the execution runs the stored version. */
  content: pinnedContent.optional(),
});
export type PlannedExecution = z.output<typeof plannedExecution>;

/** `cloud`: the service's executors. `agent`: agents on machines of the organisation. */
export const runTarget = z.enum(["cloud", "agent"]);
export type RunTarget = z.output<typeof runTarget>;

const limitMs = z.int().positive();
/** Time limits of a run in milliseconds, from the organisation's settings when the run was queued. */
export const runLimits = z.object({
  /** Limit of an action. An assertion has half of it, a page load three times as much. */
  stepMs: limitMs,
  /** One attempt of a test in one browser. */
  testMs: limitMs,
  /** The whole run, counted from RunQueued. */
  runMs: limitMs,
});
export type RunLimits = z.output<typeof runLimits>;

/** Upper limit of retries per test. */
export const MAX_RETRIES = 5;
/** Optional evidence. Steps, screenshots and the browser console are always recorded. */
export const evidenceKinds = z.array(z.enum(["trace", "har", "video"]));
export type EvidenceKind = z.output<typeof evidenceKinds>[number];

export const retries = z.int().min(0).max(MAX_RETRIES);
