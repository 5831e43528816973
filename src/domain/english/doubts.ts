import { findKind, type KindName } from "../catalogue/kinds.ts";
import { parseTarget } from "../catalogue/target.ts";
import type { Draft } from "./formTables.ts";
import type { Mood } from "./line.ts";
import { word } from "./phrases.ts";
import type { Token } from "./words.ts";

/** `The password is hidden`: by dots, or from the page? */
const MASKED = /^(?:assert_visible|assert_hidden)$/;

const BROWSER =
  /^(?:(?:google )?chrome|chromium|(?:mozilla )?firefox|safari|(?:microsoft )?edge|opera|brave)(?: browser)?$/i;
const COMMAND =
  /^(?:npm|npx|yarn|pnpm|bun|node|git|docker|docker-compose|make|python3?|pip|php|composer|bundle|rails|rake|bin|mvn|gradle|\.?\/\S+|go|cargo|dotnet|curl|ssh|cd|sudo|wp|drush|artisan|ng|pytest|cypress|playwright)(?: |$)/;
const RESPONSE =
  /^(?:the )?(?:http |api |server )?response(?: (?:status(?: code)?|code|headers?|body|time))?$|^(?:http )?status code$/i;

/** Whether a name is that of what a server answers. */
export const isResponse = (name: string): boolean => RESPONSE.test(name);

/** `npm start`, `docker compose up`: what is run in a terminal. */
const isCommand = (said: string): boolean => COMMAND.test(said);

/** Whether a name is that of a browser, and of nothing on a page. */
export const isBrowser = (name: string): boolean => BROWSER.test(name);

const FROM = /^[^"]* from [^"]*$/;
const CHANGES = /^(?:change|update|set|switch|edit|adjust)(?:s|es|d|ed)?$/;

const DAY = /^(?:the )?(?:date|day) \d{1,2} (?:from|in|on) .*calendar$/i;

