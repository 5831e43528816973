import type { StepInput } from "../../catalogue/step.ts";
import { hasVariables } from "../../catalogue/values.ts";
import { exactPattern } from "../exactPattern.ts";
import { addressPattern, type Part, targetOfParts } from "./locators.ts";
import {
  bare,
  type Expression,
  type FindText,
  integerOf,
  isTrue,
  propertiesOf,
  textOf,
  wordsOf,
} from "./values.ts";

type Taken = Partial<Omit<StepInput, "action">> & { readonly action: string };

/** What a call comes to: steps, nothing at all, or why it comes to none. */
export type Outcome = { readonly steps: readonly Taken[]; readonly note: string | null };

const just = (...steps: readonly Taken[]): Outcome => ({ steps, note: null });
const not = (note: string): Outcome => ({ steps: [], note });

const UNKNOWN_TEXT = "What it is given is known only when the program runs.";

/** What is done with an element. Null for a method that is not known. */
export const actionOf = (
  method: string,
  parts: readonly Part[],
  args: readonly unknown[],
  find: FindText,
  locatorOf: (expression: unknown) => readonly Part[] | null,
): Outcome | null => {
  const target = targetOfParts(parts);
  const on = (action: string): Outcome => just({ action, target });
  const withText = (action: string, empty: Outcome | null = null): Outcome => {
    const value = textOf(args[0], find);
    if (value === null) return not(UNKNOWN_TEXT);
    return value === "" && empty ? empty : just({ action, target, value });
  };
  switch (method) {
    case "click":
    case "tap":
      return clickOf(target, args[0]);
    case "dblclick":
      return on("double_click");
    case "fill":
      return withText("fill", on("clear"));
    case "pressSequentially":
    case "type":
      return withText("type");
    case "press":
      return withText("press");
    case "setChecked": {
      const node = bare(args[0]);
      return node?.type === "BooleanLiteral"
        ? on(node.value ? "check" : "uncheck")
        : not(UNKNOWN_TEXT);
    }
    case "check":
    case "uncheck":
    case "hover":
    case "focus":
    case "clear":
      return on(method);
    case "scrollIntoViewIfNeeded":
      return on("scroll");
    case "selectOption":
      return selectOf(target, args[0], find);
    case "setInputFiles":
      return uploadOf(target, args[0], find);
    case "dragTo": {
      const place = locatorOf(args[0]);
      return place
        ? just({ action: "drag", target, value: targetOfParts(place) })
        : not(UNKNOWN_TEXT);
    }
    case "screenshot":
      return just({ action: "screenshot", target, value: pictureName(args[0], find) });
    case "waitFor":
      return waitOf(target, args[0], find);
    default:
      return null;
  }
};

const PLACE = "Where in the element, and with which keys held, is left out.";

const clickOf = (target: string, given: unknown): Outcome => {
  const options = given === undefined ? new Map<string, Expression>() : propertiesOf(given);
  if (!options) return not(UNKNOWN_TEXT);
  const button = textOf(options.get("button"), () => null);
  const count = integerOf(options.get("clickCount"));
  const action = button === "right" ? "right_click" : count === 2 ? "double_click" : "click";
  if (button === "middle") return not("The middle button of the mouse is not used here.");
  if (count !== null && count > 2) return not("An element is clicked once or twice.");
  const isPlain = !options.has("position") && !options.has("modifiers");
  return { steps: [{ action, target }], note: isPlain ? null : PLACE };
};

const selectOf = (target: string, given: unknown, find: FindText): Outcome => {
  let node = bare(given);
  if (node?.type === "ArrayExpression") {
    if (node.elements.length !== 1) return not("Only one option is chosen at a time.");
    node = bare(node.elements[0]);
  }
  const options = propertiesOf(node);
  const value = options
    ? textOf(options.get("label") ?? options.get("value"), find)
    : textOf(node, find);
  if (value === null) return not("An option is chosen by its label or value.");
  return just({ action: "select", target, value });
};

