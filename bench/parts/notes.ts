import { z } from "zod";
import type { CommandContext } from "../../src/commands/kernel/commandLoop.ts";
import type { Decider } from "../../src/domain/kernel/decider.ts";
import { defineCodec, type EventOf } from "../../src/domain/kernel/events.ts";
import { newId } from "../../src/platform/ids.ts";

const schemas = {
  Noted: z.object({
    runId: z.uuid(),
    attempt: z.int(),
    delivery: z.int(),
    browser: z.string(),
    number: z.int(),
    durationMs: z.int(),
    locator: z.string(),
  }),
};

type Noted = EventOf<typeof schemas>;

/** A minimal aggregate that counts its events. Its state does not grow, so that the command loop dominates. */
export const noteDecider: Decider<{ readonly count: number }, Noted["data"], Noted> = {
  category: "note",
  initial: { count: 0 },
  codec: defineCodec(schemas),
  evolve: ({ count }) => ({ count: count + 1 }),
  decide: (data) => [{ type: "Noted", data }],
};

const CORRELATION_ID = newId();

export const noteContext: CommandContext = {
  actor: { type: "system", id: "bench" },
  organizationId: newId(),
  correlationId: CORRELATION_ID,
  causationId: CORRELATION_ID,
};
