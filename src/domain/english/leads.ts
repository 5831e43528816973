import { baseOf } from "./inflections.ts";
import { PERSONS, SUBJECTS, spoken, word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import { byFirstWord, lengthAt } from "./saidAt.ts";
import { OPENERS, openingBefore, saysNothing } from "./tails.ts";
import type { Token } from "./words.ts";

/** Phrases by their first word, the longest first. */
const phrases = (lines: readonly string[]): ReadonlyMap<string, readonly (readonly string[])[]> =>
  byFirstWord(
    lines
      .flatMap((line) => line.split("|"))
      .map((said) => said.split(" "))
      .sort((one, other) => other.length - one.length),
    (words) => words,
  );

/** What may stand before an instruction or a claim without saying anything of it: when in the order, how, with what. */
const FILLERS = phrases([
  "please|kindly|now|next|then|just|simply|carefully|quickly|immediately|finally|lastly|first|firstly",
  "first of all|second|secondly|third|thirdly|fourth|fourthly|again|once again|once more|one more time|also",
  "additionally|furthermore|moreover|instead|here|there|so|afterwards|afterward|thereafter|later|later on",
  "subsequently|initially|eventually|to start|to begin|to start with|to begin with|to finish|in the end",
  "at the end|at last|at first|last|as usual|as always|as before|from here|from there|once there",
  "at this point|at that point|at this stage|at this moment|after that|after this|after which",
  "after doing so|after doing that|after doing this|having done that|having done this|that done|this done",
  "as a first step|as a next step|as the next step|as the first step|as the last step|as a last step",
  "in the next step|in the first step|in the last step|in a next step|in this step|for this|for that",
  "to do this|to do so|to do that|in order to do this|in order to do so|with the mouse|using the mouse",
  "with your mouse|with the keyboard|using the keyboard|using your mouse|using your keyboard",
  "as a user|as the user|as a customer|as a visitor|as a guest|as a tester|as a shopper|on the page",
  "on this page|on that page|on the screen|on this screen|on that screen|on the next page|on the next screen",
  "on the following page|on the following screen|on the resulting page|on the page that opens|in the page",
  "on the page that appears|on the screen that appears|on the screen that opens|on the new page|in the app",
  "on the opened page|in the application|in the browser|in your browser|in a browser|in the web app",
  "on the website|on the site|on the web page|as a result|as expected|of course|basically|usually|normally",
  "obviously|well|ok|okay|hence|therefore|thus|consequently|meanwhile|right after|right after that",
  "soon after|soon after that|shortly after|immediately after|immediately afterwards|in addition",
  "alternatively|optionally speaking|by default|out of the box|from the start|right now|do the needful|do the needful and",
  "right at the start|at the very end|at the beginning|in the beginning|in the meantime|without delay|to round it off",
  "on top of that|apart from that|besides|besides that|likewise|similarly|accordingly|ultimately|in the same way",
  "as the user|as the admin|as before|once you are there|once that is done|when you're there|having done this|by the way|last but not least|all done|before anything else",
  "without filling in anything|without entering anything|without filling anything in|without typing anything|without filling in any field",
  "without making any changes|without changing anything|without entering any data|without selecting anything",
  "as first|as second|as next|as last|as third|fifthly",
  "as a consequence|by now|by then|after a while|from now on|all in all|in turn|for now|afterward",
]);

/** What asks for a deed in more words than the deed. */
const URGES = phrases([
  "make sure to|make sure that you|make sure you|make sure that the user|make sure the user|be sure to",
  "make sure that we|make sure we|make sure i|be sure that you|remember to|don't forget to|do not forget to",
  "try to|try and|attempt to|proceed to|proceed and|continue to|continue and|go ahead and|go ahead to",
  "go on and|go on to|go and|let's|let us|let me|let the user|have the user|ask the user to|tell the user to",
  "get the user to|ask the customer to|have the customer|let the customer|ask them to|have them",
  "it is necessary to|it is required to|you'll have to|you'll need to|all you have to do is",
  "all you need to do is|the next step is to|next step is to|the first step is to|first step is to",
  "the last step is to|last step is to|your next step is to|you just|you simply|you only need to|you just need to",
  "what you do is|time to|it is time to|the user is asked to|you are asked to|you're asked to",
  "one has to|one must|one needs to|do|you ought to|you are to|you have got to|you've got to|we have to|we must|it is time to",
  "the tester has to|the tester should|you may now|you may|now you can|it's time to|have a go at|try once to|try if you can",
  "attempt once to|get ready to|take a moment to|do your best to|use the mouse to|use your mouse to|use the keyboard to",
  "it should be possible to|it must be possible to|it is possible to|could the tester|could the user|can the tester|could somebody|could someone|can someone|can somebody",
  "the user is prompted to|be so kind as to|be so kind to|feel free to|take care to|care to|choose to",
]);

/** `Start by clicking …`: the gerund is what is done. */
const GERUND_LEADS = phrases([
  "start by|begin by|finish by|end by|continue by|proceed by|start with|begin with|continue with|finish with",
  "kick off by|kick off with|begin things by|open by|wrap up by|wrap up with|finish off by|round off by",
  "finish off with|finish up by|finish up with|end up by|round off with|round it off by|close with|move on by|move on with|get going by",
  "get started by|get things going by|get the ball rolling by|follow up by|follow up with|carry on with|wind up by|have a go at",
  "go on by|proceed with|conclude by|try|then try|keep on|start off by|end with|carry on by|close by",
]);

/** What a claim is asked for with. */
const CLAIM_LEADS = phrases([
  "check to see if|check to see that|check to see whether|check to make sure|check to make sure that",
  "make certain|make certain that|be sure that|see to it that|it is verified that|it is expected that",
  "it is checked that|note that|please note that|verify visually that|check visually that|expecting",
  "i'd expect|i would expect|we'd expect|we would expect|you'd expect|one should see that|expecting that|i expected|we expected|expected|assure that|assure|make it sure that|make sure of|be certain that",
  "it should be verified that|it must be ensured that|i should find that|you should find that|you will notice that",
  "you will see that|you should see that|you'll see that|i should see that|i see that|we see that",
  "the user sees that|the user should see that|the user should notice that|i notice that|you notice that",
  "watch that|watch for|watch|see how|take note that|assume that|prove that|test that|test if|test whether",
  "be sure to check that|take a look whether|have a look whether|have a look if|one expects that|one should find that|find out whether",
  "there should be no doubt that|do check that|do verify that|do make sure that|do make sure|double check that|double check|double-check that",
  "cross-check that|cross check that|you should notice that|you should find|it must be the case that|it should be the case that",
  "the expectation is that|the expected result is that|the expected outcome is that|the requirement is that|it is required that",
  "it is important that|it's important that|it has to be the case that|we want to see that|we check that|we verify that|i verify that",
  "check once more that|check again that|verify again that|verify once more that|confirm again that|satisfy yourself that",
  "test passes when|test passes if|the test passes when|the test passes if|test passes once|the test is passed when|the test is passed if",
  "test is passed when|test is passed if|passes if|passes when|pass if|pass when|passed if|passed when|the test succeeds if|the test is successful if",
  "test is successful if|success if|successful if|the step passes if|the step passes when|look and see if|look and see whether|see to it",
  "you'd see that|you would see that|you'll notice that|one sees that|it is seen that|it can be seen that|it should be seen that|we should see that",
  "my expectation is that|our expectation is that|test passes if|the test passes if|test passes when|the test passes when|it passes if|pass if",
  "passes if|the test is passed if|the test case passes if|the scenario passes if|the test succeeds if|test succeeds if",
  "review that|inspect that|i can see that|you can see that|ensure also that|look whether|look if|look that",
]);

const MODALS = phrases([
  "should|must|can|may|will|shall|could|would|needs to|need to|has to|have to|had to|wants to|want to|would like to",
  "is going to|am going to|are going to|tries to|try to|attempts to|decides to|proceeds to|proceed to",
  "goes on to|goes ahead and|go ahead and|gets to|is asked to|is required to|is supposed to|is to|are to",
  "is able to|are able to|am able to|starts to|begins to|continues to|chooses to|should try to|is told to",
  "will need to|will have to|'ll need to|'d like to|wishes to|intends to|ought to|might|is expected to",
]);
const PROGRESS = new Set(["am", "is", "are", "have", "has", "had", "was", "were"]);
const ADVERBS = new Set(
  "then now also just simply next finally again first only carefully quickly immediately manually subsequently eventually afterwards directly".split(
    " ",
  ),
);
const MOVING = /^(?:go|return|navigate|land|move|proceed|head|browse|leave|stay|read)$/;
const CHANCE = /^(?:can|may|could|might)$/;
const DUE = /^(?:should|must|will|shall)$/;
const EPITHETS = new Set(
  "logged-in registered new existing same end qa test normal regular returning anonymous authenticated signed-in typical ordinary".split(
    " ",
  ),
);
const MORE_PERSONS = new Set(
  [
    "end-user person people qa engineer developer operator somebody someone one anyone everybody patient doctor",
    "nurse driver clerk cashier teacher applicant candidate author seller subscriber caller staff supervisor",
    "pharmacist receptionist accountant organizer organiser host traveler traveller passenger player learner",
    "participant viewer moderator approver reviewer requester technician planner dispatcher librarian",
  ]
    .join(" ")
    .split(" "),
);
const DETERMINERS = new Set(["the", "a", "an", "our", "any", "each", "every", "some", "another"]);

/** Whether a word says who acts. */
const isPerson = (said: string): boolean => PERSONS.has(said) || MORE_PERSONS.has(said);

/** How many words say who acts, before what is done; 0 when none do. */
const subjectAt = (tokens: readonly Token[]): number => {
  if (SUBJECTS.has(word(tokens[0]))) return 1;
  let at = DETERMINERS.has(word(tokens[0])) ? 1 : 0;
  while (EPITHETS.has(word(tokens[at]))) at++;
  if (isPerson(word(tokens[at]))) return isPerson(word(tokens[at + 1])) ? at + 2 : at + 1;
  return 0;
};

const skipAdverbs = (tokens: readonly Token[], at: number): number => {
  let next = at;
  while (ADVERBS.has(word(tokens[next]))) next++;
  return next;
};

/**
 * `The user then has to click "Save"` → `click "Save"`; null when it is not said who does what. That somebody can
 * do something, or should end up somewhere, is no deed.
 */
const withoutSubject = (tokens: readonly Token[], isClaimed: boolean): readonly Token[] | null => {
  const subject = subjectAt(tokens);
  if (subject === 0) return null;
  let at = skipAdverbs(tokens, subject);
  let isDue = false;
  for (let rounds = 0; rounds < 3; rounds++) {
    const length = lengthAt(MODALS, tokens, at);
    if (length === 0) break;
    isDue ||= DUE.test(word(tokens[at]));
    // What somebody can do is not done yet; "you can" asks for it.
    if (length === 1 && CHANCE.test(word(tokens[at])) && (isClaimed || word(tokens[0]) !== "you")) {
      return null;
    }
    at = skipAdverbs(tokens, at + length);
  }
  if (PROGRESS.has(word(tokens[at]))) at = skipAdverbs(tokens, at + 1);
  const verb = tokens[at];
  const base = verb ? baseOf(word(verb)) : null;
  if (!verb || base === null || at + 1 >= tokens.length) return null;
  if (isDue && (isClaimed || MOVING.test(base))) return null;
  return [spokenAs(verb, base), ...tokens.slice(at + 1)];
};

/** A token that says something else than was written. */
export const spokenAs = (token: Token, text: string): Token =>
  word(token) === text ? token : spoken(text);

/** Words that may as well begin a name or a claim: `first name`, `there is`. */
const SOFT = new Set(
  "first second third fourth last next here there so again also now well later instead finally".split(
    " ",
  ),
);

/** Whether an instruction or a claim begins with a token for certain. */
const begins = (token: Token | undefined): boolean =>
  token?.kind === "word" &&
  token.text === token.lower &&
  (baseOf(token.lower) !== null ||
    SUBJECTS.has(token.lower) ||
    /^(?:please|the|verify|expect|ensure|see)$/.test(token.lower));

const isMark = (token: Token | undefined): boolean =>
  token?.kind === "mark" && /^[,:]$/.test(token.text);

/**
 * A clause without the words before it that say nothing of it: who acts, politeness, order, urging. `isClaimed`:
 * it says what should be so, not what is done.
 */
export const withoutLeads = (all: readonly Token[], isClaimed: boolean): readonly Token[] => {
  let tokens = all;
  for (let rounds = 0; rounds < 6; rounds++) {
    const next = withoutLead(tokens, isClaimed);
    if (next === tokens) break;
    tokens = next;
  }
  return tokens;
};

const DEED =
  /^(?:click|tap|press|enter|type|select|choose|tick|untick|open|go|navigate|fill|upload|scroll|hover)$/;

/** `In order to save the user must click …`, without a comma: how many words only say what it is done for. */
const purposeBefore = (tokens: readonly Token[]): number => {
  if (word(tokens[0]) !== "in" || word(tokens[1]) !== "order" || word(tokens[2]) !== "to") return 0;
  for (let at = 4; at < Math.min(tokens.length - 1, 12); at++) {
    const said = word(tokens[at]);
    const isUser = said === "the" && isPerson(word(tokens[at + 1]));
    if (!isUser && !SUBJECTS.has(said) && !isPerson(said) && !DEED.test(said)) continue;
    return saysNothing(tokens.slice(1, at)) ? at : 0;
  }
  return 0;
};

const withoutLead = (tokens: readonly Token[], isClaimed: boolean): readonly Token[] => {
  const [first] = tokens;
  if (first?.kind !== "word" || !LEADING.has(first.lower)) return tokens;
  const filler = lengthAt(FILLERS, tokens, 0);
  // `With the mouse over "A"` says where it is.
  if (filler > 0 && !/^(?:over|on|in)$/.test(filler > 2 ? word(tokens[filler]) : "")) {
    const end = isMark(tokens[filler]) ? filler + 1 : filler;
    const isSure =
      end > filler ||
      filler > 1 ||
      !SOFT.has(word(first)) ||
      begins(tokens[end]) ||
      (word(first) === "so" && tokens[end]?.kind === "quoted");
    if (isSure && tokens[end] !== undefined) return tokens.slice(end);
  }
  const opening = openingBefore(tokens);
  if (opening > 0) return tokens.slice(opening);
  const purpose = purposeBefore(tokens);
  if (purpose > 0) return tokens.slice(purpose);
  const gerund = lengthAt(GERUND_LEADS, tokens, 0);
  const verb = gerund > 0 ? tokens[gerund] : undefined;
  if (verb && /ing$/.test(word(verb))) {
    const base = baseOf(word(verb));
    if (base !== null) return [spokenAs(verb, base), ...tokens.slice(gerund + 1)];
  }
  // `finish with a click on "Send"`
  if (
    verb &&
    /^(?:a|one)$/.test(word(verb)) &&
    /^(?:click|tap|press|double-click)$/.test(word(tokens[gerund + 1]))
  ) {
    return tokens.slice(gerund);
  }
  const claim = lengthAt(CLAIM_LEADS, tokens, 0);
  // `I expected the heading "A"`
  if (claim > 0 && placedThingAt(tokens, claim)?.to === tokens.length) {
    return [spoken("I"), spoken("should"), spoken("see"), ...tokens.slice(claim)];
  }
  if (claim > 0 && tokens[claim] !== undefined) {
    return [spoken("verify"), spoken("that"), ...tokens.slice(claim)];
  }
  const urge = lengthAt(URGES, tokens, 0);
  const asked = urge > 0 ? skipAdverbs(tokens, urge) : 0;
  if (asked > 0 && lengthAt(CLAIM_LEADS, tokens, asked) > 0) return tokens.slice(asked);
  const done = urge > 0 ? tokens[urge] : undefined;
  const base = done ? baseOf(word(done)) : null;
  if (done && base !== null && tokens.length > urge + 1) {
    return [spokenAs(done, base), ...tokens.slice(urge + 1)];
  }
  return withoutSubject(tokens, isClaimed) ?? tokens;
};

/** All that a lead can begin with: most clauses begin with what is done. */
const LEADING = new Set([
  ...[FILLERS, URGES, GERUND_LEADS, CLAIM_LEADS].flatMap((known) => [...known.keys()]),
  ...[OPENERS, SUBJECTS, DETERMINERS, EPITHETS, PERSONS, MORE_PERSONS].flatMap((known) => [
    ...known,
  ]),
  "in",
]);

/** Whether some words are nothing but such a filler. */
export const isFiller = (tokens: readonly Token[]): boolean =>
  tokens.length > 0 && lengthAt(FILLERS, tokens, 0) === tokens.length;
