import type { Built, Form } from "./match.ts";
import { pageForms } from "./pageForms.ts";
import { type Bindings, kindOfSlot } from "./slots.ts";
import {
  BE,
  CONTAIN,
  claim,
  HAVE,
  HIDDEN,
  NOT_BE,
  NOT_SEE,
  PAGE,
  SEE,
  SHOW,
  text,
  VISIBLE,
  WITH,
} from "./verbs.ts";

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
  ...pageForms,
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
    build: (slots) => {
      const kind = kindOfSlot(slots.target);
      if (kind === "field" || kind === "box") return { doubt: "Say that the field has the value." };
      if (kind === null && !slots.target?.isQuoted) return { doubt: "Say in what kind of thing." };
      return claim("assert_contains", "value")(slots);
    },
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
      if (["field", "box"].includes(kindOfSlot(slots.target) ?? ""))
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
    pattern: `{target:target} ${BE} selected|chosen|picked`,
    example: 'The "Express" radio button should be selected',
    build: (slots) =>
      ["radio", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_checked")(slots)
        : {
            doubt:
              "Only a radio button is known to be selected: say so, or the value of a dropdown.",
          },
  },
  {
    pattern: `{target:target} ${BE} ${VISIBLE}|on_the_page|on_the_screen on_the_page|on_the_screen|on_screen|on_page?`,
    example: 'The "Save" button should be visible',
    build: claim("assert_visible"),
  },
  {
    pattern:
      "{target:target} appears|appear|should_appear|to_appear|exists|should_exist|should_show_up|to_exist on_the_page|on_the_screen?",
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
