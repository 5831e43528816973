import { assertionCommands } from "./assertions.ts";
import { dialogCommands } from "./dialogs.ts";
import { sendKeys } from "./keys.ts";
import {
  BAD_LOCATOR,
  ignored,
  onElement,
  type Translate,
  targetOf,
  translated,
  unsupported,
  withValue,
} from "./translation.ts";
import { selectFrame, selectWindow, setWindowSize } from "./windows.ts";

const POSITION = "The position in the element is ignored: the step acts on its centre.";
const NO_SCRIPT = "Running scripts is not supported.";
const NO_MOUSE = "Single mouse events are not supported: use click, hover or drag.";
const ONE_OPTION = "Selecting several options is not supported.";

const open: Translate = ({ target, baseUrl }) => {
  const path = target.trim();
  if (/^https?:\/\//i.test(path) || baseUrl.trim() === "" || path.includes("${")) {
    return translated({ action: "navigate", value: path === "" ? "/" : path });
  }
  try {
    return translated({ action: "navigate", value: new URL(path, baseUrl.trim()).href });
  } catch {
    return translated({ action: "navigate", value: path });
  }
};

const type: Translate = ({ target, value }) => {
  const element = targetOf(target);
  if (element === null) return unsupported(BAD_LOCATOR);
  return translated(
    value === ""
      ? { action: "clear", target: element }
      : { action: "fill", target: element, value },
  );
};

const select: Translate = ({ target, value }) => {
  const element = targetOf(target);
  if (element === null) return unsupported(BAD_LOCATOR);
  const match = /^(label|value|id|index)=(.*)$/s.exec(value);
  const by = match?.[1] ?? "label";
  const option = match ? (match[2] ?? "") : value;
  if (by === "id" || by === "index")
    return unsupported(`An option is selected by its label or value, not by its ${by}.`);
  if (/^(?:regexp|glob):/.test(option))
    return unsupported("An option is selected by its complete label.");
  return translated({ action: "select", target: element, value: option });
};

const pause: Translate = ({ target, value }) => {
  const time = (target.trim() || value.trim()).replace(/\s*ms$/, "");
  return /^\d{1,9}$/.test(time)
    ? translated({ action: "wait", value: `${time} ms` })
    : unsupported("The time to wait must be a number of milliseconds.");
};

const drag: Translate = ({ target, value }) => {
  const [element, destination] = [targetOf(target), targetOf(value)];
  if (element === null || destination === null) return unsupported(BAD_LOCATOR);
  return translated({ action: "drag", target: element, value: destination });
};

/** Translations of the commands of Selenium IDE, by name. */
export const seleniumCommands: Readonly<Record<string, Translate>> = {
  open,
  click: onElement("click"),
  clickAt: onElement("click", POSITION),
  doubleClick: onElement("double_click"),
  doubleClickAt: onElement("double_click", POSITION),
  contextMenu: onElement("right_click"),
  type,
  editContent: withValue("fill"),
  sendKeys,
  check: onElement("check"),
  uncheck: onElement("uncheck"),
  select,
  addSelection: () => unsupported(ONE_OPTION),
  removeSelection: () => unsupported(ONE_OPTION),
  mouseOver: onElement("hover"),
  mouseOut: () => unsupported(NO_MOUSE),
  mouseDown: () => unsupported(NO_MOUSE),
  mouseDownAt: () => unsupported(NO_MOUSE),
  mouseUp: () => unsupported(NO_MOUSE),
  mouseUpAt: () => unsupported(NO_MOUSE),
  mouseMoveAt: () => unsupported(NO_MOUSE),
  dragAndDropToObject: drag,
  selectFrame,
  selectWindow,
  close: () => unsupported("Closing a tab is not supported."),
  setWindowSize,
  pause,
  // Logging and speed do not affect the result.
  echo: () => ignored,
  setSpeed: () => ignored,
  storeWindowHandle: () => ignored,
  submit: () => unsupported("Submitting a form is not supported: click its button or press Enter."),
  executeScript: () => unsupported(NO_SCRIPT),
  executeAsyncScript: () => unsupported(NO_SCRIPT),
  runScript: () => unsupported(NO_SCRIPT),
  storeText: withValue("store"),
  storeValue: withValue("store"),
  ...assertionCommands,
  ...dialogCommands,
};
