import { findKind, kinds } from "../catalogue/kinds.ts";
import { baseOf, GERUNDS } from "./inflections.ts";
import { word } from "./phrases.ts";
import { isJoint, isMark, quotedIn, written } from "./sayingParts.ts";
import { thingAt } from "./things.ts";
import type { Token } from "./words.ts";

const MAX_LEAD = 14;

/** With one of these a lead says that it is not so, or not always, or that something else is done. */
const MATTERS =
  /^(?:not|no|never|none|neither|nor|without|unless|except|only|if|until|till|when|whenever|while|once|after|before|repeat|repeatedly|each|instead|optional|optionally|or|else|otherwise|alternatively|known|note|bug|issue|defect|example|actual|actually|currently|observed|skip|ignore|avoid|mobile|phone|tablet|desktop|logged|signed|as|twice|times|wait|again|expected|e\.g|warning|reload|refresh|back)$|n't$/;
/** Before the colon these say where: it is said of all that follows. */
const PLACING =
  /^(?:in|on|at|under|within|inside|from|below|above|near|with|via|through|into|upon|by)$/;
const ABLE =
  /^(?:can|can't|cannot|could|may|might|able|possible|impossible|allowed|should|must|want|wants|wish|need|needs|try|have|has)$/;
/** What is done in several steps. */
const SUMMED =
  /^(?:be|accept|add|answer|apply|approve|archive|ask|assign|assume|block|book|buy|call|cancel|carry|change|check|choose|clear|close|collapse|complete|configure|confirm|continue|create|delete|disable|discard|do|download|duplicate|edit|enable|expand|export|fill|filter|find|finish|get|give|go|hide|import|increase|decrease|invite|leave|let|like|log|look|make|maximise|minimise|move|mute|open|order|pause|pay|perform|pick|pin|place|play|post|prepare|print|proceed|prove|publish|pull|push|put|rate|raise|redo|register|reject|remove|rename|reopen|reply|report|reserve|reset|restore|resume|return|review|run|save|schedule|search|select|send|set|share|show|sign|skip|sort|start|stop|submit|subscribe|switch|take|test|toggle|translate|try|turn|undo|unpin|unsubscribe|update|upload|use|validate|verify|view|visit|vote|withdraw|zoom|re-login|relogin|login|logout|checkout|demonstrate|reproduce|exercise)$/;
const CASE =
  /^(?:case|path|test|scenario|flow|validation|attempt|check|retest|verification|step|shortcut|smoke|regression|visual|accessibility|a11y|navigation|banner|nav|spelling|sanity|order)$/;

const CLICKED = /^(?:button|btn|link|hyperlink|icon|tab|menu item)$/;

/** What stands behind a colon. */
type Introduced = {
  /** Where it begins. */
  readonly from: number;
  /** It, with what the lead names in the place of "it". */
  readonly text: string;
  /** The form that is filled in; null when none is named. */
  readonly form: string | null;
};

const isPlain = ({ kind, text }: Token): boolean =>
  kind === "quoted" || (kind === "word" && /^[\p{L}\d][\p{L}\d'’/.-]*$|^&$/u.test(text));

/**
 * `To book: …`, `The user can undo: …`, `Shortcut check: …`: what stands behind the colon, where all before it only sums it
 * up or says what it is for; null where it may say more.
 */
export const introduced = (tokens: readonly Token[], source: string): Introduced | null => {
  const colon = tokens.findIndex((token) => isMark(token, ":"));
  if (colon < 1 || colon > MAX_LEAD || colon + 2 > tokens.length) return null;
  const lead = tokens.slice(0, colon);
  if (!lead.every((token) => isPlain(token))) return null;
  if (lead.some((token) => MATTERS.test(word(token)) && !/^(?:can't|cannot)$/.test(word(token))))
    return null;
  if (lead.some((token, at) => saysSize(token, lead[at - 1]))) return null;
  const said = word(lead[0]);
  // What "it" is must be known, and what begins with a capital in mid-sentence is a name.
  if (lead.some((token) => /^(?:it|them)$/.test(word(token)))) return null;
  const before = source.slice(0, lead[0]?.start).trimEnd();
  const isName = /^\p{Lu}/u.test(lead[0]?.text ?? "") && before !== "" && !/[.!?:]$/.test(before);
  if (isName || (lead.length === 1 && before !== "" && !/[.!?:]$/.test(before))) return null;
  const rest = tokens.slice(colon + 1);
  // Whether the place is meant for all of it is not known.
  const isAddress = rest.slice(1, 5).some(({ text }) => /^(?:https?:\/\/|\/)\S/.test(text));
  if (PLACING.test(word(rest[0])) && rest.some(isJoint) && !isAddress) return null;
  // `pick the 7th: button "7"`
  const thing = thingAt(rest, 0);
  const isThing = thing?.isQuoted && thing.to === rest.length && CLICKED.test(thing.kind);
  if (isThing && quotedIn(lead).length === 0)
    return { from: colon + 1, text: `click the ${written(rest, source)}`, form: null };
  const names = quotedIn(lead);
  // `login page: /login` says where it is.
  if (rest.length < 2) return null;
  const isSummary = isSummedUp(lead) || isNamedCase(lead) || (said === "for" && lead.length < 4);
  if (!isSummary || PLACING.test(said)) return null;
  // `In the "Billing" section one can pay: …`, `The header can be …`
  if (lead.some((_, at) => at > 1 && isPlace(lead, at))) return null;
  const form = formIn(lead);
  if (form !== null || names.length === 0)
    return { from: colon + 1, text: written(rest, source), form };
  const isAgain = names.every((name) =>
    rest.some((token) => token.kind === "quoted" && token.lower === name.lower),
  );
  if (isAgain) return { from: colon + 1, text: written(rest, source), form };
  const each = eachOf(rest, names, source);
  if (each !== null) return { from: colon + 1, text: each, form };
  const it = rest.findIndex((token) => word(token) === "it");
  const [name] = names;
  const isIt =
    it >= 0 && names.length === 1 && name !== undefined && baseOf(word(rest[it - 1])) !== null;
  if (!isIt) return null;
  const [start, token] = [rest[0]?.start ?? 0, rest[it]];
  const end = tokens.at(-1)?.end;
  const text = `${source.slice(start, token?.start)}${source.slice(name.start, name.end)}${source.slice(token?.end, end)}`;
  return { from: colon + 1, text, form };
};

/** `Check the page on iPad Mini: …`, `… at 600x900: …`: how large the screen is may not be left out. */
const saysSize = (token: Token, before: Token | undefined): boolean =>
  /^(?:ipad|iphone|pixel|galaxy|android|ios|viewport|breakpoint|resolution)$/.test(word(token)) ||
  /^\d{3,4}(?:[x×]\d{3,4}|px)$/.test(word(token)) ||
  (/^\d{3,4}$/.test(word(token)) && /^(?:at|width)$/.test(word(before)));

/** Whether what is done or can be done is said, of which the rest tells how. */
const isSummedUp = (lead: readonly Token[]): boolean => {
  const said = word(lead[0]);
  const isPurpose = said === "to" && lead.length > 1 && /^[a-z-]+$/.test(lead[1]?.text ?? "");
  const isKindly = /^(?:kindly|please|then|now|next|finally|let's|also|and)$/.test(said);
  const verb = isKindly ? word(lead[1]) : said;
  const isDeed = SUMMED.test(verb) || GERUNDS.has(verb);
  const isAble = lead.length > 1 && lead.some((token, at) => at > 0 && ABLE.test(word(token)));
  return isPurpose || isDeed || isAble;
};

/** `Assign both "Rao" and "Iyer": tick each one in the list`: the same with each of them. */
const eachOf = (rest: readonly Token[], names: readonly Token[], source: string): string | null => {
  const at = rest.findIndex((token) => /^(?:each|both|them|all)$/.test(word(token)));
  if (at !== 1 || names.length < 2 || rest.some(isJoint) || baseOf(word(rest[0])) === null)
    return null;
  let to = at + 1;
  if (word(rest[to]) === "of" && word(rest[to + 1]) === "them") to += 2;
  else if (/^(?:one|ones)$/.test(word(rest[to]))) to++;
  const lead = written(rest.slice(0, at), source);
  const behind = written(rest.slice(to), source);
  return names
    .map((name) => `${lead} ${written([name], source)} ${behind}`.trim())
    .join(" and then ");
};

/** `Fill up the Complaint form`: the form, where it has a name. */
const formIn = (lead: readonly Token[]): string | null => {
  const name = lead.at(-2);
  const isForm =
    word(lead.at(-1)) === "form" && /^(?:fill|fills|complete|completes)$/.test(word(lead[0]));
  const isName = name?.kind === "quoted" || /^\p{Lu}/u.test(name?.text ?? "");
  return isForm && isName && name && lead.length < 7 ? `"${name.text}" form` : null;
};

const isNamedCase = (lead: readonly Token[]): boolean =>
  lead.length < 7 &&
  lead.every(({ kind }) => kind === "word") &&
  (CASE.test(word(lead.at(-1))) || CASE.test(word(lead[0])));

/** A place is said of all that follows. */
const isPlace = (lead: readonly Token[], at: number): boolean => {
  const kind = findKind(word(lead[at]));
  if (kind === null || kinds[kind].container !== true || kind === "form") return false;
  return lead
    .slice(0, at)
    .some((token) => /^(?:in|on|under|within|inside|at|from)$/.test(word(token)));
};
