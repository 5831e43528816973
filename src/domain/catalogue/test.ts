import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { type Step, stepSchema } from "./step.ts";
import { keepStepIds } from "./stepIds.ts";
import { noData, sameData, type TestData, testDataSchema } from "./testData.ts";
import { decideHealing, type HealingCommand } from "./testHealing.ts";
import { decideSteps, type StepsCommand, sameSteps } from "./testSteps.ts";

// ---------------------------------------------------------------- Events

const content = {
  /** The person's own words; empty where the steps were given as such. */
  text: z.string(),
  steps: z.array(stepSchema),
};

/** Where a test is. Tests that were stored before there were folders are in none. */
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
    /** Of copies: what the test that they were made of had. */
    data: testDataSchema.optional(),
  }),
  TestRenamed: z.object({ testId: z.uuid(), name: z.string() }),
  TestMoved: z.object({ testId: z.uuid(), ...place }),
  TestStepsReplaced: z.object({ testId: z.uuid(), ...content }),
  /** Changes of single steps: from then on the steps stand for themselves, without the words they came from. */
  TestStepAdded: z.object({ testId: z.uuid(), step: stepSchema, position: z.int().positive() }),
  TestStepChanged: z.object({ testId: z.uuid(), step: stepSchema }),
  TestStepRemoved: z.object({ testId: z.uuid(), stepId: z.uuid() }),
  TestStepsReordered: z.object({ testId: z.uuid(), stepIds: z.array(z.uuid()) }),
  TestDataReplaced: z.object({ testId: z.uuid(), data: testDataSchema }),
  /** A step names its element as an execution found it again: by this target. */
  HealingAccepted: z.object({
    testId: z.uuid(),
    healingId: z.uuid(),
    stepId: z.uuid(),
    before: z.string(),
    target: z.string(),
  }),
  /** What was found is not the step's element: nothing goes on with it again. */
  HealingRejected: z.object({
    testId: z.uuid(),
    healingId: z.uuid(),
    stepId: z.uuid(),
    target: z.string(),
  }),
  /** It is as it was at a version, which is said here in full. */
  TestRevertedTo: z.object({
    testId: z.uuid(),
    version: z.int().positive(),
    name: z.string(),
    ...content,
    /** Absent where it was reverted before tests had data. */
    data: testDataSchema.optional(),
  }),
  TestDeleted: z.object({
    testId: z.uuid(),
    /** Absent of tests that were deleted before a deletion could be taken back. */
    deletedAt: z.iso.datetime().nullable().default(null),
  }),
  TestUndeleted: z.object({ testId: z.uuid() }),
};

export type TestEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Test =
  | { readonly status: "none" }
  /** `was`: what it is again once the deletion is taken back. Its version counts the deletion. */
  | { readonly status: "deleted"; readonly deletedAt: string | null; readonly was: ActiveTest }
  | ActiveTest;

export type ActiveTest = {
  readonly status: "active";
  readonly organizationId: string;
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly name: string;
  readonly language: string;
  readonly platform: string;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly data: TestData;
  /** What was decided about elements that were found again, by the healing's id. */
  readonly decided?: Readonly<Record<string, "HealingAccepted" | "HealingRejected">>;
  /** The stream's revision + 1: what a run pins, what `ETag` and `If-Match` speak of. */
  readonly version: number;
};

// ---------------------------------------------------------------- evolve

export const evolve = (test: Test, event: TestEvent): Test => {
  if (event.type === "TestCreated") {
    const { testId: _, data = noData, ...rest } = event.data;
    return { status: "active", ...rest, data, version: 1 };
  }
  if (test.status === "none") return test;
  if (test.status === "deleted") {
    if (event.type !== "TestUndeleted") return test;
    return { ...test.was, version: test.was.version + 1 };
  }
  const version = test.version + 1;
  if (event.type === "TestDeleted") {
    return { status: "deleted", deletedAt: event.data.deletedAt, was: { ...test, version } };
  }
  return { ...test, ...changeOf(test, event), version };
};

