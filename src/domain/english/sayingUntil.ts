import { baseOf } from "./inflections.ts";
import { SUBJECTS, word } from "./phrases.ts";
import { isBroughtAbout, isJoint, isMark, quotedIn, type Saying, written } from "./sayingParts.ts";
import type { Token } from "./words.ts";

const CLAIMED =
  /^(?:is|are|should|must|stays|stay|remains|remain|can't|cannot|isn't|aren't|shouldn't|mustn't|has|appears|appear)$/;

const DENIED = /^(?:disabled|hidden|invisible|inactive|greyed|not|cannot|locked)$|n't$/;

/** What is told of somebody, or of something that is done. */
const DUE = /^(?:is|are|was|were|has|have|gets|i|you|we|they|user|one|i've|you've|we've)$/;

/** Whether what is done begins with a token. */
const isDeed = (token: Token | undefined): boolean => {
  const said = word(token);
  return baseOf(said) === said && !/^(?:verify|check|ensure|assert|see|look|wait)$/.test(said);
};

/** `"Save" is disabled until "Title" is filled: fill Title with "A" -> "Save" is enabled`: how it is, and then the rest. */
export const untilDone: Saying = (tokens, at, source) => {
  const colon = tokens.findIndex((token, index) => index > at + 1 && isMark(token, ":;"));
  const claim = tokens.slice(0, at);
  const rest = tokens.slice(colon + 1);
  if (colon < 0 || at < 3 || rest.length < 2 || !isDeed(rest[0])) return null;
  // Behind a semicolon something else may be done than what it waits for.
  const isDenied = claim.some((token) => DENIED.test(word(token)));
  if (tokens[colon]?.text === ";" && !isDenied) return null;
  const first = word(claim[0]);
  const isClaim = claim.some((token) => CLAIMED.test(word(token)));
  if (!isClaim || (baseOf(first) !== null && claim[0]?.text === first)) return null;
  const due = tokens.slice(at + 1, colon);
  if (claim.some(isJoint) || due.some(isJoint) || !due.some((token) => DUE.test(word(token))))
    return null;
  // `until 5 pm` comes by itself.
  if (due.some(({ kind, text }) => kind === "word" && /^\d/.test(text))) return null;
  // What "it" is then is told of something before the colon.
  if (rest.some((token) => /^(?:it|it's|its|they|them)$/.test(word(token)))) return null;
  return [written(claim, source), written(rest, source)];
};

const MAX_VAGUE = 6;

/** `Store "A" as x and search for it: type ${x} in "Find"`: behind the colon stands how the second is brought about. */
export const thenHow: Saying = (tokens, colon, source) => {
  const joint = tokens.findLastIndex((token, at) => at < colon && isJoint(token));
  const vague = tokens.slice(joint + 1, colon);
  let end = joint;
  while (isJoint(tokens[end - 1])) end--;
  const before = tokens.slice(0, end);
  const rest = tokens.slice(colon + 1);
  if (joint < 2 || before.length < 2 || vague.length > MAX_VAGUE || rest.length < 2) return null;
  if (!isBroughtAbout(vague) || quotedIn(vague).length > 0 || !isDeed(rest[0])) return null;
  // `Confirm clicked` begins with a name.
  if (SUBJECTS.has(word(vague[0])) || vague[0]?.text !== vague[0]?.lower) return null;
  if (rest.some((token) => word(token) === "or")) return null;
  // What is found is what was kept; of all else it is looked whether it is done by itself.
  const isFound = /^(?:search|look|find|filter)$/.test(word(vague[0]));
  const how = isFound ? tokens.slice(colon + 1) : tokens.slice(joint + 1);
  return [written(before, source), written(how, source)];
};

const VISITOR =
  /^(?:user|customer|tester|visitor|admin|agent|guest|member|person|shopper|buyer|patient|student)s?$/;
const MODAL = /^(?:should|must|will|can|may|sees?|gets?|lands?|goes|go|is|are)$/;

/** `A user who clicks on "Skip" should see "Plans"`: what somebody does, and what comes of it. */
export const whoDoesIt: Saying = (tokens, at, source) => {
  // `A logged-in user who …`: as whom it is done is told of nothing else.
  if (at > 2 || (at === 2 && !/^(?:a|an|the|any|every)$/.test(word(tokens[0])))) return null;
  const isPerson =
    VISITOR.test(word(tokens[at - 1])) ||
    /^(?:anyone|somebody|someone|those)$/.test(word(tokens[at - 1]));
  const verb = baseOf(word(tokens[at + 1]));
  if (!isPerson || verb === null || quotedIn(tokens.slice(0, at)).length > 0) return null;
  const then = tokens.findIndex((token, index) => index > at + 2 && MODAL.test(word(token)));
  const deed = tokens.slice(at + 2, then);
  if (then < 0 || then === tokens.length - 1 || deed.length === 0) return null;
  if (deed.some((token) => isJoint(token) || /^(?:not|never|who|that)$/.test(word(token))))
    return null;
  return [`${verb} ${written(deed, source)}`, `the user ${written(tokens.slice(then), source)}`];
};
