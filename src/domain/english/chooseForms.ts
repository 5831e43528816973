import { both, CHOOSE } from "./actVerbs.ts";
import { chosenAlone, isOfField } from "./chosenAlone.ts";
import { isChosenFrom, select } from "./fillable.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";
import { quote } from "./words.ts";

const IS_FILE = /^[\w-]+(?:\.[\w-]+)*\.\w{2,5}$/;

/** `… for upload` says no field. */
const upload = (slots: Bindings): Built =>
  /^uploads?(?:ing)?$/i.test(text(slots, "target"))
    ? { doubt: "Say which field the file is chosen in." }
    : both("upload", slots);

/** `Select the image "a.png" from the "Library" dialog`: a thing of the page, in a place that takes no file. */
const isPlace = ({ target }: Bindings): boolean =>
  ["dialog", "menu", "list", "table", "row", "listitem"].includes(kindOfSlot(target) ?? "");

/** `Export as CSV`, `Save as draft`: an item that says what it does. */
const isCaption = ({ value, target }: Bindings): boolean =>
  value?.isQuoted === false &&
  target?.isQuoted === false &&
  kindOfSlot(target) === null &&
  /^(?:Export|Save|Download|Mark|Print|Share|View|Open|Publish|Copy|Send|Import|Use|Set|Show|Duplicate)$/.test(
    value.text,
  );
/** Whether it is surely a field or a list whose option is named. */
const hasOptions = ({ target }: Bindings): boolean =>
  target?.isQuoted === true || kindOfSlot(target) !== null || isOfField(target?.text ?? "");

/** What is chosen: options, files, and things that are chosen by a click. */
export const chooseForms: readonly Form[] = [
  {
    pattern:
      "upload|uploads|attach|attaches the|a|an? file|document|image|picture|photo? named|called? {value:quoted} file|document|image? into|in|to|for|on|using|via|with {target:target}",
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: upload,
  },
  {
    pattern: `${CHOOSE}|set|add the|a? file|document {value:quoted} in|for|into|from|to|on {target:target}`,
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) => (isPlace(slots) ? null : upload(slots)),
  },
  {
    pattern: `${CHOOSE}|set|add|attach the|a? file|document|image|picture|photo {value:value} in|for|into|from|to|on|as|with|using|via {target:target}`,
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) =>
      IS_FILE.test(text(slots, "value")) && !isPlace(slots) ? upload(slots) : null,
  },
  {
    pattern: `${CHOOSE}|use|add {value:quoted} as the|a? file|document|image|picture|photo for|in|of {target:target}`,
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) => (IS_FILE.test(text(slots, "value")) ? upload(slots) : null),
  },
  {
    pattern: `${CHOOSE} {value:value} as the|your {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      slots.value?.isQuoted || (/^[\p{Lu}\d]\S*$/u.test(text(slots, "value")) && !isCaption(slots))
        ? select(slots)
        : null,
  },
  {
    // `Choose Export as CSV`: what is chosen may be called so.
    pattern: `${CHOOSE} {value:value} as a? {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) =>
      isCaption(slots)
        ? { action: "click", target: `${text(slots, "value")} as ${text(slots, "target")}` }
        : slots.value?.isQuoted ||
            (/^[\p{Lu}\d]\S*$/u.test(text(slots, "value")) && hasOptions(slots))
          ? select(slots)
          : null,
  },
  {
    // Few menus are marked as such: what is chosen from one that nothing names is clicked, wherever it is.
    pattern: `${CHOOSE} the_option|the_item|the_entry|option? {value:value} option|item|entry? from the|this menu|menu_that_opens|menu_that_appears|opened_menu|popup_menu|pop-up_menu`,
    example: 'Click the "Sign in" button',
    build: (slots) =>
      slots.value?.isQuoted || /^\p{Lu}/u.test(text(slots, "value"))
        ? { action: "click", target: quote(text(slots, "value")) }
        : null,
  },
  {
    pattern: `${CHOOSE} the? option with_the_text|with_text|with_the_value|with_value|with_the_label|with_the_name|with_name|with_label|named|called|labelled|labeled {value:quoted} from|in|for|of {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: select,
  },
  {
    pattern:
      "upload|uploads|attach|attaches the? file|document? {value:value} into|in|to|for|on|with|using|via|through {target:target}",
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) => (IS_FILE.test(text(slots, "value")) ? both("upload", slots) : null),
  },
  {
    pattern: `from|in|on|under|with|using|for {target:target} ,? ${CHOOSE} the_option|the_value|option|value? {value:value}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) => {
      const isNamed = kindOfSlot(slots.target) === null && slots.target?.isQuoted === true;
      return isChosenFrom(slots.target) || isNamed ? select(slots) : null;
    },
  },
  {
    // What a field suggests is there to be clicked.
    pattern: `${CHOOSE} the_option|the_suggestion|the_entry|option|suggestion? {value:quoted} from|in|among the|a? suggestions|list_of_suggestions|suggested_options|autocomplete|autocomplete_suggestions|search_suggestions|dropdown_that_appears|list_that_appears|menu_that_opens|list_that_opens`,
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "click", target: quote(text(slots, "value")) }),
  },
  {
    pattern: `${CHOOSE} the_option|the_value|option|value? {value:value} from|in|for|using {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: select,
  },
  {
    pattern: `switch|switches|flip {target:target} to {value:value}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) => (kindOfSlot(slots.target) === "dropdown" ? select(slots) : null),
  },
  {
    pattern: `${CHOOSE} the {value:value} option from|in|for {target:target}`,
    example: 'Select the "Canada" option from Country',
    // "the cheapest option" speaks of one without naming it.
    build: (slots) => (/^(?:\p{Lu}|\d+$)/u.test(text(slots, "value")) ? select(slots) : null),
  },
  {
    pattern: `${CHOOSE} the? {value:quoted} option from|in|for {target:target}`,
    example: 'Select the "Canada" option from Country',
    build: select,
  },
  {
    pattern: `${CHOOSE} {target:target}`,
    example: 'Select the "Express" radio button',
    build: (slots) => {
      // `Choose a file button`: what it is called, or what is done?
      if (!slots.target?.isQuoted && /^files?\b/i.test(text(slots, "target"))) {
        return { doubt: "Say where the file is chosen, or put the button's name in quotes." };
      }
      return chosenAlone(slots);
    },
  },
];