const uploadOf = (target: string, given: unknown, find: FindText): Outcome => {
  let node = bare(given);
  if (node?.type === "ArrayExpression") {
    if (node.elements.length === 0) return not("A choice of files is not taken back here.");
    if (node.elements.length > 1) return not("Only one file is chosen at a time.");
    node = bare(node.elements[0]);
  }
  const path = textOf(node, find);
  if (path === null) return not(UNKNOWN_TEXT);
  const value = path.split(/[\\/]/).at(-1) ?? "";
  return {
    steps: [{ action: "upload", target, value }],
    note: "The file must be among the project's files.",
  };
};

const pictureName = (given: unknown, find: FindText): string => {
  const path = textOf(propertiesOf(given)?.get("path"), find) ?? "";
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return name.replace(/\.(?:png|jpe?g)$/i, "");
};

const waitOf = (target: string, given: unknown, find: FindText): Outcome => {
  const state = given === undefined ? "visible" : textOf(propertiesOf(given)?.get("state"), find);
  if (state === "hidden" || state === "detached") {
    return just({ action: "wait_for", target, value: "hidden" });
  }
  if (state === "attached")
    return not("That an element is there is not waited for: that it is visible is.");
  return just({ action: "wait_for", target });
};

/** What is done with a page as a whole. Null for a method that is not known. */
export const pageActionOf = (
  method: string,
  args: readonly unknown[],
  find: FindText,
  baseUrl: string | null,
): Outcome | null => {
  const text = textOf(args[0], find);
  switch (method) {
    case "goto":
      return text === null
        ? not(UNKNOWN_TEXT)
        : just({ action: "navigate", value: resolved(text, baseUrl) });
    case "goBack":
      return just({ action: "go_back" });
    case "goForward":
      return just({ action: "go_forward" });
    case "reload":
      return just({ action: "reload" });
    case "waitForTimeout":
      return text === null ? not(UNKNOWN_TEXT) : just({ action: "wait", value: `${text} ms` });
    case "waitForURL":
      return addressOf(args[0], find, true);
    case "screenshot":
      return just({ action: "screenshot", value: pictureName(args[0], find) });
    case "setViewportSize": {
      const size = propertiesOf(args[0]);
      const [width, height] = [integerOf(size?.get("width")), integerOf(size?.get("height"))];
      if (width === null || height === null) return not(UNKNOWN_TEXT);
      return just({ action: "set_viewport", value: `${width}x${height}` });
    }
    // Every step waits by itself, and what stops for a person or tidies up is no part of the test.
    case "waitForLoadState":
    case "waitForNavigation":
    case "bringToFront":
    case "pause":
      return just();
    case "close":
      return just();
    default:
      return null;
  }
};

const resolved = (address: string, baseUrl: string | null): string => {
  if (baseUrl === null || /^https?:/i.test(address) || hasVariables(address)) return address;
  try {
    return new URL(address, baseUrl).href;
  } catch {
    return address;
  }
};

const addressOf = (given: unknown, find: FindText, isGlob: boolean): Outcome => {
  const words = wordsOf(given, find);
  if (!words) return not(UNKNOWN_TEXT);
  const value = "regex" in words ? regexOf(words) : addressPattern(words.text, isGlob);
  return value === null
    ? not("This pattern of an address cannot be said here.")
    : just({ action: "assert_url", value });
};

const regexOf = ({
  regex,
  flags,
}: {
  readonly regex: string;
  readonly flags: string;
}): string | null => (/^[imsu]*$/.test(flags) ? `/${regex}/${flags}` : null);

/** Keys that are pressed where the focus is, and texts that are typed there. */
export const keyboardOf = (
  method: string,
  args: readonly unknown[],
  find: FindText,
): Outcome | null => {
  const text = textOf(args[0], find);
  if (text === null) return not(UNKNOWN_TEXT);
  if (method === "press") return just({ action: "press", value: text });
  if ((method === "type" || method === "insertText") && [...text].length === 1) {
    return just({ action: "press", value: text });
  }
  return method === "type" || method === "insertText"
    ? not("A text is typed into a field: name the field.")
    : null;
};

const PLAIN: Readonly<Record<string, readonly [claim: string, denial: string | null]>> = {
  toBeVisible: ["assert_visible", "assert_hidden"],
  toBeHidden: ["assert_hidden", "assert_visible"],
  toBeEnabled: ["assert_enabled", "assert_disabled"],
  toBeDisabled: ["assert_disabled", "assert_enabled"],
  toBeChecked: ["assert_checked", "assert_unchecked"],
};

