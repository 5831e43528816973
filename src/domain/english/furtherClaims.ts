import { attribute, namedAttribute } from "./attributeClaims.ts";
import type { Built, Form } from "./formTables.ts";
import { countedIn, hiddenThing, isThing, seenThing } from "./saidThings.ts";
import { inPlace, MESSAGE, quotedOnly } from "./seenClaims.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, claim, HAVE, SEE, text } from "./verbs.ts";
import { quote } from "./words.ts";

const checked =
  (action: string) =>
  (slots: Bindings): Built =>
    isThing(slots) ? claim(action)(slots) : null;

const AMOUNT = /^[-+]?(?:[A-Z]{3} ?|[$€£¥₹] ?)?\d[\d.,]*(?: ?(?:%|[$€£¥₹]|[A-Z]{3}))?$/;

/** What is said of a text that changes: quoted, or an amount. */
const texted = (slots: Bindings): Built => {
  const kind = kindOfSlot(slots.target);
  const isText = slots.value?.isQuoted === true || AMOUNT.test(text(slots, "value"));
  if (!isText) return null;
  if (kind === "field" || kind === "box" || kind === "dropdown")
    return claim("assert_value", "value")(slots);
  if (kind === "text") return null;
  return kind !== null || AMOUNT.test(text(slots, "value")) || SAYING.test(text(slots, "target"))
    ? claim("assert_text", "value")(slots)
    : null;
};

/** What is nothing but a text that is shown: no field is called so without its kind. */
const SAYING =
  /^(?:[\p{L}-]+ ){0,2}(?:greeting|subtotal|counter|badge|headline|subtitle|tagline|breadcrumb|breadcrumbs|caption|balance|banner|tooltip|snackbar)$/iu;

const said = (slots: Bindings): Built =>
  slots.target?.isQuoted !== true && SAYING.test(text(slots, "target")) && slots.value?.isQuoted
    ? claim("assert_text", "value")(slots)
    : null;

/** A count of what stands in quotes or is of a kind that nothing else names. */
const counted = (slots: Bindings): Built =>
  isThing(slots) ? claim("assert_count", "count")(slots) : null;

const TITLE = "browser_tab|tab|browser_window|window|page|document|browser";
const PRE =
  "pre-ticked|preticked|pre-checked|prechecked|ticked_by_default|checked_by_default|ticked_already|checked_already|ticked_from_the_start|initially_ticked|initially_checked";

