import { alone, onTarget } from "./actVerbs.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";
import { quote } from "./words.ts";

const SWITCH = "switch|switches|change|changes|move|moves|go|goes|return|returns|jump|switch_over";
const FRAME = "frame|iframe|i-frame";
const TAB =
  "tab|window|browser_tab|browser_window|tab_of_the_browser|tab_in_the_browser|window_of_the_browser|browser's_tab|tab_of_my_browser";

/** `frame "Payment"`: without the word, it would be anything that is called so. */
const toFrame = (slots: Bindings): Built =>
  !slots.target?.isQuoted && /^\d+$/.test(text(slots, "target"))
    ? { doubt: "Say the frame's name, title or id: they have no numbers." }
    : { action: "switch_frame", target: inFrame(slots) };

const inFrame = (slots: Bindings): string => {
  const slot = slots.target;
  const said = text(slots, "target");
  const find = slot?.target?.find;
  const isName = find?.by === "name" && slot?.isQuoted === true && !slot.isLiteral;
  return isName ? `frame ${quote(find.name)}` : said;
};

/** The frames and the tabs that a person goes to and comes back from. */
export const tabForms: readonly Form[] = [
  {
    pattern:
      "switch|switches|change|changes back? to the? main|top|default|outer|original? page|content|page_content|main_content",
    example: "Switch back to the main page",
    build: alone("switch_frame"),
  },
  {
    pattern: `${SWITCH} back? to the? main|top|default|outer|original|parent frame|content|document`,
    example: "Switch back to the main page",
    build: alone("switch_frame"),
  },
  {
    pattern: `leave|leaves|exit|exits|switch_out_of|switch_back_from|go_out_of the? ${FRAME}`,
    example: "Switch back to the main page",
    build: alone("switch_frame"),
  },
  {
    pattern: `${SWITCH} back? to|into|inside the? ${FRAME} named|called|titled|with_the_name|with_name|with_title? {target:target}`,
    example: 'Switch to the frame "Payment"',
    build: toFrame,
  },
  {
    pattern: `enter|enters|open the? ${FRAME} {target:target}`,
    example: 'Switch to the frame "Payment"',
    build: toFrame,
  },
  {
    pattern: `focus|focuses|activate on? the? last|newest|latest|new opened? ${TAB}`,
    example: "Switch to the new tab",
    build: () => ({ action: "switch_tab", target: "last" }),
  },
  {
    pattern: `${SWITCH}|enter|enters to|into|inside {target:target}`,
    example: 'Switch to the frame "Payment"',
    build: (slots) =>
      kindOfSlot(slots.target) === "frame" ? onTarget("switch_frame")(slots) : null,
  },
  {
    pattern: `${SWITCH}|focus|focuses|focus_on back? to|on the? new|newly_opened|new_browser|latest|last|newest|opened ${TAB}`,
    example: "Switch to the new tab",
    build: () => ({ action: "switch_tab", target: "last" }),
  },
  {
    pattern: `${SWITCH} back to the? previous|other|last|prior ${TAB}`,
    example: "Switch back to the previous tab",
    build: alone("switch_tab"),
  },
  {
    pattern: `${SWITCH} to the? previous|prior ${TAB}`,
    example: "Switch back to the previous tab",
    build: alone("switch_tab"),
  },
  {
    pattern: `${SWITCH} back? to the? original|main|initial|parent|starting ${TAB}`,
    example: "Switch back to the previous tab",
    build: alone("switch_tab"),
  },
  {
    pattern: `${SWITCH} back? to the? ${TAB} number|no|#|nr? {count:count}`,
    example: "Switch to tab 2",
    build: (slots) => ({ action: "switch_tab", target: text(slots, "count") }),
  },
  {
    pattern: `${SWITCH} back? to the? {ordinal:ordinal} ${TAB}`,
    example: "Switch to tab 2",
    build: (slots) => ({ action: "switch_tab", target: text(slots, "ordinal") }),
  },
  {
    pattern: `${SWITCH} back? to the|a? new|newly_opened|other? ${TAB} titled|named|called|with_the_title|with_title|labelled|labeled {value:quoted}`,
    example: 'Switch to the tab titled "Invoice"',
    build: (slots) => ({ action: "switch_tab", target: text(slots, "value") }),
  },
  {
    // A tab of the page is chosen or clicked; one switches to a tab of the browser.
    pattern: "switch|switches|switch_over back? to the? tab {value:quoted}",
    example: 'Switch to the tab titled "Invoice"',
    build: (slots) => ({ action: "switch_tab", target: text(slots, "value") }),
  },
  {
    pattern: `${SWITCH} back? to the? window|browser_window|browser_tab {value:quoted}`,
    example: 'Switch to the tab titled "Invoice"',
    build: (slots) => ({ action: "switch_tab", target: text(slots, "value") }),
  },
  {
    pattern: `${SWITCH} back? to the? {value:quoted} window|browser_window|browser_tab`,
    example: 'Switch to the tab titled "Invoice"',
    build: (slots) => ({ action: "switch_tab", target: text(slots, "value") }),
  },
];
