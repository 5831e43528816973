import type { Mood } from "../engine/types.ts";

/** Longer lines are not read, so that the time for a text stays bounded. */
export const MAX_LINE_LENGTH = 20_000;

const NUMBERS = "one|two|three|four|five|six|seven|eight|nine|ten";
const ORDINALS = "first|second|third|fourth|fifth|sixth|seventh|eighth|ninth|tenth|last|final";

/** Bullets, numbers, letters and checkboxes before an entry of a list. */
export const BULLET = new RegExp(
  `^(?:${[
    "[-*+•‣◦▪●–—→✓✔✅☐☑▢○·∙■□◆✦►▶➤➜❯]\\s+(?:\\[[ xX]?\\]\\s+)?",
    "\\*\\*\\d{1,3}[.):]\\*\\*\\s+",
    "\\*{2,3}\\s+",
    "o\\s+(?=[A-Z])",
    "\\(step \\d{1,3}\\)\\s+",
    "(?:>{1,3}|»)\\s+(?![=>-])",
    "\\(?\\d{1,3}(?:\\.\\d{1,3})*[a-z]?[.):]\\s+",
    '\\d{1,3}(?:\\.\\d{1,3})+\\s+(?=[A-Z"])',
    '\\d{1,3}[.)](?=[A-Za-z"])',
    "\\d{1,3}\\s*[-–—]\\s+",
    '\\d{1,3}\\s?[/>]\\s+(?=[A-Za-z"])',
    "\\[\\d{1,3}\\]\\s+",
    "\\d{1,2}\\s+(?=(?:Open|Enter|Click|Go|Type|Press|Select|Verify|Check|Fill|Navigate|Visit|Choose)\\s)",
    "#\\d{1,3}[.:)]?\\s+",
    "[①-⑳]\\s*",
    "\\d\\uFE0F?\\u20E3\\s*",
    "\\(?[a-zA-Z]\\)\\s+",
    "(?:[a-hA-H]|[ivx]{1,4})\\.\\s+(?=\\S)",
    "(?:test )?step\\s*[#-]?\\s*\\d{1,3}(?:\\.\\d{1,3})*[a-z]?\\s*[:.)–—-]\\s*",
    "step\\s*\\d{1,3}\\s+(?=[A-Z])",
    `(?:test )?step\\s+(?:${NUMBERS}|[a-h])\\s*[:.)–—-]\\s+`,
    `(?:the )?(?:${ORDINALS}) step\\s*[:–—-]\\s+`,
    "(?:s|ts|st|tst)[-_ ]?\\d{1,2}\\s*[:.)]\\s+(?=[A-Z])",
    "\\[[ xX]?\\]\\s+",
    "\\[(?:pass|passed|ok|done|todo|smoke|sanity|regression|e2e|ui|web|p[0-4])\\]\\s+(?=[^\\s\\[])",
  ].join("|")})`,
  "i",
);

