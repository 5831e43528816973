import { isAbout } from "./lines.ts";
import { startingWith } from "./marks.ts";
import { isSurroundings } from "./reportSections.ts";

const ALWAYS =
  "os|operating system|browsers?|browser (?:version|used|name)|browser\\(s\\)|os version|device|device (?:name|model|type)|devices|platform|environment|env|test(?:ing)? environment|tested (?:on|in|with)|found (?:on|in)|app version|software version|build|build (?:number|version)|desktop|smartphone|user agent";
const AMONG =
  "version|versions|resolution|screen|screen size|screen resolution|model|locale|language|node|node version|server|database|url|viewport|url tested|date|date tested|tester|tested by|reporter|reported by";
const LABELLED = (words: string) =>
  new RegExp(
    `^(?:[-*+•] )?(?:[*_]{1,2})?(?:${words})(?:[*_]{1,2})?\\s?:(?:[*_]{1,2})?\\s+[^"“]+$`,
    "i",
  );
const ALWAYS_SAID = LABELLED(ALWAYS);
const AMONG_SAID = LABELLED(AMONG);
const PRODUCTS =
  "(?:google |microsoft |mozilla )?(?:chrome|firefox|safari|edge|opera|brave|chromium|macos|mac os|os x|windows|ubuntu|debian|linux|android|iphone|ipad|ios|pixel|galaxy)";
/** `Chrome 126, macOS 14` */
const PRODUCT = new RegExp(
  `^(?:[-*+•] )?${PRODUCTS}\\b[\\w .()-]{0,40}(?:[,/;+&] ?${PRODUCTS}\\b[\\w .()-]{0,40}){0,4}$`,
  "i",
);
/** A name and what belongs to it. */
const PAIR =
  /^(?:[-*+•] )?(?:[*_]{1,2})?\p{L}[\p{L}\d ()/-]{0,30}(?:[*_]{1,2})?\s?[:=](?:[*_]{1,2})?\s+\S/u;
const RESULTS =
  /^(?:[-*+•] )?(?:[*_]{1,2})?(?:the )?(?:expected|actual|observed|current|result|steps?|note|priority|severity|title|summary)\b/i;
const INTRODUCING = /(?:fill|enter|complete|provide|set|following|select|choose)\b.*:\s*$/i;
const MAX_LENGTH = 160;
const MAX_BESIDE = 8;
/** What all of these begin with, without their mark. */
const FIRST =
  /^(?:[-*+•] )?[*_]{0,2}(?:os|operating|browser|device|platform|env|test|found|app|software|build|desktop|smartphone|user|version|resolution|screen|model|locale|language|node|server|database|url|viewport|date|report|google|microsoft|mozilla|chrom|firefox|safari|edge|opera|brave|mac|windows|ubuntu|debian|linux|android|iphone|ipad|ios|pixel|galaxy)/i;

/** `Status: Pass`, `Type: Functional`, `Postconditions: None`: what is kept of a test, wherever it stands. */
const KEPT =
  /^(?:[-*] )?[*_]{0,2}(?:(?:test )?(?:status|result|type|category|priority|severity|post-?conditions?|test data|dependencies|automation(?: status)?|test (?:type|level))[*_]{0,2}\s?:[*_]{0,2}\s*(?:pass(?:ed)?|fail(?:ed)?|not run|not executed|blocked|open|ready|draft|approved|pending|none|n\/?a|-|functional|non-functional|ui|regression|smoke|sanity|manual|automated|positive|negative|integration|e2e|end-to-end|acceptance|usability|accessibility|high|medium|low|critical|major|minor|trivial|p[0-4]|to be automated)|(?:test )?(?:case )?id[*_]{0,2}\s?:[*_]{0,2}\s*[A-Z][A-Z0-9]{0,9}(?:[-_ ]?[A-Z0-9]{1,8}){0,3})\.?$/i;

const isSaid = (text: string): boolean =>
  ALWAYS_SAID.test(text) || AMONG_SAID.test(text) || KEPT.test(text);

/** Whether the lines next to one, from it on, lead to a field of a form or to what asks to fill one in. */
const isInForm = (lines: readonly string[], index: number, by: number): boolean => {
  for (let at = index + by; at >= 0 && at < lines.length; at += by) {
    const text = (lines[at] ?? "").trim();
    if (isOfForm(text) || (by < 0 && INTRODUCING.test(text))) return true;
    if (!isSaid(text) || Math.abs(at - index) > MAX_BESIDE) return false;
  }
  return false;
};

/** Whether a line beside may be one of a form's. */
const isOfForm = (raw: string | undefined): boolean => {
  const text = (raw ?? "").trim();
  return PAIR.test(text) && !isSaid(text) && !RESULTS.test(text) && !isAbout(text);
};

const mayBeLeftOut = startingWith("-*_nt!<");

/** `n/a`, `_No response_`, `![screenshot](…)`: a part of a report that was left out, or is to be looked at. */
const isLeftOut = (text: string): boolean =>
  /^(?:[-*] )?_?(?:n\/?a|none|nil|tbd|not applicable|no response|no)_?\.?$/i.test(text) ||
  /^!\[[^\]]{0,200}\]\([^)\s]{0,500}\)$/.test(text) ||
  /^<\/?(?:img|video|details|summary|br|p)\b[^<>]{0,500}>$/i.test(text);

/**
 * Whether a line only tells where the test was run: `Browser: Firefox 128`, `- Chrome 126, macOS 14`. Between the
 * fields of a form it may be one of them.
 */
export const isSurrounding = (lines: readonly string[], index: number): boolean => {
  const text = (lines[index] ?? "").trim();
  if (lines.length < 2 || text.length > MAX_LENGTH) return false;
  if (mayBeLeftOut(text) && isLeftOut(text)) return true;
  const isKept = text.length < 80 && text.includes(":") && KEPT.test(text);
  if (!isKept && !FIRST.test(text)) return false;
  const [before, after] = [lines[index - 1], lines[index + 1]];
  const isAlways = ALWAYS_SAID.test(text);
  const isAmong = isAlways || (AMONG_SAID.test(text) && isAmongThem(before, after));
  if (!isKept && !isAmong && !PRODUCT.test(text)) return false;
  return !isInForm(lines, index, -1) && !isInForm(lines, index, 1);
};

/** What is as often a field stands where it is told, and only there. */
const isAmongThem = (before: string | undefined, after: string | undefined): boolean =>
  [before, after].some((raw) => {
    const text = (raw ?? "").trim();
    return ALWAYS_SAID.test(text) || isSurroundings(text);
  });
