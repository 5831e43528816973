import { kinds } from "../catalogue/kinds.ts";
import { readTarget } from "../catalogue/target.ts";
import { GERUNDS } from "./inflections.ts";
import type { Say } from "./rewriteClaims.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;
const isJoint = (token: Token | undefined): boolean =>
  isMark(token, ",") || /^(?:and|&|or|then|but)$/.test(word(token));

const VERB =
  /^(?:click|clicks|press|tap|enter|type|fill|select|choose|check|tick|untick|uncheck|hover|double-click|right-click|clear)$/;
const SEEN =
  /^(?:appears|opens|disappears|closes|visible|displayed|shown|gone|hidden|enabled|open)$/;

/** `Once "Loading" disappears, click "Next"`, `After 2 seconds, click "Next"` → `wait until …`, `click "Next"`. */
export const onceSeen = (all: readonly Token[], sayAll: Say): string[] | null => {
  // `As soon as "Saved" appears, …`
  const isSoon = ["as", "soon", "as"].every((one, at) => word(all[at]) === one);
  if (["at", "this", "point", ","].every((one, at) => all[at]?.text.toLowerCase() === one)) {
    return all.length > 4 ? [sayAll(4)] : null;
  }
  const [tokens, skipped] = isSoon ? [all.slice(2), 2] : [all, 0];
  const say: Say = (from, to) =>
    sayAll(from + skipped, to === undefined ? undefined : to + skipped);
  if (!isSoon && !/^(?:once|after)$/.test(word(tokens[0]))) return null;
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (comma < 0) {
    // `Once "Publish" is enabled click it`
    const seen = tokens.findIndex(
      (token, at) => at > 1 && SEEN.test(word(token)) && VERB.test(word(tokens[at + 1])),
    );
    return seen > 0 ? [`wait until ${say(1, seen + 1)} and ${say(seen + 1)}`] : null;
  }
  if (comma < 2 || comma === tokens.length - 1) return null;
  const isTime =
    word(tokens[0]) === "after" && /^(?:ms|seconds?|minutes?|s)$/.test(word(tokens[comma - 1]));
  if (isTime) return [`wait ${say(1, comma)}`, say(comma + 1)];
  if (!SEEN.test(word(tokens[comma - 1])) || tokens.slice(0, comma).some(isJoint)) return null;
  return [`wait until ${say(1, comma)}`, say(comma + 1)];
};

const COMES =
  /^(?:appears|appeared|opens|opened|disappears|disappeared|closes|closed|visible|displayed|shown|gone|hidden|enabled|vanishes)$/;

/** `When the "Settings" dialog appears, click "OK"`, without its keyword: what is waited for before it is done. */
export const whenSeen = (tokens: readonly Token[], source: string): string[] | null => {
  const comma = tokens.findIndex((token) => isMark(token, ","));
  const after = tokens[comma + 1];
  if (comma < 2 || !after || !COMES.test(word(tokens[comma - 1]))) return null;
  const first = tokens[0];
  const isThing = first?.kind === "quoted" || /^(?:the|a|an)$/.test(word(first));
  if (!isThing || !VERB.test(word(after)) || tokens.slice(0, comma).some(isJoint)) return null;
  const said = source.slice(first?.start, tokens[comma - 1]?.end);
  return [`wait until ${said}`, source.slice(after.start, tokens.at(-1)?.end)];
};

/** What asks something of the page, or says that something is so: no way to do it. */
const CLAIMS =
  /^(?:verify|check|checks|ensure|assert|confirm|validate|expect|make|should|must|can|cannot|is|are|be|was|not|never|no|if|don't|see|sees|wait|waits|compare)$/;

/** `Submit the form by clicking "Send"` → `click "Send"`: what it comes to adds nothing to what is done. */
export const byDoing = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  const by = tokens.findIndex((token) => word(token) === "by");
  const verb = GERUNDS.get(word(tokens[by + 1]));
  if (by < 1 || by > 10 || !verb || by + 2 >= tokens.length) return null;
  const before = tokens.slice(0, by);
  // `Confirm by clicking "Yes"`
  if (by === 1 && word(tokens[0]) === "confirm") return [`${verb} ${say(by + 2)}`];
  // A dialog of the browser is answered, whatever is clicked in it.
  if (before.some((token) => /^(?:alert|prompt|confirm|confirmation)$/.test(word(token))))
    return null;
  if (before.some((token) => CLAIMS.test(word(token)) || isJoint(token))) return null;
  if (before.every(({ kind }) => kind === "word") && !isDeed(before))
    return [`${verb} ${say(by + 2)}`];
  // `Cancel the "Export" dialog by clicking its Cancel button`
  const its = by + 2;
  if (word(tokens[its]) !== "its" || its + 1 >= tokens.length) return null;
  const place = readTarget(tokens.slice(1, by), source);
  const kind =
    place?.doubt === null && place.target.find.by === "kind" ? place.target.find.kind : null;
  return kind !== null && kinds[kind].container
    ? [`${verb} the ${say(its + 1)} in ${say(1, by)}`]
    : null;
};

