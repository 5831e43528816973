import {
  BAD_LOCATOR,
  ignored,
  type Translate,
  type TranslatedStep,
  targetOf,
  translated,
  unsupported,
} from "./translation.ts";

const KEY = /\$\{KEY_(\w+)\}/g;
const KEYS: Readonly<Record<string, string>> = {
  ENTER: "Enter",
  RETURN: "Enter",
  TAB: "Tab",
  ESC: "Escape",
  ESCAPE: "Escape",
  BACKSPACE: "Backspace",
  BKSP: "Backspace",
  DELETE: "Delete",
  DEL: "Delete",
  SPACE: "Space",
  UP: "ArrowUp",
  DOWN: "ArrowDown",
  LEFT: "ArrowLeft",
  RIGHT: "ArrowRight",
  ARROW_UP: "ArrowUp",
  ARROW_DOWN: "ArrowDown",
  ARROW_LEFT: "ArrowLeft",
  ARROW_RIGHT: "ArrowRight",
  HOME: "Home",
  END: "End",
  PAGE_UP: "PageUp",
  PGUP: "PageUp",
  PAGE_DOWN: "PageDown",
  PGDN: "PageDown",
  INSERT: "Insert",
  ...Object.fromEntries(Array.from({ length: 12 }, (_, at) => [`F${at + 1}`, `F${at + 1}`])),
};

const MODIFIERS: Readonly<Record<string, string>> = {
  CONTROL: "Control",
  CTRL: "Control",
  SHIFT: "Shift",
  ALT: "Alt",
  META: "Meta",
  COMMAND: "Meta",
};

/** Types text and presses keys. A modifier applies to the next key only. */
export const sendKeys: Translate = ({ target, value }) => {
  const element = targetOf(target);
  if (element === null) return unsupported(BAD_LOCATOR);
  const steps: TranslatedStep[] = [];
  let held = "";
  let at = 0;
  const addText = (part: string): boolean => {
    if (part === "") return true;
    if (held === "") {
      steps.push({ action: "type", target: element, value: part });
      return true;
    }
    if ([...part].length !== 1) return false;
    steps.push({ action: "press", target: element, value: `${held}${part}` });
    held = "";
    return true;
  };
  for (const match of value.matchAll(KEY)) {
    if (!addText(value.slice(at, match.index)))
      return unsupported("A modifier key must be followed by one key.");
    at = match.index + match[0].length;
    const name = match[1] ?? "";
    const modifier = Object.hasOwn(MODIFIERS, name) ? MODIFIERS[name] : undefined;
    const key = Object.hasOwn(KEYS, name) ? KEYS[name] : undefined;
    if (modifier !== undefined) held += `${modifier}+`;
    else if (key === undefined) return unsupported(`The key ${name} is not supported.`);
    else {
      steps.push({ action: "press", target: element, value: `${held}${key}` });
      held = "";
    }
  }
  if (!addText(value.slice(at)) || held !== "")
    return unsupported("A modifier key must be followed by one key.");
  return steps.length > 0 ? translated(...steps) : ignored;
};
