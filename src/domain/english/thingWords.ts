import { findKind, kinds } from "../catalogue/kinds.ts";
import { byFirstWord, lengthAt } from "./saidAt.ts";
import type { Token } from "./words.ts";

const wordsOf = (lines: readonly string[]): ReadonlySet<string> =>
  new Set(lines.join(" ").split(" "));

/** What things of a product are called besides the kinds that have a role: they are found by their name. */
const THINGS = wordsOf([
  "editor flyout snackbar tooltip spinner calendar pane drawer overlay lightbox bubble datepicker submenu",
  "sub-menu pagination breadcrumb stepper counter carousel accordion map chart graph pill lane board tree",
  "asterisk star checkmark window loader placeholder banner hint indicator ribbon tag stage cart basket suggestion subtitle logo thumbnail",
]);
const LONG_THINGS = new Set([
  "search bar",
  "date picker",
  "context menu",
  "progress bar",
  "side menu",
  "user menu",
  "main menu",
  "left menu",
  "action menu",
]);
/** Those of them that hold other things. */
const HOLDING = wordsOf([
  "flyout pane drawer overlay lightbox submenu sub-menu pagination calendar board lane cart basket snackbar",
  "editor carousel accordion tree banner",
]);

const MAX_KIND_WORDS = 3;

const isPlural = (said: string): boolean =>
  said.endsWith("s") &&
  (findKind(said.slice(0, -1)) !== null || findKind(said.slice(0, -2)) !== null);

/** All that says the kind of one thing; a plural of more than a letter or two may say it, too: `list entries`. */
const KINDS = new Set([
  ...THINGS,
  ...LONG_THINGS,
  ...Object.values(kinds)
    .flatMap(({ words }) => words.flatMap((said) => [said, said.replace(/y$/, "ies")]))
    .filter((said) => findKind(said) !== null && !isPlural(said)),
]);
/** How many words the longest kind has that begins with a word: most begin none, and most that do are one word. */
const LONGEST = new Map<string, number>();
for (const said of KINDS) {
  const words = said.split(" ");
  const first = words[0] ?? "";
  const longest = Math.min(words.length, MAX_KIND_WORDS);
  LONGEST.set(first, Math.max(longest, LONGEST.get(first) ?? 0));
}

/** How many words at a place say the kind of one thing; 0 when none do. */
export const kindLengthAt = (tokens: readonly Token[], at: number): number => {
  const first = tokens[at];
  // A capital in mid-sentence is a part of a name.
  if (first?.kind !== "word" || (at > 0 && first.text !== first.lower)) return 0;
  const longest = LONGEST.get(first.lower);
  if (longest === undefined) return 0;
  let said = first.lower;
  let found = KINDS.has(said) ? 1 : 0;
  for (let length = 2; length <= longest; length++) {
    const token = tokens[at + length - 1];
    if (token?.kind !== "word" || token.text !== token.lower) break;
    said = `${said} ${token.lower}`;
    if (KINDS.has(said)) found = length;
  }
  return found;
};

/** Whether something may stand in what has this kind, besides the kinds that hold others anyway. */
export const holdsThings = (kind: string): boolean =>
  HOLDING.has(kind) || /(?:menu|bar)$/.test(kind);

/** How a thing looks or came about: nothing hangs on it where its name is quoted. */
export const LOOKS = wordsOf([
  "big small large huge tiny little wide narrow bold bright dark light round red green blue yellow orange purple",
  "violet pink black white grey gray brown primary secondary new newly-opened opened existing resulting following",
  "corresponding relevant respective matching given said aforementioned mandatory required optional displayed",
  "visible shown whole entire actual",
]);

export const ARTICLES = wordsOf(["the a an this your my our"]);

