import type { BrowserContext, Dialog, Frame, Page } from "playwright";
import type { View } from "./matching/ask.ts";

/** How a dialog is answered; `text` is a prompt's answer. */
export type DialogAnswer = { readonly accept: boolean; readonly text: string | null };

/** A dialog that is open, and what the step that opened it was still doing. */
type Held = { readonly dialog: Dialog; readonly opener: Promise<unknown> };

/** The view of a test: its tab, a frame of it, and the open dialog. Steps change it. */
export type Stage = {
  page(): Page;
  view(): View;
  /** Whether the test has not opened a page yet. */
  isUnopened(): boolean;
  /** All tabs, in the order in which they were opened. */
  tabs(): readonly Page[];
  toTab(page: Page): void;
  /** Whether a tab was open already when the test last went to a tab. */
  isKnown(page: Page): boolean;
  /** The tab that was looked at before; null when there was none, or it is closed. */
  tabBefore(): Page | null;
  /** Elements are looked for in a frame from now on, which a step calls so; null: in the page. */
  toFrame(frame: { readonly frame: Frame; readonly called: string } | null): void;
  /** The name of the frame in view if it is gone; null while it is there, and without one. */
  lostFrame(): string | null;
  /**
   * Runs what a step does. When the next step answers a dialog and one opens, the step is over: the rest of
   * it ends once the dialog is answered. True when a dialog is open.
   */
  act(doing: () => Promise<void>, answersNext: boolean): Promise<boolean>;
  isDialogOpen(): boolean;
  /** Answers the dialog that is open; false when there is none. Rejects as the step that opened it does. */
  answer(how: DialogAnswer): Promise<boolean>;
  /** Answers the next dialog that opens as soon as it does. */
  answerNext(how: DialogAnswer): void;
  /** Whether a dialog that was to be answered has not come. */
  isAwaiting(): boolean;
};

/** The dialogs of a context, of which at most one is open. */
type Dialogs = Pick<Stage, "act" | "isDialogOpen" | "answer" | "answerNext" | "isAwaiting">;

/** The stage of a fresh context. Dialogs that nobody asked for are dismissed, as browsers under test do. */
export const createStage = (context: BrowserContext, first: Page): Stage => {
  let current = first;
  let inside: { readonly frame: Frame; readonly called: string } | null = null;
  const before: Page[] = [];
  const known = new WeakSet([first]);
  return {
    isKnown: (page) => known.has(page),
    page: () => current,
    view: () => inside?.frame ?? current,
    // A window that its opener writes has no address either.
    isUnopened: () => current === first && current.url() === "about:blank",
    tabs: () => context.pages(),
    toTab: (page) => {
      before.push(current);
      for (const open of context.pages()) known.add(open);
      current = page;
      inside = null;
    },
    tabBefore: () => before.findLast((page) => !page.isClosed() && page !== current) ?? null,
    toFrame: (wanted) => {
      inside = wanted;
    },
    // With its window all of it is gone, which is another matter.
    lostFrame: () => (inside?.frame.isDetached() && !current.isClosed() ? inside.called : null),
    ...listenToDialogs(context),
  };
};

const listenToDialogs = (context: BrowserContext): Dialogs => {
  const next: DialogAnswer[] = [];
  let held: Held | null = null;
  let dialog: Dialog | null = null;
  let isHolding = false;
  let opened: () => void = () => {};

  context.on("dialog", (each) => {
    const how = next.shift();
    if (how) {
      void give(each, how).catch(() => {});
    } else if (isHolding && dialog === null) {
      dialog = each;
      opened();
    } else {
      // To leave a page that asks whether to stay is what its navigation is about.
      void give(each, { accept: each.type() === "beforeunload", text: null }).catch(() => {});
    }
  });

  return {
    act: async (doing, answersNext) => {
      // A dialog may open after the step that caused it is over: it is held for the step that answers it.
      isHolding = answersNext;
      if (!answersNext) {
        await doing();
        return false;
      }
      const isOpen = new Promise<true>((resolve) => {
        opened = () => resolve(true);
      });
      const opener = doing();
      const first = await Promise.race([isOpen, opener.then(() => false)]);
      if (first && dialog) held = { dialog, opener: opener.catch((error: unknown) => error) };
      return dialog !== null;
    },
    isDialogOpen: () => dialog !== null,
    answer: async (how) => {
      if (!dialog) return false;
      const answered = dialog;
      const opener = held?.opener;
      dialog = null;
      held = null;
      await give(answered, how);
      const failure = await opener;
      if (failure instanceof Error) throw failure;
      return true;
    },
    answerNext: (how) => {
      next.push(how);
    },
    isAwaiting: () => next.length > 0,
  };
};

const give = (dialog: Dialog, { accept, text }: DialogAnswer): Promise<void> =>
  accept ? dialog.accept(text ?? undefined) : dialog.dismiss();
