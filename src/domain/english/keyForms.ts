import { parseKeyChord } from "../catalogue/values.ts";
import { onTarget, PRESS } from "./actVerbs.ts";
import { isFieldSaid } from "./fillable.ts";
import type { Form } from "./formTables.ts";
import { kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

/** Keys, and pauses. */
export const keyForms: readonly Form[] = [
  {
    pattern: "give it|them|the_page {time:time} to_load|to_settle|to_finish?",
    example: "Wait 2 seconds",
    build: (slots) => ({ action: "wait", value: text(slots, "time") }),
  },
  {
    pattern:
      "close|closes|dismiss|dismisses|cancel|leave|exit|submit|submits|confirm|confirms|send it|them|this|that|the_form|the_dialog|the_modal|the_panel|the_menu|the_popup|the_search|the_overlay|the_sidebar|the_drawer with|using|by_pressing|by_hitting|via the? {key:key}",
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: `select|selects|mark|highlight all|everything|all_text|all_the_text|the_text|the_whole_text|the_content in|of|inside {target:target} with|using|by_pressing|via the? {key:key}`,
    example: "Press Enter in the Search field",
    build: (slots) => ({
      action: "press",
      target: text(slots, "target"),
      value: text(slots, "key"),
    }),
  },
  {
    pattern:
      "select|selects|mark|highlight all|everything|all_text|all_the_text|all_content in|of|inside {target:target}",
    example: 'Press Control+A in the "Notes" field',
    build: (slots) =>
      isFieldSaid(slots.target)
        ? { action: "press", target: text(slots, "target"), value: "Control+A" }
        : null,
  },
  {
    // A key that may be a button is one where it is pressed in a field.
    pattern: `${PRESS}|hit|hits the? {name:name} key? in|inside|within {target:target}`,
    example: "Press Enter in the Search field",
    build: (slots) => {
      const chord = parseKeyChord(text(slots, "name"));
      const isWord = chord !== null && chord.length > 1;
      return isWord && isFieldSaid(slots.target) && !slots.name?.isQuoted
        ? { action: "press", target: text(slots, "target"), value: chord }
        : null;
    },
  },
  {
    pattern: "tab out of {target:target}",
    example: "Press Enter in the Search field",
    build: (slots) => ({ action: "press", target: text(slots, "target"), value: "Tab" }),
  },
  {
    pattern: "submit|submits|confirm|confirms with|using the? {key:key}",
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: `${PRESS}|hit|hits the? {name:name} key|button? on_the_keyboard|on_your_keyboard|on_keyboard`,
    example: "Press Enter",
    build: (slots) => {
      const chord = parseKeyChord(text(slots, "name"));
      return chord === null ? null : { action: "press", value: chord };
    },
  },
  {
    pattern: `${PRESS}|hit|hits|use|uses|type the? key? {key:key} key? on_the_keyboard|on_your_keyboard|on_keyboard`,
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: `${PRESS}|hit|hits|use the? key|letter|character {value:quoted}`,
    example: "Press the Escape key",
    build: (slots) => {
      const chord = parseKeyChord(text(slots, "value"));
      return chord ? { action: "press", value: chord } : { doubt: "This is no key that is known." };
    },
  },
  {
    pattern: `${PRESS}|hit|hits|use|uses the? key|keys|keyboard_shortcut|shortcut|hotkey|hot_key|key_combination|key_combo|keyboard_combination|combination {key:key} shortcut|combination?`,
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: `${PRESS}|hit|hits {key:key} in|on|inside|within {target:target}`,
    example: "Press Enter in the Search field",
    build: (slots) => ({
      action: "press",
      target: text(slots, "target"),
      value: text(slots, "key"),
    }),
  },
  {
    pattern: `${PRESS}|hit|hits|use {key:key}`,
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: `${PRESS}|hit|hits|hit_on {target:target}`,
    example: 'Press the "Save" button',
    build: (slots) => {
      const [first = "", ...rest] = text(slots, "target").split(" ");
      const isKey = parseKeyChord(first) !== null || /^(?:up|down|left|right|page)$/i.test(first);
      if (
        !slots.target?.isQuoted &&
        /^\w+\/\w+$/.test(first) &&
        parseKeyChord(first.split("/")[0] ?? "")
      ) {
        return { doubt: "Say one key." };
      }
      if (!slots.target?.isQuoted && / keys?$/i.test(text(slots, "target"))) {
        return { doubt: "This is no key that is known." };
      }
      if (
        !slots.target?.isQuoted &&
        /^(?:ctrl|control|alt|shift|cmd|command|meta|option)\+/i.test(first)
      ) {
        return { doubt: "This is no key that is known." };
      }
      const isName = slots.target?.isQuoted || kindOfSlot(slots.target) !== null;
      if (!isName && (isKey || rest[0] === "+")) {
        return { doubt: "It may be a key or the name of a button: say the key, or the button." };
      }
      return onTarget("click")(slots);
    },
  },
  {
    pattern:
      "wait|waits|pause|pauses|sleep|sleeps|hold_on|hold|stop|stay|idle|delay|hang_on for? about|another|at_least|exactly? {time:time} before_continuing|before_proceeding?",
    example: "Wait 2 seconds",
    build: (slots) => ({ action: "wait", value: text(slots, "time") }),
  },
];
