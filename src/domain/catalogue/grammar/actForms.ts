import { parseKeyChord } from "../values.ts";
import { browserForms, wholeBrowserForms } from "./browserForms.ts";
import { isFieldName } from "./fieldNames.ts";
import type { Form } from "./match.ts";
import { type Bindings, kindOfSlot, type Slot, type SlotName } from "./slots.ts";

const text = (slots: Bindings, name: SlotName): string => slots[name]?.text ?? "";

const onTarget = (action: string) => (slots: Bindings) => ({
  action,
  target: text(slots, "target"),
});

const both = (action: string, slots: Bindings) => ({
  action,
  target: text(slots, "target"),
  value: text(slots, "value"),
});

const FILLABLE = new Set(["field", "box"]);

const isFillable = (slot: Slot | undefined): boolean => {
  const kind = kindOfSlot(slot);
  return kind === null || FILLABLE.has(kind);
};

const isClearable = (slot: Slot | undefined): boolean =>
  slot?.isQuoted ? isFillable(slot) : FILLABLE.has(kindOfSlot(slot) ?? "");

/** `50`, `-10%`: an amount is no place; in quotes it is a name. */
const isAmount = (slot: Slot | undefined): boolean =>
  slot !== undefined && !slot.isQuoted && /^[-+]?[\d.]*\d[\d.]*%?$/.test(slot.text);

const NOT_A_FIELD = "Only a field can be filled.";

const fill = (slots: Bindings) =>
  isFillable(slots.target) ? both("fill", slots) : { doubt: "Only a field can be filled." };

const select = (slots: Bindings) => {
  const kind = kindOfSlot(slots.target);
  return kind === null || kind === "dropdown" || FILLABLE.has(kind)
    ? both("select", slots)
    : { doubt: "Options are chosen from a dropdown; other things are clicked." };
};

const TICKED = new Set(["checkbox", "radio", "switch"]);
const OPENED_BY_CLICK = new Set(["dropdown", "menu", "menuitem", "tab", "link", "button"]);
const CHOSEN_BY_CLICK = new Set(["tab", "link", "button", "menuitem"]);

/** "Set … to": a dropdown is chosen from, a field is filled; what can be neither is asked about. */
const setTo = (slots: Bindings) => {
  if (/^(?:viewport|(?:window|screen|browser|page) size|resolution)$/i.test(text(slots, "target")))
    return { doubt: "Say the size, such as 1280x720, or a device." };
  const kind = kindOfSlot(slots.target);
  if (kind === "dropdown") return select(slots);
  if (kind !== null && kind !== "field")
    return { doubt: "Only a field or a dropdown is set to a text." };
  return fill(slots);
};

const TYPE =
  "type|types|enter|enters|input|inputs|write|writes|put|puts|key_in|keys_in|type_in|insert|inserts|paste|pastes|enter_in|supply|provide";
const FILL = "fill|fills|fill_in|fills_in|fill_out|fills_out|fill_up|complete|completes|populate";
const CHOOSE = "select|selects|choose|chooses|pick|picks";
const CLICK =
  "click|clicks|click_on|clicks_on|tap|taps|tap_on|taps_on|left-click|left_click|left-click_on|left_click_on|click_in|click_into|click_inside|clicks_in|single-click|single_click";
const PRESS = "press|presses|press_on|push|pushes";
const GO =
  "go|goes|navigate|navigates|browse|browses|head|heads|proceed|proceeds|return|returns|move|land|surf";
const OPEN =
  "open|opens|visit|visits|load|loads|launch|launches|access|accesses|open_up|hit_up|request";

/** What a person does, in the order in which the forms are tried. */
const named = (slots: Bindings) => {
  const isName =
    !slots.target?.isQuoted &&
    (isFieldName(text(slots, "target")) || kindOfSlot(slots.target) === "field");
  return isName ? fill(slots) : null;
};

