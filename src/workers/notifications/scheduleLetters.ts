import type { Letter } from "../../platform/mail/template.ts";

/** The mail of a schedule whose tick was refused: the first for its reason, or the first in a day. */
export const refusalLetter = (of: {
  readonly name: string;
  readonly tick: string;
  readonly reason: string;
}): Letter => ({
  subject: `${of.name}: not run`,
  paragraphs: [
    `The schedule "${of.name}" was due at ${of.tick}, and was not run.`,
    of.reason,
    "As long as it stays so this is said once a day, and again when the schedule runs.",
  ],
});

/** The mail of a schedule that runs again after ticks that were refused. */
export const recoveryLetter = (of: { readonly name: string; readonly tick: string }): Letter => ({
  subject: `${of.name}: runs again`,
  paragraphs: [
    `The schedule "${of.name}" runs again: its tick of ${of.tick} was fired. Ticks before it had been refused.`,
  ],
});
