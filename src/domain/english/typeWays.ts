import { onTarget, TYPE } from "./actVerbs.ts";
import { isFieldName } from "./fieldNames.ts";
import { fill, isClearable, isFieldSaid, isFillable, keyed } from "./fillable.ts";
import type { Form } from "./formTables.ts";
import { kindOfSlot, type Slot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const WHAT =
  "the_text|the_value|the_word|the_following|the_following_text|the_following_value|text|value";
const IN = "in|into|inside|to|within|for";

const isNamed = (slot: Slot | undefined): boolean =>
  isFieldSaid(slot) || isFieldName(slot?.text ?? "");

/** What is typed where it is quoted, and where it goes is a field or a quoted name. */
const typed = (slots: Parameters<typeof fill>[0]) =>
  isFillable(slots.target) &&
  (slots.target?.isQuoted ||
    isNamed(slots.target) ||
    /^search (?:bar|input)$/i.test(slots.target?.text ?? ""))
    ? fill(slots)
    : null;

/** What is typed, filled in and emptied, in more ways than most people say it. */
export const typeWays: readonly Form[] = [
  {
    pattern: `${TYPE}|fill_in|type_in the|a|my|your|his|her|their? {target:target} ( {value:value} )`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      isFieldName(slots.target?.text ?? "") && !/\s/.test(slots.value?.text ?? "")
        ? fill(slots)
        : null,
  },
  {
    pattern: `{target:target} :|,|-? ${TYPE}|fill_in|use|put ${WHAT}? {value:quoted}`,
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: "{target:target} :|-|->|=> {value:quoted}",
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: `amount|text|value|email|password|username|name|number|code|date|quantity|query|term|keyword|comment|message|title|price {value:quoted} ${IN} {target:target}`,
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    // `Enter the amount: 1,500.00`
    pattern: `${TYPE}|fill_in the|a|my|your? {target:target} : {value:value}`,
    example: 'Type "ann" into Username',
    build: (slots) =>
      kindOfSlot(slots.target) === null && /^\S*\d\S*$/.test(text(slots, "value"))
        ? fill(slots)
        : null,
  },
  {
    pattern: `${TYPE}|fill_in|give|write_down|use|key|put_in ${WHAT}? {value:quoted} ${IN}|at|under|on {target:target}`,
    example: 'Type "ann" into Username',
    build: typed,
  },
  {
    pattern: `${TYPE}|fill_in ${WHAT} ${IN} {target:target} : {value:quoted}`,
    example: 'Type "ann" into Username',
    build: typed,
  },
  {
    pattern: `${TYPE}|fill_in ${WHAT} ${IN} {target:target} {value:quoted}`,
    example: 'Type "ann" into Username',
    build: typed,
  },
  {
    pattern: `${TYPE} ${IN} {target:target} :|,? ${WHAT}? {value:quoted}`,
    example: 'Type "ann" into Username',
    build: typed,
  },
  {
    pattern: `${TYPE} the {name:name} address|number|name|code|text? {value:quoted} ${IN} {target:target}`,
    example: 'Type "ann" into Username',
    build: (slots) => (isFieldSaid(slots.target) ? fill(slots) : null),
  },
  {
    pattern: `${TYPE}|use|provide {value:quoted} as|for the_value_of|the_text_of|the_value_for|the_text_for|the_content_of|value_of {target:target}`,
    example: 'Enter "ann" as Username',
    build: typed,
  },
  {
    pattern: `${IN}|as|under|at|with ,? {target:target} ,|:? ${TYPE}|use|fill_in|write|give|put ${WHAT}? {value:quoted}`,
    example: 'Type "ann" into Username',
    build: typed,
  },
  {
    pattern: `fill|fills|provide|supply|overwrite|complete {target:target} in|out|up? with|using|by_typing|by_entering|by_writing|with_the_following|with_the_following_text ${WHAT}? {value:quoted}`,
    example: 'Fill in Email with "ann@example.com"',
    build: typed,
  },
  {
    pattern: `fill_in|fill|fills|fill_out|complete|set {target:target} : {value:quoted}`,
    example: 'Fill in Email with "ann@example.com"',
    build: typed,
  },
  {
    pattern:
      "change|changes|set|sets|update|updates|modify|edit|edits|replace|overwrite the? text|value|content|contents|entry|input in|of|inside|within {target:target} to|with|by|into {value:value}",
    example: 'Set Quantity to "3"',
    build: (slots) =>
      isFieldSaid(slots.target) || slots.target?.isQuoted
        ? kindOfSlot(slots.target) === "dropdown"
          ? { action: "select", target: text(slots, "target"), value: text(slots, "value") }
          : fill(slots)
        : null,
  },
  {
    pattern: "replace|replaces|overwrite|overwrites {target:target} with|by {value:quoted}",
    example: 'Set Quantity to "3"',
    build: (slots) =>
      isFieldSaid(slots.target) ||
      (slots.target?.isQuoted === false && /^\p{Lu}/u.test(text(slots, "target")))
        ? fill(slots)
        : null,
  },
  {
    pattern:
      "replace|replaces|change|changes {pair:quoted} with|by|to|into {value:quoted} in {target:target}",
    example: 'Set Quantity to "3"',
    // The field may hold more than the text that is replaced.
    build: () => ({ doubt: "Say what the whole field should contain." }),
  },
  {
    pattern: `${TYPE} ${WHAT}|the_letters|the_characters? {value:quoted} one_by_one|letter_by_letter ${IN} {target:target}`,
    example: 'Type "par" into "City" key by key',
    build: keyed,
  },
  {
    pattern: `${TYPE} ${WHAT}|the_letters|the_characters? {value:quoted} ${IN} {target:target} one_by_one|one_letter_at_a_time|one_key_at_a_time`,
    example: 'Type "par" into "City" key by key',
    build: keyed,
  },
  {
    pattern:
      "empty|empties|wipe|wipes|clear|clears|blank|delete|erase|remove|removes|deletes everything|what_is|whatever_is|anything|the_entry|the_existing_text|the_existing_value|the_current_text|the_current_value|existing_text|the_old_text|the_old_value|the_whole_text|the_entire_text|the_text|all_characters|every_character|the_input in|of|from|inside|out_of {target:target}",
    example: 'Clear the "Email" field',
    build: (slots) => (isClearable(slots.target) ? onTarget("clear")(slots) : null),
  },
  {
    pattern: "empty_out|wipe|wipes|wipe_out|clean|clean_out|blank {target:target}",
    example: 'Clear the "Email" field',
    build: (slots) => (isFieldSaid(slots.target) ? onTarget("clear")(slots) : null),
  },
  {
    pattern: "leave|leaves|keep|keeps {target:target} as empty|blank",
    example: 'Fill the "Email" field with ""',
    build: (slots) =>
      isFieldSaid(slots.target) ? { action: "fill", target: text(slots, "target") } : null,
  },
];