export const actForms: readonly Form[] = [
  ...browserForms,
  {
    pattern:
      "double-click|double_click|doubleclick|double-clicks|double_clicks|doubleclicks|double-tap|double_tap|dblclick|perform_a_double_click|do_a_double_click on? {target:target}",
    example: 'Double-click the "readme.md" row',
    build: onTarget("double_click"),
  },
  {
    pattern:
      "right-click|right_click|rightclick|right-clicks|right_clicks|perform_a_right_click|do_a_right_click|perform_a_right-click|context-click|context_click on? {target:target}",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern: "open|opens|show the? context_menu of|for|on {target:target}",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern: "focus|focuses on? {target:target}",
    example: 'Focus the "Email" field',
    build: onTarget("focus"),
  },
  {
    pattern:
      "put|puts|set|sets|give|gives|move|moves|place|places|shift the? keyboard|input? focus on|to|in|into|onto {target:target}",
    example: 'Focus the "Email" field',
    build: onTarget("focus"),
  },
  {
    pattern:
      "put|puts|place|places|set|sets|position the? cursor|caret|text_cursor in|into|inside {target:target}",
    example: 'Focus the "Email" field',
    build: onTarget("focus"),
  },
  {
    pattern: `${TYPE} the? text|value? {value:value} character_by_character|key_by_key|letter_by_letter|one_key_at_a_time|one_character_at_a_time|char_by_char|slowly|keystroke_by_keystroke in|into|to|inside {target:target}`,
    example: 'Type "par" into "City" key by key',
    build: (slots) => (isFillable(slots.target) ? both("type", slots) : { doubt: NOT_A_FIELD }),
  },
  {
    pattern: `${TYPE} the? text|value? {value:value} in|into|to|inside {target:target} character_by_character|key_by_key|letter_by_letter|one_key_at_a_time|one_character_at_a_time|char_by_char|slowly|keystroke_by_keystroke`,
    example: 'Type "par" into "City" key by key',
    build: (slots) => (isFillable(slots.target) ? both("type", slots) : { doubt: NOT_A_FIELD }),
  },
  {
    pattern:
      "upload|uploads|attach|attaches the? file|document|image|picture|photo? {value:quoted} into|in|to|for|on|using|via|with {target:target}",
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) => both("upload", slots),
  },
  {
    pattern: `${CHOOSE}|set|add the? file|document {value:quoted} in|for|into|from|to|on {target:target}`,
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) => both("upload", slots),
  },
  {
    pattern:
      "drag|drags|drag_and_drop|drags_and_drops|drag-and-drop|drop {target:target} to|onto|into|on|over|on_to {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: (slots) =>
      isAmount(slots.other)
        ? { doubt: "Say what it is dropped on." }
        : { action: "drag", target: text(slots, "target"), value: text(slots, "other") },
  },
  {
    pattern: `${TYPE} the? url|address|website|link? {url:url} in|into the? browser's|browser? address_bar|url_bar|location_bar|address_field|browser`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${TYPE} the? url|web_address {url:url}`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "point the? browser to|at {url:url}",
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN} the? application|app|web_application|web_app|web_site|web_page|webpage|url|home_page|homepage|login_page|portal|store|shop at|on|under|via|with_the_url|: {url:url}`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
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
    pattern:
      "remove|removes|clear|clears the|a? tick|check|check_mark|checkmark|tick_mark from|in|of {target:target}",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern: "deselect|deselects|unselect|unselects|de-select {target:target}",
    example: 'Untick "Newsletter"',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "")
        ? onTarget("uncheck")(slots)
        : { doubt: "Only a checkbox or a switch is known to be unticked: say that it is one." },
  },
  {
    pattern: "enable|enables|activate|activates {target:target}",
    example: 'Turn on the "Dark mode" switch',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "")
        ? onTarget("check")(slots)
        : { doubt: "Only a checkbox or a switch is turned on: say that it is one." },
  },
  {
    pattern: "disable|disables|deactivate|deactivates {target:target}",
    example: 'Turn off the "Dark mode" switch',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "")
        ? onTarget("uncheck")(slots)
        : { doubt: "Only a checkbox or a switch is turned off: say that it is one." },
  },
  {
    pattern: "turn|turns|switch|switches|toggle|toggles {target:target} on",
    example: 'Turn on the "Dark mode" switch',
    build: onTarget("check"),
  },
  {
    pattern: "turn|turns|switch|switches|toggle|toggles {target:target} off",
    example: 'Turn off the "Dark mode" switch',
    build: onTarget("uncheck"),
  },
  {
    pattern:
      "place|put|position|point|places|puts|hold|move the? mouse|pointer|cursor|mouse_pointer|mouse_cursor over|on|onto|on_top_of|at {target:target}",
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern:
      "hover|hovers with? the? mouse|cursor|pointer|mouse_pointer over|on|onto? {target:target}",
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: "open|opens|expand|expands|collapse|collapses|unfold {target:target}",
    example: 'Click the "Settings" dropdown',
    build: (slots) => {
      const kind = kindOfSlot(slots.target) ?? "";
      if (/^new\b/i.test(text(slots, "target"))) return null;
      const isSection = kind === "section" || kind === "row" || kind === "listitem";
      return OPENED_BY_CLICK.has(kind) || isSection ? onTarget("click")(slots) : null;
    },
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
    build: named,
  },
  {
    pattern: `${FILL} the|a|my|your? {target:target} {value:quoted}`,
    example: 'Fill in Email with "ann@example.com"',
    build: named,
  },
  {
    pattern: "set|sets {value:quoted} to|into|in the? {target:target}",
    example: 'Fill in Email with "ann@example.com"',
    build: (slots) => (FILLABLE.has(kindOfSlot(slots.target) ?? "") ? fill(slots) : null),
  },
  {
    pattern: "append|appends|add|adds {value:quoted} to {target:target}",
    example: 'Type "par" into "City" key by key',
    build: (slots) => (FILLABLE.has(kindOfSlot(slots.target) ?? "") ? both("type", slots) : null),
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
    pattern: `${CHOOSE} {value:quoted} as the|your|a? {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: select,
  },
  {
    pattern: `${CHOOSE} the? option with_the_text|with_text|with_the_value|with_value|with_the_label|named|called|labelled {value:quoted} from|in|for|of {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: select,
  },
  {
    pattern: "mark|marks {target:target} as_checked|as_ticked|as_selected",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern: "mark|marks {target:target} as_unchecked|as_unticked",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern: "clear|clears|unmark {target:target}",
    example: 'Untick "Newsletter"',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "") ? onTarget("uncheck")(slots) : null,
  },
  {
    pattern: "mark|marks {target:target}",
    example: 'Tick "I agree"',
    build: (slots) =>
      TICKED.has(kindOfSlot(slots.target) ?? "") ? onTarget("check")(slots) : null,
  },
  {
    pattern:
      "put|puts|place a|the? tick|check|check_mark|checkmark|tick_mark in|into|on|next_to {target:target}",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern:
      "upload|uploads|attach|attaches the? file|document? {value:value} into|in|to|for|on {target:target}",
    example: 'Upload the file "cv.pdf" into the "Resume" field',
    build: (slots) =>
      /^[\w-]+(?:\.[\w-]+)*\.\w{2,5}$/.test(text(slots, "value")) ? both("upload", slots) : null,
  },
  {
    pattern: `${PRESS}|hit|hits|use the? key {key:key}`,
    example: "Press Enter",
    build: (slots) => ({ action: "press", value: text(slots, "key") }),
  },
  {
    pattern: "{target:target} :|= {value:value}",
    example: 'Type "ann" into Username',
    build: (slots) =>
      !slots.target?.isQuoted && isFieldName(text(slots, "target")) ? fill(slots) : null,
  },
  {
    pattern:
      "save|saves|grab|grabs|create|get a|the? screenshot|screen_shot|screengrab|snapshot of_the_page|of_the_screen? as|called|named|titled|under {name:value}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "save|saves|grab|create|get? a|the? screenshot|screen_shot|screengrab of_the_page|of_the_screen?",
    example: "Take a screenshot",
    build: () => ({ action: "screenshot" }),
  },
  {
    pattern: "screenshot|screen_shot as|called|named|:? {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern: `in|into|inside {target:target} ,? ${TYPE} the? text|value? {value:value}`,
    example: 'Type "ann" into Username',
    build: fill,
  },
  {
    pattern: `from|in|on|under|with|using {target:target} ,? ${CHOOSE} the? option|value? {value:value}`,
    example: 'Select "Canada" from the Country dropdown',
    build: (slots) => (kindOfSlot(slots.target) === "dropdown" ? select(slots) : null),
  },
  {
    pattern: `${GO} directly|straight|back? to the? page|url|address|site|website? at? {url:url} page? in_the_browser?`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: "goto {url:url}",
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${OPEN} the? page|url|address|site|website? at? {url:url} page? in_the_browser?`,
    example: "Open https://example.com",
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  {
    pattern: `${GO} directly|straight|back? to the? homepage|home_page|start_page|base_url|landing_page`,
    example: "Go to the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
  {
    pattern: `${OPEN} the? homepage|home_page|start_page|base_url`,
    example: "Open the home page",
    build: () => ({ action: "navigate", value: "/" }),
  },
  {
    pattern: `${FILL} {target:target} with|with_the_text|with_the_value|with_text|with_value {value:value}`,
    example: 'Fill in Email with "ann@example.com"',
    build: fill,
  },
  {
    pattern: `${FILL} {value:quoted} into|in|for|as {target:target}`,
    example: 'Fill "ann" into Username',
    build: fill,
  },
  {
    pattern: `${TYPE} the? text|value? {value:value} in|into|to|inside|within|on {target:target}`,
    example: 'Type "ann" into Username',
    build: fill,
  },
  {
    pattern: `${TYPE} {value:quoted} as|for {target:target}`,
    example: 'Enter "ann" as Username',
    build: fill,
  },
  {
    pattern: `${TYPE} {value:value}`,
    example: 'Type "ann" into Username',
    build: () => ({ doubt: "Say which field the text goes into." }),
  },
  {
    pattern:
      "set|sets|change|changes|update|updates|modify|modifies|edit|edits the_value_of|the_text_of|the_content_of? {target:target} to|as {value:value}",
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
  {
    pattern: `${CHOOSE} the? option|value? {value:value} from|in|for {target:target}`,
    example: 'Select "Canada" from the Country dropdown',
    build: select,
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
      const kind = kindOfSlot(slots.target) ?? "";
      if (TICKED.has(kind)) return { action: "check", target: text(slots, "target") };
      if (CHOSEN_BY_CLICK.has(kind)) return { action: "click", target: text(slots, "target") };
      return { doubt: "Say what it is chosen from, or click it." };
    },
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
      const isName = slots.target?.isQuoted || kindOfSlot(slots.target) !== null;
      if (!isName && (isKey || rest[0] === "+")) {
        return { doubt: "It may be a key or the name of a button: say the key, or the button." };
      }
      return onTarget("click")(slots);
    },
  },
  {
    pattern: `${CLICK} {target:target}`,
    example: 'Click the "Sign in" button',
    build: onTarget("click"),
  },
  {
    pattern: "follow|follows {target:target}",
    example: 'Follow the "Home" link',
    build: onTarget("click"),
  },
  {
    pattern: "check|checks the {target:target}",
    example: 'Tick "I agree"',
    build: (slots) => {
      const isCertain = slots.target?.isQuoted || kindOfSlot(slots.target) !== null;
      const said = text(slots, "target");
      const isPage = /^(?:url|title|page|address|page title)$/i.test(said);
      return !isPage && (isCertain || said !== said.toLowerCase())
        ? null
        : { doubt: "Say tick, or what it should be: visible, enabled, its text." };
    },
  },
  {
    pattern: "check|checks|tick|ticks|check_off|tick_off {target:target}",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern: "uncheck|unchecks|untick|unticks|un-check|un-tick {target:target}",
    example: 'Untick "Newsletter"',
    build: onTarget("uncheck"),
  },
  {
    pattern: "turn|turns|switch|switches on {target:target}",
    example: 'Turn on the "Dark mode" switch',
    build: onTarget("check"),
  },
  {
    pattern: "turn|turns|switch|switches off {target:target}",
    example: 'Turn off the "Dark mode" switch',
    build: onTarget("uncheck"),
  },
  {
    pattern: "hover|hovers|mouse over|on|onto? {target:target}",
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: "move the? mouse|pointer|cursor|mouse_pointer over|to|onto {target:target}",
    example: "Move the mouse over Products",
    build: onTarget("hover"),
  },
  {
    pattern: "wait|waits|pause|pauses|sleep|sleeps for? {time:time}",
    example: "Wait 2 seconds",
    build: (slots) => ({ action: "wait", value: text(slots, "time") }),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the? screenshot|screen_shot of_the_page? called|named|as|titled {name:value}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the? full_page|full-page? screenshot|screen_shot|picture|snapshot|screengrab of_the_page|of_the_screen|of_the_whole_page|of_the_full_page?",
    example: "Take a screenshot",
    build: () => ({ action: "screenshot" }),
  },
  {
    pattern:
      "take|takes|capture|captures|make a|the? screenshot|screen_shot of {target:target} called|named|as|titled {name:value}",
    example: 'Take a screenshot of the "Total" row called "total"',
    build: (slots) => ({
      action: "screenshot",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
  {
    pattern: "take|takes|capture|captures|make a|the? screenshot|screen_shot of {target:target}",
    example: "Take a screenshot of the footer",
    build: onTarget("screenshot"),
  },
];

/** Where the person is to begin with: the first instruction, or a Given. */
export const placeForms: readonly Form[] = [
  {
    pattern: "am|is|are|start|starts on|at|from the? page? {url:url} page?",
    example: 'I am on "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
];

/** The same words in the midst of a test: to go there, or to be there already? */
export const placeDoubts: readonly Form[] = [
  {
    pattern: "am|is|are|start|starts on|at|from the? page? {url:url} page?",
    example: 'I should be on "/home"',
    build: () => ({ doubt: "Say go to, or should be on." }),
  },
];

/** Sentences in which an `and` does not divide. */
export const wholeForms: readonly Form[] = [
  {
    pattern: `${TYPE} the? url|address|website? {url:url} in|into the? browser's|browser? address_bar|url_bar|location_bar|address_field|browser ,? and|then|and_then hit|press|presses|hits|click the? enter|return|go key?`,
    example: 'Go to "/login"',
    build: (slots) => ({ action: "navigate", value: text(slots, "url") }),
  },
  ...wholeBrowserForms,
];
