import { parseDuration } from "../catalogue/values.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, CONTAIN, NOT_BE, PAGE, SHOW, text, VISIBLE } from "./verbs.ts";
import { waitWays } from "./waitWays.ts";

const waitFor =
  (state: string) =>
  (slots: Bindings): Built => ({ action: "wait_for", target: text(slots, "target"), value: state });

const UNTIL = "wait_until|waits_until|wait_till|waits_till|wait_for|waits_for|wait_on|waits_on";

const LOADED_WHEN_SEEN = new Set(["text", "heading", "button", "link", "dialog", "section"]);

const TIME = /(?:^|\s)(?:seconds?|minutes?|ms|milliseconds?|secs?|mins?|while|moment|bit)$/i;

/** Waiting for a state of an element; tried before `wait for X` alone. */
export const waitForms: readonly Form[] = [
  {
    pattern: `${UNTIL} the? ${PAGE} ${CONTAIN}|${SHOW} the? text? {target:target}`,
    example: 'Wait until "Welcome" appears',
    build: (slots) => (slots.target?.isQuoted ? waitFor("visible")(slots) : null),
  },
  {
    pattern: `${UNTIL} the? ${PAGE} does_not|doesn't|no_longer|should_not contain|contains|show|shows|display|displays the? text? {target:target} anymore|any_more?`,
    example: "Wait until the spinner is gone",
    build: (slots) => (slots.target?.isQuoted ? waitFor("hidden")(slots) : null),
  },
  {
    pattern: `${UNTIL} the? visibility|appearance|presence of {target:target}`,
    example: 'Wait until "Welcome" appears',
    build: (slots) => (slots.target?.isQuoted ? waitFor("visible")(slots) : null),
  },
  {
    pattern: `${UNTIL} the? disappearance|absence of {target:target}`,
    example: "Wait until the spinner is gone",
    build: (slots) => (slots.target?.isQuoted ? waitFor("hidden")(slots) : null),
  },
  {
    pattern: `${UNTIL} {target:target} to_show|to_render|to_load|has_loaded|is_loaded|to_be_loaded|has_rendered on_the_page|on_the_screen?`,
    example: 'Wait until "Welcome" appears',
    // A picture or a frame is there before it has loaded.
    build: (slots) =>
      slots.target?.isQuoted && LOADED_WHEN_SEEN.has(kindOfSlot(slots.target) ?? "text")
        ? waitFor("visible")(slots)
        : null,
  },
  {
    pattern: `${UNTIL} {target:target} ${NOT_BE} disabled|greyed_out|grayed_out anymore|any_more?`,
    example: 'Wait until the "Save" button is enabled',
    build: waitFor("enabled"),
  },
  {
    pattern: `${UNTIL} no {target:target} ${BE} ${VISIBLE}`,
    example: "Wait until the spinner is gone",
    build: (slots) => (slots.target?.isQuoted ? waitFor("hidden")(slots) : null),
  },
  {
    pattern: `${UNTIL} {target:target} ${BE} hidden|gone|invisible|not_visible|removed`,
    example: "Wait until the spinner is gone",
    build: waitFor("hidden"),
  },
  {
    pattern: `${UNTIL} {target:target} ${NOT_BE} ${VISIBLE} anymore|any_more|any_longer?`,
    example: "Wait until the spinner is no longer visible",
    build: waitFor("hidden"),
  },
  {
    pattern: `${UNTIL} {target:target} disappears|disappear|to_disappear|vanishes|to_vanish|goes_away|to_go_away|has_disappeared|is_gone|closes|to_close|is_closed|to_be_closed|has_gone|to_be_gone|fades_out|to_fade_out|has_vanished from_the_page|from_the_screen|from_view|completely?`,
    example: "Wait for the spinner to disappear",
    build: waitFor("hidden"),
  },
  {
    pattern: `${UNTIL} {target:target} ${BE} visible|shown|displayed|present|rendered|on_the_page|on_the_screen on_the_page|on_the_screen|on_screen?`,
    example: 'Wait until "Welcome" is visible',
    build: waitFor("visible"),
  },
  {
    pattern: `${UNTIL} {target:target} appears|appear|to_appear|shows_up|to_show_up|has_appeared|opens|to_open|is_open|is_opened|to_be_opened|pops_up|to_pop_up|exists|to_exist|comes_into_view|to_come_into_view on_the_page|on_the_screen|on_screen?`,
    example: 'Wait until "Welcome" appears',
    build: waitFor("visible"),
  },
  {
    pattern: `${UNTIL}|wait_to|waits_to i|we|you|the_user|user? see|sees|can_see {target:target}`,
    example: 'Wait until I see "Welcome"',
    build: waitFor("visible"),
  },
  {
    pattern: `${UNTIL} {target:target} ${BE} enabled|clickable|not_disabled|active`,
    example: 'Wait until the "Save" button is enabled',
    build: waitFor("enabled"),
  },
  {
    pattern: `${UNTIL} {target:target} can_be_clicked|is_ready_to_be_clicked`,
    example: 'Wait until the "Save" button is enabled',
    build: waitFor("enabled"),
  },
  {
    pattern: "wait|waits for|on {target:target}",
    example: 'Wait for the "Welcome" heading',
    build: (slots) => {
      const isNamed = slots.target?.isQuoted === true;
      const isVague =
        /^(?:navigation|redirect|load|loading|results|response|page|site|app|website|application|moment|bit|while|second|minute)$|\bto\b/i;
      if (!isNamed && parseDuration(text(slots, "target")) !== null) {
        return { action: "wait", value: text(slots, "target") };
      }
      // `Wait for ten seconds` is a time, `wait for 3 more seconds` something that nobody knows.
      if (!isNamed && TIME.test(text(slots, "target"))) return null;
      if (!isNamed && isVague.test(text(slots, "target"))) {
        return { doubt: "Say what is waited for: an element, quoted, or a time." };
      }
      return waitFor("")(slots);
    },
  },
  ...waitWays,
];
