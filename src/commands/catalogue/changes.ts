import type { Decider } from "../../domain/kernel/decider.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import type { CommandContext } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

/** What was written, as the log has it now: an answer need not wait for the read models to say it. */
export type Written<State> = {
  readonly id: string;
  readonly state: State;
  /** When; null when it was so already and nothing was written. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

/** The versions that a change may be based on; null: whatever it is. */
export type Expected = readonly number[] | null;

/** The organisation on whose behalf a command is. */
export const organizationOf = (context: CommandContext): string => {
  if (context.organizationId === null) throw new Error("The catalogue is of an organisation");
  return context.organizationId;
};

/** Executes a command, and says what the stream comes to after it: `After` is what its decider leaves after such commands. */
export const write = async <State, Command, Event extends DomainEvent, After extends State>(
  loop: CommandLoop,
  decider: Decider<State, Command, Event>,
  id: string,
  command: Command,
  context: CommandContext,
): Promise<Written<After>> => {
  const written = await loop.execute(decider, id, command, context);
  return { id, state: written.state as After, at: written.at, receipt: receiptOf(written) };
};
