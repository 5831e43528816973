import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, text } from "./verbs.ts";

const WAIT =
  "wait|waits|wait_a_moment|wait_a_bit|wait_some_time|wait_a_while|wait_patiently|wait_here|keep_waiting|hold_on|pause|pauses|hang_on|wait_as_long_as_it_takes";
const FOR = "for|on";
const UNTIL = "until|till";

const waitFor =
  (state: string) =>
  (slots: Bindings): Built =>
    slots.target?.isQuoted || kindOfSlot(slots.target) !== null
      ? { action: "wait_for", target: text(slots, "target"), value: state }
      : null;

const pause = (slots: Bindings): Built => ({ action: "wait", value: text(slots, "time") });

const seenAt = (slots: Bindings): Built =>
  slots.target?.isQuoted || kindOfSlot(slots.target) !== null
    ? { action: "scroll", target: text(slots, "target") }
    : null;

const LOADING =
  "for_the_page_to_load|for_the_page_to_settle|for_it_to_load|to_let_the_page_load|until_the_page_has_loaded|until_the_page_is_loaded|so_that_the_page_can_load|before_the_next_step|before_going_on|before_you_continue|for_everything_to_load|for_loading|to_pass";

/** Waiting, and scrolling to things, in more ways than most people say it. */
export const waitWays: readonly Form[] = [
  {
    pattern: `${WAIT} ${UNTIL} {target:target} appears|appear|is_visible|is_shown|is_displayed|shows_up|becomes_visible|comes_up|can_be_seen|is_there|is_present|loads|has_loaded|is_loaded|will_appear|has_appeared|is_up|pops_up|will_be_visible|is_seen again?`,
    example: 'Wait until "Welcome" appears',
    build: waitFor("visible"),
  },
  {
    pattern: `${WAIT} ${FOR} {target:target} to come_up|appear_again|be_there|be_seen|become_visible|load|show_up_again|be_back`,
    example: 'Wait until "Welcome" appears',
    build: waitFor("visible"),
  },
  {
    pattern: `wait|waits a_maximum_of|a_max_of|no_longer_than|not_more_than|no_more_than|max|maximum {time:time} for|until {target:target} appears|is_visible|to_appear|is_shown|is_displayed?`,
    example: 'Wait until "Welcome" appears',
    build: waitFor("visible"),
  },
  {
    pattern: `wait|waits ( up_to|max|at_most|maximum {time:time} ) for|until {target:target} appears|is_visible|to_appear?`,
    example: 'Wait until "Welcome" appears',
    build: waitFor("visible"),
  },
  {
    pattern: `${WAIT} ${UNTIL} you|i|we|the_user no_longer_see|no_longer_sees|do_not_see|don't_see|cannot_see|can_no_longer_see|don't_see_any {target:target} anymore|any_more?`,
    example: "Wait until the spinner is gone",
    build: waitFor("hidden"),
  },
  {
    pattern: `${WAIT} while|as_long_as {target:target} ${BE} visible|shown|displayed|there|on_the_page|present|showing`,
    example: "Wait until the spinner is gone",
    build: waitFor("hidden"),
  },
  {
    pattern: `${WAIT} ${UNTIL} {target:target} disappears|is_gone|is_hidden|has_disappeared|is_no_longer_visible|vanishes|goes_away|has_gone`,
    example: "Wait until the spinner is gone",
    build: waitFor("hidden"),
  },
  {
    pattern: `${WAIT} ${UNTIL} you|i|we|the_user can click|press|use|tap on? {target:target}`,
    example: 'Wait until the "Save" button is enabled',
    build: waitFor("enabled"),
  },
  {
    pattern: `${WAIT} ${UNTIL} {target:target} is_enabled|is_clickable|becomes_enabled|becomes_clickable|becomes_active|can_be_clicked`,
    example: 'Wait until the "Save" button is enabled',
    build: waitFor("enabled"),
  },
  {
    pattern: `wait|waits|pause|pauses|sleep|hold|allow|give_it|give_the_page|let for|about|another|at_least|exactly? {time:time} ${LOADING}|pass?`,
    example: "Wait 2 seconds",
    build: pause,
  },
  {
    pattern: "wait|waits|pause for a|an? duration|period|time|total of {time:time}",
    example: "Wait 2 seconds",
    build: pause,
  },
  {
    pattern: "pause|stop|hold|delay the? test|execution|run|script for {time:time}",
    example: "Wait 2 seconds",
    build: pause,
  },
  {
    pattern: "a? pause|wait|delay of|for|: {time:time}",
    example: "Wait 2 seconds",
    build: pause,
  },
  {
    pattern: "wait_time|waiting_time|pause_time|delay of|:? {time:time}",
    example: "Wait 2 seconds",
    build: pause,
  },
  {
    pattern: "add|insert|make a pause|delay|wait of {time:time}",
    example: "Wait 2 seconds",
    build: pause,
  },
  {
    pattern:
      "scroll|scrolls the_page|the_window? down|up|further_down? until|till|so_that|so you_reach|you_get_to|you_find|i_reach|you_come_to|you_see|we_see {target:target}",
    example: "Scroll to the footer",
    build: seenAt,
  },
  {
    pattern:
      "scroll|scrolls the_page|the_window? down|up? so_that|so {target:target} is_visible|is_in_view|comes_into_view|is_shown|appears|can_be_seen",
    example: "Scroll to the footer",
    build: seenAt,
  },
  {
    pattern: "scroll|scrolls down|up|over|further|back on_the_page|along? to {target:target}",
    example: "Scroll to the footer",
    build: seenAt,
  },
  {
    pattern:
      "scroll|scrolls the_page|page|the_window|down|the_whole_page|the_screen? all_the_way_down|completely_down|down_completely|to_the_page_bottom|to_page_bottom|down_to_page_bottom|to_the_page_end|down_the_whole_page|to_the_bottom_of_it",
    example: "Scroll to the bottom of the page",
    build: () => ({ action: "scroll", value: "bottom" }),
  },
  {
    pattern: "scroll|scrolls completely|down completely|the_whole_page|the_entire_page",
    example: "Scroll to the bottom of the page",
    build: () => ({ action: "scroll", value: "bottom" }),
  },
  {
    pattern:
      "go|goes|move|moves|jump|get down|all_the_way_down? to the? bottom|end|very_bottom of_the_page|of_the_screen|of_this_page",
    example: "Scroll to the bottom of the page",
    build: () => ({ action: "scroll", value: "bottom" }),
  },
  {
    pattern:
      "go|goes|move|moves|jump|get back|up|back_up|all_the_way_up? to the? top|very_top of_the_page|of_the_screen|of_this_page",
    example: "Scroll to the top of the page",
    build: () => ({ action: "scroll", value: "top" }),
  },
  {
    pattern:
      "scroll|scrolls the_page|page|the_window|the_screen by? {pixels:pixels} pixels|px? down|downwards",
    example: "Scroll by 500 pixels",
    build: (slots) => ({ action: "scroll", value: text(slots, "pixels").replace(/^[+]/, "") }),
  },
  {
    pattern:
      "scroll|scrolls the_page|page|the_window|the_screen by? {pixels:pixels} pixels|px? up|upwards",
    example: "Scroll up 200 pixels",
    build: (slots) => ({
      action: "scroll",
      value: `-${text(slots, "pixels").replace(/^[+-]/, "")}`,
    }),
  },
];
