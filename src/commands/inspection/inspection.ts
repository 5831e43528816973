import { type Handled, inspectionDecider, type Look } from "../../domain/inspection/inspection.ts";
import type { CommandContext, CommandLoop } from "../kernel/commandLoop.ts";
import { type Receipt, receiptOf } from "../kernel/receipt.ts";

export type InspectionCommands = ReturnType<typeof inspectionCommands>;

/** The maximum number of viewed names that are recorded. */
const MAX_SUBJECTS = 50;

/** Records operators' actions before they take effect, so that an unrecorded action is impossible. */
export const inspectionCommands = ({ loop }: { readonly loop: CommandLoop }) => {
  const record = async (
    context: CommandContext,
    event: Parameters<typeof inspectionDecider.decide>[0]["event"],
  ): Promise<Receipt> =>
    receiptOf(
      await loop.execute(inspectionDecider, context.actor.id, { type: "record", event }, context),
    );
  return {
    /** Records which streams or events an operator viewed. */
    noteLook: (context: CommandContext, { at, subjects }: Look): Promise<Receipt> =>
      record(context, {
        type: "Looked",
        data: { at, subjects: [...new Set(subjects)].slice(0, MAX_SUBJECTS) },
      }),

    /** Records an operator's action on a read model or a refused event. */
    noteHandled: (context: CommandContext, data: Handled): Promise<Receipt> =>
      record(context, { type: "Handled", data }),

    /** Records whose name and address an operator viewed, and why. */
    noteReveal: (
      context: CommandContext,
      data: { readonly personId: string; readonly reason: string },
    ): Promise<Receipt> => record(context, { type: "PersonRevealed", data }),
  };
};
