import type { Decider } from "../../kernel/decider.ts";
import { assertNever, DomainError } from "../../kernel/errors.ts";
import { mustBeCurrent } from "../../kernel/versions.ts";
import type { Step } from "../step.ts";
import { keepStepIds } from "../stepIds.ts";
import { sameData, type TestData } from "../testData.ts";
import { type TestEvent, testCodec } from "./events.ts";
import { decideHealing, type HealingCommand } from "./healing.ts";
import { type ActiveTest, evolve, type Test } from "./state.ts";
import { decideSteps, type StepsCommand, sameSteps } from "./steps.ts";

// ---------------------------------------------------------------- Commands

/** `expectedVersions: null` skips the version check. */
type OnTest = {
  readonly testId: string;
  readonly organizationId: string;
  readonly expectedVersions: readonly number[] | null;
};

export type CreateTest = { readonly type: "create" } & Extract<
  TestEvent,
  { type: "TestCreated" }
>["data"];

/** Absent fields keep their values. Steps that continue a stored step get its id (see keepStepIds). */
export type ChangeTest = {
  readonly type: "change";
  readonly name?: string;
  readonly projectId?: string | null;
  /** If absent while `projectId` changes, the test leaves its folder. */
  readonly folderId?: string | null;
  readonly content?: { readonly text: string; readonly steps: readonly Step[] };
  /** The path of the file with this content. Null: the test has no file any more. */
  readonly source?: string | null;
} & OnTest;

/** Restores the content of `version`. Project and folder do not change. */
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
  | ({ readonly type: "replaceData"; readonly data: TestData; readonly pushed?: true } & OnTest)
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
      return change(command, requireActive(test, command));
    case "revert":
      return revert(command, requireActive(test, command));
    case "acceptHealing":
    case "rejectHealing":
      return decideHealing(command, command.testId, requireActive(test, command));
    case "addStep":
    case "changeStep":
    case "removeStep":
    case "reorderSteps":
      return decideSteps(command, command.testId, requireActive(test, command).steps);
    case "replaceData": {
      const { testId, data, pushed } = command;
      if (sameData(data, requireActive(test, command).data)) return [];
      return [{ type: "TestDataReplaced", data: { testId, data, ...(pushed && { pushed }) } }];
    }
    case "delete": {
      if (test.status === "deleted") return [];
      requireActive(test, command);
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
  const currentFolder = projectId === test.projectId ? test.folderId : null;
  const { folderId = currentFolder } = command;
  if (projectId !== test.projectId || folderId !== test.folderId) {
    events.push({ type: "TestMoved", data: { testId, projectId, folderId } });
  }
  if (wanted !== undefined) {
    const steps = [...keepStepIds(test.steps, wanted.steps)];
    // A push of the same steps without text keeps the stored text.
    const text = wanted.text === "" && sameSteps(steps, test.steps) ? test.text : wanted.text;
    if (text !== test.text || !sameSteps(steps, test.steps)) {
      const pushed = command.source ? ({ pushed: true } as const) : {};
      events.push({ type: "TestStepsReplaced", data: { testId, text, steps, ...pushed } });
    }
  }
  return [...events, ...sourceChange(command, test, events)];
};

/** Records a new path, or that a file has the content which was edited elsewhere. */
const sourceChange = (
  { testId, source, content }: ChangeTest,
  test: ActiveTest,
  changes: readonly TestEvent[],
): readonly TestEvent[] => {
  if (source === undefined) return [];
  const isPushed = test.isPushed || changes.some(({ type }) => type === "TestStepsReplaced");
  const isKnown = source === test.source && (source === null || content === undefined || isPushed);
  return isKnown ? [] : [{ type: "TestSourceSet", data: { testId, source } }];
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
  return [
    { type: "TestRevertedTo", data: { testId, version, name, text, steps: [...steps], data } },
  ];
};

/** operations.md, "Tests". */
const UNDELETE_DAYS = 30;

const undelete = (
  command: Extract<TestCommand, { type: "undelete" }>,
  test: Test,
): readonly TestEvent[] => {
  if (test.status !== "deleted") {
    requireActive(test, command);
    return [];
  }
  requireActive(test.was, command);
  const { deletedAt } = test;
  const age = deletedAt === null ? 0 : Date.parse(command.at) - Date.parse(deletedAt);
  if (age > UNDELETE_DAYS * 24 * 3_600_000) {
    throw new DomainError(
      "test.goneForGood",
      `The test was deleted more than ${UNDELETE_DAYS} days ago and cannot be restored.`,
    );
  }
  return [{ type: "TestUndeleted", data: { testId: command.testId } }];
};

/** Throws `test.unknown`, `test.foreign`, `test.stale`. */
const requireActive = (test: Test, command: OnTest): ActiveTest => {
  if (test.status !== "active") {
    throw new DomainError("test.unknown", `There is no test ${command.testId}.`);
  }
  if (test.organizationId !== command.organizationId) {
    throw new DomainError("test.foreign", "The test belongs to another organisation.");
  }
  const { expectedVersions } = command;
  mustBeCurrent("test.stale", "The test", test.version, expectedVersions);
  return test;
};

export const testDecider: Decider<Test, TestCommand, TestEvent> = {
  category: "test",
  initial: { status: "none" },
  codec: testCodec,
  evolve,
  decide,
};
