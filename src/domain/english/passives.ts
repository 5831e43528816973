import { baseOf } from "./inflections.ts";
import { spoken, word } from "./phrases.ts";
import type { Token } from "./words.ts";

const IS = new Set(["is", "are", "was", "were", "gets", "got"]);
/** What is done to things. Whether it is done or claimed is known below Given and When alone. */
const DONE = new Set(
  [
    "entered typed inserted pasted dragged attached uploaded stored accepted dismissed saved executed resized",
    "scrolled focused repeated followed put taken chosen picked written selected filled ticked unticked opened",
  ]
    .join(" ")
    .split(" "),
);
/** What only somebody does, where nothing but such deeds is told. */
const TYPED =
  /^(?:entered|typed|inserted|pasted|written|uploaded|attached|pressed|clicked|tapped|double-clicked|right-clicked)$/;
const BY_ITSELF =
  /^(?:automatically|already|still|now|not|never|default|correctly|prefilled|also|only|by|should|must|verify|check|ensure|confirm|assert|expect|sees?|if|when|once|after|until|unless|may|can)$/;

/** `"Ann" is entered into "Name"`: whether somebody does what is told of a thing, and it comes about not by itself. */
export const isTyped = (tokens: readonly Token[]): boolean =>
  tokens.length < 30 &&
  tokens.some(
    (token, at) => at > 0 && TYPED.test(word(token)) && auxiliaryBefore(tokens, at) < at,
  ) &&
  !tokens.some((token) => BY_ITSELF.test(word(token)));

const AGENT = /^by (?:the )?(?:user|customer|tester|visitor|me|us)$/;

/** `"cv.pdf" is uploaded to the "Resume" field` → `upload "cv.pdf" to the "Resume" field`. */
export const inActive = (tokens: readonly Token[]): readonly Token[] => {
  const at = tokens.findIndex(
    (token, index) => index > 0 && DONE.has(word(token)) && auxiliaryBefore(tokens, index) < index,
  );
  if (at < 0) return tokens;
  const from = auxiliaryBefore(tokens, at);
  const base = word(tokens[at]) === "put" ? "put" : baseOf(word(tokens[at]));
  if (base === null || from < 1 || tokens.length > 30) return tokens;
  let rest = tokens.slice(at + 1);
  const by = rest.findIndex((token) => word(token) === "by");
  if (by >= 0 && AGENT.test(rest.slice(by).map(word).join(" "))) rest = rest.slice(0, by);
  return [spoken(base), ...tokens.slice(0, from), ...rest];
};

/** `"I agree" is ticked by the user` → `tick "I agree"`: what somebody does is no claim. Null where nobody does it. */
export const doneBySomebody = (tokens: readonly Token[]): readonly Token[] | null => {
  const by = tokens.findLastIndex((token) => word(token) === "by");
  if (by < 3 || !AGENT.test(tokens.slice(by).map(word).join(" "))) return null;
  const from = auxiliaryBefore(tokens, by - 1);
  const base = from < by - 1 ? baseOf(word(tokens[by - 1])) : null;
  return base === null || from < 1 ? null : [spoken(base), ...tokens.slice(0, from)];
};

/** Where the auxiliaries before a participle begin: `is`, `has been`, `should be`. */
const auxiliaryBefore = (tokens: readonly Token[], at: number): number => {
  const one = word(tokens[at - 1]);
  const two = word(tokens[at - 2]);
  if (IS.has(one)) return at - 1;
  if (one === "been" && /^(?:has|have|had)$/.test(two)) return at - 2;
  if (one === "be" && /^(?:should|must)$/.test(two)) return at - 2;
  return at;
};
