import { parseKeyChord } from "../catalogue/values.ts";
import type { Line, Mood } from "./line.ts";
import { startingWith } from "./marks.ts";

const RESULT =
  "results?|behaviou?rs?|outcomes?|outputs?|states?|ui|messages?|responses?|effects?|res\\.?";
/** Headings of bug reports and manual tests, and the mood of what stands below them. */
const SECTIONS: readonly (readonly [RegExp, Mood | null | "actual"])[] = [
  [
    /^(?:(?:test(?:ing)?|qa|verification|validation|reproduction|repro|detailed|execution|manual) )?(?:steps|actions|procedure|instructions)(?: to (?:reproduce|recreate|replicate|trigger|test|follow|execute|perform|take|verify|check))?(?: the (?:bug|behaviou?r|issue|problem|defect|test))?$/,
    null,
  ],
  [
    /^(?:(?:to|how to) (?:reproduce|recreate|replicate|test|verify|check|see)(?: (?:the |this )?(?:bug|behaviou?r|issue|problem|defect|it|this))?|repro|steps to be (?:followed|performed|executed|taken)|(?:the )?steps (?:taken|are|below|i (?:took|followed))|test (?:case|script|scenario|flow)|str|reproduction|repro(?:duction)? steps?|steps? to (?:replicate|repro)|replication steps|when|flow|user flow|(?:main|happy|basic) (?:flow|path)|scenario steps|arrange|act|test|execution|do|what (?:i|we) did|what did you do|what to do|how (?:do|can) (?:i|we|you) (?:reproduce|test) (?:it|this|the (?:bug|issue|problem))|how can (?:this|it) be (?:reproduced|tested)|walkthrough|script)$/,
    null,
  ],
  [
    new RegExp(
      `^(?:the )?expected(?: (?:${RESULT}))?$|^(?:expectations?|acceptance criteria|verifications?|assertions?|checks?|then|verify|assert|validate|check|(?:pass|success) criteria|post-?conditions?|what (?:should|is expected to|must) happen|what (?:i|you|we) expect(?:ed)?(?: to (?:happen|see))?|what did you expect(?: to (?:happen|see))?)$`,
    ),
    "then",
  ],
  [/^(?:pre-?conditions?|prerequisites?|pre-?reqs?|set-?up|given|preparation)$/, "given"],
  [
    new RegExp(
      `^(?:actual|current|observed)(?: (?:${RESULT}))?$|^what (?:actually )?happen(?:s|ed)(?: instead)?$|^what (?:i|we) (?:see|saw|got)(?: instead)?$`,
    ),
    "actual",
  ],
];