const DEED =
  /^(?:click|tap|press|double-click|right-click|type|fill|select|choose|pick|tick|untick|uncheck|hover|drag|upload|scroll)s?$/;

/** What is done to an element is done, and not only what it is done by. */
const isDeed = (tokens: readonly Token[]): boolean => {
  const start = /^(?:i|we|you|they|user)$/.test(word(tokens[0])) ? 1 : 0;
  return DEED.test(word(tokens[start])) && tokens.length > start + 1;
};

const SHOWS =
  /^(?:shows|displays|opens|reveals|should|redirects|navigates|leads|takes|brings|must|will)$/;

/** `Clicking "Save" shows "Saved"` → `click "Save"`, `the page shows "Saved"`. */
export const doingShows = (tokens: readonly Token[], say: Say): string[] | null => {
  const gerund = word(tokens[0]);
  const verb = GERUNDS.get(gerund);
  if (!verb) return null;
  const at = tokens.findIndex((token, index) => index > 1 && SHOWS.test(word(token)));
  if (at < 2 || at === tokens.length - 1 || tokens.slice(0, at).some(isJoint)) return null;
  const shows = tokens.slice(at).map(word).join(" ");
  const caused = CAUSED.find(([words]) => shows.startsWith(words));
  if (!caused) return null;
  const [words, claim] = caused;
  const rest = at + words.split(" ").length;
  return rest < tokens.length ? [`${verb} ${say(1, at)}`, `${claim} ${say(rest)}`] : null;
};

const LEADS = [
  ...["takes me to", "takes you to", "takes the user to", "should take me to", "will take me to"],
  ...["should take the user to", "redirects to", "should redirect to", "navigates to", "leads to"],
  ...["should navigate to", "should lead to", "brings me to"],
];
const SHOWN = [
  ...["should display", "should show", "should open", "should reveal", "displays", "shows"],
  ...["reveals", "opens", "must show", "must display", "will show", "will display", "brings up"],
];
/** What a deed causes, and how that is claimed. */
const CAUSED: readonly (readonly [string, string])[] = [
  ...LEADS.map((words): [string, string] => [words, "I should be on"]),
  ...SHOWN.map((words): [string, string] => [words, "I should see"]),
];

/** `After clicking "Save", "Saved" is visible` → `click "Save"`, `"Saved" is visible`. */
export const afterDoing = (tokens: readonly Token[], say: Say): string[] | null => {
  if (!/^(?:after|upon|on|once|by|when)$/.test(word(tokens[0]))) return null;
  const person = /^(?:i|you|we|they)$/.test(word(tokens[1])) ? 1 : 2;
  const said = person === 1 || (word(tokens[1]) === "the" && word(tokens[2]) === "user");
  const told = tokens.findIndex((token) => isMark(token, ","));
  if (said && told > person + 2 && told < tokens.length - 1) return [say(1, told), say(told + 1)];
  const gerund = word(tokens[1]);
  const verb = GERUNDS.get(gerund);
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (!verb || comma < 2 || comma === tokens.length - 1) return null;
  if (comma === 2) return verb === "reload" || verb === "refresh" ? ["reload", say(3)] : null;
  return [`${verb} ${say(2, comma)}`, say(comma + 1)];
};

/** `Before clicking "Submit", tick "Terms"` → `tick "Terms"`, `click "Submit"`. */
export const beforeDoing = (tokens: readonly Token[], say: Say): string[] | null => {
  if (word(tokens[0]) !== "before") return null;
  const verb = GERUNDS.get(word(tokens[1]));
  const comma = tokens.findIndex((token) => isMark(token, ","));
  if (!verb || comma < 3 || comma === tokens.length - 1) return null;
  return [say(comma + 1), `${verb} ${say(2, comma)}`];
};

const DONE =
  /^(?:accept|accepts|dismiss|dismisses|click|clicks|press|tap|choose|select|enter|type|fill|tick|untick|wait|take)$/;

/** `Accept the alert after clicking "Reset"` → `click "Reset"`, `accept the alert`. */
export const doneAfter = (tokens: readonly Token[], say: Say): string[] | null => {
  if (!DONE.test(word(tokens[0])) || tokens.some(isJoint)) return null;
  const after = tokens.findIndex((token) => word(token) === "after");
  const verb = GERUNDS.get(word(tokens[after + 1]));
  if (after < 2 || !verb || after + 2 >= tokens.length) return null;
  return [`${verb} ${say(after + 2)}`, say(0, after)];
};
