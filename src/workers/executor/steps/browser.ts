import type { Page } from "playwright";
import { parseViewport } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { readText } from "../inPage.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { onElement } from "./interactions.ts";
import { inWords, lookUntil, quoted } from "./polling.ts";

/** Before another step, a dialog that is about to open is waited for so long; after that it is answered whenever it opens. */
const DIALOG_SOON_MS = 1_000;

const answer = async (context: StepContext, accept: boolean): Promise<void> => {
  const { stage, step, timeouts, isLast } = context;
  const how = { accept, text: step.value === "" ? null : step.value };
  if (await stage.answer(how)) return;
  stage.answerNext(how);
  const limit = isLast ? timeouts.actionMs : Math.min(DIALOG_SOON_MS, timeouts.actionMs);
  const missing = await lookUntil(context, limit, async () =>
    stage.isAwaiting() ? { ok: false, actual: null } : { ok: true },
  );
  if (missing && isLast) throw new StepError(`No dialog opened within ${inWords(limit)}.`);
};

export const acceptDialog: PerformStep = (context) => answer(context, true);
export const dismissDialog: PerformStep = (context) => answer(context, false);

/** From now on elements are looked for in a frame, or in the whole page again. */
export const switchFrame: PerformStep = async (context) => {
  const { stage, step, timeouts } = context;
  if (step.target.trim() === "") return stage.toFrame(null);
  await onElement(context, "look", "switch to", async (locator, timeout) => {
    const handle = await locator.elementHandle({ timeout });
    const frame = await handle?.contentFrame();
    if (!frame) throw new StepError(`${step.target} is no frame.`);
    await frame.waitForLoadState("domcontentloaded", { timeout: timeouts.navigationMs });
    stage.toFrame({ frame, called: step.target.trim() });
  });
};

/** A new tab may take so long to open. */
const NEW_TAB_MS = 1_000;

/** Goes on in another tab, which may still be about to open. */
export const switchTab: PerformStep = async (context) => {
  const { stage, step, timeouts } = context;
  const wanted = step.target.trim();
  let found: Page | null = null;
  const started = performance.now();
  const missing = await lookUntil(context, timeouts.actionMs, async () => {
    const tab = await tabOf(context, wanted);
    const isDue = performance.now() - started >= Math.min(NEW_TAB_MS, timeouts.actionMs);
    found = wanted === "last" && tab && stage.isKnown(tab) && !isDue ? null : tab;
    return found ? { ok: true } : { ok: false, actual: await titles(stage.tabs()) };
  });
  if (missing || !found) {
    const open = (missing?.actual ?? []).map((title, index) => `${index + 1}. ${quoted(title)}`);
    const name = wanted === "" ? "tab to go back to" : `tab ${quoted(wanted)}`;
    throw new StepError(
      `There is no ${name} within ${inWords(timeouts.actionMs)}. Open: ${open.join(", ")}.`,
    );
  }
  const page: Page = found;
  if (wanted === "last" && stage.isKnown(page)) {
    const which = page === stage.page() ? "was in front already" : "had been open before";
    context.noted(`no tab opened since the last switch: the newest one ${which}`);
  }
  await page.bringToFront();
  await page.waitForLoadState("domcontentloaded", { timeout: timeouts.navigationMs });
  stage.toTab(page);
};

const tabOf = async ({ stage }: StepContext, wanted: string): Promise<Page | null> => {
  const tabs = stage.tabs();
  if (wanted === "") return stage.tabBefore();
  // The last one opened is a new one: without any there is nothing to switch to yet.
  if (wanted === "last") return tabs.length > 1 ? (tabs.at(-1) ?? null) : null;
  if (/^\d{1,3}$/.test(wanted)) return tabs[Number(wanted) - 1] ?? null;
  const names = (await titles(tabs)).map((title) => title.toLowerCase());
  const name = wanted.toLowerCase();
  const whole = names.indexOf(name);
  const at = whole >= 0 ? whole : names.findIndex((title) => title.includes(name));
  return tabs[at] ?? null;
};

const titles = (tabs: readonly Page[]): Promise<string[]> =>
  Promise.all(tabs.map((tab) => tab.title().catch(() => "")));

const history =
  (verb: string, go: (page: Page, timeout: number) => Promise<unknown>): PerformStep =>
  async ({ page, stage, timeouts, beforeChange }) => {
    await beforeChange();
    stage.toFrame(null);
    const before = page.url();
    const answered = await go(page, timeouts.navigationMs);
    // Within one document there is no answer, but another address.
    if (answered === null && page.url() === before) {
      throw new StepError(`Could not ${verb}: there is no page to go to.`);
    }
  };

export const goBack = history("go back", (page, timeout) => page.goBack({ timeout }));
export const goForward = history("go forward", (page, timeout) => page.goForward({ timeout }));

export const reload: PerformStep = async ({ page, stage, timeouts, beforeChange }) => {
  await beforeChange();
  stage.toFrame(null);
  await page.reload({ timeout: timeouts.navigationMs });
};

export const setViewport: PerformStep = async ({ page, step, beforeChange }) => {
  const size = parseViewport(step.value);
  if (!size) {
    throw new StepError(
      `${quoted(step.value)} is neither a size such as 1280x720 nor a device known here.`,
    );
  }
  await beforeChange();
  await page.setViewportSize(size);
};

/** Keeps what a person reads in the element: white space folded. */
export const store: PerformStep = (context) =>
  onElement(context, "look", "read", async (locator, timeout) => {
    const text = await locator.evaluate(readText, undefined, { timeout });
    context.store(context.step.value, text.replace(/\s+/g, " ").trim());
  });