/** What all of these begin with, with the marks of a heading before it. */
const SECTION =
  /^[#*_>\s]*(?:the )?(?:test|qa|validation|repro|detailed|execution|manual|steps?|actions?|procedure|instructions|to|how|str|when|flow|user|main|happy|basic|scenario|arrange|act|do|what|walkthrough|script|replication|expect|acceptance|verif|assert|checks?|then|validate|pass|success|post|pre|set|given|actual|current|observed)/iu;

const EXPECTED = new RegExp(
  `^(?:[*_]{1,2})?(?:(?:the )?(?:expected|exp\\.?)(?: (?:${RESULT}))?(?: #?\\d{1,2})?|expect|expectation|result|outcome|verification|assertion|see|verify|assert|validate|er|then|post-?conditions?|(?:pass|success) criteri(?:a|on)|(?:it |this )?should be|what (?:should|must) happen)(?:[*_]{1,2})?\\s?(?::|=>|->|→|–|—|-(?=\\s))(?:[*_]{1,2})?\\s*(?=\\S)`,
  "i",
);
/** `Expected behaviour is that "C" is shown`: a claim follows. */
const EXPECTING = new RegExp(
  `^(?:the )?expected (?:${RESULT}) (?:is|was|would be|should be)(?: that)? (?=\\S)`,
  "i",
);
const LABEL =
  /^(?:[*_]{1,2})?(actions?|steps?|do|act|task|arrange|when|test steps?|procedure|execution|input|how to reproduce|to reproduce|steps to reproduce|repro(?: steps)?|str|pre-?conditions?|pre-?requisites?|pre-?reqs?|set-?up|given)(?:[*_]{1,2})?\s?:(?:[*_]{1,2})?\s+(?=\S)/i;
/** `click: Save`, `GO TO: /cart` */
const DEED =
  /^(click|tap|press|hover|double-click|right-click|open|visit|browse|browse to|navigate|navigate to|navigate here|go|go here|go to)\s?:\s+(?=[^\s"'`“])/i;
/** `System: shows "Saved"` */
const SYSTEM =
  /^(?:the )?(?:system|app|application|page|ui|screen|website|sut)\s?:\s+(?=(?:shows|displays|contains|has)\b)/i;
const GOING = /^(?:navigate|go|browse)/i;
const ADDRESS = /^(?:url|address|link|site|website|app) ?: ?(?:https?:\/\/|\/)\S+$/i;
const ACTUAL = new RegExp(`^(?:actual|observed)(?: (?:${RESULT}))?\\s?[:–-]`, "i");

/** `**Given** I …`, `**Step 1:** open …`: what is emphasised is a label, and no name. */
const EMPHASISED =
  /^([*_]{1,3})((?:given|when|then|and|but)|[a-z][a-z ]{1,24}(?:\d{1,3}\.|\d{0,3}\s?[:)]))\1\s*:?\s*(?=\S)/i;
const isEmphasised = startingWith("*_");
/** A line without the emphasis of the keyword or label that it begins with. */
export const withoutEmphasis = (text: string): string => {
  const found = isEmphasised(text) ? EMPHASISED.exec(text) : null;
  if (!found) return text;
  return `${found[2] ?? ""} ${text.slice(found[0].length)}`;
};

const KIND =
  "field|button|link|tab|checkbox|dropdown|menu|heading|message|dialog|section|box|toggle|switch|icon|row|textarea";
const STARRED = new RegExp(
  `(?<=\\b(?:${KIND})\\s)\\*(\\p{L}[^*"/]{0,40})\\*(?=$|[\\s.,;:)])|(?<=^|[\\s(])\\*(\\p{L}[^*"/]{0,40})\\*(?=\\s(?:${KIND})\\b)`,
  "giu",
);

const BRACKETED =
  /(?<=(?:^|[\s(])(?:[Cc]lick(?:s|ed|ing)?|[Pp]ress(?:es|ing)?|[Hh]its?|[Tt]aps?|[Pp]ush|[Ss]elects?|[Cc]hooses?|[Oo]n|[Tt]he|button|link|tab|menu|icon|then|and|>|→|->)\s)\[(\p{Lu}[^\][="/]{0,40})\](?=$|[\s.,;:)])|(?<=^|\s)\[(\p{Lu}[^\][="/]{1,40})\](?=\s(?:button|btn|link|tab|menu|icon|checkbox)\b)/gu;
/** What is as often the name of a key or a heading as that of a button. */
const MARKED = /^(?:given|when|then|and|but|pass|fail|optional|x)$/i;

/** `Click [Save]`: manuals put the names of buttons in brackets. What is typed in brackets stands for something else. */
const withBracketed = (text: string): string =>
  text.replaceAll(
    BRACKETED,
    (all, before: string | undefined, own: string | undefined, at: number) => {
      const name = before ?? own ?? "";
      const isOpen = text.slice(0, at).split('"').length % 2 === 0;
      if (isOpen || MARKED.test(name)) return all;
      const isKey = parseKeyChord(name) !== null && /(?:press|hit)\w* $/i.test(text.slice(0, at));
      return isKey ? name : `"${name}"`;
    },
  );

const LINK =
  /(\b(?:go|goes|navigates?|back) to |\b(?:open|visit|browse)s? )?(the )?\[([^\][]{1,80})\]\(((?:https?:\/\/|\/)[^()\s]*)\)/gi;

/** `Go to [the shop](https://shop.test)`, `click [Save](/save)`: where one goes is its address, what is clicked its text. */
const withLinks = (text: string): string =>
  text.replaceAll(LINK, (_, going?: string, article?: string, name = "", url = "") => {
    if (going !== undefined) return `${going}${url}`;
    const bare = name.replaceAll(/^[*_`"]+|[*_`"]+$/g, "");
    return `${article ?? ""}"${bare}"`;
  });

/** `In the field *Code* …`: where a kind says that it is a name, one star emphasises it as two do. */
export const withNames = (raw: string): string => {
  const linked = raw.includes("](") ? withLinks(raw) : raw;
  const text = linked.includes("[") ? withBracketed(linked) : linked;
  return text.includes("*")
    ? text.replaceAll(STARRED, (_, behind?: string, before?: string) => `"${behind ?? before}"`)
    : text;
};

const OPENED =
  /^(?:the )?(?:following )?(?:page|url|site|address) is (?:open|opened|loaded)\s?:\s+(?=https?:|\/)/i;

/** What a line says that is nothing but a heading; null for any other line. */
export const sectionOf = (text: string): Line | null => {
  if (text.length > 60 || text.includes('"') || !SECTION.test(text)) return null;
  const title = text
    .replace(/^[#*_>\s]+/, "")
    .replace(/[*_:?\s]+$/, "")
    .toLowerCase();
  // `Then` alone is a keyword without its sentence.
  if (!/[:*_#]/.test(text) && /^(?:then|given|actions|do)$/.test(title)) return null;
  const section = SECTIONS.find(([pattern]) => pattern.test(title));
  if (!section) return null;
  const isActual = section[1] === "actual";
  return { kind: "section", mood: section[1] === "actual" ? null : section[1], isActual };
};

const mayBeLabelled = startingWith("aeiopstvw*_=-");
const mayBeExpecting = startingWith("te");

/** What of a line follows its label, and what the label says of it; null for a line without one. */
export const labelled = (
  text: string,
  isListed: boolean,
): Line | { readonly rest: string } | null => {
  // What a label of what is expected, or of what happened, begins with; then what it ends with.
  const isLabelled = mayBeLabelled(text) && /[:>→⇒–—-]/.test(text);
  if (isLabelled && ACTUAL.test(text)) {
    return {
      kind: "unclear",
      message: "This tells what happened, which is no part of the test: say what should happen.",
    };
  }
  const expected = isLabelled ? (EXPECTED.exec(text) ?? /^(?:=>|->|⇒)\s*(?=\S)/.exec(text)) : null;
  const expecting = expected ?? (mayBeExpecting(text) ? EXPECTING.exec(text) : null);
  if (expecting) {
    return {
      kind: "instruction",
      text: text.slice(expecting[0].length),
      mood: "then",
      isExpected: true,
    };
  }
  if (!text.includes(":")) return null;
  // `url: */orders/*`: with a star it is no address that is opened.
  const url = /^(?:url|address) ?: ?(\S*\*\S*)$/i.exec(text)?.[1];
  if (url !== undefined) {
    return { kind: "instruction", text: `The URL should match ${url}`, mood: "then" };
  }
  const deed = DEED.exec(text);
  if (deed)
    return {
      rest: `${GOING.test(deed[1] ?? "") ? "go to" : deed[1]} ${text.slice(deed[0].length)}`,
    };
  // Among what is done it is opened; above that it only says where.
  if (isListed && ADDRESS.test(text)) return { rest: text.replace(/^[^:]+: ?/, "go to ") };
  if (ADDRESS.test(text)) {
    return { kind: "unclear", message: "Say that it is opened, or that it should be the URL." };
  }
  const system = SYSTEM.exec(text);
  if (system) {
    return { kind: "instruction", text: `The page ${text.slice(system[0].length)}`, mood: "then" };
  }
  if (
    /^(?:test data|data|attachments?|post-?conditions?|dependencies|notes?)\s?: (?:none|n\/?a|nil|-)\.?$/i.test(
      text,
    )
  )
    return { kind: "nothing" };
  const label = LABEL.exec(text);
  if (!label) return null;
  const given = /^(?:pre-?conditions?|pre-?requisites?|pre-?reqs?|set-?up|given)$/i.test(
    label[1] ?? "",
  );
  const rest = text.slice(label[0].length);
  if (/^(?:none|n\/?a|nothing|nil|no|-|–|—)\.?$/i.test(rest)) return { kind: "nothing" };
  const opened = rest.replace(OPENED, "Go to ");
  return given ? { kind: "instruction", text: opened, mood: "given" } : { rest };
};
