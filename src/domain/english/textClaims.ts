import { findKind, type KindName, kinds } from "../catalogue/kinds.ts";
import { isFieldName } from "./fieldNames.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, CONTAIN, claim, HAVE, SEE, SHOW, text, VISIBLE } from "./verbs.ts";

const isFieldLike = (kind: KindName | null): boolean =>
  kind === "field" || kind === "box" || kind === "dropdown";

/** `The heading should be "Welcome"`: the text of what has one, the value of a field. */
const equal = (slots: Bindings): Built => {
  const kind = kindOfSlot(slots.target);
  if (!isText(slots)) return null;
  const isField = kind === null && isFieldName(text(slots, "target"));
  if (isField || isFieldLike(kind)) return claim("assert_value", "value")(slots);
  const opening =
    kind === null && !slots.target?.isQuoted ? findKind(text(slots, "target").toLowerCase()) : null;
  const texted = kind ?? opening;
  const hasText = texted !== null && TEXTED.has(texted);
  const isSelector = slots.target?.target?.find.by === "selector";
  // `The Subtotal is "$0.00"`: an amount is read, whatever it is called.
  const isAmount =
    kind === null && AMOUNT.test(text(slots, "value")) && !/^\$\{/.test(text(slots, "value"));
  return hasText || isSelector || isAmount
    ? claim("assert_text", "value")(slots)
    : { doubt: "Say what it should have: the text, or the value." };
};

const AMOUNT =
  /^(?:[-+]?(?:[A-Z]{3} ?|[$€£¥] ?)?\d[\d.,]*(?: ?(?:%|[$€£¥]|[A-Z]{3}))?|\$\{[^}\s]+\})$/;

/** Quoted, or a number, an amount, a variable: nothing else stops where it is said to. */
const isText = ({ value }: Bindings): boolean =>
  value !== undefined && (value.isQuoted || AMOUNT.test(value.text));

const TEXTED = new Set<KindName>([
  "heading",
  "cell",
  "link",
  "button",
  "alert",
  "columnheader",
  "listitem",
  "tab",
]);

