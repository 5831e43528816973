import { kinds } from "../catalogue/kinds.ts";
import { readTarget } from "../catalogue/target.ts";
import type { Say } from "./rewriteClaims.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined): boolean => token?.kind === "mark" && token.text === ",";

const PLACE = /^(?:in|within|inside|under|on|from)$/;
/** What is done to an element that may stand in a place. */
const DEED =
  /^(?:click|clicks|press|tap|enter|enters|type|types|fill|fills|select|selects|choose|chooses|pick|check|tick|untick|uncheck|hover|double-click|right-click|clear|set|put)$/;
const CHOSEN = /^(?:selects?|chooses?|pick)$/;
const LINK = /^(?:and|then|,)$/;

/**
 * `Within the "Payment" section, click "Change" and select "Visa" from "Card type"`: the place is said of all
 * that follows. `Under "Recent", click "Lamp"`: what is named alone is a section. `In the "pay" frame, …`:
 * one goes there first. Null for all others.
 */
export const scoped = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  if (!PLACE.test(word(tokens[0]))) return null;
  const comma = tokens.findIndex(isMark);
  if (comma < 2 || comma === tokens.length - 1) return null;
  const rest = comma + 1;
  // `In the new tab titled "Receipt", …`: one goes there first.
  if (
    /^in the (?:new|newly opened|other|second|third|first|last) (?:browser )?(?:tab|window)\b/i.test(
      say(0, comma),
    )
  )
    return [`switch to ${say(1, comma)}`, say(rest)];
  if (!DEED.test(word(tokens[rest]))) return null;
  const [, only] = tokens;
  if (comma === 2 && only?.kind === "quoted") {
    if (!/^(?:in|within|inside|under)$/.test(word(tokens[0]))) return null;
    // `In "Email", enter "a@b.c"` names a field.
    if (
      /^(?:type|types|enter|enters|fill|fills|put|set|choose|select|pick)$/.test(word(tokens[rest]))
    )
      return null;
    return distributedOver(tokens, rest, `in the ${say(1, 2)} section`, say);
  }
  const place = readTarget(tokens.slice(1, comma), source);
  const find = place?.doubt === null ? place.target.find : null;
  if (find?.by !== "kind") return null;
  if (find.kind === "frame") return [`switch to ${say(1, comma)}`, say(rest)];
  // `From the "Role" list, choose "Admin" and …`: what is chosen from holds but that.
  const isChosenFrom = find.kind === "list" && CHOSEN.test(word(tokens[rest]));
  if (!kinds[find.kind].container || isChosenFrom) return null;
  return distributedOver(tokens, rest, `in ${say(1, comma)}`, say);
};

const FILLING = /^(?:fill|fills)$/;

/** `type DELETE in the "Code" field`: where one word that is typed ends is certain, and said so. */
const typed = (tokens: readonly Token[], from: number, to: number, say: Say): string => {
  const isOne = /^(?:type|types|enter|enters|put)$/.test(word(tokens[from]));
  const value = tokens[from + 1];
  const isWord = value?.kind === "word" && /^(?:in|into)$/.test(word(tokens[from + 2]));
  if (!isOne || !isWord || value.text === value.lower) return say(from, to);
  return `${say(from, from + 1)} "${value.text}" ${say(from + 2, to)}`;
};

/** Says the place of each clause; null when one of them does nothing to an element. */
const distributedOver = (
  tokens: readonly Token[],
  start: number,
  place: string,
  say: Say,
): string[] | null => {
  const said: string[] = [];
  let from = start;
  for (let at = start; at <= tokens.length; at++) {
    const isLink = at === tokens.length || LINK.test(word(tokens[at])) || isMark(tokens[at]);
    if (!isLink) continue;
    let next = at;
    while (LINK.test(word(tokens[next])) || isMark(tokens[next])) next++;
    // An "and" before anything but a deed belongs to what is said before it.
    if (at < tokens.length && !DEED.test(word(tokens[next]))) return null;
    const filled = tokens.findIndex(
      (token, index) => index > from && index < at && word(token) === "with",
    );
    said.push(
      FILLING.test(word(tokens[from])) && filled > 0
        ? `${say(from, filled)} ${place} ${say(filled, at)}`
        : `${typed(tokens, from, at, say)} ${place}`,
    );
    from = next;
    at = next;
  }
  return said.length > 0 ? said : null;
};
