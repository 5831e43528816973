import type { Built, Form } from "./match.ts";
import type { Bindings } from "./slots.ts";
import { BE, NOT_BE, text, VISIBLE } from "./verbs.ts";

const waitFor =
  (state: string) =>
  (slots: Bindings): Built => ({ action: "wait_for", target: text(slots, "target"), value: state });

const UNTIL = "wait_until|waits_until|wait_till|waits_till|wait_for|waits_for";

/** Waiting for a state of an element; tried before `wait for X` alone. */
export const waitForms: readonly Form[] = [
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
    pattern: `${UNTIL} {target:target} disappears|disappear|to_disappear|vanishes|to_vanish|goes_away|to_go_away|has_disappeared|is_gone`,
    example: "Wait for the spinner to disappear",
    build: waitFor("hidden"),
  },
  {
    pattern: `${UNTIL} {target:target} ${BE} visible|shown|displayed|present`,
    example: 'Wait until "Welcome" is visible',
    build: waitFor("visible"),
  },
  {
    pattern: `${UNTIL} {target:target} appears|appear|to_appear|shows_up|to_show_up|has_appeared`,
    example: 'Wait until "Welcome" appears',
    build: waitFor("visible"),
  },
  {
    pattern: `${UNTIL} i|we|you? see|can_see {target:target}`,
    example: 'Wait until I see "Welcome"',
    build: waitFor("visible"),
  },
  {
    pattern: `${UNTIL} {target:target} ${BE} enabled|clickable|not_disabled`,
    example: 'Wait until the "Save" button is enabled',
    build: waitFor("enabled"),
  },
  {
    pattern: "wait|waits for {target:target}",
    example: 'Wait for the "Welcome" heading',
    build: (slots) => {
      const isNamed = slots.target?.isQuoted === true;
      const isVague =
        /^(?:page|site|app|website|application|moment|bit|while|second|minute)$|\bto\b/i;
      if (!isNamed && isVague.test(text(slots, "target"))) {
        return { doubt: "Say what is waited for: an element, quoted, or a time." };
      }
      return waitFor("")(slots);
    },
  },
];
