import type { Token } from "../english/words.ts";
import { findKind, type KindName } from "./kinds.ts";
import { doubtOf } from "./targetDoubt.ts";
import { type Finder, isWord, kindAtEnd, plain, type Reading, selector } from "./targetParts.ts";

/** Words for an element of any kind; the quotes delimit its name. */
const THINGS = new Set(
  [
    "element folder file icon badge chip tile tag card tooltip banner logo thumbnail avatar entry step",
    "node hint placeholder snackbar title subtitle value name tree label product control component",
    "accordion option item chart graph diagram map video player spinner loader indicator overlay pill",
    "counter marker bubble ribbon stamp breadcrumb stepper rating swatch emoji symbol line badge chip tile",
    "thumbnail avatar icon bar drawer slide story tooltip banner track playlist suggestion layer ticket order",
    "product project task document report customer contact patient student employee team channel conversation",
    "thread post comment course lesson song album event meeting booking reservation appointment invoice payment",
    "transaction category supplier vendor rule policy device server branch template theme plan package deal lead",
    "slot knob mark seat room desk flight zone shipment parcel delivery visit claim ward bed pet exhibit artwork quiz",
    "exam grade module unit chapter ingredient dish day figure number total status score level amount price album pin",
    "upload notice window campaign filter result note recipe question answer review listing",
  ]
    .join(" ")
    .split(" "),
);
/** `element "#total"`, `the "Inbox" folder`, `element #total`. */
export const thingOf = (tokens: readonly Token[]): Reading | null => {
  const [one, two] = tokens;
  if (tokens.at(-1)?.kind === "selector" && tokens.length > 1) return kindAndSelector(tokens);
  if (tokens.length > 2) return longThing(tokens);
  if (tokens.length !== 2 || !one || !two) return null;
  if (one.kind === "word" && one.lower === "element") {
    if (two.kind !== "quoted") return null;
    return selected(two.text) ?? named(two.text);
  }
  // `badge "New"`, `file "report.pdf"`
  if (one.kind === "word" && two.kind === "quoted") {
    return THINGS.has(one.lower) && findKind(one.lower) === null ? named(two.text) : null;
  }
  if (one.kind !== "quoted" || two.kind !== "word") return null;
  if (two.lower === "element") return selected(one.text) ?? named(one.text);
  const isThing = THINGS.has(two.lower) && findKind(two.lower) === null;
  return isThing ? named(one.text) : null;
};

/** `button testid=save`, `field with the selector css=.name`: the selector identifies the element. */
const kindAndSelector = (tokens: readonly Token[]): Reading | null => {
  const last = tokens.at(-1);
  let words = tokens.slice(0, -1);
  if (isWord(words.at(-1), "selector"))
    words = words.slice(0, isWord(words.at(-2), "the") ? -2 : -1);
  if (/^(?:with|by|matching|at)$/.test(words.at(-1)?.lower ?? "")) words = words.slice(0, -1);
  const isThing =
    words.length === 1 &&
    words[0]?.kind === "word" &&
    /^(?:element|elements)$/.test(words[0].lower);
  const isKind = isThing || (words.length > 0 && kindAtEnd(words)?.from === 0);
  return last && isKind ? { target: plain(selector(last.text)), doubt: null } : null;
};

const NO_TEXT =
  /^(?:now|again|then|there|here|please|first|next|immediately|directly|twice|only|too|also|once|instead)$/;

