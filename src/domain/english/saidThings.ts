import { kinds } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import type { Built } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { claim, text } from "./verbs.ts";

/** Whether it is certain that something of the page is meant: it stands in quotes, or its kind is said. */
export const isThing = (slots: Bindings): boolean =>
  slots.target?.isQuoted === true || kindOfSlot(slots.target) !== null;

/** Claims that it is seen, where it is certainly a thing; null for anything else. */
export const seenThing = (slots: Bindings): Built =>
  isThing(slots) ? claim("assert_visible")(slots) : null;

/** Claims that it is not seen, where it is certainly a thing; null for anything else. */
export const hiddenThing = (slots: Bindings): Built =>
  isThing(slots) ? claim("assert_hidden")(slots) : null;

/** `in the "Orders" table there are 3 rows`; null where the place is none. */
export const countedIn = (slots: Bindings): Built => {
  const isPlace = kinds[kindOfSlot(slots.other) ?? "text"].container === true;
  const target = `${text(slots, "target")} in the ${text(slots, "other")}`;
  return isPlace && isThing(slots) && parseTarget(target).within !== null
    ? { action: "assert_count", target, value: text(slots, "count") }
    : null;
};
