import type { StepInput } from "../../catalogue/step.ts";
import { quote } from "../../english/words.ts";
import { exactPattern } from "../exactPattern.ts";
import { cssAttribute } from "../selectorText.ts";

/** A command of Selenium IDE, constants put in. */
export type SeleniumCommand = {
  readonly name: string;
  readonly target: string;
  readonly value: string;
  /** The project's own address; empty where it has none. */
  readonly baseUrl: string;
  /** The frames that elements are looked for in, from the outside in. Commands change it. */
  readonly frames: string[];
};

type Taken = Partial<Omit<StepInput, "action">> & { readonly action: string };

/** What a command comes to. A note without steps says why there are none. */
export type Translation = {
  readonly steps: readonly Taken[];
  readonly note: string | null;
  /** It answers what the command after it opens. */
  readonly isAnnouncement?: true;
};

type Translate = (command: SeleniumCommand) => Translation;

const not = (note: string): Translation => ({ steps: [], note });
const silently: Translation = { steps: [], note: null };
const just = (...steps: readonly Taken[]): Translation => ({ steps, note: null });

const NO_LOCATOR = "It is not clear what this locator means.";

/** A locator of Selenium as a target; null for one that is none. */
const targetOf = (locator: string): string | null => {
  const text = locator.trim();
  if (text.startsWith("//") || text.startsWith("(//")) return `xpath=${text}`;
  const at = text.indexOf("=");
  const strategy = at < 0 ? "" : text.slice(0, at).trim();
  const body = text.slice(at + 1).trim();
  if (body === "") return null;
  switch (strategy) {
    case "id":
      return /^[A-Za-z_][\w-]*$/.test(body) ? `#${body}` : `css=${cssAttribute("id", body)}`;
    case "name":
      return `css=${cssAttribute("name", body.replace(/\s+value=.*$/, ""))}`;
    case "css":
      return `css=${body}`;
    case "xpath":
      return `xpath=${body}`;
    case "link":
    case "linkText":
    case "partialLinkText":
      return `${quote(body.replace(/^(?:exact|glob):/, ""))} link`;
    case "class":
    case "className":
      return /^-?[A-Za-z_][\w-]*$/.test(body) ? `css=.${body}` : null;
    case "tagName":
      return /^[a-z][\w-]*$/i.test(body) ? `css=${body}` : null;
    default:
      return null;
  }
};

const on =
  (action: string, note: string | null = null): Translate =>
  ({ target }) => {
    const element = targetOf(target);
    return element === null ? not(NO_LOCATOR) : { steps: [{ action, target: element }], note };
  };

const withValue =
  (action: string): Translate =>
  ({ target, value }) => {
    const element = targetOf(target);
    return element === null ? not(NO_LOCATOR) : just({ action, target: element, value });
  };

const PLACE = "Where in the element it is done is left out: it is done in its middle.";

const open: Translate = ({ target, baseUrl }) => {
  const path = target.trim();
  if (/^https?:\/\//i.test(path) || baseUrl.trim() === "" || path.includes("${")) {
    return just({ action: "navigate", value: path === "" ? "/" : path });
  }
  try {
    return just({ action: "navigate", value: new URL(path, baseUrl.trim()).href });
  } catch {
    return just({ action: "navigate", value: path });
  }
};

const KEY = /\$\{KEY_(\w+)\}/g;
const KEYS: Readonly<Record<string, string>> = {
  ENTER: "Enter",
  RETURN: "Enter",
  TAB: "Tab",
  ESC: "Escape",
  ESCAPE: "Escape",
  BACKSPACE: "Backspace",
  BKSP: "Backspace",
  DELETE: "Delete",
  DEL: "Delete",
  SPACE: "Space",
  UP: "ArrowUp",
  DOWN: "ArrowDown",
  LEFT: "ArrowLeft",
  RIGHT: "ArrowRight",
  ARROW_UP: "ArrowUp",
  ARROW_DOWN: "ArrowDown",
  ARROW_LEFT: "ArrowLeft",
  ARROW_RIGHT: "ArrowRight",
  HOME: "Home",
  END: "End",
  PAGE_UP: "PageUp",
  PGUP: "PageUp",
  PAGE_DOWN: "PageDown",
  PGDN: "PageDown",
  INSERT: "Insert",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, `F${at + 1}`])),
};