/** Words that no name without quotes has in it, nor begins with: where one stands the name has ended. */
const CLOSED = wordsOf([
  "the a an this that these those it its they them he she we you i one ones some any each every all both no none",
  "nothing nobody something anything everything there here which who whose what where when while once until till",
  "if unless because since although though whether as after before during except without instead than so",
  "and or but nor then not never only just also too still already now again soon later yet even",
  "in on at to from of for with by via into onto over under above below behind between among through using per",
  "inside within near beside next upon out off up down about against along around across",
  "is are was were be been being am isn't aren't wasn't weren't has have had hasn't haven't do does did doesn't",
  "don't didn't should shouldn't must mustn't will won't would wouldn't can can't cannot could couldn't may might",
  "shall need needs ought gets get got becomes become remains remain stays stay keeps keep",
  "shows show displays display reads says contains contain includes include equals appears appear disappears",
  "disappear exists exist opens closes vanishes goes turns changes holds lists visible hidden shown displayed",
  "enabled disabled checked unchecked ticked unticked selected present gone empty blank active inactive available",
  "first second third fourth fifth sixth seventh eighth ninth tenth last other another previous following",
  "please quickly slowly carefully twice thrice times more less most least at many few several multiple",
]);
/** Words that begin what is done, and a name only with a capital. */
const VERBS = wordsOf([
  "click clicks clicking press pressing type typing enter entering select selecting choose choosing verify check",
  "ensure confirm assert make see expect wait clicked pressed tapped hovered typed entered ticked unticked filled",
  "set chosen opened closed listed located found",
]);

/** Whether a word may be part of a name that nothing quotes. */
export const isNameWord = (token: Token | undefined): boolean =>
  token?.kind === "word" &&
  !CLOSED.has(token.lower) &&
  !(token.text === token.lower && VERBS.has(token.lower)) &&
  /^[\p{L}][\p{L}'’-]*$/u.test(token.text);

/** Whether a text begins with one of the letters a to z, which are no capitals. */
const isSmall = (text: string): boolean => {
  const code = text.charCodeAt(0);
  return code >= 97 && code <= 122;
};

/** Whether a word begins with a capital, as names do. */
export const isCapital = (token: Token | undefined): boolean =>
  token?.kind === "word" && !isSmall(token.text) && /^\p{Lu}[\p{L}\d&'’-]*$/u.test(token.text);

/** Words that only say how, how often in order, or for whom: nothing hangs on them between the parts of a clause. */
const EMPTY = wordsOf([
  "then now also again too please carefully quickly immediately directly instantly simply just finally subsequently",
  "afterwards afterward next successfully correctly properly manually automatically eventually accordingly indeed",
  "clearly actually really duly promptly swiftly there here straightaway thereafter once-more",
]);
const EMPTY_PHRASES: readonly (readonly string[])[] = [
  "once more|right away|straight away|at once|as well|as usual|as before|as expected|as normal|by mouse",
  "on the page|on the screen|on screen|in the page|within the page|in the app|in the application|in the browser|on this page",
  "on this screen|with the mouse|using the mouse|for me|to the user|to the customer|to the visitor|to me|to us",
  "to you|to them|for the user|at this point|at that point|for now|by now|after that|after this|as a result",
  "in the ui|in the gui|in the interface|on the website|on the site|as it should|at the end|in the end|of course",
  "the user|all of a sudden|in turn|as shown|as described|as required|as needed|on your screen|in time|by hand",
]
  .flatMap((line) => line.split("|"))
  .map((said) => said.split(" "))
  .sort((one, other) => other.length - one.length);
const PHRASES = byFirstWord(EMPTY_PHRASES, (words) => words);

/** How many words at a place say nothing that a step could lack; 0 when they may. */
export const emptyAt = (tokens: readonly Token[], at: number): number => {
  const token = tokens[at];
  if (token?.kind !== "word" || token.text !== token.lower) return 0;
  const length = lengthAt(PHRASES, tokens, at);
  // `on the page header` goes on.
  if (length > 0 && kindLengthAt(tokens, at + length) === 0) return length;
  return EMPTY.has(token.lower) ? 1 : 0;
};
