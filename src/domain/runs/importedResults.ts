import { z } from "zod";
import { browserName, totals, verdict } from "./verdict.ts";

const ended = verdict.exclude(["cancelled"]);
const tried = z.enum(["passed", "failed", "errored"]);
const durationMs = z.int().nonnegative().nullable();

/** The result of one test of an imported report. */
export const importedResult = z.object({
  executionId: z.uuid(),
  testId: z.uuid(),
  /** Position in the report, from 1. */
  place: z.int().positive(),
  /** The identity of the test, shortened if it is long. */
  suite: z.string(),
  className: z.string(),
  name: z.string(),
  /** The project of the tool, unless it is a browser. Absent: none. */
  project: z.string().optional(),
  status: ended,
  error: z.string().nullable(),
  durationMs,
  finishedAt: z.iso.datetime({ precision: 3 }),
  /** The end of the quarantine that was active when the report arrived. Absent: none. */
  quarantinedUntil: z.string().optional(),
  /** The tries in the report. Absent: one, with the result of the test. */
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
  /** Results that another tool reported. Runledger ran nothing and used no quota. */
  RunImported: z.object({
    runId: z.uuid(),
    projectId: z.uuid().nullable(),
    format: z.enum(["junit", "playwright"]),
    /** SHA-256 of the report, in hex. */
    sha256: z.string(),
    startedAt: z.iso.datetime({ precision: 3 }),
    finishedAt: z.iso.datetime({ precision: 3 }),
    status: z.enum(["passed", "failed", "errored"]),
    totals,
    /** Number of tests in the report that were skipped. */
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
