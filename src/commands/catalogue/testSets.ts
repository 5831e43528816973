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
import { checkPlace, withoutDeletedPlace } from "./places.ts";

/** Finds tests of any organisation by id. Leaves out ids that do not exist. */
export type FindTests = (
  organizationId: string,
  selection: { readonly testIds: readonly string[] },
) => Promise<readonly { readonly testId: string; readonly organizationId: string }[]>;

type TestSetDeps = { readonly loop: CommandLoop; readonly findTests: FindTests };

/** Throws `project.unknownInRequest`, `project.foreign`, `test.unknownInRequest`, `test.foreign`, `testSet.tooManyTests`. */
const createTestSet = async (
  deps: TestSetDeps,
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
  const on = { testSetId, organizationId, projectId };
  const command: TestSetCommand = { type: "create", ...on, name, testIds };
  if (!(await wasDone(deps, context, command))) {
    if (projectId !== null) {
      await checkPlace(deps.loop, organizationId, { projectId, folderId: null });
    }
    await checkTests(deps, organizationId, testIds);
  }
  return writeSet(deps, context, command);
};

const renameTestSet = (
  deps: TestSetDeps,
  context: CommandContext,
  testSetId: string,
  name: string,
  expectedVersions: Expected,
): Promise<Written<ActiveTestSet>> =>
  writeSet(deps, context, { type: "rename", ...onSet(context, testSetId, expectedVersions), name });

/** Appends tests to a set. Throws `test.unknownInRequest`, `test.foreign`, `testSet.tooManyTests`. */
const addToTestSet = async (
  deps: TestSetDeps,
  context: CommandContext,
  testSetId: string,
  testIds: readonly string[],
  expectedVersions: Expected,
): Promise<Written<ActiveTestSet>> => {
  const on = onSet(context, testSetId, expectedVersions);
  const command: TestSetCommand = { type: "addItems", ...on, testIds };
  if (!(await wasDone(deps, context, command))) {
    await checkTests(deps, on.organizationId, testIds);
  }
  return writeSet(deps, context, command);
};

const removeFromTestSet = async (
  deps: TestSetDeps,
  context: CommandContext,
  testSetId: string,
  testId: string,
  expectedVersions: Expected,
): Promise<Receipt> => {
  const on = onSet(context, testSetId, expectedVersions);
  return (await writeSet(deps, context, { type: "removeItem", ...on, testId })).receipt;
};

/** Throws `testSet.orderMismatch` unless `testIds` contains every test of the set exactly once. */
const reorderTestSet = (
  deps: TestSetDeps,
  context: CommandContext,
  testSetId: string,
  testIds: readonly string[],
  expectedVersions: Expected,
): Promise<Written<ActiveTestSet>> =>
  writeSet(deps, context, {
    type: "reorder",
    ...onSet(context, testSetId, expectedVersions),
    testIds,
  });

const deleteTestSet = async (
  { loop }: TestSetDeps,
  context: CommandContext,
  testSetId: string,
  expectedVersions: Expected,
): Promise<Receipt> => {
  const command = { type: "delete", ...onSet(context, testSetId, expectedVersions) } as const;
  return (await write(loop, testSetDecider, testSetId, command, context)).receipt;
};

const writeSet = async (
  { loop }: TestSetDeps,
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
  return { ...written, state: await withoutDeletedPlace(loop, written.state) };
};

/** Whether the command is a repeat. The preconditions of a repeat may no longer hold, so they are not checked. */
const wasDone = async (
  { loop }: TestSetDeps,
  context: CommandContext,
  command: TestSetCommand,
): Promise<boolean> =>
  (await loop.findDone(testSetDecider, command.testSetId, command.type, context)) !== null;

const checkTests = async (
  deps: TestSetDeps,
  organizationId: string,
  testIds: readonly string[],
): Promise<void> => {
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

/** The fields that every command on an existing set has. */
const onSet = (context: CommandContext, testSetId: string, expectedVersions: Expected) => ({
  testSetId,
  organizationId: organizationOf(context),
  expectedVersions,
});

export const testSetCommands = (deps: TestSetDeps) => ({
  createTestSet: createTestSet.bind(null, deps),
  renameTestSet: renameTestSet.bind(null, deps),
  addToTestSet: addToTestSet.bind(null, deps),
  removeFromTestSet: removeFromTestSet.bind(null, deps),
  reorderTestSet: reorderTestSet.bind(null, deps),
  deleteTestSet: deleteTestSet.bind(null, deps),
});
