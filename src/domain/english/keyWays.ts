import { parseKeyChord } from "../catalogue/values.ts";
import { onTarget } from "./actVerbs.ts";
import type { Form } from "./formTables.ts";
import { kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const PRESS = "press|presses|hit|hits|push|strike|tap|send|type|use|press_on|send_keys|send_key";
const MODIFIER = /^(?:ctrl|control|cmd|command|alt|option|shift|meta)$/i;

/** A key with the one that is held meanwhile; null when either is no key. */
const chordOf = (held: string, key: string): string | null =>
  MODIFIER.test(held) ? parseKeyChord(`${held}+${key}`) : null;

/** Keys, in more ways than most people say it. */
export const keyWays: readonly Form[] = [
  {
    pattern:
      "submit|confirm|send|finish|save|close|continue|proceed|dismiss|cancel|complete|log_in|sign_in|leave it|them|this|the_form|the_dialog|the_order|the_changes|the_request|the_popup|the_modal|the_message? with|using|via|through|by_means_of|by_clicking|by_pressing|by_tapping {target:target}",
    example: 'Click the "Sign in" button',
    build: (slots) =>
      ["button", "link"].includes(kindOfSlot(slots.target) ?? "") ? onTarget("click")(slots) : null,
  },
  {
    pattern:
      "leave|leaves|move|moves|shift the_focus|the_field|the_input|focus|on? with|by|using pressing|hitting? the? {key:key} key?",
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern:
      "hold|hold_down|press_and_hold|keep {name:name} key|down|pressed? and press|hit|tap|then_press|click {other:name} key?",
    example: "Press Enter",
    build: (slots) => {
      const chord = chordOf(text(slots, "name"), text(slots, "other"));
      return chord ? { action: "press", value: chord } : null;
    },
  },
  {
    pattern: `${PRESS} the? {name:name} and|plus|+? {other:name} keys|key? together|simultaneously|at_the_same_time|at_once?`,
    example: "Press Enter",
    build: (slots) => {
      const chord = chordOf(text(slots, "name"), text(slots, "other"));
      return chord ? { action: "press", value: chord } : null;
    },
  },
  {
    pattern: `${PRESS} {key:key} together|simultaneously|at_the_same_time|on_the_keyboard`,
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern:
      "select|mark|highlight|copy|paste|save|undo|cut|search|confirm|finish|end|cancel|leave|complete|submit|send|close|continue all|everything|it|the_text|all_text|the_form|the_dialog|the_search|the_entry|the_input? with|using|by_pressing|via|by_hitting|by the? {key:key} key?",
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern:
      "by|with pressing|hitting|using the? {key:key} ,? submit|confirm|send|close|save it|the_form|the_dialog|the_search|the_entry?",
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: `${PRESS} the? {name:name} key`,
    example: "Press Enter",
    build: (slots) => {
      const chord = parseKeyChord(text(slots, "name"));
      return chord !== null && chord.length > 1 ? { action: "press", value: chord } : null;
    },
  },
  {
    pattern: `${PRESS} the? {name:name} key|button? on|of the|your|my? keyboard`,
    example: "Press Enter",
    build: (slots) => {
      const chord = parseKeyChord(text(slots, "name"));
      return chord !== null ? { action: "press", value: chord } : null;
    },
  },
  {
    pattern: "send|strike|type {key:key}",
    example: "Press Enter",
    build: (slots) =>
      text(slots, "key").length > 1 && !slots.key?.isQuoted
        ? { action: "press", value: text(slots, "key") }
        : null,
  },
  {
    pattern: "the? {name:name} key is|was|gets pressed|hit|struck|used|pushed",
    example: "Press Enter",
    build: (slots) => {
      const chord = parseKeyChord(text(slots, "name"));
      return chord !== null && chord.length > 1 ? { action: "press", value: chord } : null;
    },
  },
  {
    pattern: `${PRESS} the? {key:key} while|when|with in|inside|focus_is_in|the_focus_is_in|the_cursor_is_in|the_cursor_in|being_in|staying_in|focused_on|focus_on {target:target}`,
    example: "Press Enter in the Search field",
    build: (slots) => ({
      action: "press",
      target: text(slots, "target"),
      value: text(slots, "key"),
    }),
  },
  {
    pattern: `${PRESS} the? {key:key} while|when {target:target} is_focused|has_focus|is_in_focus|has_the_focus`,
    example: "Press Enter in the Search field",
    build: (slots) => ({
      action: "press",
      target: text(slots, "target"),
      value: text(slots, "key"),
    }),
  },
  {
    pattern: `in|inside|with_the_cursor_in|with_focus_in|with_the_focus_on|with_focus_on|while_in|being_in {target:target} ,? ${PRESS} the? {key:key} key?`,
    example: "Press Enter in the Search field",
    build: (slots) =>
      kindOfSlot(slots.target) !== null || slots.target?.isQuoted
        ? { action: "press", target: text(slots, "target"), value: text(slots, "key") }
        : null,
  },
  {
    pattern: "send|give|type the? {key:key} key? to|into {target:target}",
    example: "Press Enter in the Search field",
    build: (slots) =>
      kindOfSlot(slots.target) !== null && text(slots, "key").length > 1
        ? { action: "press", target: text(slots, "target"), value: text(slots, "key") }
        : null,
  },
];
