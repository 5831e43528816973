import { alone } from "./actVerbs.ts";
import type { Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const TEST = "test|scenario|test_case|testcase|flow";
const OWN =
  "alert|alert_box|confirm|confirm_box|confirmation|confirmation_dialog|confirm_dialog|prompt|browser_dialog|browser_alert|dialog_of_the_browser|browser's_dialog|browser's_alert|native_dialog|confirmation_prompt|browser_confirmation|browser's_confirmation|browser's_confirmation_dialog|browser_confirmation_dialog|javascript_alert|js_alert|confirmation_alert|alert_dialog";
const CHECK =
  "visual_check|visual_comparison|visual_test|visual_regression_check|visual_snapshot|visual_regression_test";
const BASE = "baseline|reference|snapshot|baseline_image|reference_image|baseline_screenshot";

const store = (slots: Bindings) =>
  slots.target?.isQuoted || kindOfSlot(slots.target) !== null
    ? { action: "store", target: text(slots, "target"), value: text(slots, "name") }
    : null;

const called = (slots: Bindings) => ({ action: "call_test", target: text(slots, "value") });
const compared = (slots: Bindings) => ({ action: "visual_check", value: text(slots, "name") });

/** Dialogs of the browser, what is kept, tests that are called and pictures, in more ways than most people say it. */
export const recordWays: readonly Form[] = [
  {
    pattern: `accept|accepts|confirm|confirms|agree_to|ok the|this|that|a|an|any? ${OWN} of_the_browser|that_appears|that_opens|that_pops_up?`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `dismiss|dismisses|cancel|cancels|reject|decline|refuse the|this|that|a|an|any? ${OWN} of_the_browser|that_appears|that_opens|that_pops_up?`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `accept|accepts|confirm the|an? alert|confirm|prompt|dialog box`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `answer|answers|confirm|respond_to the|an? ${OWN} with|by ok|yes|okay`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `answer|answers|say|reply|respond ok|yes|okay to|in the|an? ${OWN}`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern: `answer|answers|respond_to the|an? ${OWN} with|by cancel|no`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `press|click|choose|select|hit|tap cancel|no in|on the|an? ${OWN} of_the_browser?`,
    example: "Dismiss the dialog",
    build: alone("dismiss_dialog"),
  },
  {
    pattern: `press|click|choose|select|hit|tap ok|yes|okay in|on the|an? ${OWN} of_the_browser?`,
    example: "Accept the dialog",
    build: alone("accept_dialog"),
  },
  {
    pattern:
      "answer|answers|reply|respond|give|say {value:quoted} to|in|at the|a? prompt|browser_prompt|browser's_prompt",
    example: 'Answer the prompt with "Ann"',
    build: (slots) => ({ action: "accept_dialog", value: text(slots, "value") }),
  },
  {
    pattern:
      "note_down|write_down|assign|memorize|memorise|stash|put|note|notes|hold the? text|value|content|contents of|from|in {target:target} as|in|into|to|under the|a? variable|variable_named|variable_called|name? {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: store,
  },
  {
    pattern:
      "store|save|remember|keep|copy|capture|record|read|get|grab the? text|value|content|contents of|from|in {target:target} under|with|by the? name|variable_name {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: store,
  },
  {
    pattern:
      "set|let the? variable? {name:name} to|be|= the text|value|content of|in|from {target:target}",
    example: 'Store the text of the "Total" cell as "total"',
    build: store,
  },
  {
    pattern:
      "remember|store|save|note|keep what {target:target} says|shows|contains|displays|reads as|in|under {name:name}",
    example: 'Store the text of the "Total" cell as "total"',
    build: store,
  },
  {
    pattern: `rerun|re-run|reruns|carry_out|carries_out|invoke|invokes|reuse|go_through|complete|start_with|begin_with|walk_through|replay|trigger|run|execute|call|perform|do the? steps_of|steps_from|steps_in|actions_of? the? ${TEST} {value:quoted}`,
    example: 'Click the "Sign in" button',
    build: called,
  },
  {
    pattern: `the? ${TEST}|steps_of|steps_of_the_test {value:quoted} is|was|has_been|are|have_been run|executed|done|completed|carried_out|performed`,
    example: 'Click the "Sign in" button',
    build: called,
  },
  {
    pattern: `have|has|had run|executed|performed|completed the? ${TEST} {value:quoted}`,
    example: 'Click the "Sign in" button',
    build: called,
  },
  {
    pattern: `do|does|make|perform|performs|run|runs|take|carry_out|execute a|the|another? ${CHECK} of|on|for the? page|screen|whole_page called|named|as|titled {name:value}`,
    example: 'Visual check of the page called "home"',
    build: compared,
  },
  {
    pattern: `do|does|make|perform|performs|run|runs|take|carry_out|execute a|the|another? ${CHECK} called|named|as|titled|with_the_baseline|against_the_baseline|with_baseline|against_baseline|:? {name:quoted}`,
    example: 'Visual check of the page called "home"',
    build: compared,
  },
  {
    pattern: `do|does|make|perform|performs|run|runs|take|carry_out|execute a|the|another? ${CHECK} of|on|for {target:target}`,
    example: 'Visual check of the "Header" section',
    build: (slots) => ({ action: "visual_check", target: text(slots, "target") }),
  },
  {
    pattern: "check|checks|verify|compare|inspect|examine {target:target} visually",
    example: 'Visual check of the "Header" section',
    build: (slots) =>
      kindOfSlot(slots.target) !== null
        ? { action: "visual_check", target: text(slots, "target") }
        : null,
  },
  {
    pattern: `compare|compares {target:target} visually with|to|against the|its? ${BASE}`,
    example: 'Visual check of the "Header" section',
    build: (slots) =>
      /^(?:page|screen)$/i.test(text(slots, "target"))
        ? null
        : { action: "visual_check", target: text(slots, "target") },
  },
  {
    pattern: `compare|compares|check|verify it|the_page|the_screen visually? with|to|against the|its? ${BASE}? {name:quoted} visually?`,
    example: 'Visual check of the page called "home"',
    build: compared,
  },
  {
    pattern:
      "take|takes|make|capture a|the|another? screenshot|screen_shot|snapshot for|under|,_name_it|,_call_it|and_label_it|,_named {name:quoted}",
    example: 'Take a screenshot called "home"',
    build: (slots) => ({ action: "screenshot", value: text(slots, "name") }),
  },
  {
    pattern:
      "take|takes|make|makes|capture a|the|another? screenshot|screen_shot|snapshot of the current|whole|entire|full|visible page|screen|view|window",
    example: "Take a screenshot",
    build: () => ({ action: "screenshot" }),
  },
];
