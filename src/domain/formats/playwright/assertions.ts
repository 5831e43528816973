import { exactPattern } from "../exactPattern.ts";
import { type Part, targetOfParts } from "./locators.ts";
import { NOT_STATIC, type Outcome, translated, unsupported } from "./outcome.ts";
import { regexOf, urlAssertion } from "./pageActions.ts";
import { bare, type FindText, integerOf, isTrue, propertiesOf, textOf, wordsOf } from "./values.ts";

const PLAIN: Readonly<Record<string, readonly [action: string, negated: string]>> = {
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

const NO_NEGATION = "This negated assertion is not supported.";
const NO_REGEX = "Comparing with a regular expression is not supported.";

/** Translates a matcher of an element. Null if the matcher is unknown. */
export const assertionOf = (
  matcher: string,
  isNegated: boolean,
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
    const action = plain[isNegated !== isInverted ? 1 : 0];
    return translated({ action, target });
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
  if (matcher === "toHaveCount" && isNegated && integerOf(args[0]) === 0) {
    return translated({ action: "assert_visible", target });
  }
  if (isNegated) return unsupported(NO_NEGATION);
  switch (matcher) {
    case "toHaveCount": {
      const count = integerOf(args[0]);
      return count === null
        ? unsupported(NOT_STATIC)
        : translated({ action: "assert_count", target, value: `${count}` });
    }
    case "toHaveScreenshot":
      return translated({ action: "visual_check", target, value: shotName(args[0], find) });
    case "toBeAttached":
      return {
        steps: [{ action: "assert_visible", target }],
        note: "Checks that the element is visible, which is more than being present.",
      };
    case "toBeEmpty":
      return translated({ action: "assert_text", target });
  }
  if (bare(args[0])?.type === "ArrayExpression")
    return unsupported("Comparing several elements is not supported.");
  const words = wordsOf(args[matcher === "toHaveAttribute" ? 1 : 0], find);
  if (!words) return unsupported(NOT_STATIC);
  if ("regex" in words) return unsupported(NO_REGEX);
  if (propertiesOf(args[1])?.has("ignoreCase"))
    return unsupported("The option ignoreCase is not supported.");
  if (action !== undefined) {
    // Every element contains the empty text.
    return action === "assert_contains" && words.text.trim() === ""
      ? unsupported("The expected text is empty.")
      : translated({ action, target, value: words.text });
  }
  const name = attribute ?? textOf(args[0], find);
  if (name === null) return unsupported(NOT_STATIC);
  return translated({ action: "assert_attribute", target, value: `${name}=${words.text}` });
};

const shotName = (given: unknown, find: FindText): string =>
  (textOf(given, find) ?? "").replace(/\.png$/i, "");

/** Translates a matcher of a page. Null if the matcher is unknown. */
export const pageAssertionOf = (
  matcher: string,
  isNegated: boolean,
  args: readonly unknown[],
  find: FindText,
): Outcome | null => {
  if (!["toHaveURL", "toHaveTitle", "toHaveScreenshot"].includes(matcher)) return null;
  if (isNegated) return unsupported(NO_NEGATION);
  if (matcher === "toHaveURL") return urlAssertion(args[0], find, false);
  if (matcher === "toHaveScreenshot") {
    return translated({ action: "visual_check", value: shotName(args[0], find) });
  }
  const words = wordsOf(args[0], find);
  if (!words) return unsupported(NOT_STATIC);
  const value = "regex" in words ? regexOf(words) : exactPattern(words.text);
  return value === null ? unsupported(NO_REGEX) : translated({ action: "assert_title", value });
};
