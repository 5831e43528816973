import { type Handled, inspectionDecider, type Look } from "../../domain/inspection/inspection.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

export type InspectionCommands = ReturnType<typeof inspectionCommands>;

/** So many of what was seen are named at most: the first ones. */
const MAX_SUBJECTS = 50;

/** What is noted of those who look after the service, before they see anything: what cannot be noted is not shown. */
export const inspectionCommands = ({ loop }: { readonly loop: CommandLoop }) => {
  const record = async (
    context: CommandContext,
    event: Parameters<typeof inspectionDecider.decide>[0]["event"],
  ): Promise<Receipt> =>
    receiptOf(
      await loop.execute(inspectionDecider, context.actor.id, { type: "record", event }, context),
    );
  return {
    /** Notes who looks at what, by its streams or events. */
    noteLook: (context: CommandContext, { at, subjects }: Look): Promise<Receipt> =>
      record(context, {
        type: "Looked",
        data: { at, subjects: [...new Set(subjects)].slice(0, MAX_SUBJECTS) },
      }),

    /** Notes who does what about a read model, or an event that one refused. */
    noteHandled: (context: CommandContext, data: Handled): Promise<Receipt> =>
      record(context, { type: "Handled", data }),

    /** Notes whose name and address are shown to whom, and why. */
    noteReveal: (
      context: CommandContext,
      data: { readonly personId: string; readonly reason: string },
    ): Promise<Receipt> => record(context, { type: "PersonRevealed", data }),
  };
};
