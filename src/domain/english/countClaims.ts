import { kinds } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import type { Built, Form } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { BE, CONTAIN, claim, HAVE, PAGE, SEE, SHOW, text, VISIBLE } from "./verbs.ts";

const counted = (slots: Bindings): Built => {
  const slot = slots.target;
  const find = slot?.target?.find;
  // "5 search results": the words name a place, and not its items.
  const isPlace = find?.by === "kind" && /\bresults$/i.test(text(slots, "target"));
  if (isPlace || (find?.by === "name" && !slot?.isQuoted))
    return { doubt: "Say what kind of thing is counted, or quote its text." };
  return claim("assert_count", "count")(slots);
};

const PAGE_WORDS = /^(?:web ?)?(?:page|screen|site|website|app|application)$/i;

/** How many there are. */
export const countClaims: readonly Form[] = [
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
    pattern: `exactly|only? {count:count} {target:target} ${BE} ${VISIBLE}|listed in|inside|within {other:target}`,
    example: "There should be 3 items",
    build: (slots) => {
      const isPlace = kinds[kindOfSlot(slots.other) ?? "text"].container === true;
      const target = `${text(slots, "target")} in the ${text(slots, "other")}`;
      const isThing = kindOfSlot(slots.target) !== null || slots.target?.isQuoted === true;
      return isPlace && isThing && parseTarget(target).within !== null
        ? { action: "assert_count", target, value: text(slots, "count") }
        : null;
    },
  },
  {
    pattern: `exactly|only? {count:count} {target:target} ${BE} ${VISIBLE}|listed on_the_page|on_the_screen?`,
    example: "There should be 3 items",
    build: counted,
  },
  {
    pattern: "there should_be|must_be|is|are exactly|only? {count:count} {target:target}",
    example: "There should be 3 items",
    build: counted,
  },
  {
    pattern: `${SEE}|expect|expects|verify|assert|count|counts exactly|only? {count:count} {target:target}`,
    example: 'Expect 2 "todo" list items',
    build: counted,
  },
  {
    pattern: `the? ${PAGE} ${CONTAIN}|${SHOW}|${HAVE} exactly|only? {count:count} {target:target}`,
    example: 'The page should contain 2 "todo" list items',
    build: counted,
  },
  {
    pattern: `{target:target} ${BE}|appears|should_appear|to_appear|exists|should_exist|shows_up ${VISIBLE}? on_the_page? exactly|only? {count:count} times|time on_the_page?`,
    example: "There should be 3 items",
    build: counted,
  },
  {
    pattern: `the? {target:target} count ${BE}|should_equal|equals|= {count:count}`,
    example: 'The number of "todo" list items should be 2',
    build: (slots) => {
      const by = slots.target?.target?.find.by;
      return by === "selector" || by === "testId" ? counted(slots) : null;
    },
  },
  {
    pattern: `the? number|count of {target:target} ${BE}|should_equal|equals|= {count:count}`,
    example: 'The number of "todo" list items should be 2',
    build: counted,
  },
];
