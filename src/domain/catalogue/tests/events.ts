import { z } from "zod";
import { defineCodec, type EventOf } from "../../kernel/events.ts";
import { stepSchema } from "../step.ts";
import { testDataSchema } from "../testData.ts";

const content = {
  /** The source text. Empty if the steps were given as structured data. */
  text: z.string(),
  steps: z.array(stepSchema),
};

/** `folderId` is absent from events stored before folders existed. */
const place = {
  projectId: z.uuid().nullable(),
  folderId: z.uuid().nullable().default(null),
};

const schemas = {
  TestCreated: z.object({
    testId: z.uuid(),
    organizationId: z.uuid(),
    ...place,
    name: z.string(),
    language: z.string(),
    platform: z.string(),
    ...content,
    /** Set on copies: the data of the original. */
    data: testDataSchema.optional(),
    /** The path of the test's file in its repository. Absent: none. */
    source: z.string().optional(),
  }),
  TestRenamed: z.object({ testId: z.uuid(), name: z.string() }),
  TestMoved: z.object({ testId: z.uuid(), ...place }),
  /** `pushed`: the content is that of the test's file. */
  TestStepsReplaced: z.object({ testId: z.uuid(), ...content, pushed: z.literal(true).optional() }),
  /** The file at this path has the content of the test. Null: the test has no file. */
  TestSourceSet: z.object({ testId: z.uuid(), source: z.string().nullable() }),
  /** Changes of single steps. They clear the source text, which no longer matches the steps. */
  TestStepAdded: z.object({ testId: z.uuid(), step: stepSchema, position: z.int().positive() }),
  TestStepChanged: z.object({ testId: z.uuid(), step: stepSchema }),
  TestStepRemoved: z.object({ testId: z.uuid(), stepId: z.uuid() }),
  TestStepsReordered: z.object({ testId: z.uuid(), stepIds: z.array(z.uuid()) }),
  TestDataReplaced: z.object({
    testId: z.uuid(),
    data: testDataSchema,
    pushed: z.literal(true).optional(),
  }),
  /** Replaces the step's target `before` with `target`, which an execution healed it to. */
  HealingAccepted: z.object({
    testId: z.uuid(),
    healingId: z.uuid(),
    stepId: z.uuid(),
    before: z.string(),
    target: z.string(),
  }),
  /** `target` is not the step's element: later executions do not heal the step to it. */
  HealingRejected: z.object({
    testId: z.uuid(),
    healingId: z.uuid(),
    stepId: z.uuid(),
    target: z.string(),
  }),
  /** Contains the complete content of the restored version. */
  TestRevertedTo: z.object({
    testId: z.uuid(),
    version: z.int().positive(),
    name: z.string(),
    ...content,
    /** Absent from events stored before tests had data. */
    data: testDataSchema.optional(),
  }),
  TestDeleted: z.object({
    testId: z.uuid(),
    /** Absent from events stored before deletions could be undone. */
    deletedAt: z.iso.datetime().nullable().default(null),
  }),
  TestUndeleted: z.object({ testId: z.uuid() }),
};

export const testCodec = defineCodec(schemas);

export type TestEvent = EventOf<typeof schemas>;

/** An event that changes the list of steps. */
export type StepEvent = Extract<
  TestEvent,
  {
    type:
      | "TestStepAdded"
      | "TestStepChanged"
      | "TestStepRemoved"
      | "TestStepsReordered"
      | "HealingAccepted";
  }
>;
