import type { Step, StepInput } from "../../domain/catalogue/step.ts";
import type { TestData } from "../../domain/catalogue/testData.ts";
import type { ActiveTest } from "../../domain/catalogue/tests/state.ts";
import {
  type ChangeTest,
  type CreateTest,
  type TestCommand,
  testDecider,
} from "../../domain/catalogue/tests/test.ts";
import { type CommandContext, idFor } from "../kernel/context.ts";
import type { Receipt } from "../kernel/receipt.ts";
import { type Expected, organizationOf, type Written, write } from "./changes.ts";
import { checkPlace } from "./places.ts";
import { claimSource, moveSource } from "./sources.ts";
import { stepCommands } from "./steps.ts";
import { onTest, type TestDeps, withStepIds, writeTest } from "./writeTest.ts";

/** `text` is the source text of the steps, or empty. */
export type TestContent = { readonly text: string; readonly steps: readonly StepInput[] };

export type NewTest = TestContent & {
  readonly name: string;
  readonly projectId: string | null;
  readonly folderId: string | null;
  readonly language: string;
  readonly platform: string;
  readonly data?: TestData;
  /** The path of its file in the repository. */
  readonly source?: string | undefined;
};

/** Absent fields keep their values. */
export type TestChanges = {
  readonly name?: string | undefined;
  readonly projectId?: string | null | undefined;
  /** Requires `projectId`. */
  readonly folderId?: string | null | undefined;
  readonly content?: TestContent | undefined;
  /** The path of the file with this content. */
  readonly source?: string | null | undefined;
};

/** The content of a test at a version. */
export type TestAt = {
  readonly version: number;
  readonly name: string;
  readonly text: string;
  readonly steps: readonly Step[];
  readonly data: TestData;
};

/** Throws `project.unknownInRequest`, `project.foreign`, `folder.unknownInRequest`, `test.sourceTaken`. */
const createTest = async (
  deps: TestDeps,
  context: CommandContext,
  test: NewTest,
): Promise<Written<ActiveTest>> => {
  const { name, projectId, folderId, language, platform, text, steps, data, source } = test;
  const command: CreateTest = {
    type: "create",
    testId: idFor(context, "test"),
    organizationId: organizationOf(context),
    name,
    projectId,
    folderId,
    language,
    platform,
    text,
    steps: withStepIds(context, steps),
    ...(data === undefined ? {} : { data }),
    ...(source === undefined ? {} : { source }),
  };
  if (projectId !== null) await checkNewPlace(deps, context, { projectId, folderId }, command);
  if (source !== undefined) await claimSource(deps, context, command.testId, projectId, source);
  return writeTest(deps, context, command);
};

/** Applies all changes or none. Steps that continue a stored step keep its id. Throws as `createTest` does. */
const changeTest = async (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  changes: TestChanges,
  expectedVersions: Expected,
): Promise<Written<ActiveTest>> => {
  const { name, projectId, folderId, content, source } = changes;
  const command: ChangeTest = {
    type: "change",
    ...onTest(context, testId, expectedVersions),
    ...(name === undefined ? {} : { name }),
    ...(projectId === undefined ? {} : { projectId }),
    ...(folderId === undefined ? {} : { folderId }),
    ...(source === undefined ? {} : { source }),
    ...(content
      ? { content: { text: content.text, steps: withStepIds(context, content.steps) } }
      : {}),
  };
  if (typeof projectId === "string") {
    await checkNewPlace(deps, context, { projectId, folderId: folderId ?? null }, command);
  }
  const leave = await moveSource(deps, context, command);
  const written = await writeTest(deps, context, command);
  await leave();
  return written;
};

/** Skips the check for a repeated command: the place may have been deleted since the first execution. */
const checkNewPlace = async (
  { loop }: TestDeps,
  context: CommandContext,
  place: { readonly projectId: string; readonly folderId: string | null },
  command: TestCommand,
): Promise<void> => {
  if (await loop.findDone(testDecider, command.testId, command.type, context)) return;
  await checkPlace(loop, organizationOf(context), place);
};

/** Replaces the rows of data. A test runs once per row, or once if there are none. */
const replaceData = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  data: TestData,
  expectedVersions: Expected,
  { pushed = false }: { readonly pushed?: boolean } = {},
): Promise<Written<ActiveTest>> =>
  writeTest(deps, context, {
    type: "replaceData",
    ...onTest(context, testId, expectedVersions),
    data,
    ...(pushed && { pushed }),
  });

/** Restores the content of a version. Throws `test.unknownVersion`. */
const revertTest = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
  content: TestAt,
  expectedVersions: Expected,
): Promise<Written<ActiveTest>> =>
  writeTest(deps, context, {
    type: "revert",
    ...onTest(context, testId, expectedVersions),
    ...content,
  });

const deleteTest = async (
  { loop, clock }: TestDeps,
  context: CommandContext,
  testId: string,
  expectedVersions: Expected,
): Promise<Receipt> => {
  const at = clock().toISOString();
  const command = { type: "delete", at, ...onTest(context, testId, expectedVersions) } as const;
  const { receipt } = await write(loop, testDecider, testId, command, context);
  return receipt;
};

/** Restores a deleted test. Throws `test.goneForGood` after 30 days. */
const undeleteTest = (
  deps: TestDeps,
  context: CommandContext,
  testId: string,
): Promise<Written<ActiveTest>> => {
  const at = deps.clock().toISOString();
  return writeTest(deps, context, { type: "undelete", at, ...onTest(context, testId, null) });
};

export const testCommands = (deps: TestDeps) => ({
  createTest: createTest.bind(null, deps),
  changeTest: changeTest.bind(null, deps),
  replaceData: replaceData.bind(null, deps),
  revertTest: revertTest.bind(null, deps),
  deleteTest: deleteTest.bind(null, deps),
  undeleteTest: undeleteTest.bind(null, deps),
  ...stepCommands(deps),
});
