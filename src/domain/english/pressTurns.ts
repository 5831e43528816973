import { parseKeyChord } from "../catalogue/values.ts";
import { effectAt } from "./consequences.ts";
import { word } from "./phrases.ts";
import { placedThingAt } from "./places.ts";
import type { Thing } from "./things.ts";
import type { Token } from "./words.ts";

type Say = (from: number, to?: number) => string;

/** Says the words of a sentence from one token to before another. */
export const sayOf =
  (tokens: readonly Token[], source: string): Say =>
  (from, to = tokens.length) =>
    from < to ? source.slice(tokens[from]?.start, tokens[to - 1]?.end) : "";

const CLAIMING = /^(?:verify|check|ensure|confirm|assert|validate|expect|see)$/;

/** How many words only say that a claim follows. */
export const leadOf = (tokens: readonly Token[]): number => {
  const length =
    word(tokens[0]) === "make" && word(tokens[1]) === "sure"
      ? 2
      : Number(CLAIMING.test(word(tokens[0])));
  return length > 0 && /^(?:that|if|whether)$/.test(word(tokens[length])) ? length + 1 : length;
};

/** Whether a thing is named for certain. */
export const isSure = (thing: Thing): boolean =>
  !thing.isLoose && (thing.isQuoted || (thing.kind !== "" && thing.isDefinite));

/** `The user cannot click "Withdraw"`, `… must not be able to press "Save": it is disabled`: what cannot be pressed is disabled. */
export const unableTo = (tokens: readonly Token[], say: Say): string[] | null => {
  const lead = leadOf(tokens);
  const verb = tokens.findIndex((token) => /^(?:click|press|tap)$/.test(word(token)));
  if (verb < lead + 2) return null;
  const before = tokens
    .slice(lead, verb)
    .map(({ lower }) => lower)
    .join(" ");
  if (!UNABLE.test(before)) return null;
  const on = word(tokens[verb + 1]) === "on" ? 1 : 0;
  const thing = placedThingAt(tokens, verb + 1 + on);
  if (!thing || !isSure(thing)) return null;
  const rest = tokens
    .slice(thing.to)
    .map(({ lower }) => lower)
    .join(" ");
  return /^(?:[:,;] (?:as |because |since )?it(?:'s| is| should be| must be) (?:disabled|greyed out|inactive))?$/.test(
    rest,
  )
    ? [`${say(verb + 1 + on, thing.to)} should be disabled`]
    : null;
};

const UNABLE =
  /^(?:the |a |an )?(?:i|we|you|one|users?|customers?|visitors?|guests?|members?|viewers?) (?:cannot|can't|can not|(?:should|must|may) not be able to|shouldn't be able to|mustn't be able to|(?:is|are|am) (?:not able|unable) to|isn't able to|aren't able to)$/;

const PRESSED = /^(?:button|btn|link|hyperlink|icon|tab|menu item|card|tile|)$/;
const LEADING = /^(?:takes?|brings?|sends?|redirects?|returns?|opens?|closes?|reveals?)$/;

/** `The "Cancel" link takes the user back to /start`, `The "Help" button opens the "Help" dialog`: it is clicked, and then so. */
export const leadsTo = (tokens: readonly Token[], say: Say): string[] | null => {
  const lead = leadOf(tokens);
  const thing = placedThingAt(tokens, lead);
  if (!thing || !isSure(thing) || !PRESSED.test(thing.kind)) return null;
  // `"?" opens the "Help" dialog`: a key, or a button?
  const isKey = (thing.name ?? "").length < 2 || parseKeyChord(thing.name ?? "") !== null;
  if (thing.kind === "" && isKey) return null;
  let at = thing.to;
  while (/^(?:should|must|will|then|also)$/.test(word(tokens[at]))) at++;
  if (!LEADING.test(word(tokens[at]))) return null;
  const claim = effectAt(tokens, at, say);
  return claim === null ? null : [`click ${say(lead, thing.to)}`, claim];
};

const MAX_TOKENS = 50;
const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
const isAddress = ({ kind, text }: Token): boolean => kind === "word" && ADDRESS.test(text);
const PAGE = /^(?:page|screen|form|view|site)$/;

/**
 * `"Total" is $5 on /cart`, `On the login screen (/auth) …`: the page is gone to first, where nothing was done yet; null
 * for all others.
 */
export const onAddress = (tokens: readonly Token[], source: string): readonly string[] | null => {
  if (tokens.length < 5 || tokens.length > MAX_TOKENS || !tokens.some(isAddress)) return null;
  const say = sayOf(tokens, source);
  const at = tokens.findIndex(isAddress);
  if (at < 1) return null;
  const isBracket = tokens[at - 1]?.text === "(" && tokens[at + 1]?.text === ")";
  const end = isBracket ? at + 2 : at + 1;
  let from = isBracket ? at - 2 : at - 1;
  if (isBracket) {
    if (!PAGE.test(word(tokens[from]))) return null;
    while (from > 0 && at - from < 8 && !/^(?:on|in|at)$/.test(word(tokens[from]))) from--;
  }
  if (!/^(?:on|at|in)$/.test(word(tokens[from])) || (!isBracket && word(tokens[from]) === "in"))
    return null;
  const go = `go to ${tokens[at]?.text ?? ""}`;
  if (from === 0) {
    const next = tokens[end]?.text === "," ? end + 1 : end;
    return isBracket && next < tokens.length ? [go, say(next)] : null;
  }
  if (end !== tokens.length) return null;
  if (/^(?:somewhere|anywhere)$/.test(word(tokens[from - 1]))) from--;
  return [go, say(0, from)];
};
