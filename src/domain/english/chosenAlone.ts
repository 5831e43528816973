import { isFieldName } from "./fieldNames.ts";
import { TICKED } from "./fillable.ts";
import type { Built } from "./formTables.ts";
import { type Bindings, kindOfSlot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

/** What is chosen by a click, whatever it is called. */
const PRESSED = new Set(["tab", "link", "button", "menuitem"]);
/** The same where it is said which one. */
const CLICKED = new Set([
  ...["option", "listitem", "row", "cell", "image", "menu", "section", "dropdown"],
]);

const FILE = /^[\w-]+(?:\.[\w-]+)*\.\w{2,5}$/;
const FROM = "Say what it is chosen from, or click it.";

/** `Annual`, `Save as draft`: begins with a capital, and no word in it may say out of what, for what or how. */
export const isTitle = (said: string): boolean =>
  /^\p{Lu}/u.test(said) &&
  !/ (?:for|from|as|using|via|in|under|within|among|between|so|with) \P{Lu}/u.test(said) &&
  !/^(?:One|Two|Some|Any|All|Either|Both|Each|Another|None)\b/.test(said);

/** Whether words say which one of several may be chosen: a word for what fields are called, and perhaps a text. */
export const isOfField = (said: string): boolean => {
  const words = said.split(" ");
  return [1, 2, 3].some((length) => {
    const name = words.slice(0, length).join(" ");
    return words.length >= length && (isFieldName(name) || OPTIONED.test(name));
  });
};

/** What has options to choose from. */
const OPTIONED =
  /^(?:country|state|province|region|currency|language|locale|time ?zone|gender|title|type|category|status|priority|severity|role|size|colou?r|date|day|month|year|time|plan|department|date range|payment method|files?|folder|model|brand|make|group|team|item|items|option|options|value|values)$/i;

/**
 * What is chosen where neither a field nor a list is named is clicked: radio buttons, tabs, plans, options. `Select
 * country Canada` may mean a field, and `select a plan` says not which.
 */
export const chosenAlone = (slots: Bindings): Built => {
  const { target } = slots;
  const said = text(slots, "target");
  const kind = kindOfSlot(target);
  if (kind !== null && TICKED.has(kind)) return { action: "check", target: said };
  if (kind !== null && PRESSED.has(kind)) return { action: "click", target: said };
  const find = target?.target?.find;
  const inside = target?.target?.within?.find;
  // `the second option in the "Country" dropdown`: a dropdown's options are not clicked.
  if (inside?.by === "kind" && inside.kind === "dropdown") return { doubt: FROM };
  if (kind !== null && find?.by === "kind") {
    const isOne = find.name !== null || target?.target?.ordinal != null;
    const isNamed = target?.isQuoted || isTitle(said) || target?.target?.ordinal != null;
    return CLICKED.has(kind) && isOne && isNamed
      ? { action: "click", target: said }
      : { doubt: FROM };
  }
  // `Select "photo.png"`: where is not said.
  if (find?.by === "selector" || (find?.by === "name" && FILE.test(find.name)))
    return { doubt: FROM };
  if (target?.isQuoted || find?.by === "kind") return { action: "click", target: said };
  return isTitle(said) && !isOfField(said) ? { action: "click", target: said } : { doubt: FROM };
};
