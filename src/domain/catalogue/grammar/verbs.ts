import type { Built } from "./match.ts";
import type { Bindings, SlotName } from "./slots.ts";

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
  "should_be|should_now_be|should_still_be|must_be|is|are|is_now|are_now|becomes|become|to_be|to_become|be|will_be";
export const NOT_BE =
  "should_not_be|shouldn't_be|must_not_be|mustn't_be|is_not|isn't|are_not|aren't|not_to_be|to_not_be|should_no_longer_be|is_no_longer|are_no_longer";
export const HAVE = "should_have|must_have|has|have|to_have|having";
export const CONTAIN =
  "should_contain|contains|contain|to_contain|must_contain|should_include|includes|include|to_include";
export const SHOW = "should_show|shows|show|to_show|should_display|displays|display|to_display";
export const SEE =
  "should_see|should_now_see|should_still_see|can_see|see|sees|to_see|must_see|should_be_able_to_see|should_find|will_see";
export const NOT_SEE =
  "should_not_see|shouldn't_see|don't_see|doesn't_see|do_not_see|does_not_see|cannot_see|can't_see|must_not_see|should_no_longer_see|no_longer_see|should_not_find";
export const VISIBLE = "visible|shown|displayed|present|there";
export const HIDDEN =
  "hidden|gone|invisible|absent|not_visible|not_there|not_displayed|not_shown|not_present";
export const WITH = "with|with_the_value|with_value|of|=|equal_to|equals|set_to|to_be|being|as";
export const PAGE = "page|screen|website|site|app|application";
