import { projectDecider } from "../../domain/catalogue/project.ts";
import {
  type ActiveTestSet,
  type TestSetCommand,
  testSetDecider,
} from "../../domain/catalogue/testSet.ts";
import { DomainError } from "../../domain/kernel/errors.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";

/** Finds tests by their ids, whosever they are; those that do not exist are left out. */
export type FindTests = (
  organizationId: string,
  selection: { readonly testIds: readonly string[] },
) => Promise<readonly { readonly testId: string; readonly organizationId: string }[]>;

/** Writing test sets and what is in them. */
export const testSetCommands = (deps: {
  readonly loop: CommandLoop;
  readonly findTests: FindTests;
}) => {
  const { loop } = deps;

  const writeSet = async (
    context: CommandContext,
    command: TestSetCommand,
  ): Promise<Written<ActiveTestSet>> => {
    const written: Written<ActiveTestSet> = await write(
      loop,
      testSetDecider,
      command.testSetId,
      command,
      context,
    );
    return { ...written, state: await withoutGoneProject(written.state) };
  };

  /** Deleting a project writes nothing into the streams of its sets: they are without one all the same. */
  const withoutGoneProject = async (set: ActiveTestSet): Promise<ActiveTestSet> => {
    if (set.projectId === null) return set;
    const { state } = await loop.load(projectDecider, set.projectId);
    return state.status === "active" ? set : { ...set, projectId: null };
  };

  /** Throws unless every test is there and the caller's. */
  const checkTests = async (organizationId: string, testIds: readonly string[]): Promise<void> => {
    if (testIds.length === 0) return;
    const found = new Map(
      (await deps.findTests(organizationId, { testIds })).map((test) => [test.testId, test]),
    );
    for (const testId of testIds) {
      const test = found.get(testId);
      if (!test) {
        throw new DomainError("test.unknownInRequest", `test_ids: there is no test ${testId}.`);
      }
      if (test.organizationId !== organizationId) {
        throw new DomainError("test.foreign", "The test belongs to another organisation.");
      }
    }
  };

  const checkProject = async (organizationId: string, projectId: string): Promise<void> => {
    const { state } = await loop.load(projectDecider, projectId);
    if (state.status !== "active") {
      throw new DomainError(
        "project.unknownInRequest",
        `project_id: there is no project ${projectId}.`,
      );
    }
    if (state.organizationId !== organizationId) {
      throw new DomainError("project.foreign", "The project belongs to another organisation.");
    }
  };

  /** What a command that comes again rested on need not hold any more, where it was done. */
  const wasDone = async (context: CommandContext, command: TestSetCommand): Promise<boolean> =>
    (await loop.findDone(testSetDecider, command.testSetId, command.type, context)) !== null;

  /** What every change of a set says. */
  const on = (context: CommandContext, testSetId: string, expectedVersions: Expected) => ({
    testSetId,
    organizationId: organizationOf(context),
    expectedVersions,
  });

  return {
    /** Throws `project.unknownInRequest`, `project.foreign`, `test.unknownInRequest`, `test.foreign`, `testSet.tooManyTests`. */
    createTestSet: async (
      context: CommandContext,
      set: {
        readonly name: string;
        readonly projectId: string | null;
        readonly testIds: readonly string[];
      },
    ): Promise<Written<ActiveTestSet>> => {
      const organizationId = organizationOf(context);
      const { name, projectId } = set;
      const testIds = [...set.testIds];
      const testSetId = idFor(context, "test set");
      const of = { testSetId, organizationId, projectId };
      const command: TestSetCommand = { type: "create", ...of, name, testIds };
      if (!(await wasDone(context, command))) {
        if (projectId !== null) await checkProject(organizationId, projectId);
        await checkTests(organizationId, testIds);
      }
      return writeSet(context, command);
    },

    renameTestSet: (
      context: CommandContext,
      testSetId: string,
      name: string,
      expectedVersions: Expected,
    ): Promise<Written<ActiveTestSet>> =>
      writeSet(context, { type: "rename", ...on(context, testSetId, expectedVersions), name }),

    /** Puts tests at the end of a set. Throws what `createTestSet` throws of tests. */
    addToTestSet: async (
      context: CommandContext,
      testSetId: string,
      testIds: readonly string[],
      expectedVersions: Expected,
    ): Promise<Written<ActiveTestSet>> => {
      const of = on(context, testSetId, expectedVersions);
      const command: TestSetCommand = { type: "addItems", ...of, testIds };
      if (!(await wasDone(context, command))) await checkTests(of.organizationId, testIds);
      return writeSet(context, command);
    },

    removeFromTestSet: async (
      context: CommandContext,
      testSetId: string,
      testId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const of = on(context, testSetId, expectedVersions);
      return (await writeSet(context, { type: "removeItem", ...of, testId })).receipt;
    },

    /** Throws `testSet.orderMismatch` unless every test of the set is named once. */
    reorderTestSet: (
      context: CommandContext,
      testSetId: string,
      testIds: readonly string[],
      expectedVersions: Expected,
    ): Promise<Written<ActiveTestSet>> =>
      writeSet(context, { type: "reorder", ...on(context, testSetId, expectedVersions), testIds }),

    deleteTestSet: async (
      context: CommandContext,
      testSetId: string,
      expectedVersions: Expected,
    ): Promise<Receipt> => {
      const command = { type: "delete", ...on(context, testSetId, expectedVersions) } as const;
      return (await write(loop, testSetDecider, testSetId, command, context)).receipt;
    },
  };
};