const TEXTS: Readonly<Record<string, string>> = {
  toHaveText: "assert_text",
  toContainText: "assert_contains",
  toHaveValue: "assert_value",
};

const ATTRIBUTES: Readonly<Record<string, string>> = { toHaveClass: "class", toHaveId: "id" };

const NO_DENIAL = "That it is not so is not checked here.";
const NO_REGEX = "What an element says is compared with a text, not with a pattern.";

/** What is claimed of an element. Null for a claim that is not known. */
export const claimOf = (
  matcher: string,
  isDenied: boolean,
  parts: readonly Part[],
  args: readonly unknown[],
  find: FindText,
): Outcome | null => {
  const target = targetOfParts(parts);
  const plain = Object.hasOwn(PLAIN, matcher) ? PLAIN[matcher] : undefined;
  if (plain) {
    const options = propertiesOf(args[0]);
    const state = options?.get("checked") ?? options?.get("visible") ?? options?.get("enabled");
    const isInverted = bare(state)?.type === "BooleanLiteral" && !isTrue(state);
    const action = plain[isDenied !== isInverted ? 1 : 0];
    return action === null ? not(NO_DENIAL) : just({ action, target });
  }
  const attribute = Object.hasOwn(ATTRIBUTES, matcher) ? ATTRIBUTES[matcher] : undefined;
  const action = Object.hasOwn(TEXTS, matcher) ? TEXTS[matcher] : undefined;
  const isKnown =
    attribute !== undefined ||
    action !== undefined ||
    ["toHaveCount", "toHaveAttribute", "toHaveScreenshot", "toBeEmpty", "toBeAttached"].includes(
      matcher,
    );
  if (!isKnown) return null;
  if (matcher === "toHaveCount" && isDenied && integerOf(args[0]) === 0) {
    return just({ action: "assert_visible", target });
  }
  if (isDenied) return not(NO_DENIAL);
  switch (matcher) {
    case "toHaveCount": {
      const count = integerOf(args[0]);
      return count === null
        ? not(UNKNOWN_TEXT)
        : just({ action: "assert_count", target, value: `${count}` });
    }
    case "toHaveScreenshot":
      return just({ action: "visual_check", target, value: shotName(args[0], find) });
    case "toBeAttached":
      return {
        steps: [{ action: "assert_visible", target }],
        note: "That it is there is not enough here: it must be visible.",
      };
    case "toBeEmpty":
      return just({ action: "assert_text", target });
  }
  if (bare(args[0])?.type === "ArrayExpression") return not("One element is compared at a time.");
  const words = wordsOf(args[matcher === "toHaveAttribute" ? 1 : 0], find);
  if (!words) return not(UNKNOWN_TEXT);
  if ("regex" in words) return not(NO_REGEX);
  if (propertiesOf(args[1])?.has("ignoreCase")) return not("Capitals are not left aside here.");
  if (action !== undefined) {
    // Containing nothing is true of any element that is there.
    return action === "assert_contains" && words.text.trim() === ""
      ? not("Every text contains nothing.")
      : just({ action, target, value: words.text });
  }
  const name = attribute ?? textOf(args[0], find);
  if (name === null) return not(UNKNOWN_TEXT);
  return just({ action: "assert_attribute", target, value: `${name}=${words.text}` });
};

const shotName = (given: unknown, find: FindText): string =>
  (textOf(given, find) ?? "").replace(/\.png$/i, "");

/** What is claimed of the page. Null for a claim that is not known. */
export const pageClaimOf = (
  matcher: string,
  isDenied: boolean,
  args: readonly unknown[],
  find: FindText,
): Outcome | null => {
  if (!["toHaveURL", "toHaveTitle", "toHaveScreenshot"].includes(matcher)) return null;
  if (isDenied) return not(NO_DENIAL);
  if (matcher === "toHaveURL") return addressOf(args[0], find, false);
  if (matcher === "toHaveScreenshot") {
    return just({ action: "visual_check", value: shotName(args[0], find) });
  }
  const words = wordsOf(args[0], find);
  if (!words) return not(UNKNOWN_TEXT);
  const value = "regex" in words ? regexOf(words) : exactPattern(words.text);
  return value === null ? not(NO_REGEX) : just({ action: "assert_title", value });
};
