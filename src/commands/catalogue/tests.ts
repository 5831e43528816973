import { callsIn } from "../../domain/catalogue/calls.ts";
import { projectDecider } from "../../domain/catalogue/project.ts";
import type { Step, StepInput } from "../../domain/catalogue/step.ts";
import {
  type ActiveTest,
  type ChangeTest,
  type TestCommand,
  testDecider,
} from "../../domain/catalogue/test.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import type { HealingCommand } from "../../domain/catalogue/testHealing.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { Clock } from "../../platform/clock.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { checkCalls, type FindCallable } from "./calls.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";

/** What a test says and does: the person's own words, or none, and the steps. */
export type TestContent = { readonly text: string; readonly steps: readonly StepInput[] };

export type NewTest = TestContent & {
  readonly name: string;
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly language: string;
  readonly platform: string;
  /** None unless it is said. */
  readonly data?: TestData;
};

/** What is absent stays as it is. */
export type TestChanges = {
  readonly name?: string | undefined;
  readonly projectId?: string | null | undefined;
  /** With the project that it is in, unless that is the test's own. */
  readonly folderId?: string | null | undefined;
  readonly content?: TestContent | undefined;
};

/** What a test was at a version. */
export type TestAt = {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly data: TestData;
};

/** Writing tests. */
export const testCommands = (deps: {
  readonly loop: CommandLoop;
  readonly clock: Clock;
  readonly findCallable: FindCallable;
}) => {
  const { loop } = deps;

  const writeTest = async (
    context: CommandContext,
    command: TestCommand,
  ): Promise<Written<ActiveTest>> => {
    await checkCallsOf(context, command);
    const written: Written<ActiveTest> = await write(
      loop,
      testDecider,
      command.testId,
      command,
      context,
    );
    return { ...written, state: await withoutGonePlaces(written.state) };
  };

  /**
   * Throws when the test would call itself, by whatever way, once the command is done. Two changes at once can
   * still make a circle: it is refused when it is to be run.
   */
  const checkCallsOf = async (context: CommandContext, command: TestCommand): Promise<void> => {
    if (context.again || !callsAnything(command)) return;
    const { state } = await loop.load(testDecider, command.testId);
    const after = testDecider.decide(command, state).reduce(testDecider.evolve, state);
    if (after.status !== "active") return;
    const { organizationId, version, name, projectId, steps } = after;
    const test = { testId: command.testId, version, name, projectId, steps };
    await checkCalls(deps.findCallable, organizationId, test);
  };

  /** Deleting a project or a folder writes nothing into the streams of its tests: they are not there any more all the same. */
  const withoutGonePlaces = async (test: ActiveTest): Promise<ActiveTest> => {
    if (test.status !== "active" || test.projectId === null) return test;
    const { state } = await loop.load(projectDecider, test.projectId);
    if (state.status !== "active") return { ...test, projectId: null, folderId: null };
    const isThere = test.folderId === null || state.folders.has(test.folderId);
    return isThere ? test : { ...test, folderId: null };
  };

  /**
   * Throws unless a test may be put into the project and the folder: they are there, and of the caller's
   * organisation. A command that comes again and was done already rested on how it was then.
   */
  const checkPlace = async (
    context: CommandContext,
    place: { readonly projectId: string; readonly folderId: string | null },
    command: TestCommand,
  ): Promise<void> => {
    if (await loop.findDone(testDecider, command.testId, command.type, context)) return;
    const { projectId, folderId } = place;
    const { state } = await loop.load(projectDecider, projectId);
    if (state.status !== "active") {
      throw new DomainError(
        "project.unknownInRequest",
        `project_id: there is no project ${projectId}.`,
      );
    }
    if (state.organizationId !== organizationOf(context)) {
      throw new DomainError("project.foreign", "The project belongs to another organisation.");
    }
    if (folderId !== null && !state.folders.has(folderId)) {
      throw new DomainError(
        "folder.unknownInRequest",
        `folder_id: there is no folder ${folderId} in this project.`,
      );
    }
  };

  /** What every change of a test says. */
  const on = (context: CommandContext, testId: string, expectedVersions: Expected) => ({
    testId,
    organizationId: organizationOf(context),
    expectedVersions,
  });

  return {
    /** Throws `project.unknownInRequest`, `project.foreign` and `folder.unknownInRequest` besides. */
    createTest: async (context: CommandContext, test: NewTest): Promise<Written<ActiveTest>> => {
      const { steps, ...rest } = test;
      const command: TestCommand = {
        type: "create",
        testId: idFor(context, "test"),
        organizationId: organizationOf(context),
        name: rest.name,
        projectId: rest.projectId,
        folderId: rest.folderId,
        language: rest.language,
        platform: rest.platform,
        text: rest.text,
        steps: withIds(context, steps),
        ...(rest.data === undefined ? {} : { data: rest.data }),
      };
      const { projectId, folderId } = rest;
      if (projectId !== null) await checkPlace(context, { projectId, folderId }, command);
      return writeTest(context, command);
    },

    /** Changes what is given of a test, all of it or nothing; steps that continue an old one keep its id. */
    changeTest: async (
      context: CommandContext,
      testId: string,
      changes: TestChanges,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> => {
      const { name, projectId, folderId, content } = changes;
      const command: ChangeTest = {
        type: "change",
        ...on(context, testId, expectedVersions),
        ...(name === undefined ? {} : { name }),
        ...(projectId === undefined ? {} : { projectId }),
        ...(folderId === undefined ? {} : { folderId }),
        ...(content
          ? { content: { text: content.text, steps: withIds(context, content.steps) } }
          : {}),
      };
      if (typeof projectId === "string") {
        await checkPlace(context, { projectId, folderId: folderId ?? null }, command);
      }
      return writeTest(context, command);
    },

    /** Puts a step in, at a position from 1, or at the end. Throws `test.badPosition`, `test.tooManySteps`, `test.tooLarge`. */
    addStep: (
      context: CommandContext,
      testId: string,
      step: StepInput,
      position: number | null,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> =>
      writeTest(context, {
        type: "addStep",
        ...on(context, testId, expectedVersions),
        step: { ...step, id: idFor(context, "step") },
        position,
      }),

    /** Throws `test.unknownStep`, `test.tooLarge`. */
    changeStep: (
      context: CommandContext,
      testId: string,
      step: Step,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> =>
      writeTest(context, { type: "changeStep", ...on(context, testId, expectedVersions), step }),

    removeStep: async (
      context: CommandContext,
      testId: string,
      stepId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const command = { type: "removeStep", stepId } as const;
      const of = on(context, testId, expectedVersions);
      return (await writeTest(context, { ...command, ...of })).receipt;
    },

    /** Throws `test.orderMismatch` unless every step is named once. */
    reorderSteps: (
      context: CommandContext,
      testId: string,
      stepIds: readonly string[],
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> =>
      writeTest(context, {
        type: "reorderSteps",
        ...on(context, testId, expectedVersions),
        stepIds,
      }),

    /** Gives a test the rows of data with which it runs, once for each; without any it runs once. */
    replaceData: (
      context: CommandContext,
      testId: string,
      data: TestData,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> =>
      writeTest(context, { type: "replaceData", ...on(context, testId, expectedVersions), data }),

    /** Throws `healing.decided`, `healing.outdated`, `test.unknownStep`. */
    decideHealing: (
      context: CommandContext,
      testId: string,
      healing: HealingCommand,
    ): Promise<Written<ActiveTest>> =>
      writeTest(context, { ...healing, ...on(context, testId, null) }),

    /** Makes a test what it was at a version. Throws `test.unknownVersion`. */
    revertTest: (
      context: CommandContext,
      testId: string,
      was: TestAt,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTest>> =>
      writeTest(context, { type: "revert", ...on(context, testId, expectedVersions), ...was }),

    deleteTest: async (
      context: CommandContext,
      testId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const at = deps.clock().toISOString();
      const command = { type: "delete", at, ...on(context, testId, expectedVersions) } as const;
      const { receipt } = await write(loop, testDecider, testId, command, context);
      return receipt;
    },

    /** Takes a deletion back. Throws `test.goneForGood` after 30 days. */
    undeleteTest: (context: CommandContext, testId: string): Promise<Written<ActiveTest>> => {
      const at = deps.clock().toISOString();
      return writeTest(context, { type: "undelete", at, ...on(context, testId, null) });
    },
  };
};

/** Whether a command brings steps that call other tests. */
const callsAnything = (command: TestCommand): boolean => {
  switch (command.type) {
    case "create":
    case "revert":
      return callsIn(command.steps).length > 0;
    case "change":
      return callsIn(command.content?.steps ?? []).length > 0;
    case "addStep":
    case "changeStep":
      return callsIn([command.step]).length > 0;
    default:
      return false;
  }
};

const withIds = (context: CommandContext, steps: readonly StepInput[]): Step[] =>
  steps.map(({ action, target, value, description, optional, disabled }, index) => ({
    id: idFor(context, `step ${index}`),
    action,
    target,
    value,
    description,
    optional,
    disabled,
  }));
