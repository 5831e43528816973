import { parseKeyChord } from "../catalogue/values.ts";
import { both, onTarget } from "./actVerbs.ts";
import { isFieldName } from "./fieldNames.ts";
import type { Built } from "./formTables.ts";
import { type Bindings, kindOfSlot, type Slot } from "./slotTypes.ts";
import { text } from "./verbs.ts";

const FILLABLE = new Set(["field", "box"]);

/** Whether it is said that it is a field, or which element it is. */
export const isFieldSaid = (slot: Slot | undefined): boolean =>
  FILLABLE.has(kindOfSlot(slot) ?? "") || slot?.target?.find.by === "selector";

/** Whether something can be typed into it, as far as is said. */
export const isFillable = (slot: Slot | undefined): boolean => {
  const kind = kindOfSlot(slot);
  return kind === null || FILLABLE.has(kind);
};

/** Whether it is certain that it is a field that is emptied. */
export const isClearable = (slot: Slot | undefined): boolean =>
  slot?.isQuoted ? isFillable(slot) : FILLABLE.has(kindOfSlot(slot) ?? "");

export const NOT_A_FIELD = "Only a field can be filled.";

const POSSESSED = /^(?:your|my|his|her|their|our) (?=\p{Ll})/u;

/** `your email` is the field "email": whose it is says nothing. */
const unpossessed = (slots: Bindings): Bindings => {
  const slot = slots.target;
  return slot && !slot.isQuoted && POSSESSED.test(slot.text)
    ? { ...slots, target: { ...slot, text: slot.text.replace(POSSESSED, "") } }
    : slots;
};

/** `Ctrl+V`: keys are pressed, and no text. */
const isChord = (slot: Slot | undefined): boolean =>
  slot?.isQuoted === false && /^\S+\+\S+$/.test(slot.text) && parseKeyChord(slot.text) !== null;

/** Fills a field with the value. */
export const fill = (slots: Bindings) => {
  if (isChord(slots.value)) return { doubt: "Say press, or put the text in quotes." };
  // `Fill Cardholder in with …`
  if (slots.target?.isQuoted === false && / (?:in|out|up)$/.test(slots.target.text)) {
    return { doubt: "Put the name of the field in quotes." };
  }
  return isFillable(slots.target)
    ? both("fill", unpossessed(slots))
    : { doubt: "Only a field can be filled." };
};

/** Types the value key by key into what can be a field; null for anything else. */
export const keyed = (slots: Bindings): Built =>
  isFillable(slots.target) ? both("type", slots) : null;

/** Chooses the value from a dropdown. */
export const select = (slots: Bindings) => {
  if (/\?$/.test(text(slots, "target")) && /^(?:yes|no)$/i.test(text(slots, "value"))) {
    return { doubt: "Say whether it is a radio button or an option of a dropdown." };
  }
  const kind = kindOfSlot(slots.target);
  // A file is chosen in what takes one.
  const isFile = /^[\w-]+(?:\.[\w-]+)*\.\w{2,5}$/.test(text(slots, "value"));
  if (isFile && kind === "field" && /\b(?:upload|file)\b/i.test(text(slots, "target"))) {
    return both("upload", slots);
  }
  return kind === null || FILLABLE.has(kind) || isChosenFrom(slots.target)
    ? both("select", slots)
    : { doubt: "Options are chosen from a dropdown; other things are clicked." };
};

/** What comes up by itself, or holds what is clicked: no list that a form has. */
export const COMING =
  /\b(?:suggest\w*|results?|autocomplete|search|pop-?up|context|top|to-?do|task)\b/i;

/** Whether one chooses from it: a dropdown, or what manuals call a list, which has a name then. */
export const isChosenFrom = (slot: Slot | undefined): boolean => {
  const kind = kindOfSlot(slot);
  if (kind !== "list") return kind === "dropdown";
  const find = slot?.target?.find;
  return find?.by === "kind" && find.name !== null && !COMING.test(find.name);
};

/** The kinds of thing that are ticked. */
export const TICKED = new Set(["checkbox", "radio", "switch"]);

/** "Set … to": a dropdown is chosen from, a field is filled; what can be neither is asked about. */
export const setTo = (slots: Bindings) => {
  if (/^(?:viewport|(?:window|screen|browser|page) size|resolution)$/i.test(text(slots, "target")))
    return { doubt: "Say the size, such as 1280x720, or a device." };
  const kind = kindOfSlot(slots.target);
  if (kind === "checkbox" || kind === "switch") {
    const state = text(slots, "value").toLowerCase();
    if (/^(?:on|checked|ticked|true|enabled)$/.test(state)) return onTarget("check")(slots);
    if (/^(?:off|unchecked|unticked|false|disabled)$/.test(state))
      return onTarget("uncheck")(slots);
  }
  const isSwitched = kind === null && slots.value?.isQuoted === false;
  if (isSwitched && /^on$/i.test(text(slots, "value"))) return onTarget("check")(slots);
  if (isSwitched && /^off$/i.test(text(slots, "value"))) return onTarget("uncheck")(slots);
  if (/^device$/i.test(text(slots, "target"))) return null;
  if (kind === "dropdown") return select(slots);
  if (kind === "slider" && /^\d+(?:\.\d+)?$/.test(text(slots, "value"))) return both("fill", slots);
  if (kind !== null && kind !== "field")
    return { doubt: "Only a field or a dropdown is set to a text." };
  return fill(slots);
};

/** Fills what can be nothing but a field; null for anything else. */
export const named = (slots: Bindings) => {
  const isName =
    !slots.target?.isQuoted &&
    (isFieldName(text(slots, "target")) || kindOfSlot(slots.target) === "field");
  return isName ? fill(slots) : null;
};
