import { quote } from "../../english/words.ts";
import { fileNameProblem } from "../projects/files.ts";
import { parseTarget } from "../target.ts";
import { optionsOf, parseDrop, parseKeyChord, parseScroll } from "../values.ts";
import {
  type ActionDefinition,
  anyValue,
  type CodeParts,
  ELEMENT,
  ELEMENT_OR_PAGE,
  onElement,
  optional,
  required,
} from "./definition.ts";

const isSeveral = (value: string): boolean => optionsOf(value).length > 1;

/** Whether the grammar reads a sentence with the options back to the value. */
const isListed = (value: string): boolean =>
  isSeveral(value) && optionsOf(value).join("\n") === value;

const NO_SCROLL = "Write top, bottom or a number of pixels, such as 500 or -200.";

const pythonPlace = (at: CodeParts["at"], more = ""): string =>
  [more, at && `position={"x": ${at.x}, "y": ${at.y}}`].filter(Boolean).join(", ");

const typescriptPlace = (at: CodeParts["at"], more = ""): string => {
  const options = [more, at && `position: { x: ${at.x}, y: ${at.y} }`].filter(Boolean).join(", ");
  return options && `{ ${options} }`;
};

/** The actions on elements of a page. */
export const doing = {
  click: onElement(
    "action",
    "click the element",
    ({ target }) => `Click ${target}`,
    ({ locator, at }) => `${locator}.click(${pythonPlace(at)})`,
    ({ locator, at }) => `await ${locator}.click(${typescriptPlace(at)})`,
  ),
  double_click: onElement(
    "action",
    "click the element twice, quickly",
    ({ target }) => `Double-click ${target}`,
    ({ locator, at }) => `${locator}.dblclick(${pythonPlace(at)})`,
    ({ locator, at }) => `await ${locator}.dblclick(${typescriptPlace(at)})`,
  ),
  right_click: onElement(
    "action",
    "click the element with the right mouse button",
    ({ target }) => `Right-click ${target}`,
    ({ locator, at }) => `${locator}.click(${pythonPlace(at, 'button="right"')})`,
    ({ locator, at }) => `await ${locator}.click(${typescriptPlace(at, 'button: "right"')})`,
  ),
  hover: onElement(
    "action",
    "move the mouse over the element",
    ({ target }) => `Hover over ${target}`,
    ({ locator, at }) => `${locator}.hover(${pythonPlace(at)})`,
    ({ locator, at }) => `await ${locator}.hover(${typescriptPlace(at)})`,
  ),
  focus: onElement(
    "look",
    "give the element the focus",
    ({ target }) => `Focus ${target}`,
    ({ locator }) => `${locator}.focus()`,
    ({ locator }) => `await ${locator}.focus()`,
  ),
  fill: {
    summary: "put a text into a field, in place of what was in it",
    purpose: "fill",
    target: ELEMENT,
    value: optional("the text"),
    checkValue: anyValue,
    english: ({ target, value }) => `Fill ${target} with ${value || '""'}`,
    python: ({ locator, value }) => `${locator}.fill(${value})`,
    typescript: ({ locator, value }) => `await ${locator}.fill(${value})`,
  },
  type: {
    summary: "type a text into a field key by key, after what is in it",
    purpose: "fill",
    target: ELEMENT,
    value: required("the text"),
    checkValue: anyValue,
    english: ({ target, value }) => `Type ${value} into ${target} key by key`,
    python: ({ locator, value }) => `${locator}.press_sequentially(${value})`,
    typescript: ({ locator, value }) => `await typeInto(${locator}, ${value})`,
  },
  clear: onElement(
    "fill",
    "empty a field",
    ({ target }) => `Clear ${target}`,
    ({ locator }) => `${locator}.clear()`,
    ({ locator }) => `await ${locator}.clear()`,
  ),
  press: {
    summary: "press a key or a chord, in an element or where the focus is",
    purpose: "action",
    target: ELEMENT_OR_PAGE,
    value: required("a key or a chord, such as Enter or Control+A"),
    checkValue: (value) =>
      parseKeyChord(value) ? null : "Not a known key: write Enter, Tab, ArrowDown, a or Control+A.",
    english: ({ target, value }) =>
      target === "" ? `Press the ${value} key` : `Press the ${value} key in ${target}`,
    python: ({ hasTarget, locator, raw, text }) =>
      `${hasTarget ? locator : "page.keyboard"}.press(${text(parseKeyChord(raw) ?? raw)})`,
    typescript: ({ hasTarget, locator, raw, text }) =>
      `await ${hasTarget ? locator : "page.keyboard"}.press(${text(parseKeyChord(raw) ?? raw)})`,
  },
  select: {
    summary:
      "choose an option of a dropdown, or exactly the options of a list with several choices",
    purpose: "select",
    target: ELEMENT,
    value: required("the option's label or value; several options on a line each"),
    checkValue: (value) =>
      optionsOf(value).length > 0 ? null : "Write the label of an option on a line.",
    english: ({ target, value, raw }) =>
      `Select ${isListed(raw) ? optionsOf(raw).map(quote).join(" and ") : value} from ${target}`,
    python: ({ locator, value, raw, text }) =>
      isSeveral(raw)
        ? `${locator}.select_option([${optionsOf(raw).map(text).join(", ")}])`
        : `${locator}.select_option(${value})`,
    typescript: ({ locator, value, raw, text }) =>
      isSeveral(raw)
        ? `await ${locator}.selectOption([${optionsOf(raw).map(text).join(", ")}])`
        : `await choose(${locator}, ${value})`,
  },
  check: onElement(
    "check",
    "tick a checkbox, a radio button or a switch",
    ({ target }) => `Tick ${target}`,
    ({ locator }) => `${locator}.check()`,
    ({ locator }) => `await tick(${locator}, true)`,
  ),
  uncheck: onElement(
    "check",
    "untick a checkbox or a switch",
    ({ target }) => `Untick ${target}`,
    ({ locator }) => `${locator}.uncheck()`,
    ({ locator }) => `await tick(${locator}, false)`,
  ),
  upload: {
    summary: "choose a file of the project in a file field",
    purpose: "look",
    target: ELEMENT,
    value: required("the name of a file of the project"),
    checkValue: fileNameProblem,
    english: ({ target, value }) => `Upload the file ${value} into ${target}`,
    python: ({ locator, value }) => `give_file(${locator}, file_path(${value}))`,
    typescript: ({ locator, value }) => `await giveFile(${locator}, filePath(${value}))`,
  },
  drag: {
    summary: "drag the element and drop it on another",
    purpose: "look",
    target: ELEMENT,
    value: required("the element to drop it on"),
    checkValue: (value) => (value.trim() === "" ? "Name the element to drop it on." : null),
    english: ({ target, value }) => `Drag ${target} to ${value}`,
    python: ({ locator, raw, element }) => {
      const { target, side } = parseDrop(raw);
      if (side !== null) return `drag_beside(${locator}, ${element(target)}, "${side}")`;
      const { at = null } = parseTarget(target);
      return `${locator}.drag_to(${[element(target), at && `target_${pythonPlace(at)}`].filter(Boolean).join(", ")})`;
    },
    typescript: ({ locator, raw, element }) => {
      const { target, side } = parseDrop(raw);
      if (side !== null) return `await dragBeside(${locator}, ${element(target)}, "${side}")`;
      const { at = null } = parseTarget(target);
      const place = at && `{ targetPosition: { x: ${at.x}, y: ${at.y} } }`;
      return `await ${locator}.dragTo(${[element(target), place].filter(Boolean).join(", ")})`;
    },
  },
  scroll: {
    summary:
      "scroll to the element, or the page or the element to its top, its bottom or by pixels",
    purpose: "look",
    target: ELEMENT_OR_PAGE,
    value: optional("top, bottom or pixels"),
    needsOne: true,
    checkValue: (value) => (parseScroll(value) === null ? NO_SCROLL : null),
    english: ({ target, value, raw }) => {
      if (raw === "") return `Scroll to ${target}`;
      const isEnd = raw === "top" || raw === "bottom";
      const by = /^-?\d+$/.test(raw) ? `${raw} pixels` : value;
      if (target === "") return isEnd ? `Scroll to the ${raw} of the page` : `Scroll by ${by}`;
      return isEnd ? `Scroll ${target} to its ${raw}` : `Scroll ${target} by ${by}`;
    },
    python: ({ locator, hasTarget, raw, value }) =>
      raw === ""
        ? `${locator}.scroll_into_view_if_needed()`
        : `scroll_by(${hasTarget ? locator : 'page.locator(":root")'}, ${value})`,
    typescript: ({ locator, hasTarget, raw, value }) =>
      raw === ""
        ? `await ${locator}.scrollIntoViewIfNeeded()`
        : `await scrollBy(${hasTarget ? locator : 'page.locator(":root")'}, ${value})`,
  },
} as const satisfies Record<string, ActionDefinition>;
