import { onTarget } from "./actVerbs.ts";
import type { Form } from "./formTables.ts";
import { kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";
import { quote } from "./words.ts";

const MOUSE = "mouse|pointer|cursor|mouse_pointer|mouse_cursor";
const THE = "the|your|my";

/** What is pulled or moved may be anything; where both are quoted it is dragged. */
const dragOfNamed: Form["build"] = (slots) =>
  slots.target?.isQuoted && slots.other?.isQuoted
    ? { action: "drag", target: text(slots, "target"), value: text(slots, "other") }
    : null;

/** What is done with the mouse, in more ways than most people say it. */
export const pointWays: readonly Form[] = [
  {
    pattern:
      "click|tap|press|clicks|taps where it|the_page|the_button|the_link says {value:quoted}",
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "click", target: quote(text(slots, "value")) }),
  },
  {
    pattern:
      "use|uses|activate|activates|trigger|triggers|invoke|touch|touches|click_onto|click_to|click_through|follow|actuate {target:target}",
    example: 'Click the "Sign in" button',
    build: (slots) =>
      ["button", "link", "tab", "menuitem"].includes(kindOfSlot(slots.target) ?? "")
        ? onTarget("click")(slots)
        : null,
  },
  {
    pattern: "touch|touches|click_onto|click_again_on|tap_again_on {target:target}",
    example: 'Click the "Sign in" button',
    build: onTarget("click"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|change|changes|move|moves|browse over|back|on? to {target:target}",
    example: 'Click the "Billing" tab',
    build: (slots) => (kindOfSlot(slots.target) === "tab" ? onTarget("click")(slots) : null),
  },
  {
    pattern:
      "a|one|do_a|make_a|perform_a|do_one click|tap|press|single_click|single-click on {target:target}",
    example: 'Click the "Sign in" button',
    build: onTarget("click"),
  },
  {
    pattern:
      "{target:target} should_be|must_be|needs_to_be|has_to_be clicked|tapped|pressed|clicked_on",
    example: 'Click the "Sign in" button',
    build: onTarget("click"),
  },
  {
    pattern: `click|clicks {target:target} with|using ${THE} right mouse_button|button`,
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern: `click|clicks with|using ${THE} right mouse_button|button on {target:target}`,
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern:
      "bring_up|brings_up|call_up|open_up|open|opens|show|shows|invoke the|its? context_menu|context_menu|right-click_menu|right_click_menu|context-menu of|for|on {target:target}",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern: "use|uses the right mouse_button on {target:target}",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern:
      "do|does|make|makes|perform|performs|issue a right-click|right_click|secondary_click on {target:target}",
    example: 'Right-click the "report.pdf" row',
    build: onTarget("right_click"),
  },
  {
    pattern:
      "do|does|make|makes|perform|performs a double-click|double_click|doubleclick|double-tap on {target:target}",
    example: 'Double-click the "readme.md" row',
    build: onTarget("double_click"),
  },
  {
    pattern: "{target:target} is|was|gets double|right clicked by_the_user?",
    example: 'Double-click the "readme.md" row',
    build: () => ({ doubt: "Say double-click or right-click." }),
  },
  {
    pattern: `place|put|position|point|places|puts|hold|move|moves|rest|bring|brings|drag|slide|keep ${THE}? ${MOUSE} over|on|onto|on_top_of|at|above|to {target:target}`,
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: `let ${THE} ${MOUSE} hover|rest|stay over|on|above {target:target}`,
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: `hover|hovers above|across|at {target:target}`,
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: `hover|hovers over|on? {target:target} with|using ${THE} ${MOUSE}`,
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: "point|points at|to {target:target}",
    example: "Hover over Products",
    build: (slots) => (slots.target?.isQuoted ? onTarget("hover")(slots) : null),
  },
  {
    pattern: "hover|hovers over|on? {target:target} without clicking|clicking_it|a_click",
    example: "Hover over Products",
    build: onTarget("hover"),
  },
  {
    pattern: "give|gives {target:target} the|keyboard? focus",
    example: 'Focus the "Email" field',
    build: onTarget("focus"),
  },
  {
    pattern:
      "bring|brings|direct|change|switch the? keyboard|input? focus to|on|into {target:target}",
    example: 'Focus the "Email" field',
    build: (slots) => (kindOfSlot(slots.target) === "frame" ? null : onTarget("focus")(slots)),
  },
  {
    pattern: "pull|pulls {target:target} over|across|down|up? to|onto|into|on {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: dragOfNamed,
  },
  {
    pattern:
      "drag|drags {target:target} over|across|down|up|by_the_mouse|with_the_mouse to|onto|into|on {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: dragOfNamed,
  },
  {
    pattern:
      "drop|drops|move|moves {target:target} to|onto|into|on|in {other:target} by dragging dragging|it|it_there|there?",
    example: 'Drag "Card A" to the "Done" column',
    build: dragOfNamed,
  },
  {
    pattern:
      "move|moves|drag|pull {target:target} by|with|via|using drag_and_drop|dragging|drag-and-drop to|onto|into {other:target}",
    example: 'Drag "Card A" to the "Done" column',
    build: (slots) => ({
      action: "drag",
      target: text(slots, "target"),
      value: text(slots, "other"),
    }),
  },
];
