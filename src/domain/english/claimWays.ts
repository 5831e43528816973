import { namedAttribute } from "./attributeClaims.ts";
import type { Built, Form } from "./formTables.ts";
import { countedIn, hiddenThing, isThing, seenThing } from "./saidThings.ts";
import { inPlace, MESSAGE, quotedOnly } from "./seenClaims.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, claim, HAVE, NOT_BE, SEE, text, VISIBLE } from "./verbs.ts";

const THING =
  "confirmation|banner|popup|pop-up|hint|info|notice|snackbar|alert|tooltip|status|prompt|caption|label|popup_message|info_box|message_box|text|pop-up_message|status_message|greeting";
const SAYING =
  "saying|stating|reading|that_says|which_says|that_reads|with_the_text|with_text|with_the_message|with|that_states|containing|:";
const APPEARS =
  "appears|is_shown|is_displayed|should_appear|should_be_shown|should_be_displayed|shows_up|pops_up|comes_up|is_visible|should_be_visible|displays|shows|comes|is_presented|is_given|is_raised|is_returned|is_output|is_there|is_seen";
const COLOUR = "green|red|yellow|blue|orange|small|big|short|new|little|grey|gray";

const texted = (slots: Bindings): Built =>
  kindOfSlot(slots.target) !== null && kindOfSlot(slots.target) !== "text"
    ? claim(isFieldLike(slots) ? "assert_value" : "assert_text", "value")(slots)
    : null;

const isFieldLike = ({ target }: Bindings): boolean =>
  ["field", "box", "dropdown"].includes(kindOfSlot(target) ?? "");

