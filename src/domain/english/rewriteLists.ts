import { readTarget } from "../catalogue/target.ts";
import type { Say } from "./rewriteClaims.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");
const isMark = (token: Token | undefined, text: string): boolean =>
  token?.kind === "mark" && token.text === text;

/** `Choose "Copy" from the context menu of "a.txt"` → `right-click "a.txt"`, `click "Copy"`. */
export const fromContextMenu = (tokens: readonly Token[], say: Say): string[] | null => {
  if (!/^(?:choose|select|pick|click|click)$/.test(word(tokens[0]))) return null;
  const menu = tokens.findIndex(
    (token, at) => /^(?:context|right-click)$/.test(word(token)) && word(tokens[at + 1]) === "menu",
  );
  if (menu < 4 || !/^(?:of|for|on)$/.test(word(tokens[menu + 2])) || menu + 3 >= tokens.length) {
    return null;
  }
  const isFrom = word(tokens[menu - 1]) === "the" && /^(?:from|in)$/.test(word(tokens[menu - 2]));
  return isFrom ? [`right-click ${say(menu + 3)}`, `click ${say(1, menu - 2)}`] : null;
};

const BOXES = /^(?:boxes|checkboxes)$/;

/** `Check these boxes: Monday, Tuesday and Friday` → each of them is ticked. */
export const boxesOf = (tokens: readonly Token[], say: Say): string[] | null => {
  const verb = word(tokens[0]);
  if (!/^(?:check|tick|untick|uncheck|select)$/.test(verb)) return null;
  const colon = tokens.findIndex((token) => isMark(token, ":"));
  if (colon < 2 || colon > 4 || !BOXES.test(word(tokens[colon - 1]))) return null;
  const names: string[] = [];
  let from = colon + 1;
  for (let at = from; at <= tokens.length; at++) {
    const isEnd =
      at === tokens.length || isMark(tokens[at], ",") || /^(?:and|&)$/.test(word(tokens[at]));
    if (!isEnd) continue;
    if (at > from) names.push(say(from, at));
    from = at + 1;
  }
  const deed = verb === "select" ? "tick" : verb;
  return names.length > 0 ? names.map((name) => `${deed} the ${name} checkbox`) : null;
};

const SAID = /^(?:is|are|should|must)$/;

/** `the A link and the B link are both displayed`: where each name ends is certain by its kind. */
export const bothOf = (tokens: readonly Token[], source: string, say: Say): string[] | null => {
  const isClaim = /^(?:verify|check|ensure|assert|confirm|validate|expect)$/.test(word(tokens[0]));
  const lead = isClaim ? 1 + Number(/^(?:that|if)$/.test(word(tokens[1]))) : 0;
  const predicate = tokens.findIndex((token, at) => at > lead + 2 && SAID.test(word(token)));
  if (predicate < 0 || predicate > 24) return null;
  const names: string[] = [];
  let from = lead;
  for (let at = lead; at <= predicate; at++) {
    const isEnd = at === predicate || isMark(tokens[at], ",") || word(tokens[at]) === "and";
    if (!isEnd) continue;
    if (at > from) {
      const part = tokens.slice(from, at);
      const read = /^(?:the|a|an)$/.test(word(part[0])) ? readTarget(part, source) : null;
      if (
        read?.doubt !== null ||
        read.target.find.by !== "kind" ||
        read.target.find.name === null
      ) {
        return null;
      }
      names.push(say(from, at));
    }
    from = at + 1;
  }
  const rest = tokens.slice(predicate).filter((token) => !/^(?:both|all)$/.test(word(token)));
  if (names.length < 2 || rest.some((token) => token.kind !== "word" || word(token) === "and"))
    return null;
  const said = rest.map(({ text }) => text).join(" ");
  return names.map((name) => `${say(0, lead)} ${name} ${said}`.trim());
};

const OF_ALL = new Set(["all", "each", "both"]);

/** `All three of "A", "B" and "C"`, `each of "A" and "B"`: they are named anyway. */
export const ofAll = (tokens: readonly Token[]): readonly Token[] => {
  let all = 0;
  while (all < 4 && !OF_ALL.has(word(tokens[all]))) all++;
  if (all > 3) return tokens;
  const of = tokens.findIndex((token, at) => at > all && at < all + 3 && word(token) === "of");
  if (of < 0) return tokens;
  const next =
    word(tokens[of + 1]) === "the" && word(tokens[of + 2]) === "following" ? of + 3 : of + 1;
  return tokens[next]?.kind === "quoted"
    ? [...tokens.slice(0, all), ...tokens.slice(next)]
    : tokens;
};
