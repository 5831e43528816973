import { findKind, kinds } from "../catalogue/kinds.ts";
import { isListed, withoutBullets } from "./bullets.ts";
import { baseOf } from "./inflections.ts";
import { startingWith } from "./marks.ts";
import { readSize } from "./numberSlots.ts";
import { PERSONS } from "./phrases.ts";

/** Said in a heading, these say where, when, how often or for whom: it may not be left out. */
const MATTERS =
  /(?:^|[^\p{L}])(?:not|no|never|none|nothing|neither|nor|without|cannot|except|unless|only|if|when|while|until|till|once|after|before|repeat\w*|every|each|any|all|both|twice|times|again|same|instead|optional\w*|either|or|else|otherwise|known|alternative\w*|logged|signed|mobile|phone|tablet|desktop|wait|note|skip\w*|remember|forbidden|n't|can't|don't|won't|shouldn't|mustn't|isn't|aren't|one of|\w+n't)(?=$|[^\p{L}])/iu;
/** What is done in several steps: it sums up what the list below says. */
const SUMMED =
  /^(?:log ?in|log on|sign ?in|sign ?up|login|register|create|add|book|order|buy|purchase|check ?out|check ?in|place|make|complete|fill|change|edit|update|set ?up|configure|prepare|test|try|submit|search|apply|send|pay|transfer|invite|cancel|do|perform|execute|run|follow|reproduce|verify|check|ensure|confirm|validate|go through|start|finish)\b/i;
const CLAIMED = /^(?:verify|check|ensure|confirm|validate|expect|assert|see)(?![\w-])/i;
/** A place is said of all that stands below it. */
const PLACED =
  /^(?:in|on|at|under|within|inside|from|below|above|near|with|using|as|for|to|via|through|by|into|upon)\b/i;
const NUMBERED = /^(?:part|phase|step|page|screen|stage|day)\b/i;
/** What stands below one of these is no test, or another one. */
const ASIDE =
  /\b(?:data|credentials?|accounts?|users?|environments?|browsers?|devices?|attachments?|notes?|remarks?|comments?|links?|impact|workarounds?|context|configurations?|versions?|builds?|todos?|questions?|scope|ideas?|bugs?|issues?|defects?|descriptions?|summary|background|variants?|options?|cases|examples?|history|logs?|details|information|info|requirements?|references?|findings|observations?|actual|actually|happens|happened|got|saw|status|cleanup|teardown|firefox|chrome|safari|edge|iphone|ipad|android|ios|windows|mac|macos|linux|staging|production|prod|dev|english|german|french|spanish|dutch|italian)\b/i;
const QUOTES = /["'“”„«»`<>{}[\]$=@]|https?:|(?:^|\s)\//;

/** Whether a claim of an ability, which the steps below it show: `Verify that an item can be renamed`. */
const ABLE =
  /^(?:verify|check|test|ensure|validate|confirm|make sure)(?: that| whether| if)? (?:[\p{L}'-]+ ){1,10}(?:can|could|is able to|are able to|should be able to|is possible|works|work|may|gets|is allowed to)(?: [\p{L}'-]+){0,12}\.?$/iu;

/** `Login form`, above what is done there. */
const FORM =
  /^(?!(?:in|on|go|open|fill|enter|submit|complete|verify|check|click|see|the|and|then|close|save|visit|use)\b)\p{Lu}[\p{L}-]*(?: [\p{L}-]+){0,3} (?:form|page|screen|flow|test|scenario|smoke test|regression|sanity)$/iu;
/** `HRM-88: Employee withdraws leave`: a number of a ticket is given to no instruction. */
const TICKETED =
  /^(?:[A-Z]{2,8}-\d{1,6}|(?:issue|bug|ticket|defect|story) ?#?\d{1,6})\s?[-–—:]\s?\p{L}/u;

const plain = (raw: string): string =>
  withoutBullets(raw.trim())
    .replaceAll(/^[*_#=\s]+|[*_=\s]+$/g, "")
    .trim();

const isDeed = (line: string): boolean => {
  const [first = ""] = plain(line).toLowerCase().split(/[\s:]/);
  const base = baseOf(first);
  return base === first && !/^(?:verify|ensure|assert|observe|check|look|read|see)$/.test(base);
};

/** What a heading comes to: nothing, a size of the page, or that what stands below is claimed. */
export type Heading =
  | { readonly kind: "nothing" }
  | { readonly kind: "claims" }
  | { readonly kind: "size"; readonly size: string };

/**
 * What a line is that stands before a list and only sums it up; null for any line that says more. `next` is the line
 * below it, `isFirst` that nothing stands above it.
 */
export const headingOf = (raw: string, next: string, isFirst: boolean): Heading | null => {
  if (raw.length > 130 || next.trim() === "") return null;
  const text = plain(raw);
  const isBelow = isListed(next) || indent(next) > indent(raw);
  const isColon = /:[*_\s]*$/.test(raw);
  if (!isColon) {
    const isTitle = isFirst && !isListed(raw) && isListed(next) && !MATTERS.test(text);
    const isNamed = (FORM.test(text) && !ASIDE.test(text)) || TICKETED.test(text);
    return isTitle && !QUOTES.test(text) && (ABLE.test(text) || isNamed)
      ? { kind: "nothing" }
      : null;
  }
  const said = text.replace(/\s*:[*_\s]*$/, "");
  const size = sizeIn(said);
  if (size !== null) return { kind: "size", size };
  if (!isBelow || QUOTES.test(said.replaceAll(/(?<=\p{L})['’](?=\p{L})/gu, ""))) return null;
  if (MATTERS.test(said) || PLACED.test(said) || ASIDE.test(said) || /[,;]/.test(said)) return null;
  if (/\d/.test(said) && !NUMBERED.test(said)) return null;
  const words = said.split(/\s+/);
  if (words.length > 12 || words.some((word) => COUNTED.test(word))) return null;
  // Who acts: another one below may do it otherwise.
  if (words.length < 4 && words.some((word) => PERSONS.has(word.toLowerCase()))) return null;
  const kind = findKind((words.at(-1) ?? "").toLowerCase());
  // `Header:` is a place.
  if (kind !== null && (kinds[kind].container || words.length === 1) && kind !== "form")
    return null;
  if (CLAIMED.test(said) && !isDeed(next)) {
    return /\s(?:in|on|within|under|at|of|for|inside|from)\s/i.test(said)
      ? null
      : { kind: "claims" };
  }
  const [first = ""] = words;
  if (baseOf(first.toLowerCase()) === null && !DOING.test(first)) {
    // What a thing is called is no field that a list stands in.
    return words.length < 7 && /^\p{Lu}/u.test(said) && !CLAIMING.test(said)
      ? { kind: "nothing" }
      : null;
  }
  return SUMMED.test(said) && isDeed(next) ? { kind: "nothing" } : null;
};

/** What is done with things as well: it is no name of a page. */
const DOING =
  /^(?:see|delete|remove|send|pay|buy|book|order|create|register|approve|reject|publish|archive|restore|rename|copy|duplicate|share|download|export|import|print|invite|block|unblock|ban|lock|unlock|merge|split|assign|transfer|refund|cancel|renew|extend|close|reopen|resolve|rate|review|comment|reply|forward|subscribe|unsubscribe|login|logout|logon|signup|checkout|hide|show|display|sort|filter|group|edit|modify|test|try|prepare|configure|link|unlink|connect|disconnect|sync|save|discard|undo|redo|reset|restart|stop|start|begin|finish|continue|proceed|skip|ignore|avoid|keep|leave|stay|observe|monitor|inspect|compare|measure|count|find|locate|watch|listen|play|record|schedule|reschedule|postpone|withdraw|deposit|apply|claim|request|report|escalate|notify|remind|grant|revoke|generate|calculate|validate|verify|confirm|ensure|assert|expect|rotate|crop|resize|attach|detach|draw|paint|sign|stamp|scan|swap|exchange|return|ship|deliver|pack|unpack|receive|accept|decline|vote|like|dislike|follow|unfollow|mute|unmute|pin|unpin|highlight|tag|untag|feed|launch|install|update|upgrade|downgrade|migrate|deploy|clean|clear|wipe|purge|destroy|kill|shut|boot|reboot)$/i;

const COUNTED = /^(?:one|two|three|four|five|six|seven|eight|nine|ten|first|second|third|last)$/i;
const CLAIMING =
  /\b(?:is|are|was|were|has|have|had|should|must|shows?|contains?|displays?|appears?|disappears?|visible|hidden|enabled|disabled|the following|these|following)\b/i;

const indent = (raw: string): number => raw.length - raw.trimStart().length;

/** `Mobile (Pixel 7):`, `At 390x844:`: the size of the page; null for any other heading. */
const sizeIn = (said: string): string | null => {
  const inBrackets =
    /^(?:on )?(?:mobile|phone|tablet|desktop|viewport|small screen|device)s? \(([^()]{3,30})\)$/i.exec(
      said,
    );
  const raw =
    inBrackets?.[1] ??
    /^(?:on|at|with|using)? ?(?:an? |the )?(?:viewport )?(?:of )?([\p{L}\d ×-]{5,30})$/iu.exec(
      said,
    )?.[1];
  if (raw === undefined || !/\d/.test(raw)) return null;
  return readSize(null, raw)?.text ?? null;
};

const GREETING =
  /^(?:hi|hello|hey|dear|good (?:morning|afternoon|evening|day))(?: (?:all|team|there|everyone|everybody|folks|guys|qa|qa team|colleagues|\p{Lu}\p{L}+))?[,!.:]?$/iu;
const CLOSING =
  /^(?:(?:many )?thanks|thank you|thx|cheers|regards|(?:kind|best|warm) regards|best|br|thanks (?:in advance|a lot|again)|thank you(?: very much| so much| in advance)?)(?: (?:all|team|everyone))?[,!.]*$/i;
const NAME = /^[-–—]{0,2} ?\p{Lu}\p{Ll}+(?: \p{Lu}[\p{Ll}.]+)?$/u;
const ASKED =
  /^(?:(?:please|pls|plz|kindly|can (?:you|u|someone|we)(?: please| pls)?|could (?:you|someone|we)(?: please)?)\s)?(?:test|try|run|execute|follow|reproduce|go through|do|perform|repro)(?: (?:the following|this|these|it|below|as follows|the steps below|the steps|the following steps|these steps|this flow|this scenario|on staging))*\s?:$/i;
const TICKET = /^\[[A-Z][\w .]*[- #]?[A-Z]*-?\d{1,7}\]$/i;
const RANKED = /^(?:priority|severity|prio|sev)\s?[:=]\s?[ps][0-5]\.?$/i;

/** What a greeting or a thank-you begins with, and what a rank does. */
const mayBePolite = startingWith("hdgmtcrkbw");
const mayBeRanked = startingWith("ps");

/** Whether a line is a greeting, a thank-you, the number of a ticket, or only asks that what follows is tested. */
export const isAddressing = (raw: string, before: string): boolean => {
  const text = raw.trim();
  if (text.length > 60 || text.includes('"')) return false;
  const isSigned = NAME.test(text) && CLOSING.test(before.trim());
  return (
    isSigned ||
    (mayBePolite(text) && (GREETING.test(text) || CLOSING.test(text))) ||
    (text.endsWith(":") && ASKED.test(text)) ||
    (text.startsWith("[") && TICKET.test(text)) ||
    (mayBeRanked(text) && RANKED.test(text))
  );
};