/** `text=Log out`: the following words belong to the text. */
export const isTextWithWords = (tokens: readonly Token[]): boolean => {
  const [first, ...rest] = tokens;
  return (
    first !== undefined &&
    /^text=[\p{L}\d]/iu.test(first.text) &&
    rest.length < 5 &&
    rest.every(({ kind, text }) => kind === "word" && /^[\p{L}\d'’&-]+$/u.test(text)) &&
    !rest.some(({ lower }) => NO_TEXT.test(lower)) &&
    kindAtEnd(rest) === null &&
    doubtOf(rest) === null
  );
};

const LOOKS = /^(?:success|error|warning|info|information|confirmation|validation|status)$/;
const SAYING = /^(?:saying|reading|stating|named|called|titled|labelled|labeled|for|containing)$/;
const TEXT = /^(?:text|message|label|title|caption|name|word|words)$/;

/** `success banner "Saved"`, `tooltip with the text "Copied!"`, `tile labelled "New"`: the quotes contain the name. */
const longThing = (tokens: readonly Token[]): Reading | null => {
  const name = tokens.at(-1);
  if (name?.kind !== "quoted" || tokens.length > 6) return null;
  const words = tokens.slice(0, -1);
  if (words.some((token) => token.kind !== "word")) return null;
  const start = LOOKS.test(words[0]?.lower ?? "") ? 1 : 0;
  const thing = words[start]?.lower ?? "";
  if (!THINGS.has(thing)) return null;
  const said = words.slice(start + 1).map(({ lower }) => lower);
  if (said.length === 0) return start === 1 ? named(name.text) : null;
  if (said.length === 1) return SAYING.test(said[0] ?? "") ? named(name.text) : null;
  const isText =
    TEXT.test(said.at(-1) ?? "") && /^(?:with|saying|containing|having)$/.test(said[0] ?? "");
  const isRest = said.slice(1, -1).every((one) => /^(?:the|a)$/.test(one));
  return isText && isRest ? named(name.text) : null;
};

/** A quoted id, class or selector; null for any other text. */
const selected = (text: string): Reading | null => {
  if (CSS_NAME.test(text))
    return { target: plain({ by: "selector", selector: `css=${text}` }), doubt: null };
  const isSelector = /^(?:css|xpath)=./.test(text) || /^\/\/[\w*]/.test(text);
  // `element "#list > li"`, `element "button[type='submit']"`
  const isStyled = /^(?:#[A-Za-z_][\w-]*[\s>+~:.[]|[a-z][a-z\d]*\[\w)/.test(text);
  if (isStyled) return { target: plain({ by: "selector", selector: `css=${text}` }), doubt: null };
  return isSelector ? { target: plain(selector(text)), doubt: null } : null;
};

/** Repeated elements that an ordinal counts: `the first search result`. */
const COUNTED = new Set(
  [
    "result product ticket star order post comment course lesson song album event meeting booking reservation",
    "appointment invoice payment transaction category supplier vendor device template plan package deal project",
    "task document report customer contact patient student employee team channel conversation thread note recipe",
    "question answer review listing suggestion file folder article video track playlist hotel room flight seat",
    "book movie film episode job offer user member record entry slot swatch slide match player notification email",
    "mail variant vehicle car property house story issue bug candidate applicant city location branch store shop",
    "restaurant dish meal pet doctor photo picture thumbnail author hit completion proposal address-suggestion",
  ]
    .join(" ")
    .split(" "),
);
/** Repeated kinds, except fields. */
const ONE_OF = new Set<KindName>([
  ...(["button", "link", "section", "row", "listitem", "image", "icon", "option", "tab"] as const),
]);
/** Before one of these words, "first" or "last" belongs to the name. */
const PART_OF_NAME =
  /^(?:to|browser|but|name|names|aid|class|minute|hand|time|times|week|month|year|day|days|night|quarter|half|party|person|line|page|step|visit|login|seen|updated?|modified|used|edited|choice|one|two|three|few|digits?|characters?|letters?)$/;

/** Whether a lower-case `first` before lower-case words counts repeated elements. */
export const countsThings = (
  ordinal: Token,
  rest: readonly Token[],
  named: Reading | null,
): boolean => {
  const last = rest.at(-1);
  const isSmall = rest.every(({ kind, text }) => kind === "word" && /^[a-z][a-z-]*$/.test(text));
  const isShort = rest.length < 4 && ordinal.text === ordinal.lower;
  if (!last || !isSmall || !isShort || named?.doubt !== null) return false;
  if (PART_OF_NAME.test(rest[0]?.lower ?? "")) return false;
  const { find } = named.target;
  if (find.by === "kind") return ONE_OF.has(find.kind);
  return find.by === "name" && COUNTED.has(last.lower);
};

const TEST_ID = /^(?:test id|test-id|testid|data-testid|data-test-id|data-test|data-cy|data-qa)$/;

/** `element with id "submit"`, `button with class "primary"`, `element with test id "save"`. */
export const byAttribute = (tokens: readonly Token[]): Reading | null => {
  let at = 0;
  while (at < 4 && !isWord(tokens[at], "with")) at++;
  if (at < 1 || at > 3) return null;
  const rest = tokens.slice(at + 1).filter((token) => !isWord(token, "the"));
  const value = rest.at(-1);
  const [what] = rest;
  if (rest.length < 2 || rest.length > 3 || value?.kind !== "quoted" || value.text === "")
    return null;
  const words = tokens.slice(0, at);
  const isThing = words.length === 1 && isWord(words[0], "element");
  if (!isThing && kindAtEnd(words)?.from !== 0) return null;
  const said = rest
    .slice(0, -1)
    .map(({ lower }) => lower)
    .join(" ");
  if (TEST_ID.test(said)) {
    const isOurs = !/^data-(?:test|cy|qa)$/.test(said);
    const id = `css=[${said}=${JSON.stringify(value.text)}]`;
    return {
      target: plain(isOurs ? { by: "testId", id: value.text } : { by: "selector", selector: id }),
      doubt: null,
    };
  }
  if (/^(?:xpath|css|css selector|selector)$/.test(said)) {
    return {
      target: plain(selector(`${said === "xpath" ? "xpath" : "css"}=${value.text}`)),
      doubt: null,
    };
  }
  if (rest.length > 2 || !/^[\w-]+$/.test(value.text)) return null;
  const mark = isWord(what, "id") ? "#" : isWord(what, "class") ? "." : null;
  if (mark === null || /^\d/.test(value.text)) return null;
  return { target: plain({ by: "selector", selector: `css=${mark}${value.text}` }), doubt: null };
};

/** An id or a class, as in a style sheet. */
const CSS_NAME = /^[#.][A-Za-z_][\w-]*$/;
const CONTROLS = new Set<KindName>([
  ...(["button", "field", "box", "dropdown", "checkbox", "radio", "switch", "frame"] as const),
]);

/** `checkbox "#terms"` is the element with that id, because no control has such a name. */
export const ofKind = (kind: KindName, name: string): Finder =>
  CONTROLS.has(kind) && CSS_NAME.test(name) && name.startsWith("#")
    ? { by: "selector", selector: `css=${name}` }
    : { by: "kind", kind, name, phrase: null };

/** An element of any kind with this name. */
export const named = (name: string): Reading => ({
  target: plain({ by: "name", name }),
  doubt: emptyName(name),
});

/** The doubt about a blank name. */
export const emptyName = (name: string): string | null =>
  name.trim() === "" ? "The name is empty." : null;