/** The text of an element and the value of a field. */
export const textClaims: readonly Form[] = [
  {
    pattern: `the? option {value:quoted} ${BE} selected|chosen|preselected|selected_by_default in|from|for|of {target:target}`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `the? value|text? {value:quoted} ${BE}|appears|should_appear|shows_up ${VISIBLE}|entered? in|inside|within {target:target}`,
    example: 'I should see "Welcome" in the heading',
    build: (slots) => {
      const kind = kindOfSlot(slots.target);
      if (isFieldLike(kind)) return claim("assert_value", "value")(slots);
      const isSelector = slots.target?.target?.find.by === "selector";
      // What is seen in a column stands below its header.
      return isSelector || (kind !== null && kind !== "columnheader" && TEXTED.has(kind))
        ? claim("assert_contains", "value")(slots)
        : null;
    },
  },
  {
    pattern: `{value:quoted} ${BE} selected|chosen|the_selected_option|preselected|pre-selected|selected_by_default in|from|for|of {target:target}`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `{target:target} ${HAVE} {value:quoted} selected|chosen as_its_value?`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `the? selected|chosen option|value of|in|for {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `the? {target:target} text|label|caption ${BE}|should_equal|equals|should_read|reads|should_say|says|changes_to|should_change_to|has_changed_to {value:quoted}`,
    example: 'The text of the heading should be "Welcome"',
    build: (slots) =>
      kindOfSlot(slots.target) === null ? null : claim("assert_text", "value")(slots),
  },
  {
    pattern: `the? {target:target} text|label|caption ${CONTAIN} {value:quoted}`,
    example: 'The heading should contain "Welcome"',
    build: (slots) =>
      kindOfSlot(slots.target) === null ? null : claim("assert_contains", "value")(slots),
  },
  {
    pattern: `the? {target:target} field's|input's|dropdown's|box's? value ${BE}|should_equal|equals|should_read {value:value}`,
    example: 'The value of the "Email" field should be "x"',
    build: (slots) =>
      isFieldLike(kindOfSlot(slots.target)) ? claim("assert_value", "value")(slots) : null,
  },
  {
    pattern: `${SEE} {value:quoted} in|inside|within {target:target}`,
    example: 'I should see "Welcome" in the heading',
    build: (slots) => {
      const kind = kindOfSlot(slots.target);
      if (kind === "field" || kind === "box") return claim("assert_value", "value")(slots);
      // What is seen in a place is one thing in it.
      if (kind !== null && kinds[kind].container) return null;
      if (kind === null && !slots.target?.isQuoted) return { doubt: "Say in what kind of thing." };
      return claim("assert_contains", "value")(slots);
    },
  },
  {
    pattern: `the? value of|in|inside {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The value of the "Email" field should be "x"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `the? text of|on|in|inside {target:target} ${BE}|should_equal|equals|should_read|reads|says {value:value}`,
    example: 'The text of the heading should be "Welcome"',
    build: (slots) =>
      claim(isFieldLike(kindOfSlot(slots.target)) ? "assert_value" : "assert_text", "value")(slots),
  },
  {
    pattern: `{target:target} ${HAVE} the|a? value of? {value:value}`,
    example: 'The "Email" field should have the value "x"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `{target:target} ${BE} set_to|filled_with|filled_in_with|pre-filled_with|prefilled_with|populated_with|prepopulated_with|pre-populated_with|auto-filled_with|autofilled_with {value:value}`,
    example: 'The "Email" field should be filled with "x"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `{target:target} ${BE} empty|blank|cleared|emptied`,
    example: 'The "Email" field should be empty',
    build: (slots) =>
      kindOfSlot(slots.target) === "field"
        ? { action: "assert_value", target: text(slots, "target") }
        : { doubt: "Only a field is known to be empty: say the field's name and field." },
  },
  {
    pattern: `{target:target} ${HAVE} no value|text|content`,
    example: 'The "Email" field should be empty',
    build: (slots) =>
      kindOfSlot(slots.target) === "field"
        ? { action: "assert_value", target: text(slots, "target") }
        : null,
  },
  {
    pattern: "{target:target} matches|should_match|to_match|must_match the? text {value:quoted}",
    example: 'The heading should have the text "Welcome"',
    build: (slots) =>
      claim(isFieldLike(kindOfSlot(slots.target)) ? "assert_value" : "assert_text", "value")(slots),
  },
  {
    pattern: `{target:target} ${HAVE} {value:quoted}`,
    example: 'The "Email" field should have the value "x"',
    build: (slots) =>
      kindOfSlot(slots.target) === "field" ? claim("assert_value", "value")(slots) : null,
  },
  {
    pattern: `{target:target} ${HAVE} the|a? exact? text {value:value}`,
    example: 'The heading should have the text "Welcome"',
    // What stands in a field is its value.
    build: (slots) =>
      claim(isFieldLike(kindOfSlot(slots.target)) ? "assert_value" : "assert_text", "value")(slots),
  },
  {
    pattern: `{target:target} should_say|says|should_read|reads|to_read|to_say {value:value}`,
    example: 'The heading should say "Welcome"',
    build: (slots) => (isText(slots) ? claim("assert_text", "value")(slots) : null),
  },
  {
    pattern: `{target:target} ${CONTAIN}|${SHOW} the? text|value|number|amount|word? {value:value}`,
    example: 'The heading should contain "Welcome"',
    build: (slots) => {
      if (isFieldLike(kindOfSlot(slots.target)) && isText(slots))
        return claim("assert_value", "value")(slots);
      if (!isText(slots)) return { doubt: "Quote the text that it should contain." };
      return claim("assert_contains", "value")(slots);
    },
  },
  {
    pattern: `{target:target} should_be|must_be|is|equals|should_equal|to_be|to_equal|should_now_be|are|=|== {value:value}`,
    example: 'The heading should have the text "Welcome"',
    build: equal,
  },
];
