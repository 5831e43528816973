import { word } from "./phrases.ts";
import { quote, type Token } from "./words.ts";

/** One of these stands in every path. */
const JOINT = /[>→›»▸]/;
const PATH = /\S\s*(?:>|→|›|»|▸|->|=>)\s+\S/;
const ARROW = /\s*(?:->|=>|>|→|›|»|▸)\s+/;
const GOING =
  /^(?:go|goes|navigate|navigates|open|opens|select|selects|choose|chooses|pick|picks|browse|proceed|head|click|clicks|tap|use|press|in)$/;
/** What is clicked may be called so in quotes: nobody goes to it, or chooses it. */
const CLICKED = /^(?:click|clicks|tap|press|use)$/;
const BETWEEN = /^(?:to|the|on|over|menu|path|option|item)$/;

/**
 * `Choose **File > Download**`, `go to "Settings > Billing"`: a path of menus within its marks is a click of each.
 * The sentence with these clicks in its place; null where there is no such path.
 */
export const pathsClicked = (tokens: readonly Token[], source: string): string | null => {
  if (!JOINT.test(source) || !PATH.test(source)) return null;
  let said = "";
  let from = tokens[0]?.start ?? 0;
  for (const [at, token] of tokens.entries()) {
    if (token.kind !== "quoted" || !PATH.test(token.text)) continue;
    let verb = at - 1;
    while (verb > 0 && BETWEEN.test(word(tokens[verb]))) verb--;
    const isStarred = /[*_]/.test(source.charAt(token.start));
    const lead = tokens[verb];
    if (!lead || !GOING.test(word(lead)) || (CLICKED.test(word(lead)) && !isStarred)) continue;
    // `In **Settings > Profile**, click "Edit"`: one has to get there.
    if (word(lead) === "in" && (!isStarred || verb > 0)) continue;
    const names = token.text.split(ARROW).map((name) => name.trim());
    if (names.some((name) => name === "" || name.length > 50 || /^[/.]|^https?:/.test(name)))
      continue;
    const end = tokens[at + nounsBehind(tokens, at + 1)]?.end ?? token.end;
    said += `${source.slice(from, lead.start)}${names.map((name) => `click ${quote(name)}`).join(" and ")}`;
    from = end;
  }
  return said === "" ? null : said + source.slice(from, tokens.at(-1)?.end);
};

/** `… > Edit from the menu`: how many words say no more than the path. */
const nounsBehind = (tokens: readonly Token[], at: number): number => {
  if (/^(?:menu|option|item|page|path|screen)$/.test(word(tokens[at]))) return 1;
  if (!/^(?:from|in|on)$/.test(word(tokens[at])) || word(tokens[at + 1]) !== "the") return 0;
  const isMain = /^(?:top|main|left|side|app|application|navigation|nav)$/.test(
    word(tokens[at + 2]),
  );
  const noun = at + (isMain ? 3 : 2);
  if (!/^(?:menu|menubar|navigation)$/.test(word(tokens[noun]))) return 0;
  return noun - at + (word(tokens[noun + 1]) === "bar" ? 2 : 1);
};
