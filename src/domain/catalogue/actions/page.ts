import { devices } from "../devices.ts";
import {
  hasVariables,
  MAX_WAIT_MS,
  parseDuration,
  parseViewport,
  parseWaitFor,
  WAIT_STATES,
} from "../values.ts";
import {
  type ActionDefinition,
  alone,
  anyValue,
  ELEMENT,
  ELEMENT_OR_PAGE,
  NONE,
  optional,
  required,
} from "./definition.ts";

const checkDuration = (value: string): string | null => {
  const time = parseDuration(value);
  if (time === null) return "Write a time with its unit, such as 500 ms or 2 s.";
  return time > MAX_WAIT_MS ? "At most 60 s; wait_for waits for an element instead." : null;
};

/** An http(s) address or a path. Other schemes (file:, javascript:) never reach the browser. */
const checkAddress = (value: string): string | null =>
  /^(https?:\/\/[^\s/?#]|\/|\?|#|\.\.?\/)/i.test(value) && !/^\/[/\\]/.test(value)
    ? null
    : "Write a full address (https://example.com/page) or a path that starts with /.";

/** The name of a picture, which becomes a file name. */
const checkName = (value: string): string | null =>
  /^[^\p{Cc}/\\]{1,200}$/u.test(value) ? null : "At most 200 characters, no slashes.";

const size = (raw: string): string => {
  const { width, height } = parseViewport(raw) ?? { width: 0, height: 0 };
  return `${width}x${height}`;
};

/** The actions on the page, the browser and the test itself. */
export const page = {
  navigate: {
    summary: "open an address",
    purpose: "look",
    target: NONE,
    value: required("an address, or a path on the base URL"),
    checkValue: checkAddress,
    english: ({ value }) => `Go to ${value}`,
    python: ({ value }) => `page.goto(${value})`,
    typescript: ({ value }) => `await page.goto(address(${value}))`,
  },
  go_back: alone(
    "go back one page",
    "Go back",
    "page.go_back()",
    "await go(page, () => page.goBack())",
  ),
  go_forward: alone(
    "go forward one page",
    "Go forward",
    "page.go_forward()",
    "await go(page, () => page.goForward())",
  ),
  reload: alone("load the page again", "Reload the page", "page.reload()", "await page.reload()"),
  wait_for: {
    summary: "wait until the element is visible, hidden or enabled",
    purpose: "claim",
    target: ELEMENT,
    value: optional(`${WAIT_STATES.join(", ")}, and a limit of its own such as "within 30 s"`),
    checkValue: (value) =>
      parseWaitFor(value)
        ? null
        : `Write ${WAIT_STATES.join(", ")} or nothing, and a limit of at most 10 minutes if need be: visible within 30 s.`,
    english: ({ target, raw, value }) => {
      if (raw === "") return `Wait for ${target}`;
      const read = parseWaitFor(raw);
      const limit = raw.split("within ")[1];
      if (!read || limit === undefined) return `Wait until ${target} is ${read ? raw : value}`;
      return `Wait up to ${limit} until ${target} is ${read.state}`;
    },
    python: ({ element, rawTarget, candidates, raw, locator }) => {
      const { state, withinMs } = parseWaitFor(raw) ?? { state: "visible", withinMs: null };
      const limit = withinMs === null ? "" : `, within=${withinMs / 1000}`;
      if (state === "hidden") return `expect_hidden(${candidates}${limit})`;
      if (state === "visible" && limit !== "") return `expect_visible(${candidates}${limit})`;
      const timeout = withinMs === null ? "" : `timeout=${withinMs}`;
      // A text is always enabled: the state is that of a control.
      const waited = state === "enabled" ? element(rawTarget) : locator;
      return `expect(${waited}).to_be_${state}(${timeout})`;
    },
    typescript: ({ element, rawTarget, candidates, raw }) => {
      const { state, withinMs } = parseWaitFor(raw) ?? { state: "visible", withinMs: null };
      const timeout = withinMs ?? "TIMEOUT";
      if (state === "enabled")
        return `await expect(${element(rawTarget)}).toBeEnabled({ timeout: ${timeout} })`;
      const wait = state === "hidden" ? "waitHidden" : "waitVisible";
      return `await ${wait}(${timeout}, ${candidates})`;
    },
  },
  wait: {
    summary: "pause for a time, at most 60 s",
    purpose: "look",
    target: NONE,
    value: required("a time, such as 500 ms or 2 s"),
    checkValue: checkDuration,
    english: ({ raw, value }) => `Wait ${parseDuration(raw) === null ? value : raw}`,
    python: ({ raw, value }) =>
      `page.wait_for_timeout(${parseDuration(raw) ?? `milliseconds(${value})`})`,
    typescript: ({ raw, value }) =>
      `await page.waitForTimeout(${parseDuration(raw) ?? `milliseconds(${value})`})`,
  },
  screenshot: {
    summary: "take a screenshot of the page or an element",
    purpose: "look",
    target: ELEMENT_OR_PAGE,
    value: optional("a name"),
    isShown: true,
    checkValue: checkName,
    english: ({ target, value, raw }) =>
      `Take a screenshot${target === "" ? "" : ` of ${target}`}${raw === "" ? "" : ` called ${value}`}`,
    python: ({ locator, value, raw }) =>
      `${locator}.screenshot(path=${raw === "" ? "next_screenshot()" : `screenshot_path(${value})`})`,
    typescript: ({ locator, value, raw }) =>
      `await ${locator}.screenshot({ path: ${raw === "" ? "nextScreenshot()" : `screenshotPath(${value})`} })`,
  },
  visual_check: {
    summary:
      "take a picture of the page or an element to compare; there are no baselines yet, so nothing is compared",
    purpose: "look",
    target: ELEMENT_OR_PAGE,
    value: optional("a name"),
    isShown: true,
    checkValue: checkName,
    english: ({ target, value, raw }) =>
      `Visual check of ${target === "" ? "the page" : target}${raw === "" ? "" : ` called ${value}`}`,
    python: ({ locator, value, raw }) =>
      `${locator}.screenshot(path=${raw === "" ? "next_screenshot()" : `screenshot_path(${value})`})  # a visual check: compare it with its baseline`,
    typescript: ({ locator, value, raw }) =>
      `await ${locator}.screenshot({ path: ${raw === "" ? "nextScreenshot()" : `screenshotPath(${value})`} }); // a visual check: compare it with its baseline`,
  },
  accept_dialog: {
    summary: "accept the dialog (alert, confirm, prompt) that is open or the next one to open",
    purpose: "look",
    target: NONE,
    value: optional("the prompt's answer"),
    checkValue: anyValue,
    english: ({ value, raw }) =>
      raw === "" ? "Accept the dialog" : `Answer the prompt with ${value}`,
    python: ({ raw, value }) => `answer_dialog(page, True${raw === "" ? "" : `, ${value}`})`,
    typescript: ({ raw, value }) => `answerDialog(page, true${raw === "" ? "" : `, ${value}`})`,
  },
  dismiss_dialog: alone(
    "dismiss the dialog (confirm, prompt) that is open or the next one to open",
    "Dismiss the dialog",
    "answer_dialog(page, False)",
    "answerDialog(page, false)",
  ),
  switch_frame: {
    summary: "look for elements inside a frame from now on; without one, in the page again",
    purpose: "look",
    target: optional('the frame, as in frame "Payment", or empty for the page'),
    value: NONE,
    checkValue: anyValue,
    english: ({ target }) =>
      target === "" ? "Switch back to the main page" : `Switch to the frame ${target}`,
    python: ({ hasTarget, locator }) =>
      hasTarget ? `root = ${locator}.content_frame` : "root = page",
    typescript: ({ hasTarget, locator }) =>
      hasTarget ? `root = await frameOf(${locator})` : "root = page",
  },
  switch_tab: {
    summary:
      "go on in another tab: by its title, its number, or last; without one, in the tab before",
    purpose: "look",
    target: optional("the tab's title or number, or last; empty goes back"),
    value: NONE,
    checkValue: anyValue,
    english: ({ rawTarget, target }) => {
      if (rawTarget === "") return "Switch back to the previous tab";
      if (rawTarget === "last") return "Switch to the new tab";
      return /^\d{1,3}$/.test(rawTarget)
        ? `Switch to tab ${rawTarget}`
        : `Switch to the tab titled ${target}`;
    },
    python: ({ rawTarget, text }) => `root = page = switch_tab(page, ${text(rawTarget)})`,
    typescript: ({ rawTarget, text }) =>
      `root = page = await switchTab(page, ${text(rawTarget.trim())})`,
  },
  set_viewport: {
    summary: "set the size of the page, in pixels or by a device's name (its size alone)",
    purpose: "look",
    target: NONE,
    value: required("a size such as 1280x720, or a device's name"),
    checkValue: (value) =>
      parseViewport(value)
        ? null
        : `Write a size such as 1280x720, or a device: ${[...devices.keys()].slice(0, 6).join(", ")}, …`,
    english: ({ value, raw }) => `Set the viewport to ${/^\d+x\d+$/.test(raw) ? raw : value}`,
    python: ({ raw, value }) =>
      `set_viewport(page, ${parseViewport(raw) ? `"${size(raw)}"` : value})`,
    typescript: ({ raw, value }) =>
      `await setViewport(page, ${parseViewport(raw) ? `"${size(raw)}"` : value})`,
  },
  store: {
    summary: "keep the element's text, or the field's value, in a variable for the steps after it",
    purpose: "look",
    target: ELEMENT,
    value: required("the variable's name"),
    checkValue: (value) => {
      if (!/^[A-Za-z_][\w.-]{0,99}$/.test(value))
        return "A variable's name starts with a letter and has letters, digits, _, . and - in it.";
      return /^secret\./i.test(value) ? "A secret is set in the settings, not by a test." : null;
    },
    english: ({ target, value }) => `Store the text of ${target} as ${value}`,
    python: ({ locator, raw, variable }) => `${variable(raw)} = text_of(${locator})`,
    typescript: ({ locator, raw, variable }) => `${variable(raw)} = await textOf(${locator})`,
  },
  call_test: {
    summary: "do what another test does, by its name or id: its steps are run in this place",
    purpose: "look",
    target: required("the other test's name or id"),
    value: NONE,
    checkTarget: (target) =>
      hasVariables(target)
        ? "Name the test as it is: it is looked up before any variable has a value."
        : null,
    checkValue: anyValue,
    english: ({ target }) => `Run the test ${target}`,
    // Exports contain the called steps. This is a disabled call, or a call of a deleted test.
    python: ({ rawTarget, text }) =>
      `raise NotImplementedError("The steps of another test are not here: " + ${text(rawTarget)})`,
    typescript: ({ rawTarget, text }) =>
      `throw new Error("The steps of another test are not here: " + ${text(rawTarget)})`,
  },
} as const satisfies Record<string, ActionDefinition>;
