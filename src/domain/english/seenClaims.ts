import { kinds } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import {
  BE,
  CONTAIN,
  claim,
  HAVE,
  NOT_BE,
  NOT_SEE,
  PAGE,
  SEE,
  SHOW,
  text,
  VISIBLE,
} from "./verbs.ts";
import { quote } from "./words.ts";

/** A text of the page: what the person quotes is a name to be seen, and nothing narrower. */
const seen = (slots: Bindings): Built => claim("assert_visible")(slots);

/** `Look for typos` asks for an opinion: what is looked for is quoted, or of a kind. */
const lookedFor = (slots: Bindings): Built =>
  slots.target?.isQuoted || kindOfSlot(slots.target) !== null
    ? seen(slots)
    : { doubt: "Say what is to be seen: put its text in quotes." };

/** `"Blue shirt" is visible in the "Cart" section`: the thing, there. */
export const inPlace =
  (action: string) =>
  (slots: Bindings): Built => {
    const { target, other } = slots;
    const place = kindOfSlot(other);
    const isPlace =
      kinds[place ?? "text"].container === true ||
      place === "columnheader" ||
      /^header$/i.test(text(slots, "other"));
    const isName = target?.target?.find.by === "name" && target.isQuoted;
    const name = isName
      ? quote(target?.target?.find.by === "name" ? target.target.find.name : "")
      : text(slots, "target");
    const said = `${name} in the ${text(slots, "other")}`;
    return isPlace && parseTarget(said).within !== null ? { action, target: said } : null;
  };

/** What is attached to a report, or stands elsewhere in it. */
const REFERRED =
  /\b(?:attached|attachment|attachments|above|below|screenshot|screenshots|screencast|logs?|appendix|ticket|jira|wiki|spec|specification|docs|documentation|description|recording)\b/i;

/** `The page has loaded`: what happened to it, and nothing that it has. */
const HAPPENED =
  /^(?:been |fully |completely |finished |just |now )*(?:loaded|opened|finished|changed|appeared|refreshed|reloaded|rendered|updated|closed|loading|been|scrolled|disappeared|started|stopped)\b/i;

/** What a page says to a person, found by its text. */
export const MESSAGE =
  "message|error_message|success_message|warning_message|confirmation_message|validation_message|alert_message|toast_message|info_message|notification|toast|error|warning|validation_error";

/** Only of what stands in quotes: anything else would be a guess. */
export const quotedOnly =
  (action: string) =>
  (slots: Bindings): Built =>
    slots.target?.isQuoted ? claim(action)(slots) : null;

