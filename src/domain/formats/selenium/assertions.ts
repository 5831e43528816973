import { exactPattern } from "../exactPattern.ts";
import {
  BAD_LOCATOR,
  onElement,
  type Translate,
  type Translation,
  targetOf,
  translated,
  unsupported,
  withValue,
} from "./translation.ts";

const PRESENCE = "Checks that the element is visible, which is more than being present.";
const ABSENCE = "Checks that the element is not visible; it may still be present.";
const EDITABLE = "Checks that the element is enabled, not that it is editable.";
const NO_NEGATION = "Checks that a text or value is different are not supported.";
const NO_DIALOG_TEXT = "Checks of a dialog's text are not supported.";

const title: Translate = ({ target, value }) =>
  translated({ action: "assert_title", value: exactPattern(target || value) });

const assertions: Readonly<Record<string, Translate>> = {
  Text: withValue("assert_text"),
  Value: withValue("assert_value"),
  SelectedLabel: withValue("assert_value"),
  SelectedValue: withValue("assert_value"),
  Checked: onElement("assert_checked"),
  NotChecked: onElement("assert_unchecked"),
  Editable: onElement("assert_enabled", EDITABLE),
  NotEditable: onElement("assert_disabled", EDITABLE),
  ElementPresent: onElement("assert_visible", PRESENCE),
  ElementNotPresent: onElement("assert_hidden", ABSENCE),
  Visible: onElement("assert_visible"),
  NotVisible: onElement("assert_hidden"),
  Title: title,
  NotText: () => unsupported(NO_NEGATION),
  NotSelectedValue: () => unsupported(NO_NEGATION),
  NotSelectedLabel: () => unsupported(NO_NEGATION),
};

/** `assert…`, `verify…` and `waitFor…`. */
export const assertionCommands: Readonly<Record<string, Translate>> = {
  ...Object.fromEntries(
    Object.entries(assertions).flatMap(([name, translate]) => [
      [`assert${name}`, translate],
      [`verify${name}`, translate],
    ]),
  ),
  assertAlert: () => unsupported(NO_DIALOG_TEXT),
  assertConfirmation: () => unsupported(NO_DIALOG_TEXT),
  assertPrompt: () => unsupported(NO_DIALOG_TEXT),
  waitForElementPresent: onElement("wait_for", PRESENCE),
  waitForElementVisible: onElement("wait_for"),
  waitForElementNotPresent: ({ target }) => waitForHidden(target, ABSENCE),
  waitForElementNotVisible: ({ target }) => waitForHidden(target, null),
  waitForElementEditable: ({ target }) => {
    const element = targetOf(target);
    if (element === null) return unsupported(BAD_LOCATOR);
    return { steps: [{ action: "wait_for", target: element, value: "enabled" }], note: EDITABLE };
  },
  waitForElementNotEditable: onElement("assert_disabled", EDITABLE),
  waitForText: withValue("assert_text"),
};

const waitForHidden = (locator: string, note: string | null): Translation => {
  const target = targetOf(locator);
  return target === null
    ? unsupported(BAD_LOCATOR)
    : { steps: [{ action: "wait_for", target, value: "hidden" }], note };
};
