import { parseKeyChord } from "../catalogue/values.ts";
import { CLICK, onTarget } from "./actVerbs.ts";
import { isTitle } from "./chosenAlone.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot, type Slot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

/** `The Enter key is pressed`, `Tab is pressed`: a key, and nothing that is clicked; null for anything else. */
const keySaid = (slots: Bindings): Built => {
  const said = text(slots, "target");
  const named = /^(.+) key$/i.exec(said)?.[1];
  const isKey = named !== undefined || /^[A-Z]/.test(said);
  const chord = slots.target?.isQuoted || !isKey ? null : parseKeyChord(named ?? said);
  if (chord === null || chord.length < 2) return null;
  return named === undefined && /^(?:Delete|Home|Insert|Pause)$/.test(chord)
    ? { doubt: `"${said}" may be a key or the name of a button.` }
    : { action: "press", value: chord };
};

/** Where nothing stands by itself: `the middle`, `the far right of the list`. */
const SPOT =
  /^(?:(?:very|far|upper|lower|new|another|different|other|desired|right|left|same|correct|empty|top|bottom)[- ])*(?:right|left|top|bottom|up|down|end|start|beginning|middle|center|centre|side|half|edge|corner|maximum|minimum|max|min|position|place|location|spot|area|order|value|(?:left|right)-hand side)(?: (?:of|in|on|from|side) .*| side| edge| corner)?$/i;

/** `Drag the slider to the right`: where to? */
const isDirection = (slot: Slot | undefined): boolean =>
  slot !== undefined &&
  !slot.isQuoted &&
  (SPOT.test(slot.text) || /^(?:position|place|index) \d+$/i.test(slot.text));

/** `50`, `-10%`: an amount is no place; in quotes it is a name. */
const isAmount = (slot: Slot | undefined): boolean =>
  slot !== undefined && !slot.isQuoted && /^[-+]?[\d.]*\d[\d.]*%?$/.test(slot.text);

/** `the file cv.pdf` that is dropped somewhere comes from outside of the page. */
const FILE = /^(?:the )?file "?([^"\s]+\.\w{1,8})"?$/i;

/** `Drop "a.csv" onto the "Drop files here" area`: what takes files is given one. */
const FILE_NAME = /^[\w-]+(?:[ .-][\w-]+)*\.\w{2,5}$/;
const DROP_ZONE = /\b(?:drop(?:zone|box)?|upload|attach|browse)\b/i;

const OPENED_BY_CLICK = new Set(["dropdown", "menu", "menuitem", "tab", "link", "button"]);

/** What is done with the mouse. */
export const pointForms: readonly Form[] = [
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
    pattern:
      "drag|drags|drag_and_drop|drags_and_drops|drag-and-drop|drop {target:target} to|onto|into|on|over|on_to {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: (slots) => {
      if (isAmount(slots.other) || isDirection(slots.other)) {
        return { doubt: "Say what it is dropped on." };
      }
      if (DROP_ZONE.test(text(slots, "other")) && FILE_NAME.test(text(slots, "target")))
        return {
          action: "upload",
          target: text(slots, "other"),
          value: text(slots, "target").replace(/^(?:the )?file /i, ""),
        };
      const [, file] = slots.target?.isQuoted ? [] : (FILE.exec(text(slots, "target")) ?? []);
      if (file !== undefined)
        return { action: "upload", target: text(slots, "other"), value: file };
      return { action: "drag", target: text(slots, "target"), value: text(slots, "other") };
    },
  },
  {
    pattern:
      "place|put|position|point|places|puts|hold|move the? mouse|pointer|cursor|mouse_pointer|mouse_cursor over|on|onto|on_top_of|at {target:target}",
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern:
      "hover|hovers with? the|your|my? mouse|cursor|pointer|mouse_pointer over|on|onto? {target:target}",
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
    pattern: "expand|expands|collapse|collapses|unfold {target:target}",
    example: 'Click the "Settings" dropdown',
    build: (slots) =>
      slots.target?.isQuoted || isTitle(text(slots, "target")) ? onTarget("click")(slots) : null,
  },
  {
    pattern:
      "{target:target} is|was|gets|got|has_been|have_been|is_being|was_then|is_then|were|are clicked|tapped|pressed|clicked_on|tapped_on by_the_user|by_the_customer|by_the_tester|by_user?",
    example: 'Click the "Sign in" button',
    build: (slots) => keySaid(slots) ?? onTarget("click")(slots),
  },
  {
    pattern:
      "{target:target} is|was|gets|got|has_been|is_being|is_then double-clicked|doubleclicked by_the_user|by_user?",
    example: 'Double-click the "readme.md" row',
    build: onTarget("double_click"),
  },
  {
    pattern:
      "{target:target} is|was|gets|got|has_been|is_being|is_then right-clicked|rightclicked by_the_user|by_user?",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern:
      "{target:target} is|was|gets|got|has_been|is_being|is_then hovered|hovered_over by_the_user|by_user?",
    example: "Hover over Products",
    build: onTarget("hover"),
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
    pattern:
      "hover|hovers|mouse|mouseover|mouse-over|mouses|mouse_hover|mouse-hover|mousehover over|on|onto? {target:target}",
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: "move the? mouse|pointer|cursor|mouse_pointer over|to|onto {target:target}",
    example: "Move the mouse over Products",
    build: onTarget("hover"),
  },
];

/** The same, where an `and` does not divide. */
export const wholePointForms: readonly Form[] = [
  {
    pattern: "drag|drags and drop|drops {target:target} to|onto|into|on|over|in {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: (slots) => ({
      action: "drag",
      target: text(slots, "target"),
      value: text(slots, "other"),
    }),
  },
  {
    pattern:
      "drag|drags|grab|pick_up {target:target} ,? and drop|drops|release it? on|onto|in|into|to|over|at {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: (slots) => ({
      action: "drag",
      target: text(slots, "target"),
      value: text(slots, "other"),
    }),
  },
];
