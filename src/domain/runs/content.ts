import { z } from "zod";
import { stepSchema } from "../catalogue/step.ts";
import { testDataSchema } from "../catalogue/testData.ts";
import type { Decider } from "../kernel/decider.ts";
import { defineCodec, type EventOf } from "../kernel/events.ts";

/** The version under which the content of a file is stored: it never changes. */
export const CONTENT_VERSION = 1;

const schemas = {
  /** The content of a test file that a run executes instead of a stored version of the test. */
  RunContentPinned: z.object({
    contentId: z.uuid(),
    runId: z.uuid(),
    organizationId: z.uuid(),
    testId: z.uuid(),
    /** The path of the file in its repository. */
    source: z.string(),
    name: z.string(),
    language: z.string(),
    platform: z.string(),
    text: z.string(),
    steps: z.array(stepSchema),
    data: testDataSchema,
  }),
};

export type RunContentEvent = EventOf<typeof schemas>;
type Content = { readonly isPinned: boolean };
export type PinContent = { readonly type: "pin" } & RunContentEvent["data"];

export const runContentDecider: Decider<Content, PinContent, RunContentEvent> = {
  category: "runContent",
  initial: { isPinned: false },
  codec: defineCodec(schemas),
  evolve: () => ({ isPinned: true }),
  decide: ({ type: _, ...data }, { isPinned }) =>
    isPinned ? [] : [{ type: "RunContentPinned", data }],
};