/** What is claimed, in more ways than most people say it. */
export const claimWays: readonly Form[] = [
  {
    pattern: `a|an|the? ${COLOUR}? ${THING}|${MESSAGE} ${SAYING}? {target:target} ${APPEARS} on_the_page|on_the_screen|on_screen|to_the_user?`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `{target:target} ${THING}|${MESSAGE} ${APPEARS} on_the_page|on_the_screen|on_screen|to_the_user?`,
    example: 'I should see "Welcome"',
    build: (slots) =>
      slots.target?.isQuoted && kindOfSlot(slots.target) === null
        ? claim("assert_visible")(slots)
        : null,
  },
  {
    pattern: `the? displayed|shown|visible? ${MESSAGE} displayed|shown|that_appears|that_is_shown? is|should_be|reads|says|: {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `${SEE}|get|gets|receive|receives|should_receive the|a|an? ${MESSAGE}|text|result|following|confirmation ${SAYING}? {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern:
      "it|the_system|system|the_app|app|the_application|the_screen|the_site|the_page|this|that should|must|will? say|says|show|shows|display|displays|read|reads|contain|contains|respond_with|responds_with|answers_with|report|reports|return|returns|print|state|states the|a|an? text|message|error_message|error|warning|confirmation|note? saying|:? {target:target}",
    example: 'I should see "Welcome"',
    build: seenThing,
  },
  {
    pattern: "should|must|will say|show|display|read {target:target}",
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: "get|gets|find|finds|discover|encounter|detect {target:target}",
    example: 'I should see "Welcome"',
    build: (slots) => (slots.target?.isQuoted ? seenThing(slots) : null),
  },
  {
    pattern: "the? existence|display|appearance|rendering of {target:target}",
    example: 'I should see "Welcome"',
    build: seenThing,
  },
  {
    pattern:
      "{target:target} is_presented|loads|is_loaded|opens|is_opened|is_rendered|gets_rendered|is_offered|is_to_be_seen|is_seen|stays_visible|can_be_found|is_in_place|should_open|should_load|should_be_opened",
    example: 'The "Save" button should be visible',
    build: (slots) =>
      slots.target?.isQuoted &&
      ["heading", "text", "dialog", "section", "menu", "form", "list", "table"].includes(
        kindOfSlot(slots.target) ?? "",
      )
        ? claim("assert_visible")(slots)
        : null,
  },
  {
    pattern: "{target:target} displayed|shown|present|visible|listed",
    example: 'The "Save" button should be visible',
    build: seenThing,
  },
  {
    pattern: "{target:target} hidden|gone|absent|not_visible|not_displayed|not_shown",
    example: 'The "Save" button should be hidden',
    build: hiddenThing,
  },
  {
    pattern: "visible|shown|displayed|present : {target:target}",
    example: 'The "Save" button should be visible',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: "hidden|not_visible|not_shown|absent : {target:target}",
    example: 'The "Save" button should be hidden',
    build: quotedOnly("assert_hidden"),
  },
  {
    pattern:
      "on|in the|this|that|next? page|screen|view ,? there is|are|should_be a|an? {target:target}",
    example: 'There should be a "Save" button',
    build: seenThing,
  },
  {
    pattern: `in|on|under|within {other:target} ,? there is|should_be|must_be|exists a|an|the? {target:target}`,
    example: 'There should be a "Save" button',
    build: inPlace("assert_visible"),
  },
  {
    pattern: `in|on|under|within {other:target} ,? i|you|we|the_user|user? ${SEE} a|an|the? {target:target}`,
    example: 'I should see "Welcome"',
    build: (slots) => (slots.target?.isQuoted ? inPlace("assert_visible")(slots) : null),
  },
  {
    pattern:
      "no {target:target} should_appear|should_show_up|should_pop_up|may_appear|pops_up|shows_up|can_be_seen|must_appear|is_there|should_be_there|is_to_be_seen|should_exist|is_found|should_come_up on_the_page|on_the_screen?",
    example: 'There should be no "Delete" button',
    build: hiddenThing,
  },
  {
    pattern: `the? page|screen|app|application|system|site|form has|shows|displays|contains|should_have|should_show|should_display|should_contain|must_have|must_show no {target:target}`,
    example: 'The page should not contain "Error"',
    build: hiddenThing,
  },
  {
    pattern: `{target:target} ${NOT_BE} available|existing|part_of_the_page|to_be_seen|visible_to_the_user|displayed_to_the_user on_the_page?`,
    example: 'The "Delete" button should not be visible',
    build: hiddenThing,
  },
  {
    pattern: `{target:target} ${BE} active`,
    example: 'The "Save" button should be enabled',
    build: (slots) =>
      kindOfSlot(slots.target) === "button" ? claim("assert_enabled")(slots) : null,
  },
  {
    pattern: `{target:target} ${NOT_BE} active`,
    example: 'The "Save" button should be disabled',
    build: (slots) =>
      kindOfSlot(slots.target) === "button" ? claim("assert_disabled")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} inactive|unavailable_for_clicking|not_active`,
    example: 'The "Save" button should be disabled',
    build: (slots) =>
      kindOfSlot(slots.target) === "button" ? claim("assert_disabled")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} enabled|editable|clickable in|inside|within {other:target}`,
    example: 'The "Save" button should be enabled',
    build: inPlace("assert_enabled"),
  },
  {
    pattern: `{target:target} ${BE} disabled|greyed_out|grayed_out in|inside|within {other:target}`,
    example: 'The "Save" button should be disabled',
    build: inPlace("assert_disabled"),
  },
  {
    pattern: `{target:target} ${BE} checked|ticked in|inside|within {other:target}`,
    example: 'The "Terms" checkbox should be checked',
    build: inPlace("assert_checked"),
  },
  {
    pattern: `{target:target} ${BE} marked|marked_as_checked`,
    example: 'The "Terms" checkbox should be checked',
    build: (slots) =>
      ["checkbox", "radio"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_checked")(slots)
        : null,
  },
  {
    pattern: `{target:target} ${HAVE} a|the tick|checkmark|check_mark|check|tick_mark`,
    example: 'The "Terms" checkbox should be checked',
    build: (slots) =>
      kindOfSlot(slots.target) === "checkbox" ? claim("assert_checked")(slots) : null,
  },
  {
    pattern: `{target:target} ${BE} empty|deselected|unselected|unmarked|cleared|blank`,
    example: 'The "Terms" checkbox should be unchecked',
    build: (slots) =>
      ["checkbox", "radio"].includes(kindOfSlot(slots.target) ?? "")
        ? claim("assert_unchecked")(slots)
        : null,
  },
  {
    pattern:
      "{target:target} changes_to|should_change_to|has_changed_to|changed_to|becomes|became|turns_into|turns_to|switches_to|must_change_to|matches|updates_to|should_update_to|is_updated_to|should_be_updated_to {value:quoted}",
    example: 'The heading should have the text "Welcome"',
    build: texted,
  },
  {
    pattern: `{target:target} ${HAVE} {value:quoted} in_it|inside|inside_it`,
    example: 'The heading should contain "Welcome"',
    build: (slots) =>
      kindOfSlot(slots.target) === null ? null : claim("assert_contains", "value")(slots),
  },
  {
    pattern: `{target:target} ${HAVE} the text {value:quoted} in_it|inside|inside_it|somewhere`,
    example: 'The heading should contain "Welcome"',
    build: (slots) =>
      kindOfSlot(slots.target) === null ? null : claim("assert_contains", "value")(slots),
  },
  {
    pattern:
      "the? text|content|contents of|in|inside|on {target:target} contains|should_contain|includes|should_include|mentions|must_contain {value:quoted}",
    example: 'The heading should contain "Welcome"',
    build: (slots) => (isFieldLike(slots) ? null : claim("assert_contains", "value")(slots)),
  },
  {
    pattern:
      "the? content|contents|default_value|input|entry of|in {target:target} is|should_be|equals|should_equal|reads|must_be {value:quoted}",
    example: 'The value of the "Email" field should be "x"',
    build: (slots) => (isFieldLike(slots) ? claim("assert_value", "value")(slots) : null),
  },
  {
    pattern:
      "{target:target} holds|should_hold|defaults_to|should_default_to|is_preset_to|should_be_preset_to|is_initially|is_pre-set_to|is_pre-selected_to|matches|should_match|keeps|should_keep|retains|still_holds the_value|value? {value:quoted}",
    example: 'The "Email" field should have the value "x"',
    build: (slots) => (isFieldLike(slots) ? claim("assert_value", "value")(slots) : null),
  },
  {
    pattern:
      "{target:target} contains|has|holds|should_contain|should_have nothing|no_text|no_value|no_content|nothing_in_it",
    example: 'The "Email" field should be empty',
    build: (slots) =>
      kindOfSlot(slots.target) === "field"
        ? { action: "assert_value", target: text(slots, "target") }
        : null,
  },
  {
    pattern: `in|on|within|inside {other:target} ,? there are|is|should_be|should_now_be|are_now|must_be exactly|only? {count:count} {target:target}`,
    example: 'The "Orders" table should have 10 rows',
    build: countedIn,
  },
  {
    pattern: `in|on|within|inside {other:target} ,? i|you|we|the_user? ${SEE} exactly|only? {count:count} {target:target}`,
    example: 'The "Orders" table should have 10 rows',
    build: countedIn,
  },
  {
    pattern:
      "there are_now|will_be|should_now_be|are_still|should_still_be|remain|should_remain|is_now|will_now_be|are_only|should_only_be|is_only exactly|only? {count:count} {target:target} left|remaining|on_the_page?",
    example: "There should be 3 items",
    build: (slots) => (isThing(slots) ? claim("assert_count", "count")(slots) : null),
  },
  {
    pattern:
      "exactly|only? {count:count} {target:target} remain|are_left|should_remain|remains|is_left|left|should_be_left|are_remaining",
    example: "There should be 3 items",
    build: (slots) => (slots.target?.isQuoted ? claim("assert_count", "count")(slots) : null),
  },
  {
    pattern:
      "{target:target} appears|is_shown|is_displayed|should_appear|occurs exactly|only? twice",
    example: "There should be 3 items",
    build: (slots) =>
      slots.target?.isQuoted
        ? { action: "assert_count", target: text(slots, "target"), value: "2" }
        : null,
  },
  {
    pattern:
      "the? row|item|result|entry count of|in|for {target:target} is|should_be {count:count}",
    example: "There should be 3 items",
    build: () => ({ doubt: "Say how many there should be, of what: there should be 3 rows." }),
  },
  {
    pattern: `{target:target} ${HAVE} the|an|a? attribute {name:name} {value:quoted}`,
    example: 'The "Home" link should have the attribute "href" with value "/"',
    build: namedAttribute,
  },
  {
    pattern: `the? {name:quoted} attribute? of {target:target} is|should_be|equals|should_equal|must_be {value:quoted}`,
    example: 'The "Home" link should have the attribute "href" with value "/"',
    build: (slots) =>
      /^[a-z][a-z-]*$/.test(text(slots, "name")) && kindOfSlot(slots.target) !== null
        ? namedAttribute(slots)
        : null,
  },
  {
    pattern: `{target:target} ${BE} ${VISIBLE}? above|below|under|underneath {other:target}`,
    example: 'The "Save" button should be visible',
    build: () => ({ doubt: "Where on the page it stands is not looked at: say next to." }),
  },
];
