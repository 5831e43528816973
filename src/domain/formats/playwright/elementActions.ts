import { type Part, targetOfParts } from "./locators.ts";
import { NOT_STATIC, type Outcome, translated, unsupported } from "./outcome.ts";
import { bare, type Expression, type FindText, integerOf, propertiesOf, textOf } from "./values.ts";

/** Translates a method of a locator. Null if the method is unknown. */
export const actionOf = (
  method: string,
  parts: readonly Part[],
  args: readonly unknown[],
  find: FindText,
  locatorOf: (expression: unknown) => readonly Part[] | null,
): Outcome | null => {
  const target = targetOfParts(parts);
  const on = (action: string): Outcome => translated({ action, target });
  const withText = (action: string, empty: Outcome | null = null): Outcome => {
    const value = textOf(args[0], find);
    if (value === null) return unsupported(NOT_STATIC);
    return value === "" && empty ? empty : translated({ action, target, value });
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
        : unsupported(NOT_STATIC);
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
        ? translated({ action: "drag", target, value: targetOfParts(place) })
        : unsupported(NOT_STATIC);
    }
    case "screenshot":
      return translated({ action: "screenshot", target, value: pictureName(args[0], find) });
    case "waitFor":
      return waitOf(target, args[0], find);
    default:
      return null;
  }
};

const POSITION = "The position in the element and modifier keys are ignored.";

const clickOf = (target: string, given: unknown): Outcome => {
  const options = given === undefined ? new Map<string, Expression>() : propertiesOf(given);
  if (!options) return unsupported(NOT_STATIC);
  const button = textOf(options.get("button"), () => null);
  const count = integerOf(options.get("clickCount"));
  const action = button === "right" ? "right_click" : count === 2 ? "double_click" : "click";
  if (button === "middle") return unsupported("Clicks with the middle button are not supported.");
  if (count !== null && count > 2)
    return unsupported("More than two clicks at once are not supported.");
  const isPlain = !options.has("position") && !options.has("modifiers");
  return { steps: [{ action, target }], note: isPlain ? null : POSITION };
};

const selectOf = (target: string, given: unknown, find: FindText): Outcome => {
  let node = bare(given);
  if (node?.type === "ArrayExpression") {
    if (node.elements.length !== 1)
      return unsupported("Selecting several options is not supported.");
    node = bare(node.elements[0]);
  }
  const options = propertiesOf(node);
  const value = options
    ? textOf(options.get("label") ?? options.get("value"), find)
    : textOf(node, find);
  if (value === null) return unsupported("An option is selected by its label or value.");
  return translated({ action: "select", target, value });
};

const uploadOf = (target: string, given: unknown, find: FindText): Outcome => {
  let node = bare(given);
  if (node?.type === "ArrayExpression") {
    if (node.elements.length === 0) return unsupported("Clearing a file field is not supported.");
    if (node.elements.length > 1) return unsupported("Uploading several files is not supported.");
    node = bare(node.elements[0]);
  }
  const path = textOf(node, find);
  if (path === null) return unsupported(NOT_STATIC);
  const value = path.split(/[\\/]/).at(-1) ?? "";
  return {
    steps: [{ action: "upload", target, value }],
    note: "Add the file to the files of the project.",
  };
};

export const pictureName = (given: unknown, find: FindText): string => {
  const path = textOf(propertiesOf(given)?.get("path"), find) ?? "";
  const name = path.split(/[\\/]/).at(-1) ?? "";
  return name.replace(/\.(?:png|jpe?g)$/i, "");
};

const waitOf = (target: string, given: unknown, find: FindText): Outcome => {
  const state = given === undefined ? "visible" : textOf(propertiesOf(given)?.get("state"), find);
  if (state === "hidden" || state === "detached") {
    return translated({ action: "wait_for", target, value: "hidden" });
  }
  if (state === "attached")
    return unsupported("Waiting for an element that is present but not visible is not supported.");
  return translated({ action: "wait_for", target });
};
