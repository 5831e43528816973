import { both, CHOOSE, onTarget } from "./actVerbs.ts";
import { isChosenFrom, select, TICKED } from "./fillable.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";
import { quote } from "./words.ts";

const IS_FILE = /^[^\s/\\]{1,100}\.\w{2,5}$/;

const fromDropdown = (slots: Bindings): Built =>
  isChosenFrom(slots.target) ? select(slots) : null;

/** `set "Language" to "Deutsch" in the dropdown`: what is named is the dropdown. */
const asDropdown = (slots: Bindings): Built => {
  const find = slots.target?.target?.find;
  const isName = find?.by === "name" && slots.target?.target?.within === null;
  const isTitle = slots.target?.isQuoted || /^\p{Lu}/u.test(text(slots, "target"));
  return isName && isTitle
    ? { action: "select", target: `${quote(find.name)} dropdown`, value: text(slots, "value") }
    : fromDropdown(slots);
};

const uploaded = (slots: Bindings): Built =>
  IS_FILE.test(text(slots, "value")) &&
  (slots.target?.isQuoted ||
    kindOfSlot(slots.target) !== null ||
    /^\p{Lu}/u.test(text(slots, "target")))
    ? both("upload", slots)
    : null;

/** What is chosen, ticked and uploaded, in more ways than most people say it. */
export const chooseWays: readonly Form[] = [
  {
    pattern: `${CHOOSE}|set|sets the|an? entry|item|option|value|choice {value:quoted} from|in|within|on|of|out_of|for {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: fromDropdown,
  },
  {
    pattern: `${CHOOSE} the {name:name} {value:quoted} from|in|within|on|for {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: fromDropdown,
  },
  {
    pattern: `${CHOOSE}|make_a_selection_of|set {value:quoted} from|in|within|on|out_of|from_within|inside|under {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      isChosenFrom(slots.target) || (kindOfSlot(slots.target) === null && slots.target?.isQuoted)
        ? select(slots)
        : null,
  },
  {
    pattern: `from|in|on|under|with|using|for|within|out_of|inside {target:target} ,? ${CHOOSE} the_option|the_value|the_entry|the_item|option|value? {value:value} option?`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      isChosenFrom(slots.target) ||
      (slots.target?.isQuoted && slots.value?.isQuoted && kindOfSlot(slots.target) === null)
        ? select(slots)
        : null,
  },
  {
    pattern: `for {target:target} ,? ${CHOOSE} {value:value}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      kindOfSlot(slots.target) === "field" &&
      (slots.value?.isQuoted || /^\p{Lu}[\p{L}\d-]*$/u.test(text(slots, "value")))
        ? select(slots)
        : null,
  },
  {
    pattern: `in|from|on ,? {target:target} ,? click|clicks|click_on|tap|set|press the_option|the_entry|the_item? {value:quoted} option?`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) => (kindOfSlot(slots.target) === "dropdown" ? select(slots) : null),
  },
  {
    pattern:
      "change|changes|set|switch the? selection|choice|selected_option|selected_value|value in|of|for {target:target} to {value:value}",
    example: 'Select "Canada" from the Country dropdown',
    build: fromDropdown,
  },
  {
    pattern: "set|sets|change {target:target} value|selection to {value:value}",
    example: 'Select "Canada" from the Country dropdown',
    build: fromDropdown,
  },
  {
    pattern:
      "change|changes|set|sets|update|switch|put {target:target} to|as {value:value} in|from|with|using|via the? dropdown|drop-down|dropdown_menu|dropdown_list|select_box|combobox|select|drop-down_menu|drop-down_list",
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) => asDropdown(slots),
  },
  {
    pattern: "{target:target} : {value:quoted}",
    example: 'Select "Canada" from the Country dropdown',
    build: fromDropdown,
  },
  {
    pattern: `{target:target} : ${CHOOSE} {value:value}`,
    example: 'Select "Canada" from the Country dropdown',
    build: fromDropdown,
  },
  {
    pattern: "set|sets|flip|flips|put|puts|move|slide|toggle {target:target} to? on",
    example: 'Turn on the "Dark mode" switch',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "") ? onTarget("check")(slots) : null,
  },
  {
    pattern: "set|sets|flip|flips|put|puts|move|slide|toggle {target:target} to? off",
    example: 'Turn off the "Dark mode" switch',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "") ? onTarget("uncheck")(slots) : null,
  },
  {
    pattern: "set|sets {target:target}",
    example: 'Tick "I agree"',
    build: (slots) =>
      ["checkbox", "radio"].includes(kindOfSlot(slots.target) ?? "")
        ? onTarget("check")(slots)
        : null,
  },
  {
    pattern:
      "put|puts|place|places|add|adds|set|sets a|the? tick|check|check_mark|checkmark|tick_mark|cross in|into|on|next_to|beside|to|at {target:target}",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern:
      "remove|removes|take|takes|clear|delete the|a? tick|check|check_mark|checkmark|tick_mark|cross from|in|of|out_of|at {target:target}",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern:
      "upload|uploads|attach|attaches|add|adds the {value:value} file|document|image to|into|in|using|via|with {target:target}",
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: uploaded,
  },
  {
    pattern:
      "upload|uploads|attach|attaches|browse_for|add|adds|provide the_file|file? {value:value} as|for|in|under {target:target}",
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: uploaded,
  },
  {
    pattern: `in|into|with|using|use|via|for|to|uses {target:target} ,|to|and? upload|uploads|attach|${CHOOSE}|add the_file|a_file|file|the_document? named|called? {value:value}`,
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: uploaded,
  },
];
