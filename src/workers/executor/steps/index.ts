import { setTimeout as delay } from "node:timers/promises";
import { parseDuration, parseWaitFor } from "../../../domain/catalogue/values.ts";
import type { ActionName } from "../../../domain/catalogue/vocabulary.ts";
import { CannotJudgeError, StepError } from "../errors.ts";
import { findAny, findOne } from "../locators.ts";
import * as browser from "./browser.ts";
import type { PerformStep } from "./context.ts";
import { drag } from "./drag.ts";
import * as elements from "./elementAssertions.ts";
import * as interactions from "./interactions.ts";
import { navigate } from "./navigation.ts";
import * as pages from "./pageAssertions.ts";
import { inWords, lookUntil, quoted } from "./polling.ts";
import * as presence from "./presence.ts";
import { select } from "./select.ts";
import { upload } from "./upload.ts";
import { visualCheck } from "./visual.ts";

/** Waits until the element is visible (the default), hidden, or enabled. */
const waitFor: PerformStep = async (context) => {
  const asked = parseWaitFor(context.step.value);
  if (!asked) throw new StepError(`${quoted(context.step.value)} is no state to wait for.`);
  const { state } = asked;
  const limit = asked.withinMs ?? context.timeouts.actionMs;
  if (state === "hidden") return presence.hidden(context, limit);
  if (state === "visible") {
    await findAny(context, limit);
    return;
  }
  const started = performance.now();
  const left = (): number => Math.max(0, limit - (performance.now() - started));
  const found = await findOne(context, "look", limit);
  const wrong = await lookUntil(context, left(), async () => {
    return (await found.locator.isEnabled({ timeout: 1_000 }).catch(() => false))
      ? { ok: true }
      : { ok: false, actual: null };
  });
  if (wrong) {
    const message = `Waited ${inWords(limit)} for ${context.step.target} to be enabled, but it is disabled (${found.text}).`;
    throw new StepError(message, found.text);
  }
};

const wait: PerformStep = async ({ step, signal }) => {
  const time = parseDuration(step.value);
  if (time === null)
    throw new StepError(`${quoted(step.value)} is not a time such as 500 ms or 2 s.`);
  await delay(time, undefined, { signal }).catch(() => {});
};

/** A PNG of the page or an element, held still while it is taken. */
const screenshot: PerformStep = async (context) => {
  const { page, step, timeouts } = context;
  const options = { type: "png", animations: "disabled", timeout: timeouts.actionMs } as const;
  const subject =
    step.target.trim() === "" ? page : (await findOne(context, "look", timeouts.actionMs)).locator;
  const bytes = await context.hidden.paintOver(page, (painting) =>
    subject.screenshot({ ...options, ...painting }),
  );
  context.picture(bytes, step.value || null);
};

/** Runs have the steps of the tests that are called in place of the calls: one that is left cannot be made here. */
const callTest: PerformStep = async ({ step }) => {
  throw new CannotJudgeError(
    `The test ${quoted(step.target)} is called, and its steps are not here: the service puts them in when it queues a run.`,
  );
};

/** How each action of the vocabulary is performed. */
export const performers: Readonly<Record<ActionName, PerformStep>> = {
  navigate,
  click: interactions.click,
  fill: interactions.fill,
  double_click: interactions.doubleClick,
  right_click: interactions.rightClick,
  focus: interactions.focus,
  type: interactions.type,
  clear: interactions.clear,
  upload,
  drag,
  scroll: interactions.scroll,
  press: interactions.press,
  select,
  check: interactions.check,
  uncheck: interactions.uncheck,
  hover: interactions.hover,
  wait_for: waitFor,
  wait,
  assert_visible: presence.assertVisible,
  assert_hidden: presence.assertHidden,
  assert_enabled: elements.assertEnabled,
  assert_disabled: elements.assertDisabled,
  assert_checked: elements.assertChecked,
  assert_unchecked: elements.assertUnchecked,
  assert_text: elements.assertText,
  assert_contains: elements.assertContains,
  assert_value: elements.assertValue,
  assert_count: presence.assertCount,
  assert_attribute: elements.assertAttribute,
  assert_url: pages.assertUrl,
  assert_title: pages.assertTitle,
  screenshot,
  visual_check: visualCheck,
  accept_dialog: browser.acceptDialog,
  dismiss_dialog: browser.dismissDialog,
  switch_frame: browser.switchFrame,
  switch_tab: browser.switchTab,
  go_back: browser.goBack,
  go_forward: browser.goForward,
  reload: browser.reload,
  set_viewport: browser.setViewport,
  store: browser.store,
  call_test: callTest,
};
