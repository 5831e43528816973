import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { type Step, stepSchema } from "./step.ts";
import { keepStepIds } from "./stepIds.ts";

// ---------------------------------------------------------------- Events

const content = {
  /** The person's own words; empty where the steps were given as such. */
  text: z.string(),
  steps: z.array(stepSchema),
};

const schemas = {
  TestCreated: z.object({
    testId: z.uuid(),
    organizationId: z.uuid(),
    projectId: z.uuid().nullable(),
    name: z.string(),
    language: z.string(),
    platform: z.string(),
    ...content,
  }),
  TestRenamed: z.object({ testId: z.uuid(), name: z.string() }),
  TestMoved: z.object({ testId: z.uuid(), projectId: z.uuid().nullable() }),
  TestStepsReplaced: z.object({ testId: z.uuid(), ...content }),
  TestDeleted: z.object({ testId: z.uuid() }),
};

export type TestEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type Test =
  | { readonly status: "none" | "deleted" }
  | {
      readonly status: "active";
      readonly organizationId: string;
      readonly projectId: string | null;
      readonly name: string;
      readonly language: string;
      readonly platform: string;
      readonly text: string;
      readonly steps: readonly Step[];
      /** The stream's revision + 1: what a run pins, what `ETag` and `If-Match` speak of. */
      readonly version: number;
    };

export type ActiveTest = Extract<Test, { status: "active" }>;

// ---------------------------------------------------------------- evolve

export const evolve = (test: Test, event: TestEvent): Test => {
  if (event.type === "TestCreated") {
    const { testId: _, ...data } = event.data;
    return { status: "active", ...data, version: 1 };
  }
  if (test.status !== "active") return test;
  const version = test.version + 1;
  switch (event.type) {
    case "TestRenamed":
      return { ...test, name: event.data.name, version };
    case "TestMoved":
      return { ...test, projectId: event.data.projectId, version };
    case "TestStepsReplaced":
      return { ...test, text: event.data.text, steps: event.data.steps, version };
    case "TestDeleted":
      return { status: "deleted" };
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
  readonly content?: { readonly text: string; readonly steps: readonly Step[] };
} & OnTest;

export type TestCommand = CreateTest | ChangeTest | ({ readonly type: "delete" } & OnTest);

// ---------------------------------------------------------------- decide

export const decide = (command: TestCommand, test: Test): readonly TestEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, ...data } = command;
      return test.status === "none" ? [{ type: "TestCreated", data }] : [];
    }
    case "change":
      return change(command, mine(test, command));
    case "delete":
      if (test.status === "deleted") return [];
      mine(test, command);
      return [{ type: "TestDeleted", data: { testId: command.testId } }];
    default:
      return assertNever(command);
  }
};

const change = (command: ChangeTest, test: ActiveTest): readonly TestEvent[] => {
  const { testId, name, projectId, content: wanted } = command;
  const events: TestEvent[] = [];
  if (name !== undefined && name !== test.name) {
    events.push({ type: "TestRenamed", data: { testId, name } });
  }
  if (projectId !== undefined && projectId !== test.projectId) {
    events.push({ type: "TestMoved", data: { testId, projectId } });
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

const sameSteps = (one: readonly Step[], other: readonly Step[]): boolean =>
  one.length === other.length && one.every((step, index) => sameStep(step, other[index]));

const sameStep = (one: Step, other: Step | undefined): boolean =>
  other !== undefined &&
  (Object.keys(stepSchema.shape) as (keyof Step)[]).every((key) => one[key] === other[key]);

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
