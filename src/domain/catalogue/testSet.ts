import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";
import { mustBeCurrent } from "../kernel/versions.ts";

/** The limit of tests of a run. */
export const MAX_ITEMS = 1_000;

// ---------------------------------------------------------------- Events

const testIds = z.array(z.uuid()).max(MAX_ITEMS);

const schemas = {
  TestSetCreated: z.object({
    testSetId: z.uuid(),
    organizationId: z.uuid(),
    projectId: z.uuid().nullable(),
    name: z.string(),
    testIds,
  }),
  TestSetRenamed: z.object({ testSetId: z.uuid(), name: z.string() }),
  TestSetItemsAdded: z.object({ testSetId: z.uuid(), testIds }),
  TestSetItemRemoved: z.object({ testSetId: z.uuid(), testId: z.uuid() }),
  TestSetItemsReordered: z.object({ testSetId: z.uuid(), testIds }),
  TestSetDeleted: z.object({ testSetId: z.uuid() }),
};

export type TestSetEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

export type TestSet =
  | { readonly status: "none" | "deleted" }
  | {
      readonly status: "active";
      readonly organizationId: string;
      readonly projectId: string | null;
      readonly name: string;
      /** Distinct, in the order of execution. */
      readonly testIds: readonly string[];
      /** The stream's revision plus one. `ETag` and `If-Match` contain it. */
      readonly version: number;
    };

export type ActiveTestSet = Extract<TestSet, { status: "active" }>;

// ---------------------------------------------------------------- evolve

export const evolve = (set: TestSet, event: TestSetEvent): TestSet => {
  if (event.type === "TestSetCreated") {
    const { testSetId: _, ...data } = event.data;
    return { status: "active", ...data, version: 1 };
  }
  if (set.status !== "active") return set;
  const version = set.version + 1;
  switch (event.type) {
    case "TestSetRenamed":
      return { ...set, name: event.data.name, version };
    case "TestSetItemsAdded":
      return { ...set, testIds: [...set.testIds, ...event.data.testIds], version };
    case "TestSetItemRemoved": {
      const { testId } = event.data;
      return { ...set, testIds: set.testIds.filter((id) => id !== testId), version };
    }
    case "TestSetItemsReordered":
      return { ...set, testIds: event.data.testIds, version };
    case "TestSetDeleted":
      return { status: "deleted" };
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

/** `expectedVersions: null` skips the version check. */
type OnTestSet = {
  readonly testSetId: string;
  readonly organizationId: string;
  readonly expectedVersions: readonly number[] | null;
};

export type TestSetCommand =
  | ({ readonly type: "create" } & Extract<TestSetEvent, { type: "TestSetCreated" }>["data"])
  | ({ readonly type: "rename"; readonly name: string } & OnTestSet)
  /** Tests that the set already contains keep their positions. */
  | ({ readonly type: "addItems"; readonly testIds: readonly string[] } & OnTestSet)
  | ({ readonly type: "removeItem"; readonly testId: string } & OnTestSet)
  | ({ readonly type: "reorder"; readonly testIds: readonly string[] } & OnTestSet)
  | ({ readonly type: "delete" } & OnTestSet);

// ---------------------------------------------------------------- decide

export const decide = (command: TestSetCommand, set: TestSet): readonly TestSetEvent[] => {
  switch (command.type) {
    case "create": {
      const { type: _, ...data } = command;
      const once = [...new Set(data.testIds)];
      mustFit(once.length);
      if (set.status !== "none") return [];
      return [{ type: "TestSetCreated", data: { ...data, testIds: once } }];
    }
    case "rename": {
      const { testSetId, name } = command;
      const { name: current } = mine(set, command);
      return name === current ? [] : [{ type: "TestSetRenamed", data: { testSetId, name } }];
    }
    case "addItems": {
      const { testSetId } = command;
      const current = mine(set, command).testIds;
      const added = [...new Set(command.testIds)].filter((id) => !current.includes(id));
      mustFit(current.length + added.length);
      if (added.length === 0) return [];
      return [{ type: "TestSetItemsAdded", data: { testSetId, testIds: added } }];
    }
    case "removeItem": {
      const { testSetId, testId } = command;
      if (!mine(set, command).testIds.includes(testId)) return [];
      return [{ type: "TestSetItemRemoved", data: { testSetId, testId } }];
    }
    case "reorder": {
      const { testSetId } = command;
      const current = mine(set, command).testIds;
      const wanted = [...command.testIds];
      const isSameSet =
        wanted.length === current.length &&
        new Set(wanted).size === wanted.length &&
        wanted.every((id) => current.includes(id));
      if (!isSameSet) {
        throw new DomainError(
          "testSet.orderMismatch",
          "test_ids: must name every test of the set, each once. Read the set again.",
        );
      }
      if (wanted.every((id, index) => id === current[index])) return [];
      return [{ type: "TestSetItemsReordered", data: { testSetId, testIds: wanted } }];
    }
    case "delete":
      if (set.status === "deleted") return [];
      mine(set, command);
      return [{ type: "TestSetDeleted", data: { testSetId: command.testSetId } }];
    default:
      return assertNever(command);
  }
};

const mustFit = (count: number): void => {
  if (count <= MAX_ITEMS) return;
  throw new DomainError("testSet.tooManyTests", `A test set has at most ${MAX_ITEMS} tests.`);
};

const mine = (set: TestSet, command: OnTestSet): ActiveTestSet => {
  if (set.status !== "active") {
    throw new DomainError("testSet.unknown", `There is no test set ${command.testSetId}.`);
  }
  if (set.organizationId !== command.organizationId) {
    throw new DomainError("testSet.foreign", "The test set belongs to another organisation.");
  }
  const { expectedVersions } = command;
  mustBeCurrent("testSet.stale", "The test set", set.version, expectedVersions);
  return set;
};

export const testSetDecider: Decider<TestSet, TestSetCommand, TestSetEvent> = {
  category: "testSet",
  initial: { status: "none" },
  codec: defineCodec(schemas),
  evolve,
  decide,
};
