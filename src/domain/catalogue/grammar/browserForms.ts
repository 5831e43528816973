import { quote } from "../words.ts";
import type { Built, Form } from "./match.ts";
import { type Bindings, kindOfSlot } from "./slots.ts";
import { text } from "./verbs.ts";

const alone = (action: string) => (): Built => ({ action });
const onTarget =
  (action: string) =>
  (slots: Bindings): Built => ({
    action,
    target: text(slots, "target"),
  });

const USE = "click|clicks|press|presses|hit|hits|use|uses|push|tap";
const ADJECTIVE = "browser|browser's|native|system|javascript|js|confirmation|confirm|alert|prompt";
/** What the browser itself opens; a page's own dialogs are elements. */
const DIALOG =
  "alert|alerts|alertbox|alert_box|confirm|confirmbox|confirm_box|confirmation|prompt|promptbox|prompt_box|dialog|dialogue|popup|pop-up|alert_dialog|confirm_dialog|prompt_dialog|alert_popup|message_box";
const OWN =
  "alert|alertbox|alert_box|confirm|confirmbox|confirm_box|prompt|promptbox|prompt_box|alert_dialog|prompt_dialog|confirm_dialog|browser_dialog|browser_alert|javascript_alert|native_dialog|native_alert|confirmation_alert";
const SWITCH = "switch|switches|change|changes|move|moves|go|goes|return|returns|jump|switch_over";
const FRAME = "frame|iframe|i-frame";
const TAB = "tab|window|browser_tab|browser_window";
const SIZE =
  "viewport|viewport_size|window_size|screen_size|browser_size|browser_window_size|screen|window|browser|browser_window|page_size|resolution|screen_resolution|viewport_dimensions";
const KEEP =
  "store|stores|save|saves|remember|remembers|keep|keeps|capture|copy|record|note|read|grab";
const TEST = "test|scenario|test_case|testcase";

const pixels =
  (sign: "" | "-") =>
  (slots: Bindings): Built => {
    const given = text(slots, "pixels");
    const bare = given.replace(/^[+]/, "");
    const value = sign === "-" && !bare.startsWith("-") ? `-${bare}` : bare;
    return { action: "scroll", target: text(slots, "target"), value };
  };

const scrollTo =
  (value: string) =>
  (slots: Bindings): Built =>
    !slots.target?.isQuoted && /^[\d.]+ ?(?:px|pixels|%)?$/.test(text(slots, "target"))
      ? { doubt: "Say how far down or up: scroll down 500 pixels." }
      : { action: "scroll", target: text(slots, "target"), value };

/** `frame "Payment"`: without the word, it would be anything that is called so. */
const toFrame = (slots: Bindings): Built =>
  !slots.target?.isQuoted && /^\d+$/.test(text(slots, "target"))
    ? { doubt: "Say the frame's name, title or id: they have no numbers." }
    : { action: "switch_frame", target: inFrame(slots) };

const inFrame = (slots: Bindings): string => {
  const slot = slots.target;
  const said = text(slots, "target");
  const isName = slot?.target?.find.by === "name" && slot.isQuoted && !slot.isLiteral;
  return isName ? `frame ${quote(said)}` : said;
};

