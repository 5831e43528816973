import { findKind } from "../catalogue/kinds.ts";
import { isListed, withoutBullets } from "./bullets.ts";
import { isFieldName } from "./fieldNames.ts";
import { baseOf } from "./inflections.ts";
import { MARK } from "./marks.ts";

/** A line that gives a name and what belongs to it: `City: Bern`, `"Name" = "Ann"`, `Email -> a@b.c`. */
type Pair = { readonly name: string; readonly value: string; readonly mark: string };

const PAIR =
  /^((?:\*\*|["'`“«])?[\p{L}][^:=|"“”*`]{0,50}?(?:\*\*|["'`”»])?)\s*(:|==?|->|→|=>|–>)\s+(\S.{0,300})$/u;
/** What tells of the test, and is no field of the page. */
const TOLD =
  /^(?:title|summary|bug|defect|issue|ticket|story|user story|suite|test suite|reporter|assignee|labels?|tags?|objective|goal|purpose|priority|severity|env|environment|browser|author|created by|module|component|version|build|os|platform|device|url|link|page|screen|notes?|nb|remarks?|hint|info|todo|question|q|a|actual|observed|current|expected|result|outcome|results|verify|check|assert|then|given|when|and|but|steps?|test|test data|data|step data|precondition|preconditions|setup|cleanup|teardown|scenario|feature|background|example|examples|rule|test case|tc|repro|str|er|ar|expect|expectation|warning|attention|important|fyi|ps|context|as|role|persona|actor|also|first|second|third|next|finally|optional|optionally|alternatively|or|else|login|log in|sign in|negative|positive|ac\d*|tc\d*|case \w+|viewport|resolution|window|size|by default|initially|at first)$/i;
/** Names of what a page says, which is no field: what belongs to it is claimed. */
const SAID =
  /(?:^|\s)(?:total|subtotal|sub-total|grand total|balance|status|eta|message|error|result count|count|sum|fee|vat|tax|shipping|badge|heading|headline|label|tooltip|toast|banner|caption|cell|score|remaining|change due|amount due|due)$/i;
const CLAIMING =
  /(?:^|\s)(?:is|are|should|must|shows?|visible|displayed|shown|hidden|enabled|disabled|appears?|disappears?|contains?|has|have|and|then|or|not|no|if|when|>|->|→|,)(?=\s|$)/i;
const DONE =
  /^(?:click|clicked|tap|press|hit|hover|tick|untick|check|uncheck|clear|double-click|double click|right-click|right click|focus|submit)$/i;
const TICKED = /^(?:checked|ticked|selected|on|enabled|yes, ticked|\[x\]|☑|✓|✔|✅)$/i;
const UNTICKED = /^(?:unchecked|unticked|not checked|not ticked|off|\[ ?\]|☐)$/i;

/** What tells of the test at its top, and is a field among others. */
const EITHER =
  /^(?:title|summary|description|priority|category|type|labels?|tags?|notes?|version|objective|module|url|author|language|component|size|role)$/i;

