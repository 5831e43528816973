import { findKind, type KindName } from "./kinds.ts";
import { type Finder, isWord, kindAtEnd, plain, type Reading, selector } from "./targetParts.ts";
import type { Token } from "./words.ts";

/** Words for a thing that say nothing of its kind; the quotes around its name say where that ends. */
const THINGS = new Set(
  [
    "element folder file icon badge chip tile tag card tooltip banner logo thumbnail avatar entry step",
    "node hint placeholder snackbar title subtitle value name tree label product control component",
    "accordion option item",
  ]
    .join(" ")
    .split(" "),
);
/** `element "#total"`, `the "Inbox" folder`, `element #total`. */
export const thingOf = (tokens: readonly Token[]): Reading | null => {
  const [one, two] = tokens;
  if (tokens.length !== 2 || !one || !two) return null;
  if (one.kind === "word" && one.lower === "element") {
    if (two.kind === "selector") return { target: plain(selector(two.text)), doubt: null };
    if (two.kind !== "quoted") return null;
    return CSS_NAME.test(two.text)
      ? { target: plain({ by: "selector", selector: `css=${two.text}` }), doubt: null }
      : named(two.text);
  }
  if (one.kind !== "quoted" || two.kind !== "word") return null;
  const isThing = THINGS.has(two.lower) && findKind(two.lower) === null;
  return isThing ? named(one.text) : null;
};

/** `element with id "submit"`, `button with class "primary"`. */
export const byAttribute = (tokens: readonly Token[]): Reading | null => {
  const at = tokens.findIndex((token) => isWord(token, "with"));
  if (at < 1 || at > 3) return null;
  const rest = tokens.slice(at + 1).filter((token) => !isWord(token, "the"));
  const [what, value] = rest;
  if (rest.length !== 2 || value?.kind !== "quoted" || !/^[\w-]+$/.test(value.text)) return null;
  const words = tokens.slice(0, at);
  const isThing = words.length === 1 && isWord(words[0], "element");
  if (!isThing && kindAtEnd(words)?.from !== 0) return null;
  const mark = isWord(what, "id") ? "#" : isWord(what, "class") ? "." : null;
  if (mark === null || /^\d/.test(value.text)) return null;
  return { target: plain({ by: "selector", selector: `css=${mark}${value.text}` }), doubt: null };
};

/** An id or a class, as in a style sheet. */
const CSS_NAME = /^[#.][A-Za-z_][\w-]*$/;
const CONTROLS = new Set<KindName>([
  ...(["button", "field", "box", "dropdown", "checkbox", "radio", "switch", "frame"] as const),
]);

/** `checkbox "#terms"` is the element with that id: no control is called so. */
export const ofKind = (kind: KindName, name: string): Finder =>
  CONTROLS.has(kind) && CSS_NAME.test(name) && name.startsWith("#")
    ? { by: "selector", selector: `css=${name}` }
    : { by: "kind", kind, name, phrase: null };

/** What is called so, whatever it is. */
export const named = (name: string): Reading => ({
  target: plain({ by: "name", name }),
  doubt: emptyName(name),
});

/** Why a name that is nothing but blanks is none. */
export const emptyName = (name: string): string | null =>
  name.trim() === "" ? "The name is empty." : null;