/** What is claimed, in ways that strangers were seen to say it. */
export const furtherClaims: readonly Form[] = [
  {
    pattern: `the? ${TITLE} title|heading|caption? is_titled|should_be_titled|is_called|should_be_called|is_named|carries_the_title|bears_the_title|has_the_title|should_have_the_title|must_have_the_title|must_be_titled {value:quoted}`,
    example: 'The title should be "Welcome"',
    build: (slots) => ({ action: "assert_title", value: text(slots, "value") }),
  },
  {
    pattern:
      "the? browser|address|url|location bar|field should_show|should_display|must_show|contains|should_contain|points_to|should_point_to|now_shows|now_reads|shows|displays|reads {url:url}",
    example: 'The URL should be "/home"',
    build: (slots) =>
      /^(?:\/|https?:)/i.test(text(slots, "url"))
        ? { action: "assert_url", value: text(slots, "url") }
        : null,
  },
  {
    pattern: "still|back|again|now on|at the? page|url? {url:url}",
    example: 'I should be on "/home"',
    build: (slots) =>
      /^(?:\/|https?:)/i.test(text(slots, "url"))
        ? { action: "assert_url", value: text(slots, "url") }
        : null,
  },
  {
    pattern:
      "{target:target} should_show|should_now_show|must_show|should_display|must_pop_up|must_appear|must_now_appear|should_now_appear|should_appear_again|must_come_up|must_show_up|should_be_on_screen|is_on_the_screen|is_on_screen|is_on_the_page|gets_displayed|gets_shown|gets_rendered|got_displayed|is_popped_up|pops_open|should_pop_open|comes_into_view|fades_in|slides_in|is_thrown|should_be_thrown|is_raised|is_given|becomes_visible_again|can_still_be_seen|has_shown_up|has_popped_up|has_come_up|remains_on_the_page|remains_on_screen|stays_on_the_page|stays_on_screen|should_stay_on_the_page on_the_page|on_the_screen|on_screen|to_the_user?",
    example: 'The "Save" button should be visible',
    build: seenThing,
  },
  {
    pattern:
      "{target:target} can_no_longer_be_seen|cannot_be_seen|can't_be_seen|can_not_be_seen|cannot_be_found|can't_be_found|can_no_longer_be_found|must_disappear|must_vanish|must_go_away|must_be_gone|should_be_gone|is_missing|should_be_missing|fades_away|fades_out|slides_out|gets_removed|gets_hidden|should_get_hidden|should_be_hidden_again|is_hidden_again|is_hidden_from_view|is_not_part_of_the_page|does_not_come_up|must_not_come_up|must_not_show|must_not_show_up|should_not_show|should_not_come_up|is_no_longer_on_the_page|is_no_longer_on_screen|is_not_on_the_page|is_not_on_the_screen|is_no_longer_listed|is_no_longer_available|no_longer_shows_up|no_longer_shows|not_there|no_longer_there|gone_again|is_out_of_view|has_been_hidden|have_been_hidden|has_been_deleted|is_not_found|does_not_exist|doesn't_exist|should_not_exist|must_not_exist anymore|any_more|any_longer|from_the_page|from_the_screen?",
    example: 'The "Delete" button should not be visible',
    build: (slots) => (slots.target?.isQuoted ? hiddenThing(slots) : null),
  },
  {
    pattern:
      "{target:target} is_not|isn't|is_no_longer|should_not_be|should_no_longer_be|must_not_be|must_no_longer_be|does_not_appear|doesn't_appear|no_longer_appears|should_not_appear|must_not_appear|should_no_longer_appear|does_not_exist|no_longer_exists|is_not_listed|is_no_longer_listed|should_not_be_listed|should_not_exist|not|is_not_to_be_found|is_not_found|does_not_show_up|is_not_shown|should_not_show_up|is_missing|disappears|disappeared|no_longer visible|shown|displayed|present|listed|found|there? in|on|from|within|inside|under|among {other:target} anymore|any_more|any_longer?",
    example: 'The "Delete" button should not be visible',
    build: inPlace("assert_hidden"),
  },
  {
    pattern:
      "{target:target} appears|should_appear|must_appear|exists|should_exist|shows_up|should_show_up|is_listed|should_be_listed|must_be_listed|can_be_found|can_be_seen|should_be_found|is_found|is_to_be_found|is_still|should_still_be|remains|is_now|turns_up|gets_listed|must_be|will_be|pops_up|is_shown|is_displayed|has_appeared|has_been_added visible|shown|displayed|present|listed|found|there? in|on|within|inside|under|among|to {other:target}",
    example: 'The "Save" button should be visible',
    build: (slots) => (slots.target?.isQuoted ? inPlace("assert_visible")(slots) : null),
  },
  {
    pattern:
      "there is|are|should_be|must_be|will_be no more|longer|further|other? {target:target} left|anymore|any_more|any_longer|remaining|on_the_page?",
    example: 'There should be no "Delete" button',
    build: hiddenThing,
  },
  {
    pattern: "there is|are|should_be no {target:target} in|on|within|inside {other:target}",
    example: 'There should be no "Delete" button',
    build: inPlace("assert_hidden"),
  },
  {
    pattern:
      "there_is|there's|there_are|there_should_be|there_must_be|there_will_be a|an|the|one {target:target} in|on|within|inside|under {other:target}",
    example: 'There should be a "Save" button',
    build: (slots) => (slots.target?.isQuoted ? inPlace("assert_visible")(slots) : null),
  },
  {
    pattern: `exactly|only|just? {count:count} {target:target} is|are|remain|remains|should_be|should_remain|must_be|must_remain left|remaining|listed|shown|displayed|visible|present|there? in|on|within|inside|under {other:target}`,
    example: 'The "Orders" table should have 10 rows',
    build: countedIn,
  },
  {
    pattern: `one|i|you|we should|must|can see|find|count exactly|only? {count:count} {target:target}`,
    example: "There should be 3 items",
    build: counted,
  },
  {
    pattern: `{target:target} shows|displays|has|should_show|should_display|should_have|must_show|reads a|the? count|number|total|value|figure|amount|counter|badge of|: {value:value}`,
    example: 'The heading should contain "Welcome"',
    build: (slots) => {
      const kind = kindOfSlot(slots.target);
      const isField = kind === "field" || kind === "dropdown" || kind === "box";
      const isText = slots.value?.isQuoted === true || AMOUNT.test(text(slots, "value"));
      if (!isText || (kind === null && !slots.target?.isQuoted)) return null;
      return claim(isField ? "assert_value" : "assert_contains", "value")(slots);
    },
  },
  {
    pattern: "{value:quoted} is|should_be|must_be a|an {target:target}",
    example: 'The "Save" button should be visible',
    build: (slots) => {
      const find = slots.target?.target?.find;
      const isKind = find?.by === "kind" && find.name === null;
      return isKind && kindOfSlot(slots.target) !== "text"
        ? {
            action: "assert_visible",
            target: `${quote(text(slots, "value"))} ${text(slots, "target")}`,
          }
        : null;
    },
  },
  {
    pattern: `{target:target} ${BE} ${PRE}`,
    example: 'The "Terms" checkbox should be checked',
    build: checked("assert_checked"),
  },
  {
    pattern: `{target:target} ${BE} not_pre-ticked|not_pre-checked|unticked_by_default|unchecked_by_default|unticked_at_first|initially_unticked|initially_unchecked|not_ticked_by_default|not_checked_by_default`,
    example: 'The "Terms" checkbox should be unchecked',
    build: checked("assert_unchecked"),
  },
  {
    pattern:
      "{target:target} changes|should_change|must_change|changed|has_changed|goes|switches|turns|updates|should_update|jumps|increases|decreases|drops|rises from {pair:value} to|into {value:value}",
    example: 'The heading should have the text "Welcome"',
    build: texted,
  },
  {
    pattern:
      "{target:target} amounts_to|comes_to|drops_to|falls_to|rises_to|increases_to|decreases_to|goes_up_to|goes_down_to|goes_to|jumps_to|is_updated_to|updates_to|gets_updated_to|should_update_to|changes_to|should_change_to|must_change_to|has_changed_to|adds_up_to|totals|sums_up_to|turns_to|turns_into|should_turn_to|becomes|should_become|must_become|is_set_to|should_drop_to|should_rise_to|should_increase_to|should_decrease_to|should_come_to|should_amount_to|should_go_up_to|should_go_down_to|must_be_updated_to|should_be_updated_to|is_increased_to|is_reduced_to|is_now_at|stands_at|should_stand_at|resets_to|is_reset_to|should_reset_to {value:value}",
    example: 'The heading should have the text "Welcome"',
    build: texted,
  },
  {
    pattern:
      "{target:target} is|should_be|must_be|reads|should_read|is_now|should_now_be|will_be|says {value:quoted}",
    example: 'The heading should have the text "Welcome"',
    build: said,
  },
  {
    pattern:
      "{target:target} should_default_to|defaults_to|must_default_to|is_preset_to|is_prefilled_with|is_pre-filled_with|should_be_prefilled_with|should_be_pre-filled_with|comes_prefilled_with|is_preselected_as|should_come_prefilled_with|keeps_its_value|keeps_the_value|still_has_the_value|retains_its_value|should_keep_its_value|should_keep_the_value|still_holds|should_still_hold|is_populated_with|should_be_populated_with|is_auto-filled_with|auto-fills_with|is_filled_automatically_with {value:quoted}",
    example: 'The "Email" field should have the value "x"',
    build: (slots) => {
      const kind = kindOfSlot(slots.target);
      const isField = kind === null || ["field", "box", "dropdown"].includes(kind);
      const isName =
        kind !== null || slots.target?.isQuoted || /^\p{Lu}/u.test(text(slots, "target"));
      return isField && isName ? claim("assert_value", "value")(slots) : null;
    },
  },
  {
    pattern:
      "the? placeholder|placeholder_text|hint_text of|in|for {target:target} reads|says|is|should_be|should_read|should_say|shows {value:quoted}",
    example: 'The "Email" field should have the placeholder "you@example.com"',
    build: attribute("placeholder"),
  },
  {
    pattern:
      "{target:target} shows|displays|should_show|should_display a|the|as|as_a|as_its placeholder|placeholder_text {value:quoted}",
    example: 'The "Email" field should have the placeholder "you@example.com"',
    build: attribute("placeholder"),
  },
  {
    pattern: `{target:target} ${HAVE} {name:name} set_to|equal_to|of|= {value:value}`,
    example: 'The "Home" link should have the attribute "href" with value "/"',
    build: (slots) =>
      /^(?:aria-[a-z]+|href|src|alt|title|type|role|name|rel|placeholder|maxlength|min|max|lang|data-[a-z-]+)$/.test(
        text(slots, "name"),
      )
        ? namedAttribute(slots)
        : null,
  },
  {
    pattern: `get|gets|receive|receives|should_get|should_receive|should_be_given|is_given|must_get|will_get|are_given|am_given|is_greeted_with|am_greeted_with|are_greeted_with|should_be_greeted_with|is_greeted_by|is_met_with|are_shown|am_shown the|a|an? ${MESSAGE}|text|hint|notice|info|alert|popup? saying|that_says|stating|: {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern:
      "the? page|site|app|screen|system|shop|header|it greets|welcomes|should_greet|should_welcome me|the_user|us|you with|by {target:target}",
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `${SEE} {target:target} listed|appear|displayed|shown|there|pop_up|show_up|on_top|again|highlighted_there`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
];