type Change = Exclude<TestEvent, { type: "TestCreated" | "TestDeleted" }>;

const changeOf = (test: ActiveTest, event: Change): Partial<ActiveTest> => {
  switch (event.type) {
    case "TestRenamed":
      return { name: event.data.name };
    case "TestMoved":
      return { projectId: event.data.projectId, folderId: event.data.folderId };
    case "TestStepsReplaced":
      return { text: event.data.text, steps: event.data.steps };
    case "TestRevertedTo": {
      const { name, text, steps, data = test.data } = event.data;
      return { name, text, steps, data };
    }
    case "TestDataReplaced":
      return { data: event.data.data };
    case "TestStepAdded":
    case "TestStepChanged":
    case "TestStepRemoved":
    case "TestStepsReordered":
      return { text: "", steps: stepsAfter(test.steps, event) };
    case "HealingAccepted":
      return { text: "", steps: stepsAfter(test.steps, event), ...decidedWith(test, event) };
    case "HealingRejected":
      return decidedWith(test, event);
    case "TestUndeleted":
      return {};
    default:
      return assertNever(event);
  }
};

const decidedWith = (
  { decided = {} }: ActiveTest,
  { type, data }: Extract<TestEvent, { type: "HealingAccepted" | "HealingRejected" }>,
): Pick<ActiveTest, "decided"> => ({ decided: { ...decided, [data.healingId]: type } });

/** An event about one step of a test, or about their order. */
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

/** The steps of a test after one of its steps was added, changed or removed, or after they were put in order. */
export const stepsAfter = (steps: readonly Step[], event: StepEvent): readonly Step[] => {
  switch (event.type) {
    case "TestStepAdded":
      return steps.toSpliced(event.data.position - 1, 0, event.data.step);
    case "TestStepChanged":
      return steps.map((step) => (step.id === event.data.step.id ? event.data.step : step));
    case "HealingAccepted": {
      const { stepId, target } = event.data;
      return steps.map((step) => (step.id === stepId ? { ...step, target } : step));
    }
    case "TestStepRemoved":
      return steps.filter(({ id }) => id !== event.data.stepId);
    case "TestStepsReordered": {
      const byId = new Map(steps.map((step) => [step.id, step]));
      return event.data.stepIds.flatMap((id) => byId.get(id) ?? []);
    }
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

/** A change is on behalf of an organisation, and where the caller says so, on a version: one of these. */
type OnTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly expectedVersions: readonly number[] | null;
};

export type CreateTest = { readonly type: "create" } & Extract<
  TestEvent,
  { type: "TestCreated" }
>["data"];

/** What is absent stays as it is. Steps come with new ids; those that continue an old step get its id. */
export type ChangeTest = {
  readonly type: "change";
  readonly name?: string;
  readonly projectId?: string | null;
  /** Absent with another project: it is in none of that project's folders. */
  readonly folderId?: string | null;
  readonly content?: { readonly text: string; readonly steps: readonly Step[] };
} & OnTest;

/** Makes it again what it was at a version; where it is stays as it is. */
type RevertTest = {
  readonly type: "revert";
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly data: TestData;
} & OnTest;

export type TestCommand =
  | CreateTest
  | ChangeTest
  | RevertTest
  | (StepsCommand & OnTest)
  | (HealingCommand & OnTest)
  | ({ readonly type: "replaceData"; readonly data: TestData } & OnTest)
  | ({ readonly type: "delete"; readonly at: string } & OnTest)
  | ({ readonly type: "undelete"; readonly at: string } & OnTest);

// ---------------------------------------------------------------- decide

export const decide = (command: TestCommand, test: Test): readonly TestEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, ...data } = command;
      return test.status === "none" ? [{ type: "TestCreated", data }] : [];
    }
    case "change":
      return change(command, mine(test, command));
    case "revert":
      return revert(command, mine(test, command));
    case "acceptHealing":
    case "rejectHealing":
      return decideHealing(command, command.testId, mine(test, command));
    case "addStep":
    case "changeStep":
    case "removeStep":
    case "reorderSteps":
      return decideSteps(command, command.testId, mine(test, command).steps);
    case "replaceData": {
      const { testId, data } = command;
      if (sameData(data, mine(test, command).data)) return [];
      return [{ type: "TestDataReplaced", data: { testId, data } }];
    }
    case "delete": {
      if (test.status === "deleted") return [];
      mine(test, command);
      const { testId, at: deletedAt } = command;
      return [{ type: "TestDeleted", data: { testId, deletedAt } }];
    }
    case "undelete":
      return undelete(command, test);
    default:
      return assertNever(command);
  }
};