/** What is there to be seen, and what is not. */
export const seenClaims: readonly Form[] = [
  {
    pattern: `{other:target} ${HAVE}|${CONTAIN}|${SHOW} a|an|the {target:target}`,
    example: 'The "Save" button should be visible',
    // A text is said of the place itself: `the sidebar contains the text "Help"`.
    build: (slots) => {
      const kind = kindOfSlot(slots.target);
      return kind !== null && kind !== "text" && slots.target?.isQuoted
        ? inPlace("assert_visible")(slots)
        : null;
    },
  },
  {
    pattern: `${SEE} the? following ${MESSAGE}|text :? {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `the|a|an|following|the_following? ${MESSAGE}|text ${BE}|appears|should_appear ${VISIBLE}? on_the_page|on_the_screen? :? {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: `the|an|a? ${MESSAGE} should_be|is|reads|says|should_say|should_read|states|should_state|equals|should_equal|to_be {target:target}`,
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern: "get|gets|got|receive|receives|should_get|should_receive {target:target}",
    example: 'I should see "Welcome"',
    build: (slots) =>
      ["text", "alert"].includes(kindOfSlot(slots.target) ?? "")
        ? quotedOnly("assert_visible")(slots)
        : null,
  },
  {
    pattern:
      "check|checks|verify|verifies|assert|confirm|look for the_presence_of|presence_of|existence_of|the_existence_of? {target:target}",
    example: 'I should see "Welcome"',
    build: quotedOnly("assert_visible"),
  },
  {
    pattern:
      "{target:target} can_be_seen|should_be_seen|is_seen|can_be_found|is_to_be_seen|should_be_found on_the_page|on_the_screen?",
    example: 'The "Save" button should be visible',
    build: claim("assert_visible"),
  },
  {
    pattern:
      "{target:target} cannot_be_seen|can't_be_seen|can_not_be_seen|should_not_be_seen|cannot_be_found|is_missing on_the_page|on_the_screen|from_the_page?",
    example: 'The "Delete" button should not be visible',
    build: claim("assert_hidden"),
  },
  {
    pattern: `{target:target} ${NOT_BE} on_the_page|on_the_screen|on_screen|part_of_the_page`,
    example: 'The "Delete" button should not be visible',
    build: claim("assert_hidden"),
  },
  {
    pattern: `{target:target} not_visible|not_displayed|not_shown|not_present|not_there`,
    example: 'The "Delete" button should not be visible',
    build: quotedOnly("assert_hidden"),
  },
  {
    pattern:
      "{other:target} should_not|shouldn't|does_not|doesn't|must_not|do_not|should_no_longer|no_longer|should_never contain|show|display|include|have|list|contains|shows|displays|includes|lists the|a|an|any? text|item|entry? {target:target}",
    example: 'I should not see "Red shirt" in the "Cart" section',
    build: (slots) => (slots.target?.isQuoted ? inPlace("assert_hidden")(slots) : null),
  },
  {
    pattern: `{target:target} visible|shown|displayed|listed in|inside|within {other:target}`,
    example: 'The "Save" button should be visible',
    build: (slots) => (slots.target?.isQuoted ? inPlace("assert_visible")(slots) : null),
  },
  {
    pattern: `{target:target} hidden|gone in|inside|within|from {other:target}`,
    example: 'The "Save" button should be hidden',
    build: (slots) => (slots.target?.isQuoted ? inPlace("assert_hidden")(slots) : null),
  },
  {
    pattern: `nothing|no_element|no_item called|named|labelled|labeled|titled|with_the_text|with_the_name {target:target} ${BE}|may_be|can_be ${VISIBLE}`,
    example: 'I should not see "Error"',
    build: quotedOnly("assert_hidden"),
  },
  {
    pattern: `${NOT_SEE} any {target:target} anymore|any_more|any_longer|on_the_page?`,
    example: 'I should not see "Error"',
    build: quotedOnly("assert_hidden"),
  },
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
    pattern:
      "do|does|can you|we|i|the_user|user|they see|find|notice|spot the? text? {target:target}",
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
    pattern: `{target:target} ${BE}|appears|should_appear|shows_up|exists ${VISIBLE}|listed? in|inside|within|under {other:target}`,
    example: 'The "Save" button should be visible',
    build: inPlace("assert_visible"),
  },
  {
    pattern: `{target:target} ${NOT_BE} ${VISIBLE}? in|inside|within {other:target}`,
    example: 'The "Save" button should be hidden',
    build: inPlace("assert_hidden"),
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
  {
    pattern: `there should_be|must_be|is|are no {target:target} on_the_page|on_the_screen|displayed|shown|visible?`,
    example: 'There should be no "Delete" button',
    build: (slots) =>
      kindOfSlot(slots.target) === null && !slots.target?.isQuoted
        ? { doubt: "Say what kind of thing it is, or quote its text." }
        : claim("assert_hidden")(slots),
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
    pattern: `the? ${PAGE} should_not|shouldn't|does_not|doesn't|must_not|not_to|to_not|should_no_longer|no_longer|should_never contain|show|display|include|have|contains|shows|displays|includes|has {target:target}`,
    example: 'The page should not contain "Error"',
    build: claim("assert_hidden"),
  },
  {
    pattern: `the? ${PAGE} ${CONTAIN}|${SHOW}|${HAVE}|should_say|says|should_read|reads {target:target}`,
    example: 'The page should contain "Welcome"',
    build: (slots) =>
      HAPPENED.test(text(slots, "target")) && !slots.target?.isQuoted ? null : seen(slots),
  },
  {
    pattern:
      "verify|verifies|assert|expect|expects|confirm|ensure|validate|validates {target:target}",
    example: 'Verify that "Welcome" is visible',
    build: (slots) =>
      slots.target?.isQuoted
        ? seen(slots)
        : { doubt: "Say what it should be: visible, enabled, hidden." },
  },
  {
    pattern: "look_for|looks_for {target:target}",
    example: 'I should see "Welcome"',
    build: lookedFor,
  },
  {
    pattern: `${SEE} {target:target}`,
    example: 'I should see "Welcome"',
    // `See screenshot attached` shows a person something.
    build: (slots) =>
      REFERRED.test(text(slots, "target")) && !slots.target?.isQuoted
        ? { doubt: "Say what is to be seen: put its text in quotes." }
        : seen(slots),
  },
  {
    pattern: `{target:target} ${BE} ${VISIBLE}|listed|on_the_page|on_the_screen|in_the_page on_the_page|on_the_screen|on_screen|on_page|in_the_page|in_the_browser|to_the_user?`,
    example: 'The "Save" button should be visible',
    build: claim("assert_visible"),
  },
];
