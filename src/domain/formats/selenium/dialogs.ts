import { type Translate, translated } from "./translation.ts";

const dialog =
  (action: string, options: { readonly answer?: true; readonly next?: true } = {}): Translate =>
  ({ target, value }) => {
    const text = options.answer ? target || value : "";
    const translation = translated({ action, ...(text === "" ? {} : { value: text }) });
    return options.next ? { ...translation, isAnnouncement: true } : translation;
  };

/** `answer`: with a text. `next`: for the dialog that the next command opens. */
export const dialogCommands: Readonly<Record<string, Translate>> = {
  acceptAlert: dialog("accept_dialog"),
  acceptConfirmation: dialog("accept_dialog"),
  dismissConfirmation: dialog("dismiss_dialog"),
  dismissPrompt: dialog("dismiss_dialog"),
  answerPrompt: dialog("accept_dialog", { answer: true }),
  webdriverChooseOkOnVisibleConfirmation: dialog("accept_dialog"),
  webdriverChooseCancelOnVisibleConfirmation: dialog("dismiss_dialog"),
  webdriverChooseCancelOnVisiblePrompt: dialog("dismiss_dialog"),
  webdriverAnswerOnVisiblePrompt: dialog("accept_dialog", { answer: true }),
  chooseOkOnNextConfirmation: dialog("accept_dialog", { next: true }),
  chooseCancelOnNextConfirmation: dialog("dismiss_dialog", { next: true }),
  chooseCancelOnNextPrompt: dialog("dismiss_dialog", { next: true }),
  answerOnNextPrompt: dialog("accept_dialog", { answer: true, next: true }),
};
