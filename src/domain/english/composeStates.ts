import type { ActionName } from "../catalogue/vocabulary.ts";
import type { Holding, State } from "./composePredicates.ts";
import { isResponse } from "./doubts.ts";
import type { Draft } from "./formTables.ts";
import { isHolder, targetOf } from "./places.ts";
import type { Thing } from "./things.ts";

const ACTIONS: Readonly<Record<State, readonly [ActionName, ActionName]>> = {
  visible: ["assert_visible", "assert_hidden"],
  enabled: ["assert_enabled", "assert_disabled"],
  checked: ["assert_checked", "assert_unchecked"],
  // What is not empty has a value that nobody says.
  empty: ["assert_value", "assert_value"],
};
const VALUED =
  /^(?:field|input|input field|input box|text field|text box|textbox|textarea|text area|dropdown|select|combobox|slider|picker|date picker|box|search box|search bar|search field)$/;
const ACTED = /^(?:icon|badge|chip|tile|counter|stepper)?$/;

const PRESSED =
  /^(?:button|btn|link|field|input|checkbox|dropdown|radio button|radio|switch|toggle|icon|option|slider|box|menu item)?$/;

/** The claim that a thing is so, or is not; null when it cannot be so for certain. */
export const stateOf = (
  thing: Thing,
  state: State,
  is: boolean,
  places: readonly string[],
): Draft | null => {
  // That an alert or a text is "active" or "ticked" nobody can say.
  const isTicked =
    /^(?:checkbox|check box|box|switch|toggle|toggle switch|radio|radio button|option)?$/.test(
      thing.kind,
    );
  if (state === "checked" && !isTicked) return null;
  // A message of the browser is nothing on the page.
  if (/^(?:alert|prompt|popup|pop-up)$/.test(thing.kind) && thing.name === null) return null;
  // An active tab is the one that is shown.
  if (state === "enabled" && !PRESSED.test(thing.kind)) return null;
  const target = targetOf(thing, places);
  if (state === "empty") {
    const isField = VALUED.test(thing.kind) || (thing.kind === "" && thing.isQuoted);
    return is && isField && target !== null ? { action: "assert_value", target, value: "" } : null;
  }
  return target === null ? null : { action: ACTIONS[state][is ? 0 : 1], target };
};

/** The claim that a thing has a text; null when it may be its text or its value. */
export const heldBy = (
  thing: Thing,
  as: Holding | "is",
  value: { readonly value: string; readonly isFigure: boolean },
  places: readonly string[],
): Draft | null => {
  const target = targetOf(thing, places);
  if (target === null || isResponse(thing.name ?? "")) return null;
  // `the cart contains 2 items`: counted, or written so?
  if (as === "contains" && /^\d+ items?$/.test(value.value)) return null;
  const isField = VALUED.test(thing.kind);
  if (as === "value") {
    return isField || (thing.kind === "" && !thing.isLoose)
      ? { action: "assert_value", target, value: value.value }
      : null;
  }
  // A part of what a field has is not its value, and a dropdown has options.
  if (as === "contains")
    return isField ? null : { action: "assert_contains", target, value: value.value };
  if (isField) return { action: "assert_value", target, value: value.value };
  const holds = isHolder(thing.kind) || thing.kind === "row";
  if (as === "shows" || holds)
    return as === "is" ? null : { action: "assert_contains", target, value: value.value };
  // `"Status" is "Open"`, `"Qty" changes to 2`: the text, or the value of a field? What costs money is a text.
  const isTold =
    (thing.isLoose && DISPLAYED.test(thing.name ?? "")) ||
    /^(?:heading|cell|badge|label|counter|headline|caption|icon|chip|status chip|link|button|card)$/.test(
      thing.kind,
    );
  const isText =
    as === "text" ||
    (thing.kind === "text" && value.isFigure) ||
    isTold ||
    (ACTED.test(thing.kind) && value.isFigure && MONEY.test(value.value));
  return isText ? { action: "assert_text", target, value: value.value } : null;
};

/** What is read, and typed nowhere. */
const DISPLAYED =
  /(?:^| )(?:total|subtotal|price|sum|balance|greeting|score|rating|result|count|counter|caption|subtitle|discount|tax|fee|stock|points|average|timer|clock|status|order)$/;
const MONEY = /[€$£₹¥]|zł|EUR|USD|GBP|CHF|days?$|hours?$/;
