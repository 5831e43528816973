import { baseOf } from "./inflections.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { isJoint, isMark, NEGATING, type Saying, written } from "./sayingParts.ts";
import type { Token } from "./words.ts";

const OPENING = /^(?:open|opens|launch|start|edit|play)$/;

/** `open "Budget.pdf" by double-click`, `… with a double-click`: it is double-clicked. */
export const openedByClick: Saying = (tokens, at, source) => {
  const from = /^(?:a|an)$/.test(word(tokens[at - 1])) ? at - 1 : at;
  const isBy = /^(?:by|with|via)$/.test(word(tokens[from - 1]));
  const isEnd =
    at === tokens.length - 1 || (at === tokens.length - 2 && word(tokens.at(-1)) === "it");
  if (!OPENING.test(word(tokens[0])) || !isBy || !isEnd || from < 3) return null;
  if (tokens.slice(1, from).some((token) => isJoint(token) || NEGATING.test(word(token))))
    return null;
  const verb = word(tokens[at]).startsWith("double") ? "double-click" : "right-click";
  return [`${verb} ${written(tokens.slice(1, from - 1), source)}`];
};

const ATTRIBUTE =
  /^((?:aria|data)-[a-z-]+|role|type|href|alt|title|target|rel|src|lang|tabindex|autocomplete|maxlength|placeholder)=(\S*)$/;

/** `The "Save" button should have aria-disabled="true"`: the attribute is what it says. */
export const hasAttribute: Saying = (tokens, at, source) => {
  const said = tokens[at + 1];
  const found = said?.kind === "word" ? ATTRIBUTE.exec(said.text) : null;
  const value = found?.[2] === "" ? tokens[at + 2] : undefined;
  if (!found || (value ? value.kind !== "quoted" : found[2] === "")) return null;
  if (at + (value ? 3 : 2) !== tokens.length || tokens.some((token) => isMark(token, ",;")))
    return null;
  const text = value ? written([value], source) : `"${found[2]}"`;
  let end = at;
  while (/^(?:should|must|will|shall|now|also|still)$/.test(word(tokens[end - 1]))) end--;
  const start = /^(?:verify|check|ensure|confirm|assert)$/.test(word(tokens[0])) ? 1 : 0;
  const from = word(tokens[start]) === "that" ? start + 1 : start;
  const thing = placedThingAt(tokens.slice(from, end), 0);
  const isNamed = thing?.to !== end - from && namesButton(tokens.slice(from, end));
  if (thing?.to !== end - from && !isNamed) return null;
  return [
    `${named(tokens.slice(from, end), source, isNamed)} has the attribute ${found[1]}=${text}`,
  ];
};

/** `The Approve all button`: a capital says where the name begins, the kind where it ends. */
const namesButton = (tokens: readonly Token[]): boolean => {
  const from = /^(?:the|a)$/.test(word(tokens[0])) ? 1 : 0;
  const name = tokens.slice(from, -1);
  return (
    /^(?:button|link|field|checkbox|dropdown|tab|icon|input)$/.test(word(tokens.at(-1))) &&
    name.length > 0 &&
    name.length < 5 &&
    /^\p{Lu}/u.test(name[0]?.text ?? "") &&
    name.every(({ kind, text }) => kind === "word" && /^[\p{L}-]+$/u.test(text))
  );
};

const named = (tokens: readonly Token[], source: string, isPlain: boolean): string => {
  if (!isPlain) return written(tokens, source);
  const from = /^(?:the|a)$/.test(word(tokens[0])) ? 1 : 0;
  return `the "${written(tokens.slice(from, -1), source)}" ${word(tokens.at(-1))}`;
};

const DONE =
  /^(?:clicked|pressed|tapped|ticked|unticked|hovered|double-clicked|right-clicked|opened)$/;

/** `Login button to be clicked`: it is clicked. */
export const toBeDone: Saying = (tokens, at, source) => {
  const done = tokens[at + 1];
  const isTold = word(tokens[at - 1]) === "to" && at + 2 === tokens.length && DONE.test(word(done));
  const verb = isTold ? baseOf(word(done)) : null;
  const isDue = /^(?:is|has|needs|have|need)$/.test(word(tokens[at - 2]));
  const thing = tokens.slice(0, isDue ? at - 2 : at - 1);
  if (
    verb === null ||
    thing.length === 0 ||
    thing.some((token) => isJoint(token) || NEGATING.test(word(token)))
  )
    return null;
  if (/^(?:wait|expect|verify|check|ensure|expected)$/.test(word(thing[0]))) return null;
  return [`${verb} ${written(thing, source)}`];
};

/** `Press Space with the focus on the "Insured" checkbox`: it is focused first. */
export const withFocus: Saying = (tokens, at, source) => {
  const from = word(tokens[at - 1]) === "the" ? at - 2 : at - 1;
  const isWith = word(tokens[from]) === "with" && /^(?:on|in)$/.test(word(tokens[at + 1]));
  const before = tokens.slice(0, from);
  const rest = tokens.slice(at + 2);
  if (!isWith || before.length < 2 || rest.length === 0 || rest.some(isJoint)) return null;
  if (!/^(?:press|presses|hit|type)$/.test(word(before[0])) || before.some(isJoint)) return null;
  return [`focus ${written(rest, source)}`, written(before, source)];
};

const SHOWN =
  /^(?:toast|message|error|warning|notification|heading|title|text|banner|alert|dialog|snackbar)$/;

/** `I am redirected to /login with the message "Signed out"`: where one is, and what is seen there. */
export const landedWith: Saying = (tokens, at, source) => {
  const isAt = /^(?:https?:\/\/|\/)\S*$/i.test(tokens[at - 1]?.text ?? "");
  let from = at + 1;
  if (/^(?:the|a|an)$/.test(word(tokens[from]))) from++;
  if (
    !/^(?:toast|message)$/.test(word(tokens[from])) &&
    /^(?:success|error|info)$/.test(word(tokens[from]))
  )
    from++;
  const rest: readonly Token[] = tokens.slice(from);
  const isShown = rest.length === 2 && SHOWN.test(word(rest[0])) && rest[1]?.kind === "quoted";
  if (!isAt || !isShown || at < 3) return null;
  return [written(tokens.slice(0, at), source), `I should see the ${written(rest, source)}`];
};
