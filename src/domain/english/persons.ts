import { findKind } from "../catalogue/kinds.ts";
import { baseOf, TOLD } from "./inflections.ts";
import { isQuoted, SUBJECTS, spoken, word } from "./phrases.ts";
import { isNameWord } from "./thingWords.ts";
import type { Token } from "./words.ts";

const DETERMINERS = new Set(["the", "a", "an", "our", "any", "each", "every", "some", "another"]);
/** What only somebody does. */
const SEEING = new Set("see sees saw find finds notice notices".split(" "));
const MODAL = /^(?:should|must|can|will|shall|may|cannot|can't|shouldn't|mustn't|won't|could)$/;
const BETWEEN = /^(?:not|now|then|also|still|immediately|be|able|to|no|longer|only|again)$/;
const BEING = new Set("is are was should must will has gets".split(" "));
const SENT =
  /^(?:be|been|redirected|taken|sent|brought|navigated|forwarded|returned|back|now|then|on|at|to|the|still|page|url|currently)$/;
const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
/** Deeds of somebody, as they are told; what opens, shows or goes may be a thing. */
const ACTING = new Set(
  "clicks taps presses types enters fills selects chooses picks ticks unticks checks unchecks navigates visits uploads hovers scrolls drags double-clicks right-clicks inputs hits".split(
    " ",
  ),
);

const MOVING = new Set(
  "opens launches goes browses returns heads loads accesses surfs moves proceeds".split(" "),
);

/** How many words may say who acts: an article and up to three small words, or a first name. */
const namedTo = (tokens: readonly Token[], isDone: boolean): number => {
  const first = tokens[0];
  if (first?.kind !== "word") return 0;
  if (!DETERMINERS.has(first.lower)) {
    const code = first.text.charCodeAt(0);
    // None of the letters a to z is a capital.
    if (code >= 97 && code <= 122) return 0;
    const isName = /^\p{Lu}\p{Ll}+$/u.test(first.text) && findKind(first.lower) === null;
    return isName && baseOf(first.lower) === null ? 1 : 0;
  }
  let at = 1;
  while (at < 4 && isPlain(tokens[at]) && !acts(tokens, at, isDone)) at++;
  return at > 1 ? at : 0;
};

const isPlain = (token: Token | undefined): boolean =>
  isNameWord(token) && token?.text === token?.lower && findKind(token?.lower ?? "") === null;

/** Whether only somebody can do what is said from a token on. */
const acts = (tokens: readonly Token[], at: number, isDone: boolean): boolean => {
  const said = word(tokens[at]);
  if (ACTING.has(said) && at + 1 < tokens.length) return true;
  // `Maria opens "/inbox"`, `Maria goes to "/inbox"`: no page goes to another.
  const where = tokens[at + (word(tokens[at + 1]) === "to" ? 2 : 1)];
  if (MOVING.has(said) && where && ADDRESS.test(where.text)) return true;
  let next = at;
  const isModal = MODAL.test(said);
  if (isModal) next++;
  while (isModal && BETWEEN.test(word(tokens[next])) && word(tokens[next]) !== "be") next++;
  if (SEEING.has(word(tokens[next])) && next + 1 < tokens.length) return true;
  if (!BEING.has(said)) return false;
  let to = at + 1;
  let isSent = isDone;
  for (; SENT.test(word(tokens[to])); to++)
    isSent ||= /(?:ed|taken|sent|brought)$/.test(word(tokens[to]));
  const address = tokens[to];
  // A thing may be on a page as well.
  if (!isSent) return false;
  const isOn = /^(?:on|at|to|the|page|url)$/.test(word(tokens[to - 1]));
  return address !== undefined && isOn && ADDRESS.test(address.text);
};

/**
 * `The vet should see …`, `Anna is on "/cart"`: the same of "I", where only somebody can do what is said. `isDone`: it
 * says what is done, or where one is.
 */
export const withPerson = (tokens: readonly Token[], isDone: boolean): readonly Token[] => {
  const to = namedTo(tokens, isDone);
  const verb = tokens[to];
  if (to === 0 || !verb || !acts(tokens, to, isDone)) return tokens;
  const rest = tokens.slice(to + 1);
  const base =
    ACTING.has(word(verb)) || MOVING.has(word(verb)) ? (TOLD.get(word(verb)) ?? null) : null;
  const said = base ?? (/^(?:is|are|was)$/.test(word(verb)) ? "am" : verb.lower);
  return [spoken("I"), spoken(said), ...rest];
};

/** As whom it is done, which nothing else tells. */
const STANDING =
  /^(?:logged-in|logged-out|signed-in|signed-out|authenticated|unauthenticated|anonymous|blocked|locked|unverified)$/;

const CLAIMED = /^(?:should|must|sees|will|can)$/;

/**
 * `A visitor who has typed "A" into "B" and pressed "C" should see "D"`: what is done, and then what is claimed, each
 * as a sentence; null for anything else.
 */
export const whoDoes = (tokens: readonly Token[], source: string): readonly string[] | null => {
  const who = tokens.findIndex((token) => word(token) === "who");
  if (who < 1 || who > 4 || tokens.length > 50) return null;
  const isPerson = tokens
    .slice(0, who)
    .every(
      (token, at) =>
        (isPlain(token) && !STANDING.test(word(token))) || (at === 0 && token.kind === "word"),
    );
  const claim = tokens.findIndex(
    (token, at) =>
      at > who + 2 &&
      CLAIMED.test(word(token)) &&
      (isQuoted(tokens[at - 1]) ||
        findKind(word(tokens[at - 1])) !== null ||
        endsName(tokens[at - 1])),
  );
  if (!isPerson || claim < 0 || claim + 2 >= tokens.length) return null;
  let at = who + 1;
  while (/^(?:has|have|had|just|already|then|is|are)$/.test(word(tokens[at]))) at++;
  const verb = tokens[at];
  const base = verb ? baseOf(word(verb)) : null;
  if (base === null || SUBJECTS.has(word(verb))) return null;
  const say = (from: number, to: number): string =>
    source.slice(tokens[from]?.start, tokens[to - 1]?.end);
  const deeds = `${base} ${say(at + 1, claim)}`;
  return [deeds, `I ${say(claim, tokens.length)}`];
};

const endsName = (token: Token | undefined): boolean =>
  token?.kind === "word" && (/^\p{Lu}/u.test(token.text) || ADDRESS.test(token.text));
