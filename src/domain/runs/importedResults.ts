import { z } from "zod";
import { browserName, totals, verdict } from "./verdict.ts";

const ended = verdict.exclude(["cancelled"]);
const tried = z.enum(["passed", "failed", "errored"]);
const durationMs = z.int().nonnegative().nullable();

/** The result of one test of an imported report. */
export const importedResult = z.object({
  executionId: z.uuid(),
  testId: z.uuid(),
  /** Its place in the report, from 1. */
  place: z.int().positive(),
  /** The identity of the test, shortened if it is long. */
  suite: z.string(),
  className: z.string(),
  name: z.string(),
  /** The project of the tool, where it is no browser. Absent: none. */
  project: z.string().optional(),
  status: ended,
  error: z.string().nullable(),
  durationMs,
  finishedAt: z.iso.datetime({ precision: 3 }),
  /** Until when the test was in quarantine as the report came. Absent: it was in none. */
  quarantinedUntil: z.string().optional(),
  /** Every try that the report tells of. Absent: one, which ended as the test did. */
  tries: z
    .array(
      z.object({
        number: z.int().positive(),
        status: tried,
        error: z.string().nullable(),
        durationMs,
        browser: browserName.nullable(),
      }),
    )
    .optional(),
});
export type ImportedResult = z.output<typeof importedResult>;

export const importedSchemas = {
  /** Results that a tool of others reported: nothing was run here, and no quota was taken. */
  RunImported: z.object({
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    format: z.enum(["junit", "playwright"]),
    /** Of the report, in hex. */
    sha256: z.string(),
    startedAt: z.iso.datetime({ precision: 3 }),
    finishedAt: z.iso.datetime({ precision: 3 }),
    status: z.enum(["passed", "failed", "errored"]),
    totals,
    /** How many tests the report names that were not run. */
    skipped: z.int().nonnegative(),
  }),
  /** A part of the results of an imported run; parts are numbered from 1. */
  ResultsImported: z.object({
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    part: z.int().positive(),
    results: z.array(importedResult).min(1),
  }),
};
