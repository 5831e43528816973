import { baseOf } from "./inflections.ts";

const NUMBER_WORDS =
  "one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|thirteen|fourteen|fifteen";
const ORDINAL_WORDS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final";

/** What an entry of a list begins with: a mark, a number, a letter, or what says that it is a step. */
const BULLET = new RegExp(
  [
    "[-*+•‣◦▪●–—→✓✔✅☐☑▢○·∙■□◆✦►▶➤➜❯]\\s+(?:\\[[ xX]?\\]\\s+)?",
    "\\*\\*\\d{1,3}[.):]\\*\\*\\s+",
    "\\*{2,3}\\s+",
    "o\\s+(?=[A-Z])",
    "\\(step \\d{1,3}\\)\\s+",
    "(?:test )?step\\s+[a-h]\\s*[:.)–—-]\\s+",
    "(?:>{1,3}|»)\\s+(?![=>-])",
    "\\(?\\d{1,3}(?:\\.\\d{1,3})*[a-z]?[.):]\\s+",
    // `1.1 Open`
    '\\d{1,3}(?:\\.\\d{1,3})+\\s+(?=[A-Z"]|->)',
    // `1.Open`, `1 - Open`, `[1] Open`, `1/ Open`, `1> Open`
    '\\d{1,3}[.)](?=[A-Za-z"])',
    "\\d{1,3}\\s*[-–—]\\s+",
    '\\d{1,3}\\s?[/>]\\s+(?=[A-Za-z"])',
    "\\[\\d{1,3}\\]\\s+",
    "[①-⑳]\\s*",
    "\\d\\uFE0F?\\u20E3\\s*",
    "\\(?[a-zA-Z]\\)\\s+",
    "(?:[a-hA-H]|[ivx]{1,4})\\.\\s+(?=\\S)",
    "(?:test )?step\\s*[#-]?\\s*\\d{1,3}(?:\\.\\d{1,3})*[a-z]?\\s*[:.)–—-]\\s*",
    `(?:test )?step\\s+(?:${NUMBER_WORDS})\\s*[:.)–—-]\\s+`,
    `(?:the )?(?:${ORDINAL_WORDS}) step\\s*[:–—-]\\s+`,
    "(?:s|ts|st|tst)[-_ ]?\\d{1,2}\\s*[:.)]\\s+(?=[A-Z])",
    "\\[[ xX]?\\]\\s+",
    "\\[(?:pass|passed|ok|done|todo|smoke|sanity|regression|e2e|ui|web|p[0-4])\\]\\s+(?=[^\\s\\[])",
  ].join("|"),
  "iy",
);
/** `Step 1 Open /login`: without a mark between, only before a capital. */
const STEP = /^(?:[Ss]tep|STEP)\s*\d{1,3}\s+(?=[A-Z])/;
/** `1 Open /login`: without a mark, only before what is done. */
const PLAIN = /^\d{1,2}\s+([A-Z][a-z-]+)\s/;
/** What counts as well as it is done: `3 Set menus`. */
const COUNTED = /^(?:set|check|mark|change|answer|place|position|pick|access|use|log|read|return)$/;

/** Whether a line is an entry of a list. */
export const isListed = (raw: string): boolean => {
  BULLET.lastIndex = 0;
  return BULLET.test(raw.trim());
};

/** Whether a text may begin with a bullet: a letter only does before a bracket or a full stop, or as `step`. */
const mayBeListed = (text: string): boolean => {
  const first = text.charCodeAt(0) | 32;
  // No letter.
  if (first < A || first > Z) return true;
  if (first === S || first === T || text.startsWith("o ")) return true;
  for (let at = 1; at < 5; at++) {
    const code = text.charCodeAt(at);
    if (code === BRACKET || code === STOP) return true;
  }
  return (first === F || first === L) && /^[a-z]{4,7} step\b/i.test(text);
};

const A = 97;
const Z = 122;
const S = 115;
const T = 116;
const F = 102;
const L = 108;
const BRACKET = 41;
const STOP = 46;

/** A line without the bullets and numbers that it begins with, and without the tick that it ends with. */
export const withoutBullets = (raw: string): string => {
  let text = raw;
  for (let bullets = 0; bullets < 2 && mayBeListed(text); bullets++) {
    BULLET.lastIndex = 0;
    if (!BULLET.test(text)) break;
    text = text.slice(BULLET.lastIndex);
  }
  const first = text.charCodeAt(0);
  if ((first | 32) === S) text = text.replace(STEP, "");
  if (first >= ZERO && first <= NINE) {
    const verb = PLAIN.exec(text)?.[1]?.toLowerCase();
    if (verb !== undefined && baseOf(verb) === verb && !COUNTED.test(verb)) {
      text = text.replace(/^\d+\s+/, "");
    }
  }
  // Between the entries of a list.
  const last = text.charCodeAt(text.length - 1);
  if ((last === COMMA || last === SEMICOLON) && /[^\s;,][;,]$/.test(text)) text = text.slice(0, -1);
  // What a person has ticked off: no such mark is ASCII.
  const isTicked = text.charCodeAt(text.length - 1) > ASCII && /[✅✔☑✓]\uFE0F?$/u.test(text);
  return isTicked ? text.replace(/\s+[✅✔☑✓]\uFE0F?$/u, "") : text;
};

const COMMA = 44;
const SEMICOLON = 59;
const ASCII = 127;

const ZERO = 48;
const NINE = 57;