const MODIFIERS: Readonly<Record<string, string>> = {
  CONTROL: "Control",
  CTRL: "Control",
  SHIFT: "Shift",
  ALT: "Alt",
  META: "Meta",
  COMMAND: "Meta",
};

/** Texts are typed, keys are pressed, a modifier goes with the one key after it. */
const sendKeys: Translate = ({ target, value }) => {
  const element = targetOf(target);
  if (element === null) return not(NO_LOCATOR);
  const steps: Taken[] = [];
  let held = "";
  let at = 0;
  const text = (part: string): boolean => {
    if (part === "") return true;
    if (held === "") {
      steps.push({ action: "type", target: element, value: part });
      return true;
    }
    if ([...part].length !== 1) return false;
    steps.push({ action: "press", target: element, value: `${held}${part}` });
    held = "";
    return true;
  };
  for (const match of value.matchAll(KEY)) {
    if (!text(value.slice(at, match.index)))
      return not("It is not clear how long the key is held.");
    at = match.index + match[0].length;
    const name = match[1] ?? "";
    const modifier = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    if (modifier !== undefined) held += `${modifier}+`;
    else if (key === undefined) return not(`There is no key ${name} here.`);
    else {
      steps.push({ action: "press", target: element, value: `${held}${key}` });
      held = "";
    }
  }
  if (!text(value.slice(at)) || held !== "")
    return not("It is not clear how long the key is held.");
  return steps.length > 0 ? just(...steps) : silently;
};

const select: Translate = ({ target, value }) => {
  const element = targetOf(target);
  if (element === null) return not(NO_LOCATOR);
  const match = /^(label|value|id|index)=(.*)$/s.exec(value);
  const by = match?.[1] ?? "label";
  const option = match ? (match[2] ?? "") : value;
  if (by === "id" || by === "index")
    return not(`An option is chosen by its label or value, not by its ${by}.`);
  if (/^(?:regexp|glob):/.test(option))
    return not("An option is chosen by the whole of its label.");
  return just({ action: "select", target: element, value: option });
};

const selectFrame: Translate = ({ target, frames }) => {
  const text = target.trim();
  const index = /^index=(\d{1,3})$/.exec(text);
  if (text === "relative=top" || text === "") {
    frames.length = 0;
    return just({ action: "switch_frame" });
  }
  if (text === "relative=parent") {
    frames.pop();
    return just(
      { action: "switch_frame" },
      ...frames.map((frame) => ({ action: "switch_frame", target: frame })),
    );
  }
  const frame = index ? `css=iframe, frame >> nth=${index[1]}` : targetOf(text);
  if (frame === null) return not(NO_LOCATOR);
  frames.push(frame);
  return just({ action: "switch_frame", target: frame });
};

const selectWindow: Translate = ({ target }) => {
  const text = target.trim();
  const handle = /^handle=\$\{(\w+)\}$/.exec(text);
  if (handle) return just({ action: "switch_tab", target: handle[1] === "root" ? "1" : "last" });
  const index = /^(?:win_ser_|index=)(\d{1,3})$/.exec(text);
  if (index) return just({ action: "switch_tab", target: `${Number(index[1]) + 1}` });
  if (text === "win_ser_local" || text === "") return just({ action: "switch_tab", target: "1" });
  const title = /^title=(.+)$/s.exec(text);
  return title
    ? just({ action: "switch_tab", target: title[1] ?? "" })
    : not("A window is chosen by its title.");
};

const setWindowSize: Translate = ({ target }) =>
  just({ action: "set_viewport", value: target.trim().replace(/\s*[x×,]\s*/i, "x") });

const pause: Translate = ({ target, value }) => {
  const time = (target.trim() || value.trim()).replace(/\s*ms$/, "");
  return /^\d{1,9}$/.test(time)
    ? just({ action: "wait", value: `${time} ms` })
    : not("It is not clear how long.");
};

const title: Translate = ({ target, value }) =>
  just({ action: "assert_title", value: exactPattern(target || value) });

const PRESENCE = "That it is there is not enough here: it must be visible.";
const ABSENCE = "It may be there, as long as it is not visible.";
const EDITABLE = "That it can be written into is not checked: that it is enabled is.";

const NO_NEGATION = "What an element does not say is not checked here.";
const NO_DIALOG_TEXT = "What a dialog says is not checked here.";
const NO_SCRIPT = "Scripts are not run by a test.";
const NO_MOUSE = "Single movements of the mouse are not made here: use click, hover or drag.";

