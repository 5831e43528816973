import type { Decider } from "../../domain/kernel/decider.ts";
import type { DomainEvent } from "../../domain/kernel/events.ts";
import type { CommandLoop } from "../kernel/commandLoop.ts";
import type { CommandContext } from "../kernel/context.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

/** The state after a write, so that a response need not wait for the read models. */
export type Written<State> = {
  readonly id: string;
  readonly state: State;
  /** Time of the write; null if the command changed nothing. */
  readonly at: string | null;
  readonly receipt: Receipt;
};

/** Versions that the change may be based on. Null skips the check. */
export type Expected = readonly number[] | null;

export const organizationOf = (context: CommandContext): string => {
  if (context.organizationId === null) throw new Error("A catalogue command needs an organisation");
  return context.organizationId;
};

/** Executes a command. `After` is the state that the decider reaches after such commands. */
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
