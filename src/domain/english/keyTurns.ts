import { findKind } from "../catalogue/kinds.ts";
import { parseKeyChord } from "../catalogue/values.ts";
import type { Draft } from "./formTables.ts";
import { isQuoted, word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { quoteLiteral, type Token } from "./words.ts";

/** Says the words of a sentence from one token to before another. */
type Say = (from: number, to?: number) => string;
/** What a sentence that is said in a roundabout way comes to, in plain ones; null for all others. */
export type Turn = (
  tokens: readonly Token[],
  say: Say,
  last: Draft | null,
) => readonly string[] | null;

/** The words of some tokens in lower case. */
export const wordsOf = (tokens: readonly Token[]): string =>
  tokens.map(({ lower }) => lower).join(" ");

const IDLE =
  /^(?:do nothing|stay idle|be idle|sit idle|remain idle|let the page sit|leave the page (?:open|idle|alone)|keep the page open|let the page rest|let it sit|leave it open|remain on the page|stay on the page|don't do anything|do not do anything|do not touch anything|hold on|hang on)$/;

/** `Do nothing for ten seconds`: a time that is waited. */
export const idleFor: Turn = (tokens, say) => {
  const at = tokens.findIndex((token) => word(token) === "for");
  if (at < 2 || at > 5 || !IDLE.test(wordsOf(tokens.slice(0, at)))) return null;
  return /^(?:seconds?|secs?|minutes?|mins?|ms|milliseconds?)$/.test(word(tokens.at(-1))) &&
    tokens.length < at + 4
    ? [`wait for ${say(at + 1)}`]
    : null;
};

/** `Give the "Recount" button a click`, `give the password field ${secret.pin}`. */
export const given: Turn = (tokens, say) => {
  const last = tokens.at(-1);
  const thing = placedThingAt(tokens, 1);
  if (!last || !thing || thing.isLoose) return null;
  const deed = /^(?:click|tap|double-click|press)$/.exec(word(last))?.[0];
  if (deed && /^(?:a|one)$/.test(word(tokens.at(-2))) && thing.to === tokens.length - 2)
    return [`${deed} ${say(1, thing.to)}`];
  const isText = last.kind === "quoted" || /^\$\{[\w.]+\}$/.test(last.text);
  const isField = findKind(thing.kind) === "field";
  return isField && isText && thing.to === tokens.length - 1
    ? [`type ${say(thing.to)} into ${say(1, thing.to)}`]
    : null;
};

const NATIVE =
  /(?:^| )(?:the|a|this|that) (?:(?:browser|browser's|native|javascript|js|system) (?:own )?(?:confirm|confirmation|alert|prompt|dialog|dialogue|popup|pop-up)(?: (?:box|dialog|popup))?|(?:confirm|alert) (?:box|dialog))$/;
const ACCEPTING = /^(?:ok|okay|accept|confirm|approve)$/;
const DISMISSING = /^(?:cancel|dismiss|decline|reject|abort)$/;

/** `Cancel the deletion in the native confirm`, `OK the browser dialog`: how the browser's own dialog is answered. */
export const answered: Turn = (tokens) => {
  const verb = word(tokens[0]);
  if (tokens.length > 12 || tokens.some(isQuoted) || !NATIVE.test(wordsOf(tokens))) return null;
  if (tokens.some((token) => /^(?:and|or|then|not|with|if|until|unless)$/.test(word(token))))
    return null;
  if (ACCEPTING.test(verb)) return ["accept the dialog"];
  return DISMISSING.test(verb) ? ["dismiss the dialog"] : null;
};

const MODIFIED = /^(?:ctrl|control|cmd|command|alt|option|shift|meta)\+\S+$/i;

const PURPOSE =
  /^(?:send|save|submit|copy|cut|paste|undo|redo|confirm|open|close|print|search|find|select all|bold|finish|go on|continue)(?: (?:it|that|the (?:text|message|form|changes|page|selection|line)))?$/;

/** `Type Ctrl+Enter to send`, `Send keys Ctrl+V to "Notes"`, `Tab twice`: keys are pressed, whatever it is called. */
export const pressed: Turn = (tokens, say) => {
  const said = wordsOf(tokens.slice(0, 3));
  const from = /^send (?:the )?keys? /.test(`${said} `) ? (word(tokens[1]) === "the" ? 3 : 2) : 1;
  const chord = tokens[from];
  if (chord?.kind === "word" && MODIFIED.test(chord.text) && parseKeyChord(chord.text) !== null) {
    const rest = tokens[from + 1];
    if (!rest) return [`press ${chord.text}`];
    const into = placedThingAt(tokens, from + 2);
    if (
      /^(?:to|in|into|on)$/.test(word(rest)) &&
      into?.to === tokens.length &&
      (into.isQuoted || into.kind !== "")
    )
      return [`press ${chord.text} in ${say(from + 2)}`];
    const isPurpose = word(rest) === "to" && PURPOSE.test(wordsOf(tokens.slice(from + 2)));
    return isPurpose ? [`press ${chord.text}`] : null;
  }
  const key = tokens[0];
  const times = wordsOf(tokens.slice(1));
  const isKey = key?.kind === "word" && /^(?:tab|enter|escape|esc|backspace)$/.test(key.lower);
  return isKey && /^(?:twice|(?:two|three|four|five|six|\d) times)$/.test(times)
    ? [`press the ${key.text} key ${times}`]
    : null;
};

/** `Tab out of the field`: a key as well. */
export const tabbed: Turn = (tokens) =>
  /^(?:tab|tabs) (?:out|away|off)(?: of (?:the field|it|the input|the box))?$/.test(wordsOf(tokens))
    ? ["press the Tab key"]
    : null;

const SET = /^(?:type|enter|put|write|insert|paste|input)$/;

/** `type "A" in it`, `Turn it on`: where or what was said just before. */
export const ofLast: Turn = (tokens, say, last) => {
  if (!last?.target || tokens.length > 5) return null;
  const verb = word(tokens[0]);
  const target = quoteLiteral(last.target);
  const switched = /^(?:turn|switch|toggle) it (on|off)$/.exec(wordsOf(tokens));
  if (switched)
    return /^(?:assert_|click)/.test(last.action) ? [`turn ${switched[1]} ${target}`] : null;
  const isThere = /^(?:(?:in|into|inside) (?:it|there)|there)$/.test(wordsOf(tokens.slice(2)));
  const isText = tokens[1]?.kind === "quoted" || /^\$\{[\w.]+\}$/.test(tokens[1]?.text ?? "");
  const isField =
    /(?:^| )(?:field|textbox|textarea|editor|input|box|text area)(?: "[^"]*")?$|^(?:field|textbox|textarea|editor|input|box) /.test(
      last.target,
    );
  return SET.test(verb) &&
    isThere &&
    isText &&
    isField &&
    /^(?:assert_visible|click|focus|clear)$/.test(last.action)
    ? [`type ${say(1, 2)} into ${target}`]
    : null;
};
