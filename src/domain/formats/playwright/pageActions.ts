import { hasVariables } from "../../catalogue/values.ts";
import { pictureName } from "./elementActions.ts";
import { addressPattern } from "./locators.ts";
import { NOT_STATIC, type Outcome, translated, unsupported } from "./outcome.ts";
import { type FindText, integerOf, propertiesOf, textOf, wordsOf } from "./values.ts";

/** Translates a method of a page. Null if the method is unknown. */
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
        ? unsupported(NOT_STATIC)
        : translated({ action: "navigate", value: resolved(text, baseUrl) });
    case "goBack":
      return translated({ action: "go_back" });
    case "goForward":
      return translated({ action: "go_forward" });
    case "reload":
      return translated({ action: "reload" });
    case "waitForTimeout":
      return text === null
        ? unsupported(NOT_STATIC)
        : translated({ action: "wait", value: `${text} ms` });
    case "waitForURL":
      return urlAssertion(args[0], find, true);
    case "screenshot":
      return translated({ action: "screenshot", value: pictureName(args[0], find) });
    case "setViewportSize": {
      const size = propertiesOf(args[0]);
      const [width, height] = [integerOf(size?.get("width")), integerOf(size?.get("height"))];
      if (width === null || height === null) return unsupported(NOT_STATIC);
      return translated({ action: "set_viewport", value: `${width}x${height}` });
    }
    // Steps wait automatically. Debugging and cleanup are not part of a test.
    case "waitForLoadState":
    case "waitForNavigation":
    case "bringToFront":
    case "pause":
      return translated();
    case "close":
      return translated();
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

export const urlAssertion = (given: unknown, find: FindText, isGlob: boolean): Outcome => {
  const words = wordsOf(given, find);
  if (!words) return unsupported(NOT_STATIC);
  const value = "regex" in words ? regexOf(words) : addressPattern(words.text, isGlob);
  return value === null
    ? unsupported("This URL pattern is not supported.")
    : translated({ action: "assert_url", value });
};

export const regexOf = ({
  regex,
  flags,
}: {
  readonly regex: string;
  readonly flags: string;
}): string | null => (/^[imsu]*$/.test(flags) ? `/${regex}/${flags}` : null);

/** Translates a method of `page.keyboard`. Null if the method is unknown. */
export const keyboardOf = (
  method: string,
  args: readonly unknown[],
  find: FindText,
): Outcome | null => {
  const text = textOf(args[0], find);
  if (text === null) return unsupported(NOT_STATIC);
  if (method === "press") return translated({ action: "press", value: text });
  if ((method === "type" || method === "insertText") && [...text].length === 1) {
    return translated({ action: "press", value: text });
  }
  return method === "type" || method === "insertText"
    ? unsupported("Typing without a field is not supported: type into a locator.")
    : null;
};
