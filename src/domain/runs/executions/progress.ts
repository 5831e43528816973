import { z } from "zod";
import { pictureSchema, viewportText } from "../../baselines/picture.ts";
import { healedSchema } from "../../healing/healing.ts";
import type { EventOf } from "../../kernel/events.ts";
import { browserName } from "../verdict.ts";
import { comparedSchema } from "./judgement.ts";
import { pageProblems, seenBox, stepNotes } from "./stepEvidence.ts";

const runId = z.uuid();
const delivery = z.int().positive();
const onBrowser = { runId, attempt: z.int().positive(), delivery, browser: browserName };
const onStep = { ...onBrowser, number: z.int().positive() };
const durationMs = z.int().nonnegative();
const locator = z.string().nullable();
export const ending = z.enum(["passed", "failed", "errored"]);

/** Events that the holder of the lease reports, in order. */
export const progressSchemas = {
  BrowserStarted: z.object({ ...onBrowser, browserVersion: z.string() }),
  StepStarted: z.object(onStep),
  StepPassed: z.object({
    ...onStep,
    durationMs,
    locator,
    /** Absent: none. */
    notes: stepNotes.optional(),
    /** The element that satisfied the claim. Absent: the step is no claim, or its element is not in the picture. */
    evidence: seenBox.optional(),
  }),
  StepFailed: z.object({
    ...onStep,
    durationMs,
    error: z.string(),
    locator,
    /** The step is optional: its failure does not fail the test. */
    passedOver: z.boolean(),
    /** The element that refutes the claim. Absent: none. */
    evidence: seenBox.optional(),
    /** The problems of the pages. Absent if there are none. */
    page: pageProblems.optional(),
  }),
  StepSkipped: z.object({
    ...onStep,
    reason: z.string(),
    /** Plan, policy or browser do not allow the step. Absent: it is disabled, optional, or follows a failure. */
    gap: z.literal(true).optional(),
  }),
  ScreenshotTaken: z.object({
    ...onStep,
    format: z.enum(["jpeg", "png"]),
    /** Key in the blob store. */
    key: z.string(),
    name: z.string().nullable(),
  }),
  /** A screenshot could not be stored. `name` comes from a `screenshot` step; `reason` is text for a person. */
  ScreenshotLost: z.object({ ...onStep, name: z.string().nullable(), reason: z.string() }),
  /** A picture was compared with its baseline, or proposed as a baseline if there is none. */
  VisualCompared: z.object({
    ...onStep,
    testId: z.uuid(),
    stepId: z.uuid(),
    viewport: viewportText,
    ...comparedSchema.shape,
    actual: pictureSchema,
    baseline: pictureSchema.nullable(),
    /** Colour tolerance of a pixel, and number of pixels that may differ. */
    threshold: z.number(),
    allowed: z.int().nonnegative(),
    /** The step is optional: a difference does not fail the test. */
    passedOver: z.boolean(),
  }),
  /** A trace, console, HAR or video, or the reason (`absent`) why a requested file is missing. */
  EvidenceKept: z.object({
    ...onBrowser,
    name: z.string(),
    contentType: z.string(),
    bytes: z.int().nonnegative(),
    /** Key in the blob store; null if the file is missing. */
    key: z.string().nullable(),
    absent: z.string().nullable(),
  }),
  /** The element of the step was missing and a similar one was used. A proposal to change the target. */
  LocatorHealed: z.object({
    ...onStep,
    testId: z.uuid(),
    /** The test that contains the step; differs from `testId` for a called test. Absent in older events. */
    stepTestId: z.uuid().optional(),
    stepId: z.uuid(),
    ...healedSchema.shape,
  }),
  BrowserFinished: z.object({
    ...onBrowser,
    status: ending,
    durationMs,
    error: z.string().nullable(),
    /** The only faults were pictures that differ from their baselines. Absent: false. */
    onlyPictures: z.boolean().optional(),
  }),
  AttemptFinished: z.object({
    runId,
    attempt: z.int().positive(),
    delivery,
    status: ending,
    durationMs,
    error: z.string().nullable(),
  }),
};

export type ProgressEvent = EventOf<typeof progressSchemas>;

/** Identity of a progress event within its delivery: type, attempt, browser and step. */
export const factOf = (event: ProgressEvent): string => {
  const { data } = event;
  const browser = "browser" in data ? data.browser : "";
  const number =
    "number" in data ? data.number : event.type === "EvidenceKept" ? event.data.name : "";
  return `${event.type}/${data.attempt}/${browser}/${number}`;
};
