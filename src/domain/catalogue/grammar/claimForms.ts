import { parsePattern, wildcardSource } from "../values.ts";
import type { Built, Form } from "./match.ts";
import { type Bindings, kindOfSlot, type SlotName } from "./slots.ts";

const text = (slots: Bindings, name: SlotName): string => slots[name]?.text ?? "";

const claim =
  (action: string, slot?: SlotName) =>
  (slots: Bindings): Built => ({
    action,
    target: text(slots, "target"),
    ...(slot ? { value: text(slots, slot) } : {}),
  });

const waitFor =
  (state: string) =>
  (slots: Bindings): Built => ({ action: "wait_for", target: text(slots, "target"), value: state });

const BE =
  "should_be|should_now_be|should_still_be|must_be|is|are|is_now|are_now|becomes|become|to_be|to_become|be|will_be";
const NOT_BE =
  "should_not_be|shouldn't_be|must_not_be|mustn't_be|is_not|isn't|are_not|aren't|not_to_be|to_not_be|should_no_longer_be|is_no_longer|are_no_longer";
const HAVE = "should_have|must_have|has|have|to_have|having";
const CONTAIN =
  "should_contain|contains|contain|to_contain|must_contain|should_include|includes|include|to_include";
const SHOW = "should_show|shows|show|to_show|should_display|displays|display|to_display";
const SEE =
  "should_see|should_now_see|should_still_see|can_see|see|sees|to_see|must_see|should_be_able_to_see|should_find|will_see";
const NOT_SEE =
  "should_not_see|shouldn't_see|don't_see|doesn't_see|do_not_see|does_not_see|cannot_see|can't_see|must_not_see|should_no_longer_see|no_longer_see|should_not_find";
const VISIBLE = "visible|shown|displayed|present|there";
const HIDDEN =
  "hidden|gone|invisible|absent|not_visible|not_there|not_displayed|not_shown|not_present";
const WITH = "with|with_the_value|with_value|of|=|equal_to|equals|set_to|to_be|being|as";
const PAGE = "page|screen|website|site|app|application";

/** A pattern that a page's address or title contains, starts or ends with a text, `*` in it being itself. */
const around = (before: string, part: string, after: string): string => {
  if (!part.includes("*")) return `${before}${part}${after}`;
  const source = part.replaceAll("*", "\u0000");
  const escaped = wildcardSource(source).slice(1, -1).replaceAll("\u0000", "\\*");
  return `/${before ? "" : "^"}${escaped}${after ? "" : "$"}/`;
};

const pageForms = (noun: string, action: string, examples: readonly [string, string]): Form[] => {
  const subject = `the? page|current|window|browser|tab? ${noun} of_the_page?`;
  const made =
    (before: string, after: string) =>
    (slots: Bindings): Built => ({ action, value: around(before, text(slots, "value"), after) });
  return [
    {
      pattern: `${subject} ${BE}|should_equal|equals|should_read {value:value}`,
      example: `The ${examples[0]} should be ${examples[1]}`,
      build: (slots) => {
        const value = text(slots, "value");
        if (parsePattern(value).kind === "regex" && action === "assert_url") {
          return {
            doubt: "Between slashes it is a regular expression: say matches, or ends with.",
          };
        }
        return { action, value };
      },
    },
    {
      pattern: `${subject} should_match|matches|to_match|must_match {value:value}`,
      example: `The ${examples[0]} should match "*${examples[1].slice(1, -1)}*"`,
      build: (slots) => ({ action, value: text(slots, "value") }),
    },
    {
      pattern: `${subject} ${CONTAIN} {value:value}`,
      example: `The ${examples[0]} should contain ${examples[1]}`,
      build: made("*", "*"),
    },
    {
      pattern: `${subject} should_start_with|starts_with|to_start_with|should_begin_with|begins_with {value:value}`,
      example: `The ${examples[0]} should start with ${examples[1]}`,
      build: made("", "*"),
    },
    {
      pattern: `${subject} should_end_with|ends_with|to_end_with {value:value}`,
      example: `The ${examples[0]} should end with ${examples[1]}`,
      build: made("*", ""),
    },
  ];
};

/** A text of the page: what the person quotes is a name to be seen, and nothing narrower. */
const seen = (slots: Bindings): Built => claim("assert_visible")(slots);