const change = (command: ChangeTest, test: ActiveTest): readonly TestEvent[] => {
  const { testId, name, content: wanted } = command;
  const events: TestEvent[] = [];
  if (name !== undefined && name !== test.name) {
    events.push({ type: "TestRenamed", data: { testId, name } });
  }
  const { projectId = test.projectId } = command;
  const stays = projectId === test.projectId ? test.folderId : null;
  const { folderId = stays } = command;
  if (projectId !== test.projectId || folderId !== test.folderId) {
    events.push({ type: "TestMoved", data: { testId, projectId, folderId } });
  }
  if (wanted !== undefined) {
    const steps = [...keepStepIds(test.steps, wanted.steps)];
    // The same steps pushed without words take nothing from the words that are there.
    const text = wanted.text === "" && sameSteps(steps, test.steps) ? test.text : wanted.text;
    if (text !== test.text || !sameSteps(steps, test.steps)) {
      events.push({ type: "TestStepsReplaced", data: { testId, text, steps } });
    }
  }
  return events;
};

const revert = (command: RevertTest, test: ActiveTest): readonly TestEvent[] => {
  const { testId, version, name, text, steps, data } = command;
  if (version > test.version) {
    throw new DomainError("test.unknownVersion", `version: the test has no version ${version}.`);
  }
  const isSame =
    name === test.name &&
    text === test.text &&
    sameSteps(steps, test.steps) &&
    sameData(data, test.data);
  if (isSame) return [];
  const was = { name, text, steps: [...steps], data };
  return [{ type: "TestRevertedTo", data: { testId, version, ...was } }];
};

/** How long a deletion can be taken back (operations.md, "Tests"). */
const UNDELETE_DAYS = 30;

const undelete = (
  command: Extract<TestCommand, { type: "undelete" }>,
  test: Test,
): readonly TestEvent[] => {
  if (test.status !== "deleted") {
    mine(test, command);
    return [];
  }
  mine(test.was, command);
  const { deletedAt } = test;
  const age = deletedAt === null ? 0 : Date.parse(command.at) - Date.parse(deletedAt);
  if (age > UNDELETE_DAYS * 24 * 3_600_000) {
    throw new DomainError(
      "test.goneForGood",
      `The test was deleted more than ${UNDELETE_DAYS} days ago: it cannot be had back.`,
    );
  }
  return [{ type: "TestUndeleted", data: { testId: command.testId } }];
};

const mine = (test: Test, command: OnTest): ActiveTest => {
  if (test.status !== "active") {
    throw new DomainError("test.unknown", `There is no test ${command.testId}.`);
  }
  if (test.organizationId !== command.organizationId) {
    throw new DomainError("test.foreign", "The test belongs to another organisation.");
  }
  const { expectedVersions } = command;
  if (expectedVersions !== null && !expectedVersions.includes(test.version)) {
    throw new DomainError(
      "test.stale",
      `The test is at version ${test.version} by now. Read it again, and base the change on that.`,
    );
  }
  return test;
};

export const testDecider: Decider<Test, TestCommand, TestEvent> = {
  category: "test",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
