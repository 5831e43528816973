import { type KindName, kinds } from "../kinds.ts";
import { parseTarget } from "../target.ts";
import { quote } from "../words.ts";
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

const OPENED = new Set(["dialog", "menu", "dropdown", "alert", "tooltip"]);

const PAGE_WORDS = /^(?:web ?)?(?:page|screen|site|website|app|application)$/i;

/** `"Blue shirt" is visible in the "Cart" section`: the thing, there. */
const inPlace =
  (action: string) =>
  (slots: Bindings): Built => {
    const { target, other } = slots;
    const isPlace = kinds[kindOfSlot(other) ?? "text"].container === true;
    const isName = target?.target?.find.by === "name" && target.isQuoted;
    const name = isName ? quote(text(slots, "target")) : text(slots, "target");
    const said = `${name} in the ${text(slots, "other")}`;
    return isPlace && parseTarget(said).within !== null ? { action, target: said } : null;
  };

const attribute =
  (name: string) =>
  (slots: Bindings): Built => ({
    action: "assert_attribute",
    target: text(slots, "target"),
    value: `${name}=${text(slots, "value")}`,
  });

const isFieldLike = (kind: KindName | null): boolean =>
  kind === "field" || kind === "box" || kind === "dropdown";

/** `The heading should be "Welcome"`: the text of what has one, the value of a field. */
const equal = (slots: Bindings): Built => {
  const kind = kindOfSlot(slots.target);
  const value = slots.value;
  const isCertain = value?.isQuoted || /^(?:-?[\d.,]+%?|\$\{[^}\s]+\})$/.test(value?.text ?? "");
  if (!isCertain) return null;
  if (isFieldLike(kind)) return claim("assert_value", "value")(slots);
  const hasText = kind !== null && TEXTED.has(kind);
  const isSelector = slots.target?.target?.find.by === "selector";
  return hasText || isSelector
    ? claim("assert_text", "value")(slots)
    : { doubt: "Say what it should have: the text, or the value." };
};

const TEXTED = new Set<KindName>(["heading", "cell", "link", "button", "alert", "columnheader"]);

