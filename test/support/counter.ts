import { z } from "zod";
import type { CommandContext } from "../../src/commands/kernel/commandLoop.ts";
import type { Decider } from "../../src/domain/kernel/decider.ts";
import { DomainError } from "../../src/domain/kernel/errors.ts";
import { defineCodec, type EventOf } from "../../src/domain/kernel/events.ts";

/** A minimal aggregate for tests of the kernel. It counts each name once, up to a limit. */
const schemas = {
  Counted: z.object({ name: z.string(), total: z.int() }),
};
export type Counted = EventOf<typeof schemas>;
export type Counter = { readonly total: number; readonly names: ReadonlySet<string> };
export type Count = { readonly name: string; readonly limit: number };

export const counterDecider: Decider<Counter, Count, Counted> = {
  category: "counter",
  initial: { total: 0, names: new Set() },
  codec: defineCodec(schemas),
  evolve: (counter, { data }) => ({
    total: data.total,
    names: new Set(counter.names).add(data.name),
  }),
  decide: ({ name, limit }, counter) => {
    if (counter.names.has(name)) return [];
    if (counter.total >= limit) throw new DomainError("counter.full", `It holds ${limit}.`);
    return [{ type: "Counted", data: { name, total: counter.total + 1 } }];
  },
};

/** The context of a command by the system. */
export const systemContext = (
  correlationId = "00000000-0000-7000-8000-000000000001",
): CommandContext => ({
  actor: { type: "system", id: "test" },
  organizationId: null,
  correlationId,
  causationId: correlationId,
});