const FORWARD = /^(?:forwards?|browser|browser's|history)$/;

const EXISTS = /^(?:exists?|is there|are there)$/;
/** What a page has, and nobody has to set up. */
const SEEN =
  /^(?:text|message|logo|banner|tooltip|snackbar|spinner|notice|title|page|element|cart|basket|editor|badge|window|toast|product card)$/;

const NEVER_TICKED: ReadonlySet<KindName> = new Set<KindName>([
  ...(["section", "heading", "table", "link", "button", "image", "text", "dialog"] as const),
  ...(["navigation", "footer", "banner", "toolbar", "field", "dropdown", "frame"] as const),
]);

/** `Check the "News" section`, `Check the page for broken links`: what nobody ticks is looked at. */
const isLookedAt = (target: string): boolean => {
  const { find } = parseTarget(target);
  if (find.by === "kind") return NEVER_TICKED.has(find.kind);
  return / for [^"]*$/.test(target);
};

/** `at position 100,200`, `(100, 200)` */
const POSITION =
  /^(?:(?:at|on|to) )?(?:the )?(?:(?:position|point|coordinates?|location|pixels?) )?\(?(?:x ?[=:] ?)?\d{1,5}(?:px)? ?[,;/] ?(?:y ?[=:] ?)?\d{1,5}(?:px)?\)?$/i;
const POINTING = new Set(["click", "double_click", "right_click", "hover", "drag"]);

const NEW_TAB = /^(?:a |the )?(?:new|another|second|separate) (?:browser )?(?:tab|window)$/i;

/** Whether a text stands in quotes. */
const isInQuotes = (tokens: readonly Token[], text: string): boolean =>
  tokens.some((token) => token.kind === "quoted" && token.text === text);

/** `point 10,20` in backticks is a target. */
const isWritten = (tokens: readonly Token[], text: string): boolean =>
  tokens.some((token) => token.kind !== "word" && token.text === text);

/** Why a step that was read may not be what was meant; null when nothing speaks against it. */
export const doubtOf = (
  { action, target, value }: Draft,
  tokens: readonly Token[],
  mood: Mood | null,
): string | null => {
  if (MASKED.test(action) && target === "password")
    return "Say whether the field is seen, or its text.";
  const aimed = action === "drag" ? value : target;
  if (POINTING.has(action) && aimed && POSITION.test(aimed) && !isWritten(tokens, aimed))
    return "Name the element: a position has no step.";
  if (
    action === "assert_visible" &&
    NEW_TAB.test(target ?? "") &&
    !isInQuotes(tokens, target ?? "")
  )
    return 'Say "Switch to the new tab", and what should be seen there.';
  const isOpened =
    action === "click" && /^(?:open|launch|start|use)(?:s|es)?$/.test(word(tokens[0]));
  if (isOpened && BROWSER.test(target ?? "")) {
    return "Which browser it is done in is a setting of the run.";
  }
  if (
    action === "check" &&
    /^check(?:s|ed)?$/.test(word(tokens[0])) &&
    (/^(?:out|in|if|whether|that)\b/.test(target ?? "") || isLookedAt(target ?? ""))
  ) {
    return "Say which box is ticked, or what should be so.";
  }
  // `the date 15 in the "Joined" calendar`: what is clicked there is called "15".
  if (action === "click" && DAY.test(target ?? "")) {
    return "Put the day in quotes, without the word before it.";
  }
  // `Go to the next page`: of a list, or of the browser's history?
  if (action === "go_forward" && !tokens.some((token) => FORWARD.test(word(token)))) {
    return 'Say what is clicked for the next page, or "go forward" for the browser\'s history.';
  }
  // `Change the role from Viewer to Editor`
  if (action === "fill" && FROM.test(target ?? "") && CHANGES.test(word(tokens[0]))) {
    return "Say only what it is to be, or put the name and both texts in quotes.";
  }
  // A test whose name stands in backquotes is called what stands there, and no command.
  const isTest = tokens.at(-1)?.kind === "literal" && word(tokens.at(-2)) === "test";
  if (action === "call_test" && !isTest && isCommand(target ?? "")) {
    return "A command is not run in the browser.";
  }
  if (action.startsWith("assert_") && isResponse(target ?? "")) {
    return "What a server answers is not looked at: say what the page shows.";
  }
  if (action !== "assert_visible") return null;
  const isSetting =
    (mood === "given" && isSetUp(tokens)) || (mood !== "then" && isAnyThere(tokens));
  return isSetting ? "Say what is done so that it exists, or what should be visible." : null;
};

/** `Given a product "Sofa" exists`, `there is a user called "ann"`: what has to be there before, and is on no page yet. */
const isSetUp = (tokens: readonly Token[]): boolean => {
  const isThere = word(tokens[0]) === "there";
  if (!isThere && !EXISTS.test(word(tokens.at(-1)))) return false;
  const name = tokens.findIndex(({ kind }) => kind === "quoted");
  if (name < 0) return isSomebody(tokens, isThere);
  const isNoun = (token: Token | undefined): boolean =>
    token?.kind === "word" &&
    /^[a-z-]+$/.test(token.text) &&
    !NO_NOUN.test(token.lower) &&
    findKind(token.lower) === null &&
    !SEEN.test(token.lower);
  return isNoun(tokens[name + 1]) || tokens.slice(isThere ? 2 : 0, name).some(isNoun);
};

/** `A registered user exists`: one of any, which no page shows. */
const isAnyThere = (tokens: readonly Token[]): boolean =>
  /^an?$/.test(word(tokens[0])) &&
  EXISTS.test(word(tokens.at(-1))) &&
  tokens.every((token) => token.kind === "word" && !SEEN.test(token.lower)) &&
  findKind(word(tokens.at(-2))) === null;

/** `a registered user exists`, `there is an order`: told of no page, and called nothing. */
const isSomebody = (tokens: readonly Token[], isThere: boolean): boolean => {
  const said = isThere ? tokens.slice(2) : tokens.slice(0, -1);
  const place = said.findIndex(({ lower }) => /^(?:in|on|at|with|for|of|under)$/.test(lower));
  const head = place < 0 ? said.at(-1) : said[place - 1];
  return (
    head?.kind === "word" &&
    head.text === head.lower &&
    (findKind(head.lower) === null || /^(?:card|item|record|table|list)$/.test(head.lower)) &&
    !SEEN.test(head.lower)
  );
};

const NO_NOUN =
  /^(?:the|a|an|this|my|our|one|only|is|are|should|must|be|exists?|already|still|now|there|on|in|of|with|called|named|titled|labelled|labeled|saying|reading|that|which|says|reads|text|new|visible|shown|displayed|present|and|or|not|no|to|i|see)$/;