/** What is claimed, in the order in which the forms are tried. */
export const claimForms: readonly Form[] = [
  ...pageForms,
  {
    pattern: `there should_not_be|shouldn't_be|must_not_be|is_not|isn't|are_not|aren't|should_no_longer_be|is_no_longer a|an|the|any? {target:target} on_the_page|on_the_screen|displayed|shown|visible|anymore?`,
    example: 'There should be no "Delete" button',
    build: claim("assert_hidden"),
  },
  {
    pattern: `no {target:target} ${BE}|exists|exist|appears|appear ${VISIBLE}|on_the_page? on_the_page|on_the_screen?`,
    example: 'There should be no "Delete" button',
    build: (slots) =>
      kindOfSlot(slots.target) === null && !slots.target?.isQuoted
        ? { doubt: "Say what kind of thing it is, or quote its text." }
        : claim("assert_hidden")(slots),
  },
  {
    pattern: `${SEE} neither|no {target:target}`,
    example: 'I should not see "Error"',
    build: (slots) =>
      kindOfSlot(slots.target) === null && !slots.target?.isQuoted
        ? { doubt: "Say what kind of thing it is, or quote its text." }
        : claim("assert_hidden")(slots),
  },
  {
    pattern: `${SEE} both {target:target}`,
    example: 'I should see "Welcome"',
    build: seen,
  },
  {
    pattern: `is|are {target:target} visible|displayed|shown|present on_the_page|on_the_screen?`,
    example: 'The "Save" button should be visible',
    build: claim("assert_visible"),
  },
  {
    pattern: `is|are {target:target} hidden|gone`,
    example: "The spinner should be hidden",
    build: claim("assert_hidden"),
  },
  {
    pattern: `is|are {target:target} enabled|clickable`,
    example: 'The "Save" button should be enabled',
    build: claim("assert_enabled"),
  },
  {
    pattern: `is|are {target:target} disabled`,
    example: 'The "Save" button should be disabled',
    build: claim("assert_disabled"),
  },
  {
    pattern: `is|are {target:target} checked|ticked`,
    example: 'The "Yes" checkbox should be checked',
    build: claim("assert_checked"),
  },
  {
    pattern: `{target:target} ${HAVE}|${CONTAIN}|${SHOW}|lists|should_list exactly|only? {count:count} {other:target}`,
    example: 'The "Orders" table should have 10 rows',
    build: (slots) => {
      const isPlace = kinds[kindOfSlot(slots.target) ?? "text"].container === true;
      const isThings = kindOfSlot(slots.other) !== null || slots.other?.isQuoted === true;
      const target = `${text(slots, "other")} in the ${text(slots, "target")}`;
      if (PAGE_WORDS.test(text(slots, "target"))) return null;
      if (!isPlace || !isThings || parseTarget(target).within === null) {
        return { doubt: "Say there should be so many, of what, and in which section." };
      }
      return { action: "assert_count", target, value: text(slots, "count") };
    },
  },
  {
    pattern: `{target:target} ${BE} ${VISIBLE}? in|inside|within|under {other:target}`,
    example: 'The "Save" button should be visible',
    build: inPlace("assert_visible"),
  },
  {
    pattern: `{target:target} ${NOT_BE} ${VISIBLE}? in|inside|within {other:target}`,
    example: 'The "Save" button should be hidden',
    build: inPlace("assert_hidden"),
  },
  {
    pattern: `exactly|only? {count:count} {target:target} ${BE} ${VISIBLE} on_the_page|on_the_screen?`,
    example: "There should be 3 items",
    build: counted,
  },
  {
    pattern: "the? presence|visibility of {target:target}",
    example: 'I should see "Welcome"',
    build: (slots) => (slots.target?.isQuoted ? seen(slots) : null),
  },
  {
    pattern: `check|verify|inspect|search the? ${PAGE} for {target:target}`,
    example: 'I should see "Welcome"',
    build: (slots) => (slots.target?.isQuoted ? seen(slots) : null),
  },
  {
    pattern: "no {target:target}",
    example: 'I should not see "Error"',
    build: (slots) => (slots.target?.isQuoted ? claim("assert_hidden")(slots) : null),
  },
  ...(["visible", "hidden", "enabled", "disabled", "checked", "unchecked"] as const).map(
    (word): Form => ({
      pattern: `{target:target} ${word}`,
      example: `The "Save" button should be ${word}`,
      build: (slots) => (slots.target?.isQuoted ? claim(`assert_${word}`)(slots) : null),
    }),
  ),
  ...(["href", "src", "placeholder"] as const).flatMap((name): Form[] => [
    {
      pattern: `{target:target} ${HAVE} the|a|an? ${name} attribute? of|as|=|with_value? {value:quoted}`,
      example: `The "Home" link should have the attribute "href=/"`,
      build: attribute(name),
    },
    {
      pattern: `the? ${name} attribute? of|for|on {target:target} ${BE}|should_equal|equals {value:quoted}`,
      example: `The "Home" link should have the attribute "href=/"`,
      build: attribute(name),
    },
  ]),
  {
    pattern: `the? attribute {name:name} of|from|on {target:target} ${BE}|should_equal|equals {value:quoted}`,
    example: 'The "Home" link should have the attribute "href=/"',
    build: (slots) => attribute(text(slots, "name"))(slots),
  },
  {
    pattern: `{value:quoted} ${BE} selected|chosen|the_selected_option|preselected|pre-selected|selected_by_default in|from|for|of {target:target}`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `{target:target} ${HAVE} {value:quoted} selected|chosen as_its_value?`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern: `the? selected|chosen option|value of|in|for {target:target} ${BE}|should_equal|equals {value:value}`,
    example: 'The "Country" dropdown should have the value "Canada"',
    build: claim("assert_value", "value"),
  },
  {
    pattern:
      "{target:target} should_point_to|points_to|should_link_to|links_to|should_lead_to|leads_to|to_point_to|to_link_to|should_go_to {value:value}",
    example: 'The "Home" link should have the attribute "href=/"',
    build: (slots) => ({
      action: "assert_attribute",
      target: text(slots, "target"),
      value: `href=${text(slots, "value")}`,
    }),
  },
  {
    pattern: `{target:target} ${HAVE} the|an? alt|alt_text|alternative_text|alternate_text of|as? {value:quoted}`,
    example: 'The "Logo" image should have the attribute "alt=Acme"',
    build: (slots) => ({
      action: "assert_attribute",
      target: text(slots, "target"),
      value: `alt=${text(slots, "value")}`,
    }),
  },
  {
    pattern: `{target:target} ${BE} open|opened|closed|dismissed`,
    example: 'The "Settings" dialog should be visible',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "")
        ? null
        : { doubt: "Only dialogs and menus are open or closed: say visible or hidden." },
  },
  {
    pattern: `{target:target} ${BE} open|opened|open_again`,
    example: 'The "Settings" dialog should be visible',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_visible")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} closed|dismissed|not_open|no_longer_open`,
    example: 'The "Settings" dialog should be hidden',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_hidden")(slots) : null,
  },
  {
    pattern: "{target:target} opens|pops_up|should_open|should_pop_up|shows_up|is_opened",
    example: 'The "Settings" dialog should be visible',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_visible")(slots) : null,
  },
  {
    pattern: "{target:target} closes|should_close",
    example: 'The "Settings" dialog should be hidden',
    build: (slots) =>
      OPENED.has(kindOfSlot(slots.target) ?? "") ? claim("assert_hidden")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} on|turned_on|switched_on|toggled_on|activated`,
    example: 'The "Dark mode" switch should be checked',
    build: (slots) =>
      ["switch", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_checked")(slots)
        : { doubt: "Only a switch or a checkbox is on: say that it is one." },
  },
  {
    pattern: `{target:target} ${BE} off|turned_off|switched_off|toggled_off|deactivated`,
    example: 'The "Dark mode" switch should be unchecked',
    build: (slots) =>
      ["switch", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_unchecked")(slots)
        : { doubt: "Only a switch or a checkbox is off: say that it is one." },
  },
  {
    pattern: `{target:target} ${NOT_BE} selected|chosen|picked`,
    example: 'The "Express" radio button should be unchecked',
    build: (slots) =>
      ["radio", "checkbox"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_unchecked")(slots)
        : { doubt: "Only a radio button is known to be selected: say that it is one." },
  },
  {
    pattern: `the? {target:target} text|label|caption ${BE}|should_equal|equals|should_read|reads|should_say|says {value:quoted}`,
    example: 'The text of the heading should be "Welcome"',
    build: (slots) =>
      kindOfSlot(slots.target) === null ? null : claim("assert_text", "value")(slots),
  },
  {
    pattern: `the? {target:target} text|label|caption ${CONTAIN} {value:quoted}`,
    example: 'The heading should contain "Welcome"',
    build: (slots) =>
      kindOfSlot(slots.target) === null ? null : claim("assert_contains", "value")(slots),
  },
  {
    pattern: `the? {target:target} field's|input's|dropdown's|box's? value ${BE}|should_equal|equals|should_read {value:value}`,
    example: 'The value of the "Email" field should be "x"',
    build: (slots) =>
      isFieldLike(kindOfSlot(slots.target)) ? claim("assert_value", "value")(slots) : null,
  },
  {
    pattern: `there should_be|must_be|is|are no {target:target} on_the_page|on_the_screen|displayed|shown|visible?`,
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
      if (kind === "field" || kind === "box") return claim("assert_value", "value")(slots);
      // What is seen in a place is one thing in it.
      if (kind !== null && kinds[kind].container) return null;
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
      if (
        ["field", "box", "dropdown"].includes(kindOfSlot(slots.target) ?? "") &&
        slots.value?.isQuoted
      )
        return claim("assert_value", "value")(slots);
      const isVariable = /^\$\{[^}\s]+\}$/.test(text(slots, "value"));
      if (!slots.value?.isQuoted && !isVariable)
        return { doubt: "Quote the text that it should contain." };
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
  {
    pattern: `{target:target} should_be|must_be|is|equals|should_equal|to_be|to_equal|should_now_be|are|=|== {value:value}`,
    example: 'The heading should have the text "Welcome"',
    build: equal,
  },
];