/** Lines that are no part of a test: rulers, comments, tags, the bare number of a step. */
export const IGNORED: readonly RegExp[] = [
  /^(?:[-=_*~]{3,}|```\w*)$/,
  /^#(?:$|[\s#!])/,
  /^#[A-Za-z_]/,
  /^\/\//,
  /^@[\w-]{1,100}(?:\s+@[\w-]{1,100}){0,50}$/,
  /^<!--(?:(?!-->).)*-->$/,
  /^\/\*(?:(?!\*\/).)*\*\/$/,
  /^(?:[-•] |\* |[*_]+)?step\s*#?\d{1,3}\s*[.:)]?[*_]*$/i,
];

/** `#login should be visible`, `//ul/li …`: a selector, and no comment. */
export const SELECTOR_CLAIM =
  /^#[A-Za-z_][\w-]* (?:should|must|is|has|contains|shows|equals|appears)\b|^#\d{1,3}[.:)]?\s+\S|^\/\/[\w*]+(?:\[|\/)/;

/** A comment behind an instruction. */
export const COMMENT = /(?<=[^:\s]\s+)\/\/ [^"]*$/;

export const KEYWORD = /^(Given|When|Then|And|But)\b[,:]?\s*/i;
export const HEADING = /^(?:background|rule|scenario(?: outline)?|examples?)\s*:/i;
export const STORY =
  /^(?:as (?:an?|the)|i (?:want|need|would like|should be able|can|wish)|so that|in order (?:to|that)|to be able)\b/i;
/** Lines above all steps that only tell of the test. */
export const ABOUT =
  /^(?:[*_]{1,2})?(?:title|summary|bug|defect|issue|ticket|user story|test suite|suite|reporter|assignee|labels?|objective|goal|purpose|priority|severity|environment|browser|author|created by|module|component|status|version|test (?:case|scenario|script)(?: (?:id|name|title|no\.?|number|description))?|test (?:id|name|title|objective|summary)|tc(?: id)?|tc[-_ ]?\d{1,6}|name)(?:[*_]{1,2})?\s*:(?:[*_]{1,2})?\s*[^\s"'`]|^id\s*:\s*[a-z]{1,6}[-_ ]?\d{1,6}\s*$|^[A-Z]{2,8}-\d{1,6}\s?[-–—:]\s?\p{L}/iu;
/** `TC-014 Password reset`, `Test case 7 - Change password`. */
export const NUMBERED_TITLE =
  /^(?:[*_#\s]*)(?:TC[-_ ]?\d{1,6}\b|[Tt]est(?: ?[Cc]ase)?[-_ ]#?\d{1,6}\s*[-–—.:])(?!\s*:)\s*[-–—:]?\s*[\p{L}"]/u;
export const GREETING =
  /^(?:hi|hello|dear|hey)\b[^"]{0,40},?$|^please (?:test|run|check) (?:the )?following\s*:$/i;
/** `Sign-in form:`, `To change your address:`: what the lines below are about. */
export const ABOUT_WHAT =
  /^(?!(?:in|on|go|open|fill|enter|submit|complete|verify|check|click|see|the|and|then)\b)[A-Z][\w-]*(?: [\w-]+){0,3} (?:form|page|screen|flow)\s*:$|^(?:to|how to|in order to) (?!do\b)[a-z][a-z' -]{2,60} ?:$/i;
/** `Verify that an item can be renamed`, above the steps that show it. */
export const ABLE =
  /^(?:verify|check|test|ensure|validate|confirm|make sure)(?: that| whether| if)? (?:[\p{L}'-]+ ){1,10}(?:can|could|is able to|are able to|should be able to|is possible|works|work|may)(?: [\p{L}'-]+){0,12}\.?$/iu;

const RESULT = "results?|behaviou?rs?|outcomes?|outputs?|states?|ui|messages?|responses?|effects?";

/** Headings of reports and manual tests, and the mood of the lines below them. */
export const SECTIONS: readonly (readonly [RegExp, Mood | "actual" | "do"])[] = [
  [
    /^(?:(?:test(?:ing)?|qa|verification|reproduction|repro|detailed|execution|manual) )?(?:steps|actions|procedure|instructions)(?: (?:to|for) (?:reproduce|recreate|replicate|trigger|test|follow|execute|perform|take|verify|check|reproduction))?(?: the (?:bug|behaviou?r|issue|problem|defect|test))?$/,
    "do",
  ],
  [
    /^(?:(?:to|how to) (?:reproduce|recreate|replicate|test|verify)(?: (?:the |this )?(?:bug|behaviou?r|issue|problem|defect|it))?|repro|(?:the )?steps (?:taken|are|below)|test (?:case|script|scenario|flow)|str|reproduction|when|flow|user flow|(?:main|happy|basic) (?:flow|path)|arrange|act|test|execution|do|what (?:i|we) did|script)$/,
    "do",
  ],
  [
    new RegExp(
      `^(?:the )?expected(?: (?:${RESULT}))?$|^(?:expectations?|acceptance criteria|verifications?|assertions?|checks?|then|verify|assert|validate|(?:pass|success) criteria|post-?conditions?|what (?:should|must) happen|er)$`,
    ),
    "then",
  ],
  [/^(?:pre-?conditions?|prerequisites?|pre-?reqs?|set-?up|given|preparation)$/, "given"],
  [
    new RegExp(
      `^(?:actual|current|observed)(?: (?:${RESULT}))?$|^what (?:actually )?happen(?:s|ed)(?: instead)?$|^(?:(?:your |test )?environment|desktop|smartphone|versions?|describe the (?:bug|issue|problem)|(?:bug|issue|problem) description|additional (?:context|information|info|notes?)|screenshots?|notes?|logs?|workarounds?|root cause|impact)$`,
    ),
    "actual",
  ],
];

/** Labels before an instruction, and the mood that they give it. */
export const LABELS: readonly (readonly [RegExp, Mood | "actual" | "do"])[] = [
  [new RegExp(`^(?:actual|observed|current)(?: (?:${RESULT}))?\\s?[:–-]\\s*`, "i"), "actual"],
  [
    new RegExp(
      `^(?:[*_]{1,2})?(?:(?:the )?(?:expected|exp\\.?)(?: (?:${RESULT}))?(?: #?\\d{1,2})?|expect|expectation|result|outcome|verification|assertion|er|post-?conditions?|(?:pass|success) criteri(?:a|on)|what (?:should|must) happen)(?:[*_]{1,2})?\\s?(?::|=>|->|→|–|—|-(?=\\s))(?:[*_]{1,2})?\\s*(?=\\S)`,
      "i",
    ),
    "then",
  ],
  [
    new RegExp(
      `^(?:the )?expected (?:${RESULT}) (?:is|was|would be|should be)(?: that)? (?=\\S)`,
      "i",
    ),
    "then",
  ],
  [/^(?:=>|->|⇒)\s*(?=\S)/, "then"],
  [
    /^(?:[*_]{1,2})?(?:pre-?conditions?|pre-?requisites?|pre-?reqs?|set-?up)(?:[*_]{1,2})?\s?:(?:[*_]{1,2})?\s+(?=\S)/i,
    "given",
  ],
  [
    /^(?:[*_]{1,2})?(?:actions?|steps?|do|act|task|arrange|test steps?|procedure|to reproduce|steps to reproduce|repro(?: steps)?|str)(?:[*_]{1,2})?\s?:(?:[*_]{1,2})?\s+(?=\S)/i,
    "do",
  ],
];

export const NONE = /^(?:none|n\/?a|nothing|nil|no|-|–|—)\.?$/i;

/** A sign that a line may hold two instructions, and the mark between them. */
export const DIVIDED = /expect|result/i;
export const OUTCOME =
  /(?<=\S)\s*(?:[-–—>|;.]+|=>|->|→)?\s*[([]?\s*(?=(?:expected(?: (?:result|outcome|behaviou?r))?|ER|result)\s?:)/i;

/** Columns of a table of steps. */
export const COLUMNS: readonly (readonly [RegExp, Mood | "do" | null])[] = [
  [
    /^(?:test )?(?:steps?(?: (?:description|to (?:perform|execute)))?|actions?|step action|instructions?|procedure|do|description)$/i,
    "do",
  ],
  [/^expected(?: (?:results?|outcomes?|behaviou?rs?))?$/i, "then"],
];

/** A column of texts for the steps beside it. */
export const DATA_COLUMN = /^(?:test |input )?data$/i;

/** Values of a form that are no text. */
export const VALUES: readonly (readonly [RegExp, string])[] = [
  [/^(?:checked|ticked)$/i, "check"],
  [/^(?:unchecked|unticked)$/i, "uncheck"],
  [/^(?:empty|blank)$/i, "clear"],
];

export const FIELD_HEAD = /^(?:fields?|field names?|labels?|inputs?|form fields?)$/i;
/** `I fill in the following:`, above a list of fields and texts. */
export const FOLLOWED =
  /^(?:i |the user )?(?:fill|enter|complete|provide)s?\b[^"]{0,60}(?:following|form|fields?|details|values?|data|information)?[^"]{0,40}:\s*$/i;
export const PAIR = /^"?([^:="]{1,60}?)"?\s*(?::|=)\s+(\S.*)$/;
/** `**Given** I …`, `**Step 1:** …`: an emphasised label. */
export const EMPHASISED =
  /^([*_]{1,3})((?:given|when|then|and|but)|[a-z][a-z ]{1,24}(?:\d{1,3}\.|\d{0,3}\s?[:)]))\1\s*:?\s*(?=\S)/i;

/** `QA note: …`, `TC 12.3: …`, `Retest SUP-901: …`: a label that says nothing of the test. */
export const NOTE =
  /^(?:\[[x ]?\] +|(?:qa(?: note)?|repro(?:duction)?|retest|regression|smoke(?: test)?|tc|tip|hint|sanity check|quick check|test)\b[ \w.-]{0,14}: +)(?=\S)/i;
