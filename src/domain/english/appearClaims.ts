import { parseTarget } from "../catalogue/target.ts";
import type { Built, Form } from "./formTables.ts";
import { inPlace, MESSAGE, quotedOnly } from "./seenClaims.ts";
import type { Bindings } from "./slotTypes.ts";
import { BE, claim, HIDDEN, NOT_BE, SEE, text, VISIBLE } from "./verbs.ts";
import { quote } from "./words.ts";

/** `"Required" is shown next to the "Name" field`: the thing, and what it is beside. */
const besides = (slots: Bindings): Built => {
  const target = `${text(slots, "target")} next to the ${text(slots, "other")}`;
  const isNamed = slots.target?.isQuoted === true && slots.other?.isQuoted === true;
  return isNamed && parseTarget(target).near !== null ? { action: "assert_visible", target } : null;
};

/** What comes and goes; tried after what is simply seen. */
export const appearClaims: readonly Form[] = [
  {
    pattern:
      "{target:target} appears|appear|should_appear|to_appear|exists|should_exist|does_exist|do_exist|should_show_up|to_exist on_the_page|on_the_screen?",
    example: 'The "Save" button should appear',
    build: claim("assert_visible"),
  },
  {
    pattern: `{target:target} ${BE} ${HIDDEN}`,
    example: "The spinner should be hidden",
    build: claim("assert_hidden"),
  },
  {
    pattern: `{target:target} ${NOT_BE} ${VISIBLE} on_the_page|on_the_screen|on_screen|anymore|any_more|any_longer?`,
    example: 'The "Delete" button should not be visible',
    build: claim("assert_hidden"),
  },
  {
    pattern:
      "{target:target} disappears|disappear|should_disappear|vanishes|should_vanish|should_not_appear|should_not_exist|shouldn't_appear|shouldn't_exist|not_to_exist|to_not_exist|not_to_appear|to_not_appear|to_disappear|to_vanish|no_longer_exists|no_longer_appears|should_no_longer_exist|should_no_longer_appear|must_not_exist|must_not_appear|has_disappeared|have_disappeared|should_have_disappeared|has_vanished|should_have_vanished|should_be_removed|is_removed|goes_away|should_go_away|does_not_exist|doesn't_exist|does_not_appear|doesn't_appear",
    example: "The spinner should disappear",
    build: claim("assert_hidden"),
  },
  {
    pattern:
      "{target:target} shows|shows_up|pops_up|should_pop_up|comes_up|should_come_up|gets_displayed|gets_shown|is_popping_up on_the_page|on_the_screen|on_screen?",
    example: 'The "Save" button should appear',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern:
      "{target:target} never_appears|should_never_appear|never_shows_up|is_nowhere_to_be_seen|is_nowhere_to_be_found|should_not_show_up|does_not_show_up|doesn't_show_up|should_not_pop_up",
    example: 'The "Delete" button should not be visible',
    build: quotedOnly("assert_hidden"),
  },
  {
    pattern:
      "{target:target} is_removed|should_be_removed|has_been_removed|was_removed|gets_removed|disappears|should_disappear|has_disappeared|vanishes|is_gone|should_be_gone from {other:target}",
    example: 'The "Save" button should be hidden',
    build: inPlace("assert_hidden"),
  },
  {
    pattern: "the? absence of {target:target}",
    example: 'I should not see "Error"',
    build: quotedOnly("assert_hidden"),
  },
  {
    pattern: "observe|observes|notice|notices|spot|spots {target:target}",
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `{target:target} ${BE}|appears|should_appear ${VISIBLE}? next_to|beside|near|alongside {other:target}`,
    example: 'The "Save" button should be visible',
    build: besides,
  },
  {
    pattern: `${SEE} {value:quoted} as the|a|main|page? heading|headline|page_heading`,
    example: 'I should see "Welcome"',
    build: (slots) => ({
      action: "assert_visible",
      target: `${quote(text(slots, "value"))} heading`,
    }),
  },
  {
    pattern: `${SEE} the_following|following {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `the|a|an? ${MESSAGE} {target:target} ${BE}|appears|should_appear|pops_up|should_pop_up ${VISIBLE}? on_the_page|on_the_screen?`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `the|a|an? ${MESSAGE} appears|should_appear|pops_up|is_shown|is_displayed|should_be_shown|should_be_displayed saying|that_says|that_reads|stating|reading|with_the_text|with_text|which_says|with {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
];