const dialog =
  (action: string, how: { readonly answer?: true; readonly next?: true } = {}): Translate =>
  ({ target, value }) => {
    const text = how.answer ? target || value : "";
    const translation = just({ action, ...(text === "" ? {} : { value: text }) });
    return how.next ? { ...translation, isAnnouncement: true } : translation;
  };

const drag: Translate = ({ target, value }) => {
  const [element, place] = [targetOf(target), targetOf(value)];
  if (element === null || place === null) return not(NO_LOCATOR);
  return just({ action: "drag", target: element, value: place });
};

const claims: Readonly<Record<string, Translate>> = {
  Text: withValue("assert_text"),
  Value: withValue("assert_value"),
  SelectedLabel: withValue("assert_value"),
  SelectedValue: withValue("assert_value"),
  Checked: on("assert_checked"),
  NotChecked: on("assert_unchecked"),
  Editable: on("assert_enabled", EDITABLE),
  NotEditable: on("assert_disabled", EDITABLE),
  ElementPresent: on("assert_visible", PRESENCE),
  ElementNotPresent: on("assert_hidden", ABSENCE),
  Visible: on("assert_visible"),
  NotVisible: on("assert_hidden"),
  Title: title,
  NotText: () => not(NO_NEGATION),
  NotSelectedValue: () => not(NO_NEGATION),
  NotSelectedLabel: () => not(NO_NEGATION),
};

/** What is known of the commands of Selenium IDE, by their names. */
export const seleniumCommands: Readonly<Record<string, Translate>> = {
  open,
  click: on("click"),
  clickAt: on("click", PLACE),
  doubleClick: on("double_click"),
  doubleClickAt: on("double_click", PLACE),
  contextMenu: on("right_click"),
  type: ({ target, value }) => {
    const element = targetOf(target);
    if (element === null) return not(NO_LOCATOR);
    return just(
      value === ""
        ? { action: "clear", target: element }
        : { action: "fill", target: element, value },
    );
  },
  editContent: withValue("fill"),
  sendKeys,
  check: on("check"),
  uncheck: on("uncheck"),
  select,
  addSelection: () => not("Only one option is chosen at a time."),
  removeSelection: () => not("Only one option is chosen at a time."),
  mouseOver: on("hover"),
  mouseOut: () => not(NO_MOUSE),
  mouseDown: () => not(NO_MOUSE),
  mouseDownAt: () => not(NO_MOUSE),
  mouseUp: () => not(NO_MOUSE),
  mouseUpAt: () => not(NO_MOUSE),
  mouseMoveAt: () => not(NO_MOUSE),
  dragAndDropToObject: drag,
  selectFrame,
  selectWindow,
  close: () => not("Tabs are not closed by a test."),
  setWindowSize,
  pause,
  // What is said to the log, and the speed, change nothing.
  echo: () => silently,
  setSpeed: () => silently,
  storeWindowHandle: () => silently,
  submit: () => not("A form is sent by a click on its button, or by Enter."),
  executeScript: () => not(NO_SCRIPT),
  executeAsyncScript: () => not(NO_SCRIPT),
  runScript: () => not(NO_SCRIPT),
  storeText: withValue("store"),
  storeValue: withValue("store"),
  ...Object.fromEntries(
    Object.entries(claims).flatMap(([name, translate]) => [
      [`assert${name}`, translate],
      [`verify${name}`, translate],
    ]),
  ),
  assertAlert: () => not(NO_DIALOG_TEXT),
  assertConfirmation: () => not(NO_DIALOG_TEXT),
  assertPrompt: () => not(NO_DIALOG_TEXT),
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
  waitForElementPresent: on("wait_for", PRESENCE),
  waitForElementVisible: on("wait_for"),
  waitForElementNotPresent: ({ target }) => hiddenOf(target, ABSENCE),
  waitForElementNotVisible: ({ target }) => hiddenOf(target, null),
  waitForElementEditable: ({ target }) => {
    const element = targetOf(target);
    if (element === null) return not(NO_LOCATOR);
    return { steps: [{ action: "wait_for", target: element, value: "enabled" }], note: EDITABLE };
  },
  waitForElementNotEditable: on("assert_disabled", EDITABLE),
  waitForText: withValue("assert_text"),
};

const hiddenOf = (locator: string, note: string | null): Translation => {
  const target = targetOf(locator);
  return target === null
    ? not(NO_LOCATOR)
    : { steps: [{ action: "wait_for", target, value: "hidden" }], note };
};