/** A line that gives a name and what belongs to it; null for all others. `isTop`: nothing is done above it. */
export const pairOf = (raw: string, isTop: boolean): Pair | null => {
  if (raw.length > 360 || !/[:=>→]/.test(raw)) return null;
  const found = PAIR.exec(withoutBullets(raw.trim()));
  if (!found) return null;
  const [, before = "", mark = "", after = ""] = found;
  const name = before.replaceAll("*", "").trim();
  const value = after.trim();
  const bare = name.replaceAll(/["'`“”«»]/g, "");
  const words = bare.split(/\s+/);
  if ((TOLD.test(bare) && (isTop || !EITHER.test(bare))) || words.length > 5 || /[.!;,]/.test(bare))
    return null;
  const isNamed = bare !== name || isFieldName(bare);
  const first = (words[0] ?? "").toLowerCase();
  const isThing = DONE.test(value) && findKind((words.at(-1) ?? "").toLowerCase()) !== null;
  const isVerb = baseOf(first) === first && !isThing && !(words.length > 1 && NOUNS.test(first));
  if (!isNamed && (isVerb || STARTED.test(first))) return null;
  if (!isNamed && CLAIMING.test(` ${bare} `)) return null;
  const isText = EMPTY.test(value) || (isValue(value) && !isVague(value));
  return isText ? { name, value, mark } : null;
};

/** What is done, and the beginning of a name as well: `Search term`. */
const NOUNS =
  /^(?:search|position|place|access|answer|change|key|land|return|visit|log|move|supply|store|type|use|run|book|order|mark)$/;

/** What begins a sentence, and no name of a field. */
const STARTED =
  /^(?:the|a|an|this|that|it|there|i|we|you|in|on|at|under|within|with|after|before|if|when|once|see|also|please|pls|then|now|use|as|for|by|via|both|all|no|not|only|there's|its)$/;

const isValue = (value: string): boolean => {
  if (DONE.test(value) || TICKED.test(value) || UNTICKED.test(value)) return true;
  const quoted =
    /^(?:"[^"]*"|'[^']*'|`[^`]*`|“[^”]*”|\*\*[^*]*\*\*)(?: \((?:dropdown|drop-down|select|checkbox|radio button)\))?\.?$/u;
  if (quoted.test(value)) return true;
  if (/["“”`]/.test(value)) return false;
  const bare = value.replace(/ \((?:dropdown|drop-down|select)\)$/i, "");
  const words = bare.split(/\s+/);
  const first = (words[0] ?? "").toLowerCase();
  const isDeed = words.length > 1 && baseOf(first) !== null;
  return (
    words.length <= 6 &&
    !isDeed &&
    !CLAIMING.test(` ${bare} `) &&
    !/[()<>;]|[.,:=/|+&]\s/.test(bare) &&
    (words.length === 1 || !/[!?]/.test(bare))
  );
};

const PRESSED =
  /^(?:(?:then|and|finally),? )?(?:i |user |the user )?(?:click|clicks|tap|press|presses|submit|submits|hit|save|confirm)\b/i;

/** What tells of a text, and is not the text. */
const VAGUE =
  /^(?:(?:any|some|random|arbitrary|valid|invalid|unique|correct|incorrect|wrong|same as|different|existing|whatever|anything|something|as above|see|e\.g\.|at least|more than|less than|too (?:long|short))(?:\s.*|\w*)|(?:a|an|the|your|my|new|current|today|tomorrow|yesterday|today's) [a-z].*|today|tomorrow|yesterday|tbd|n\/a|\([^()]*\)|<[^<>]*>|\[[^[\]]+\]|\{[^{}]*\}|\d+ (?:characters|chars|digits|letters)\b.*)\.?$/i;
const ARTICLE = /^(?:A|An|The|Your|My|New|Current) /;

const isVague = (value: string): boolean =>
  VAGUE.test(value) && !ARTICLE.test(value) && !/^\$\{/.test(value);

const LABEL =
  /^(?:the )?(?:expected|exp|actual|observed|test|steps?|pre|post|it|what|pass|success)\b/i;

const EMPTY = /^[(<[]?(?:(?:leave|left|keep)(?: it)? )?(?:empty|blank)[)>\]]?$/i;

/** `Name: random string`: whether a line tells of a text, and not which one it is. */
export const isVaguePair = (raw: string): boolean => {
  if (raw.length > 120 || !/[:=]/.test(raw)) return false;
  const pair = /^([\p{L}][\p{L} '/-]{0,40}?)\s?[:=]\s+(\S.*)$/u.exec(withoutBullets(raw.trim()));
  const name = pair?.[1] ?? "";
  if (
    !pair ||
    /["“`]/.test(raw) ||
    LABEL.test(name) ||
    TOLD.test(name) ||
    name.split(" ").length > 4
  )
    return false;
  const [first = ""] = name.toLowerCase().split(" ");
  const isName = isFieldName(name) || (baseOf(first) === null && !STARTED.test(first));
  return isName && isVague(pair[2] ?? "") && !EMPTY.test(pair[2] ?? "");
};

/** What is said in the place of a pair below an instruction that something is filled in. */
export const filledWith = (name: string, value: string): string => {
  const target = nameOf(name);
  const kind = findKind(
    (
      name
        .replaceAll(/["'`“”«»]/g, "")
        .split(/\s+/)
        .at(-1) ?? ""
    ).toLowerCase(),
  );
  if (EMPTY.test(value)) return `Clear ${target}`;
  const chosen = / \((?:dropdown|drop-down|select)\)\.?$/i.exec(value);
  if (chosen) return `Select ${quoted(value.slice(0, chosen.index))} from the ${target} dropdown`;
  if (TICKED.test(value)) return `Tick ${target}`;
  if (UNTICKED.test(value)) return `Untick ${tickable(target, kind)}`;
  if (kind === "dropdown") return `Select ${quoted(value)} from the ${name}`;
  return `Fill ${kind === "field" ? `the ${name}` : target} with ${quoted(value)}`;
};

const tickable = (target: string, kind: string | null): string =>
  kind === null ? `the ${target} checkbox` : target;

const quoted = (text: string): string => {
  const value = text.trim();
  if (/^(?:".*"|“.*”|`.*`)$/.test(value)) return value;
  const inner = /^(?:'(.*)'|\*\*(.*)\*\*)$/.exec(value);
  return `"${inner?.[1] ?? inner?.[2] ?? value}"`;
};

const nameOf = (name: string): string =>
  /^["'`“«].*["'`”»]$/.test(name) ? quoted(name) : `"${name}"`;

/** Kinds that nothing is typed into. */
const SHOWING = /^(?:icon|heading|cell|text)$/;

/** How a pair is to be read: what is filled in, what is claimed, what is done with it; null when nobody knows. */
const saidOf = ({ name, value, mark }: Pair, isBlock: boolean): string | null => {
  const bare = name.replaceAll(/["'`“”«»]/g, "");
  const kind = findKind((bare.split(/\s+/).at(-1) ?? "").toLowerCase());
  if (DONE.test(value)) {
    const verb = value.replace(/^clicked$/i, "click");
    return kind === null && bare === name
      ? null
      : `${verb} ${kind === null ? name : `the ${name}`}`;
  }
  // `basket badge -> 1`
  if (kind !== null && SHOWING.test(kind) && /[>→]/.test(mark)) {
    return `The text of the ${name} should be ${quoted(value)}`;
  }
  if (SAID.test(bare)) return null;
  if (kind === "dropdown" || kind === "field") return filledWith(name, value);
  if (kind !== null) return null;
  return isBlock ? filledWith(name, value) : null;
};

/** One of these stands in every pair. */
const PAIRING = MARK.colon | MARK.equals | MARK.arrow;

/** A form of more fields is read in parts: it bounds what is read at once. */
const MAX_BLOCK = 50;

/**
 * Says of each line which sentence it stands for, where it is one of some that give names and values: a form that is
 * filled in, before something is pressed or among fields that are known. Null for all other lines. To be asked in the
 * order of the lines: no more is read than is asked for.
 */
export const pairsAmong = (
  lines: readonly string[],
  marks: readonly number[],
): ((index: number) => string | null) => {
  const said: (string | null)[] = lines.map(() => null);
  let at = 0;
  let isTop = true;
  const readOn = (): void => {
    const pair = ((marks[at] ?? 0) & PAIRING) === 0 ? null : pairOf(lines[at] ?? "", isTop);
    isTop &&= !/^\s*(?:[-*\d]|open|go|visit|navigate|click|tap|given|when)/i.test(lines[at] ?? "");
    if (!pair) {
      at++;
      return;
    }
    const block: Pair[] = [];
    let end = at;
    for (; end < lines.length && block.length < MAX_BLOCK; end++) {
      const next = pairOf(lines[end] ?? "", isTop);
      if (!next) break;
      block.push(next);
    }
    const fields = block.filter(({ value }) => !DONE.test(value));
    const isDone = fields.length < block.length;
    const below = isDone ? "click" : (lines[end] ?? "");
    const isBlock = isForm(fields, below, isListed(lines[at] ?? ""));
    for (const [index, one] of block.entries()) said[at + index] = saidOf(one, isBlock);
    at = end;
  };
  return (index) => {
    while (at <= index && at < lines.length) readOn();
    return said[index] ?? null;
  };
};

const isForm = (block: readonly Pair[], next: string, isInList: boolean): boolean => {
  const isKnown = block.some(({ name }) => isFieldName(name.replaceAll(/["'`“”«»]/g, "")));
  const isPressed = PRESSED.test(withoutBullets(next.trim()));
  if (block.some(({ name }) => SAID.test(name.replaceAll(/["'`“”«»]/g, "")))) return false;
  if (block.length > 1) return isKnown || isPressed;
  return (
    isPressed &&
    (isInList || /^==?$/.test(block[0]?.mark ?? "") || /^["“'`]/.test(block[0]?.value ?? ""))
  );
};
