import type { Built } from "./formTables.ts";
import type { Bindings, SlotName } from "./slotTypes.ts";

/** What has been read in a slot; empty when the form has no such slot. */
export const text = (slots: Bindings, name: SlotName): string => slots[name]?.text ?? "";

/** Builds a claim about the target, with the value that a slot holds. */
export const claim =
  (action: string, slot?: SlotName) =>
  (slots: Bindings): Built => ({
    action,
    target: text(slots, "target"),
    ...(slot ? { value: text(slots, slot) } : {}),
  });

// The ways to say one thing, as alternatives of a pattern.
export const BE =
  "should_be|should_now_be|should_still_be|should_also_be|should_again_be|must_be|has_to_be|needs_to_be|ought_to_be|shall_be|should_become|was|has_been|should_have_been|is_still|is_again|gets|get|is_equal_to|should_be_equal_to|to_be_equal_to|must_be_equal_to|is|are|is_now|are_now|becomes|become|to_be|to_become|be|will_be|remains|remain|stays|stay|should_remain|should_stay|must_remain|must_stay";
export const NOT_BE =
  "should_not_be|is_not_yet|are_not_yet|isn't_yet|should_not_yet_be|shouldn't_be|must_not_be|mustn't_be|is_not|isn't|are_not|aren't|not_to_be|to_not_be|should_no_longer_be|is_no_longer|are_no_longer|was_not|wasn't|should_never_be|is_not_being|should_not_longer_be|is_never|can_not_be|will_not_be|won't_be";
export const HAVE =
  "should_have|must_have|should_now_have|should_still_have|has|have|to_have|having";
export const CONTAIN =
  "should_contain|should_now_contain|contains|should_still_contain|contain|to_contain|must_contain|should_include|includes|include|to_include|now_contains|now_includes|mentions|mention|should_mention|must_mention|must_include|to_mention";
export const SHOW =
  "should_show|should_now_show|shows|must_show|must_display|show|to_show|should_display|displays|display|to_display";
export const SEE =
  "should_see|should_also_see|should_again_see|to_find|read|can_read|should_be_able_to_read|should_read|to_notice|can_find|should_be_shown|should_be_presented_with|is_presented_with|is_shown|are_shown|should_be_able_to_see|could_see|get_to_see|should_notice|should_get|should_now_see|should_still_see|can_see|see|sees|to_see|must_see|should_be_able_to_see|should_find|will_see|should_only_see|is_able_to_see|are_able_to_see|am_able_to_see|can_only_see|only_see|only_sees";
export const NOT_SEE =
  "should_not_see|is_not_able_to_see|is_unable_to_see|are_not_able_to_see|should_never_see|should_not_be_shown|should_not_be_able_to_see|cannot_find|won't_see|not_to_see|to_not_see|should_not_be_able_to_find|will_not_see|should_not_get|must_no_longer_see|can_no_longer_see|shouldn't_see|don't_see|doesn't_see|do_not_see|does_not_see|cannot_see|can't_see|must_not_see|should_no_longer_see|no_longer_see|should_not_find";
export const VISIBLE =
  "visible|listed|shown|displayed|present|there|successfully_displayed|rendered|showing|displayed_correctly|displayed_successfully|shown_correctly|visible_again|displayed_again|now_visible|now_displayed|in_view|found|on_display|on_screen|shown_successfully";
export const HIDDEN =
  "hidden|gone|no_longer_visible|no_longer_displayed|no_longer_there|no_longer_present|no_longer_shown|now_hidden|not_in_view|invisible|absent|off_the_screen|not_visible|not_there|not_displayed|not_shown|not_present";
export const WITH = "with|with_the_value|with_value|of|=|equal_to|equals|set_to|to_be|being|as";
/** The page that an address ends at. */
export const HOME =
  "homepage|home_page|start_page|base_url|landing_page|main_page|index_page|front_page";
export const PAGE =
  "page|screen|website|site|app|application|web_page|webpage|current_page|system|ui|interface|user_interface|app_ui";
