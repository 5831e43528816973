import { parseKeyChord } from "../values.ts";
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

const fill = (slots: Bindings) =>
  isFillable(slots.target) ? both("fill", slots) : { doubt: "Only a field can be filled." };

const select = (slots: Bindings) => {
  const kind = kindOfSlot(slots.target);
  return kind === null || kind === "dropdown" || FILLABLE.has(kind)
    ? both("select", slots)
    : { doubt: "Options are chosen from a dropdown; other things are clicked." };
};

const TICKED = new Set(["checkbox", "radio", "switch"]);
const CHOSEN_BY_CLICK = new Set(["tab", "link", "button", "menuitem"]);

/** "Set … to": a dropdown is chosen from, a field is filled; what can be neither is asked about. */
const setTo = (slots: Bindings) => {
  const kind = kindOfSlot(slots.target);
  if (kind === "dropdown") return select(slots);
  if (kind !== null && kind !== "field")
    return { doubt: "Only a field or a dropdown is set to a text." };
  return fill(slots);
};

const TYPE =
  "type|types|enter|enters|input|inputs|write|writes|put|puts|key_in|keys_in|type_in|insert";
const FILL = "fill|fills|fill_in|fills_in|fill_out|fills_out|fill_up|complete|completes|populate";
const CHOOSE = "select|selects|choose|chooses|pick|picks";
const CLICK = "click|clicks|click_on|clicks_on|tap|taps|tap_on|taps_on|left-click";
const PRESS = "press|presses|press_on|push|pushes";
const GO = "go|goes|navigate|navigates|browse|browses|head|heads";
const OPEN = "open|opens|visit|visits|load|loads|launch";

/** What a person does, in the order in which the forms are tried. */
export const actForms: readonly Form[] = [
  {
    pattern: `${GO} to|back_to the? page|url|address|site|website? at? {url:url} page? in_the_browser?`,
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
    pattern: `${GO} to the? homepage|home_page|start_page|base_url`,
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
    pattern: "set|sets|change|changes {target:target} to|as {value:value}",
    example: 'Set Quantity to "3"',
    build: setTo,
  },
  {
    pattern: "clear|clears|empty|empties {target:target}",
    example: 'Clear the "Email" field',
    build: (slots) => {
      const isField = slots.target?.isQuoted
        ? isFillable(slots.target)
        : FILLABLE.has(kindOfSlot(slots.target) ?? "");
      if (!isField) return { doubt: "Say that it is a field that is cleared, or what is clicked." };
      return { action: "fill", target: text(slots, "target") };
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
    pattern: "check|checks|tick|ticks|check_off|tick_off {target:target}",
    example: 'Tick "I agree"',
    build: onTarget("check"),
  },
  {
    pattern: "uncheck|unchecks|untick|unticks {target:target}",
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
    pattern: "take|takes|capture|captures|make a|the? screenshot|screen_shot of_the_page?",
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