/** What a person does with the browser and its windows, and with the test itself. */
export const browserForms: readonly Form[] = [
  {
    pattern:
      "go|goes|navigate|navigates|move|step|head back|backwards|backward a|one|1? page|step? in_the_browser|in_browser|in_the_browser_history|in_history?",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|return|returns back? to the|a? previous|last|prior page|screen|site",
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern: `${USE} the|on_the|on? browser|browser's|browser\u2019s back button|arrow|icon?`,
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern: `${USE} the|on_the|on? back button|arrow of_the_browser|in_the_browser|of_your_browser`,
    example: "Go back",
    build: alone("go_back"),
  },
  {
    pattern:
      "go|goes|navigate|navigates|move|step forward|forwards a|one|1? page|step? in_the_browser|in_browser|in_history?",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: "go|goes|navigate|navigates forward? to the next page",
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: `${USE} the|on_the|on? browser|browser's forward button|arrow|icon?`,
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern: `${USE} the|on_the|on? forward button|arrow of_the_browser|in_the_browser`,
    example: "Go forward",
    build: alone("go_forward"),
  },
  {
    pattern:
      "reload|reloads|refresh|refreshes the|this|current|the_current? page|browser|window|tab|site|website|screen|browser_window|browser_tab|web_page|webpage|app|application",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: "reload|reloads|refresh|refreshes",
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: `${USE} the|on_the|on? browser|browser's refresh|reload button|icon?`,
    example: "Reload the page",
    build: alone("reload"),
  },
  {
    pattern: `accept|accepts|confirm|confirms the|this|that|a|an|any? ${ADJECTIVE}? ${DIALOG}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `click|clicks|press|presses|tap|choose|select|hit ok|okay|yes|accept button? in|on|of|inside|to the|a? ${ADJECTIVE}? ${OWN}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `click|clicks|press|presses|tap|choose|select|hit {value:quoted} button? in|on|of|inside the|a? ${ADJECTIVE}? ${OWN}`,
    example: "Accept the dialog",
    build: (slots) => {
      const said = text(slots, "value").toLowerCase();
      if (/^(?:ok|okay|yes)$/.test(said)) return { action: "accept_dialog" };
      if (/^(?:cancel|no)$/.test(said)) return { action: "dismiss_dialog" };
      return { doubt: "A dialog of the browser is accepted or dismissed." };
    },
  },
  {
    pattern: `dismiss|dismisses|cancel|cancels|reject|decline the|this|that|a|an|any? ${ADJECTIVE}? ${DIALOG}`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `click|clicks|press|presses|tap|choose|select|hit cancel|no button? in|on|of|inside the|a? ${ADJECTIVE}? ${OWN}`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `answer|answers|give {value:quoted} to|in the? ${ADJECTIVE}? prompt|prompt_dialog`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `answer|answers|respond_to|reply_to|accept|accepts the|a? ${ADJECTIVE}? prompt|promptbox|prompt_box|dialog|prompt_dialog with the_text|text? {value:value}`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `type|enter|enters|write|put|types|input {value:value} into|in the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog`,
    example: 'Answer the prompt with "Ann"',
    build: () => ({
      doubt: "Say whether the prompt is accepted: answer the prompt with the text.",
    }),
  },
  {
    pattern:
      "switch|switches|change|changes back? to the? main|top|default|outer|original? page|content|page_content|main_content",
    example: "Switch back to the main page",
    build: alone("switch_frame"),
  },
  {
    pattern: `${SWITCH} back? to the? main|top|default|outer|original frame|content|document`,
    example: "Switch back to the main page",
    build: (slots) => ({ action: "switch_frame", target: text(slots, "target") }),
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
    pattern: `${SWITCH} back? to the? ${TAB} titled|named|called|with_the_title|with_title|labelled|labeled {value:quoted}`,
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
  {
    pattern: `set|sets|change|changes|resize|resizes|adjust|make|switch the|my|a|your? browser|page|browser's? ${SIZE} size|dimensions|resolution? to|as|at {size:size}`,
    example: "Set the viewport to 1280x720",
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: `use|uses|emulate|emulates|with|have|has|simulate a|an|the? ${SIZE} size? of|with|that_is|set_to|=? {size:size}`,
    example: "Set the viewport to 1280x720",
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: `use|uses|emulate|emulates|set|simulate a|an|the? {size:size} ${SIZE}|device size?`,
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern: "emulate|emulates|simulate a|an|the? {size:size}",
    example: 'Set the viewport to "iPhone 13"',
    build: (slots) => ({ action: "set_viewport", value: text(slots, "size") }),
  },
  {
    pattern:
      "scroll|scrolls all_the_way|down|up|back|back_up|back_down|all_the_way_down|all_the_way_up? to the? very? bottom|end of_the_page|of_page|of_the_screen|of_this_page?",
    example: "Scroll to the bottom of the page",
    build: scrollTo("bottom"),
  },
  {
    pattern:
      "scroll|scrolls all_the_way|down|up|back|back_up|back_down|all_the_way_down|all_the_way_up? to the? very? top|start|beginning of_the_page|of_page|of_the_screen|of_this_page?",
    example: "Scroll to the top of the page",
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls the_page|the_window|page|window? down|downwards? by? {pixels:pixels}",
    example: "Scroll by 500 pixels",
    build: pixels(""),
  },
  {
    pattern:
      "scroll|scrolls the_page|the_window|page|window? down|downwards? by? {pixels:pixels} pixels|px",
    example: "Scroll by 500 pixels",
    build: pixels(""),
  },
  {
    pattern: "scroll|scrolls the_page|the_window|page|window? up|upwards by? {pixels:pixels}",
    example: "Scroll up 200 pixels",
    build: pixels("-"),
  },
  {
    pattern: "scroll|scrolls {target:target} to the|its bottom|end",
    example: 'Scroll the "Orders" table to its bottom',
    build: scrollTo("bottom"),
  },
  {
    pattern: "scroll|scrolls {target:target} to the|its top|start",
    example: 'Scroll the "Orders" table to its top',
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls {target:target} down? by {pixels:pixels}",
    example: 'Scroll the "Orders" table by 300 pixels',
    build: pixels(""),
  },
  {
    pattern: "scroll|scrolls {target:target} down? by {pixels:pixels} pixels|px",
    example: 'Scroll the "Orders" table by 300 pixels',
    build: pixels(""),
  },
  {
    pattern:
      "scroll|scrolls the_page? down|up|back_up? until|till i|you|we|the_user? see|can_see {target:target}",
    example: 'Scroll to the "Reviews" section',
    build: scrollTo(""),
  },
  {
    pattern:
      "scroll|scrolls the_page? down|up|back_up? to|until|till {target:target} is_visible|is_in_view|appears|comes_into_view|is_displayed|is_shown|is_in_the_viewport",
    example: 'Scroll to the "Reviews" section',
    build: scrollTo(""),
  },
  {
    pattern: "scroll|scrolls all_the_way|fully|completely down",
    example: "Scroll to the bottom of the page",
    build: scrollTo("bottom"),
  },
  {
    pattern: "scroll|scrolls all_the_way|fully|completely|back up",
    example: "Scroll to the top of the page",
    build: scrollTo("top"),
  },
  {
    pattern: "scroll|scrolls the_page? down|up|back_up? to {target:target}",
    example: 'Scroll to the "Reviews" section',
    build: (slots) => {
      if (
        /^(?:bottom|top|end|page)\b|\bis\b/i.test(text(slots, "target")) &&
        !slots.target?.isQuoted
      )
        return null;
      return scrollTo("")(slots);
    },
  },
  {
    pattern: "scroll|scrolls|bring|brings {target:target} into view|the_view|the_viewport|viewport",
    example: 'Scroll the "Reviews" section into view',
    build: scrollTo(""),
  },
  {
    pattern: `${KEEP} the? text|value|content|contents|text_content? of|from|in {target:target} as|in|into|to a|the? variable|variable_named|variable_called? {name:name}`,
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => ({
      action: "store",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
  {
    pattern:
      "store|stores|save|saves|remember|remembers the? current? url|title|page_title as|in|into the? variable? {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: () => ({ doubt: "Only the text of an element can be stored." }),
  },
  {
    pattern: "store|stores|remember|remembers {target:target} as|in the? variable? {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: (slots) => ({
      action: "store",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
  {
    pattern: `call|calls|run|runs|execute|executes|perform|include the? ${TEST}|steps_of|steps_from|steps_of_test|steps_of_the_test {value:quoted}`,
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
  {
    pattern: `call|calls|run|runs|execute|executes|perform|include the? {value:quoted} ${TEST}|steps`,
    example: 'Click the "Sign in" button',
    build: (slots) => ({ action: "call_test", target: text(slots, "value") }),
  },
  {
    pattern:
      "check|verify|assert|ensure|confirm|make_sure that|if? the? page|screen|layout looks|look|is_visually the_same|as_before|same|as_expected|unchanged as_before|as_the_baseline|as_in_the_baseline?",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify|compare_visually of? the? page|screen|whole_page|full_page called|named|as|titled {name:value}",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify of? the? page|screen|whole_page|full_page?",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify of? {target:target} called|named|as|titled {name:value}",
    example: 'Visual check of the "Header" section called "header"',
    build: (slots) => ({
      action: "visual_check",
      target: text(slots, "target"),
      value: text(slots, "name"),
    }),
  },
  {
    pattern:
      "visual_check|visually_check|visually_compare|check_visually|visual_comparison|visual_test|visually_verify of? {target:target}",
    example: 'Visual check of the "Header" section',
    build: (slots) =>
      slots.target?.isQuoted && !slots.target.isLiteral && kindOfSlot(slots.target) === null
        ? null
        : onTarget("visual_check")(slots),
  },
  {
    pattern:
      "compare|compares|match the? screenshot|page|picture|snapshot {name:quoted} with|to|against the|its? baseline|reference|baseline_image",
    example: 'Visual check of the page called "home"',
    build: (slots) => ({ action: "visual_check", value: text(slots, "name") }),
  },
  {
    pattern:
      "compare|compares|match the? page|screen|screenshot with|to|against the|its? baseline|reference|baseline_image",
    example: "Visual check of the page",
    build: alone("visual_check"),
  },
  {
    pattern:
      "compare|compares|match {target:target} with|to|against the|its? baseline|reference|baseline_image",
    example: 'Visual check of the "Header" section',
    build: onTarget("visual_check"),
  },
  {
    pattern:
      "{target:target} should_look|looks|must_look|should_visually_match the_same|same|as_before|unchanged|like_the_baseline|the_baseline|as_in_the_baseline as_before|as_the_baseline|as_in_the_baseline|as_in_baseline?",
    example: 'The "Header" section should look the same as before',
    build: (slots) =>
      /^(?:page|screen|layout)$/i.test(text(slots, "target"))
        ? { action: "visual_check" }
        : onTarget("visual_check")(slots),
  },
  {
    pattern: `${USE} on? the? back|forward|refresh|reload button|arrow?`,
    example: 'Click the "Back" button',
    build: () => ({
      doubt: "Say the browser's button, or put the name of the page's own in quotes.",
    }),
  },
];

/** The same, where an `and` does not divide. */
export const wholeBrowserForms: readonly Form[] = [
  {
    pattern: `type|enter|enters|write|put|types|input {value:value} into|in the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? and accept|accepts|confirm|confirms|submit it|the_prompt|the_dialog|the_prompt_dialog?`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern: `type|enter|enters|write|put|types|input {value:value} into|in the? ${ADJECTIVE}? prompt|promptbox|prompt_box|prompt_dialog ,? and click|press|hit|tap ok|okay|enter`,
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
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
      "take|takes|capture|make a|the? screenshot|screen_shot of_the_page? ,? and name|call|save|store it as? {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
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
