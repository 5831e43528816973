import { z } from "zod";
import type { Decider } from "../kernel/decider.ts";
import { assertNever, DomainError } from "../kernel/errors.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

// ---------------------------------------------------------------- Events

const schemas = {
  /** `path` belongs to this test of the project. */
  SourceClaimed: z.object({
    organizationId: z.uuid(),
    projectId: z.uuid().nullable(),
    path: z.string(),
    testId: z.uuid(),
    claimedAt: z.iso.datetime(),
  }),
  SourceReleased: z.object({ testId: z.uuid() }),
};

export type TestSourceEvent = EventOf<typeof schemas>;

// ---------------------------------------------------------------- State

/** The test of a path in a project; null if the path is free. */
export type TestSource = { readonly testId: string; readonly claimedAt: string } | null;

export const evolve = (_: TestSource, event: TestSourceEvent): TestSource => {
  switch (event.type) {
    case "SourceClaimed":
      return { testId: event.data.testId, claimedAt: event.data.claimedAt };
    case "SourceReleased":
      return null;
    default:
      return assertNever(event);
  }
};

// ---------------------------------------------------------------- Commands

export type TestSourceCommand =
  | ({ readonly type: "claim" } & Extract<TestSourceEvent, { type: "SourceClaimed" }>["data"])
  | { readonly type: "release"; readonly testId: string };

// ---------------------------------------------------------------- decide

/** Throws `test.sourceTaken` if the path belongs to another test. */
export const decide = (
  command: TestSourceCommand,
  source: TestSource,
): readonly TestSourceEvent[] => {
  switch (command.type) {
    case "claim": {
      const { type: _, ...data } = command;
      if (source?.testId === data.testId) return [];
      if (source !== null) throw sourceTaken(data.path, source.testId);
      return [{ type: "SourceClaimed", data }];
    }
    case "release": {
      const { testId } = command;
      return source?.testId === testId ? [{ type: "SourceReleased", data: { testId } }] : [];
    }
    default:
      return assertNever(command);
  }
};

const sourceTaken = (path: string, testId: string): DomainError =>
  new DomainError(
    "test.sourceTaken",
    `source: ${path} is the file of the test ${testId}. Change that test, or use another path.`,
  );

/** One stream for each path, so that two tests cannot have the same path. */
export const testSourceDecider: Decider<TestSource, TestSourceCommand, TestSourceEvent> = {
  category: "testSource",
  initial: null,
  codec: defineCodec(schemas),
  evolve,
  decide,
};
