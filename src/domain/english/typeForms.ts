import { both, FILL, onTarget, TYPE } from "./actVerbs.ts";
import { isFieldName } from "./fieldNames.ts";
import {
  fill,
  isClearable,
  isFieldSaid,
  isFillable,
  NOT_A_FIELD,
  named,
  setTo,
} from "./fillable.ts";
import type { Form } from "./formTables.ts";
import { baseOf } from "./inflections.ts";
import { kindOfSlot, type Slot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

/** `Customer ID`: what nothing quotes is called so, for it begins like a name and has no figure in it. */
const isTitled = (slot: Slot | undefined): boolean =>
  slot?.isQuoted === false && /^\p{Lu}[^\d@$]*$/u.test(slot.text) && kindOfSlot(slot) === null;

/** `enter your name`: words that begin like what is done. */
const isDeedSaid = (slot: Slot | undefined): boolean => {
  const [first = "", ...more] = slot?.isQuoted === false ? slot.text.split(" ") : [];
  return more.length > 0 && first === first.toLowerCase() && baseOf(first) === first;
};

/** What is typed, filled in, changed and emptied. */
export const typeForms: readonly Form[] = [
  {
    pattern: "search|searches|look for {value:value} in|using|with {target:target}",
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: `${TYPE} the|a|an amount|number|code|date|name|address|quantity|price|value|time|query|comment|message|title|term|keyword|search_term|pin|zip|figure {value:value} in|into {target:target}`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      slots.value?.isQuoted || /^\S*\d\S*$/.test(text(slots, "value")) ? fill(slots) : null,
  },
  {
    pattern: `${TYPE} code|pin|amount|quantity|number|zip {value:value} in|into {target:target}`,
    example: 'Type "ann" into Username',
    build: (slots) => (/^\S*\d\S*$/.test(text(slots, "value")) ? fill(slots) : null),
  },
  {
    pattern: "use|uses {value:quoted} as|for the|a|your|my? {target:target}",
    example: 'Enter "ann" as Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : named(slots)),
  },
  {
    pattern: `slowly ${TYPE} the_text|the_value|the_word|text|value? {value:value} in|into|to|inside {target:target}`,
    example: 'Type "par" into "City" key by key',
    build: (slots) => (isFillable(slots.target) ? both("type", slots) : { doubt: NOT_A_FIELD }),
  },
  {
    pattern: "make|makes {target:target} empty|blank",
    example: 'Clear the "Email" field',
    build: (slots) =>
      isClearable(slots.target)
        ? onTarget("clear")(slots)
        : { doubt: "Say that it is a field that is cleared, or what is clicked." },
  },
  {
    pattern: `${TYPE} the_text|the_value|the_word|text|value? {value:value} character_by_character|key_by_key|letter_by_letter|one_key_at_a_time|one_character_at_a_time|char_by_char|slowly|keystroke_by_keystroke in|into|to|inside {target:target}`,
    example: 'Type "par" into "City" key by key',
    build: (slots) => (isFillable(slots.target) ? both("type", slots) : { doubt: NOT_A_FIELD }),
  },
  {
    pattern: `${TYPE} the_text|the_value|the_word|text|value? {value:value} in|into|to|inside {target:target} character_by_character|key_by_key|letter_by_letter|one_key_at_a_time|one_character_at_a_time|char_by_char|slowly|keystroke_by_keystroke`,
    example: 'Type "par" into "City" key by key',
    build: (slots) => (isFillable(slots.target) ? both("type", slots) : { doubt: NOT_A_FIELD }),
  },
  {
    pattern:
      "replace|replaces|overwrite|overwrites the? text|content|contents|value in|of|inside {target:target} with|by {value:value}",
    example: 'Fill in Email with "ann@example.com"',
    build: fill,
  },
  {
    pattern: "leave|leaves|keep|keeps {target:target} blank|empty|unfilled",
    example: 'Fill the "Email" field with ""',
    build: (slots) =>
      isClearable(slots.target)
        ? { action: "fill", target: text(slots, "target") }
        : { doubt: "Say that it is a field that is left empty." },
  },
  {
    pattern:
      "remove|removes|delete|deletes|erase|erases|clear|clears|clear_out|empty the|all|all_the|any? content|contents|text|value|input of|from|in|inside {target:target}",
    example: 'Clear the "Email" field',
    build: (slots) =>
      isClearable(slots.target)
        ? onTarget("clear")(slots)
        : { doubt: "Say that it is a field that is cleared, or what is clicked." },
  },
  {
    pattern: `${TYPE} the|a|my|your? {target:target} as|:|=? {value:quoted}`,
    example: 'Type "ann" into Username',
    build: named,
  },
  {
    pattern: `${TYPE} the|a|my|your? {target:target} :|= {value:value}`,
    example: 'Type "ann" into Username',
    build: named,
  },
  {
    pattern: `${FILL} the|a|my|your? {target:target} :|= {value:value}`,
    example: 'Fill in Email with "ann@example.com"',
    build: (slots) =>
      slots.target?.isQuoted && slots.value?.isQuoted ? fill(slots) : named(slots),
  },
  {
    pattern: `${FILL} the|a|my|your? {target:target} {value:quoted}`,
    example: 'Fill in Email with "ann@example.com"',
    build: named,
  },
  {
    pattern: "set|sets {value:quoted} to|into|in the? {target:target}",
    example: 'Fill in Email with "ann@example.com"',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: "append|appends|add|adds {value:quoted} to {target:target}",
    example: 'Type "par" into "City" key by key',
    build: (slots) => (isFieldSaid(slots.target) ? both("type", slots) : null),
  },
  {
    pattern:
      "change|changes|update|updates|edit {target:target} from {pair:quoted} to {value:quoted}",
    example: 'Set Quantity to "3"',
    build: setTo,
  },
  {
    pattern: "update|updates|modify|modifies {target:target} with {value:quoted}",
    example: 'Set Quantity to "3"',
    build: setTo,
  },
  {
    pattern: "{target:target} :|= {value:value}",
    example: 'Type "ann" into Username',
    // `Name: enter your name` says what is done, and not the text.
    build: (slots) => (slots.target?.isQuoted || isDeedSaid(slots.value) ? null : named(slots)),
  },
  ...["user", "username", "pass", "password", "pw", "pin", "email", "e-mail"].map(
    (name): Form => ({
      pattern: `${name} {value:quoted}`,
      example: 'Type "ann" into Username',
      build: (slots) => ({ action: "fill", target: name, value: text(slots, "value") }),
    }),
  ),
  {
    pattern: `in|into|inside|for {target:target} ,? ${TYPE} the_text|the_value|the_word|text|value? {value:value}`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      /\bprompt\b/i.test(text(slots, "target")) && !slots.target?.isQuoted
        ? { doubt: "Say whether the prompt is accepted: answer the prompt with the text." }
        : fill(slots),
  },
  {
    pattern: `${FILL} {target:target} with|with_the_text|with_the_value|with_text|with_value {value:value}`,
    example: 'Fill in Email with "ann@example.com"',
    build: fill,
  },
  {
    pattern: `${FILL} {value:value} into|in {target:target}`,
    example: 'Fill "ann" into Username',
    // `Fill in the form in the dialog`: only what looks like a text, or goes into what is said to be a field.
    build: (slots) => {
      const value = text(slots, "value");
      const isText = slots.value?.isQuoted || /\d|@|^\$\{/.test(value) || isFieldSaid(slots.target);
      return isText && !/^(?:in|out|up)\b/i.test(value) ? fill(slots) : null;
    },
  },
  {
    pattern: `${FILL} {value:quoted} into|in|for|as {target:target}`,
    example: 'Fill "ann" into Username',
    build: fill,
  },
  {
    pattern: `${TYPE} the_text|the_value|the_word|text|value? {value:value} in|into|to|inside|within|on|under {target:target}`,
    example: 'Type "ann" into Username',
    build: fill,
  },
  {
    pattern: `${TYPE} {value:quoted} as|for the {target:target}`,
    example: 'Enter "ann" as Username',
    build: (slots) => (isFillable(slots.target) ? fill(slots) : null),
  },
  {
    // `Enter Customer ID as 700123`: a name with an amount, an address or a variable behind it.
    pattern: `${TYPE} the|a|an|my|your? {target:target} as {value:value}`,
    example: 'Enter "ann" as Username',
    build: (slots) =>
      isTitled(slots.target) && /^(?:\S*\d\S*|\S+@\S+|\$\{\S+\})$/.test(text(slots, "value"))
        ? fill(slots)
        : null,
  },
  {
    // `Enter PIN "9981"`: what is called so, and the text that goes into it.
    pattern: `${TYPE} the|my|your? {target:target} {value:quoted}`,
    example: 'Type "ann" into Username',
    build: (slots) => (isTitled(slots.target) ? fill(slots) : null),
  },
  {
    pattern: `${TYPE} {value:quoted} as the|a|an|my|your|their? {target:target}`,
    example: 'Enter "ann" as Username',
    // `Enter "A" as "B"`: which of the two is the field?
    build: (slots) =>
      slots.target?.isQuoted &&
      kindOfSlot(slots.target) === null &&
      !isFieldName(text(slots, "target"))
        ? { doubt: "Say which of the two is the field." }
        : fill(slots),
  },
  {
    pattern: `${TYPE} {value:quoted} for the|a|an|my|your|their? {target:target}`,
    example: 'Enter "ann" as Username',
    build: fill,
  },
  {
    pattern: `${TYPE} {value:value} as|for the|a|my|your? {target:target}`,
    example: 'Enter "ann" as Username',
    build: (slots) =>
      !/^\S*[\d@]\S*$/.test(text(slots, "value"))
        ? null
        : isTitled(slots.target) && !slots.value?.isQuoted
          ? fill(slots)
          : named(slots),
  },
  {
    pattern: `${TYPE} the|a|my|your? {target:target} {value:value}`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      /^\d+$/.test(text(slots, "value")) && isFieldName(text(slots, "target")) ? fill(slots) : null,
  },
  {
    pattern: `${TYPE} {value:value}`,
    example: 'Type "ann" into Username',
    build: () => ({ doubt: "Say which field the text goes into." }),
  },
  {
    pattern:
      "set|sets|change|changes|update|updates|modify|modifies|edit|edits the_value_of|the_text_of|the_content_of? {target:target} to|as|= {value:value}",
    example: 'Set Quantity to "3"',
    build: setTo,
  },
  {
    pattern: "clear|clears|empty|empties|erase|erases|clear_out|blank_out {target:target}",
    example: 'Clear the "Email" field',
    build: (slots) => {
      if (!isClearable(slots.target)) {
        return { doubt: "Say that it is a field that is cleared, or what is clicked." };
      }
      return onTarget("clear")(slots);
    },
  },
];