const counted = (slots: Bindings): Built => {
  const slot = slots.target;
  const find = slot?.target?.find;
  if (find?.by === "name" && !slot?.isQuoted)
    return { doubt: "Say what kind of thing is counted, or quote its text." };
  return claim("assert_count", "count")(slots);
};

/** What is claimed, in the order in which the forms are tried. */
export const claimForms: readonly Form[] = [
  ...pageForms("title", "assert_title", ["title", '"Welcome"']),
  ...pageForms("url|address|location", "assert_url", ["URL", '"/home"']),
  {
    pattern: `the? page ${HAVE} the? title {value:value}`,
    example: 'The page should have the title "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern:
      "should_be|should_now_be|must_be on|at|redirected_to|taken_to|sent_to the? page? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
  {
    pattern: `there should_be|must_be|is|are no {target:target}`,
    example: 'There should be no "Delete" button',
    build: (slots) =>
      kindOfSlot(slots.target) === null && !slots.target?.isQuoted
        ? { doubt: "Say what kind of thing it is, or quote its text." }
        : claim("assert_hidden")(slots),
  },
  {
    pattern: "there should_be|must_be|is|are exactly|only? {count:count} {target:target}",
    example: "There should be 3 items",
    build: counted,
  },
  {
    pattern: `${SEE}|expect|expects|verify|assert exactly? {count:count} {target:target}`,
    example: 'Expect 2 "todo" list items',
    build: counted,
  },
  {
    pattern: `the? ${PAGE} ${CONTAIN}|${SHOW}|${HAVE} exactly|only? {count:count} {target:target}`,
    example: 'The page should contain 2 "todo" list items',
    build: counted,
  },
  {
    pattern: `the? number|count of {target:target} ${BE}|should_equal|equals {count:count}`,
    example: 'The number of "todo" list items should be 2',
    build: counted,
  },
  {
    pattern: "there should_be|must_be|is a|an|the? {target:target}",
    example: 'There should be a "Save" button',
    build: claim("assert_visible"),
  },
  {
    pattern: `${NOT_SEE} {target:target}`,
    example: 'I should not see "Error"',
    build: claim("assert_hidden"),
  },
  {
    pattern: `the? ${PAGE} should_not|shouldn't|does_not|doesn't|must_not|not_to|to_not contain|show|display|include|have {target:target}`,
    example: 'The page should not contain "Error"',
    build: claim("assert_hidden"),
  },
  {
    pattern: `the? ${PAGE} ${CONTAIN}|${SHOW}|${HAVE}|should_say {target:target}`,
    example: 'The page should contain "Welcome"',
    build: seen,
  },
  {
    pattern: "verify|verifies|assert|expect|expects|confirm|ensure {target:target}",
    example: 'Verify that "Welcome" is visible',
    build: (slots) =>
      slots.target?.isQuoted
        ? seen(slots)
        : { doubt: "Say what it should be: visible, enabled, hidden." },
  },
  { pattern: `${SEE} {target:target}`, example: 'I should see "Welcome"', build: seen },
  {
    pattern: `${SEE} {value:quoted} in|inside|within {target:target}`,
    example: 'I should see "Welcome" in the heading',
    build: (slots) =>
      kindOfSlot(slots.target) === "field"
        ? { doubt: "Say that the field has the value." }
        : claim("assert_contains", "value")(slots),
  },
  {
    pattern: `the? value of {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The value of the "Email" field should be "x"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `the? text of {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The text of the heading should be "Welcome"',
    build: claim("assert_text", "value"),
  },
  {
    pattern: `the? {name:name} attribute of {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The href attribute of the "Home" link should be "/"',
    build: (slots) => ({
      action: "assert_attribute",
      target: text(slots, "target"),
      value: `${text(slots, "name")}=${text(slots, "value")}`,
    }),
  },
  {
    pattern: `{target:target} ${HAVE} the|an? attribute {pair:quoted}`,
    example: 'The "Home" link should have the attribute "href=/"',
    build: (slots) => {
      const pair = text(slots, "pair");
      return pair.includes("=") ? claim("assert_attribute", "pair")(slots) : null;
    },
  },
  {
    pattern: `{target:target} ${HAVE} the|an? attribute {name:name} ${WITH} {value:value}`,
    example: 'The "Home" link should have the attribute "href" with value "/"',
    build: (slots) => ({
      action: "assert_attribute",
      target: text(slots, "target"),
      value: `${text(slots, "name")}=${text(slots, "value")}`,
    }),
  },
  {
    pattern: `{target:target} ${HAVE} the|an|a? {name:name} attribute ${WITH}? {value:value}`,
    example: 'The "Home" link should have the href attribute "/"',
    build: (slots) => ({
      action: "assert_attribute",
      target: text(slots, "target"),
      value: `${text(slots, "name")}=${text(slots, "value")}`,
    }),
  },
  {
    pattern: `{target:target} ${HAVE} the? placeholder {value:value}`,
    example: 'The "Email" field should have the placeholder "you@example.com"',
    build: (slots) => ({
      action: "assert_attribute",
      target: text(slots, "target"),
      value: `placeholder=${text(slots, "value")}`,
    }),
  },
  {
    pattern: `{target:target} ${HAVE} the|a? value of? {value:value}`,
    example: 'The "Email" field should have the value "x"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `{target:target} ${BE} set_to|filled_with|filled_in_with|pre-filled_with {value:value}`,
    example: 'The "Email" field should be filled with "x"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `{target:target} ${BE} empty|blank`,
    example: 'The "Email" field should be empty',
    build: (slots) =>
      kindOfSlot(slots.target) === "field"
        ? { action: "assert_value", target: text(slots, "target") }
        : { doubt: "Only a field is known to be empty: say the field's name and field." },
  },
  {
    pattern: `{target:target} ${HAVE} the|a? exact? text {value:value}`,
    example: 'The heading should have the text "Welcome"',
    build: claim("assert_text", "value"),
  },
  {
    pattern: `{target:target} should_say|says|should_read|reads {value:quoted}`,
    example: 'The heading should say "Welcome"',
    build: claim("assert_text", "value"),
  },
  {
    pattern: `{target:target} ${CONTAIN}|${SHOW} the? text? {value:value}`,
    example: 'The heading should contain "Welcome"',
    build: (slots) => {
      if (kindOfSlot(slots.target) === "field")
        return { doubt: "Say that the field has the value." };
      if (!slots.value?.isQuoted) return { doubt: "Quote the text that it should contain." };
      return claim("assert_contains", "value")(slots);
    },
  },
  ...(
    [
      [
        "enabled",
        "enabled|not_disabled|clickable|active",
        "disabled|greyed_out|grayed_out|inactive",
      ],
      ["disabled", "disabled|not_enabled|greyed_out|grayed_out", "enabled"],
      ["checked", "checked|ticked|not_unchecked|not_unticked", "unchecked|unticked"],
      ["unchecked", "unchecked|unticked|not_checked|not_ticked", "checked|ticked"],
    ] as const
  ).flatMap(([word, positive, negative]): Form[] => [
    {
      pattern: `{target:target} ${BE} ${positive.replace("|active", "")}`,
      example: `The "Save" button should be ${word}`,
      build: claim(`assert_${word}`),
    },
    {
      pattern: `{target:target} ${NOT_BE} ${negative.replace("|inactive", "")}`,
      example: `The "Save" button should be ${word}`,
      build: claim(`assert_${word}`),
    },
  ]),
  {
    pattern: `{target:target} ${BE} ${VISIBLE} on_the_page|on_the_screen|on_screen|on_page?`,
    example: 'The "Save" button should be visible',
    build: claim("assert_visible"),
  },
  {
    pattern:
      "{target:target} appears|appear|should_appear|exists|should_exist|should_show_up|to_exist",
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
      "{target:target} disappears|disappear|should_disappear|vanishes|should_vanish|should_not_appear|should_not_exist|shouldn't_appear|shouldn't_exist|does_not_exist|doesn't_exist|does_not_appear|doesn't_appear",
    example: "The spinner should disappear",
    build: claim("assert_hidden"),
  },
];

/** Where the person says to be, after a Then. */
export const placeClaims: readonly Form[] = [
  {
    pattern: "am|is|are on|at|redirected_to|taken_to the? page? {url:url} page?",
    example: 'I should be on "/home"',
    build: (slots) => ({ action: "assert_url", value: text(slots, "url") }),
  },
];

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
