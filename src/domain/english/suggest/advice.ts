/** Why a sentence gives no step, and at most three sentences that the grammar reads instead. */
export type Advice = { readonly message: string; readonly suggestions: readonly string[] };

type Row = {
  readonly example: string;
  readonly pattern: RegExp;
  readonly message: string;
  /** Sentences of the matched groups. */
  instead(...groups: readonly string[]): readonly string[];
};

const QUOTED = '["\u201c]([^"\u201c\u201d]{1,200})["\u201d]';
const VERBS = "click|tap|double-click|right-click|hover";
const POINT = "\\(?(\\d{1,5})(?:px)? ?, ?(\\d{1,5})(?:px)?\\)?";
const pattern = (source: string): RegExp => new RegExp(`^(?:please )?${source}\\.?$`, "i");

/** Wishes that no step expresses as they are written. */
export const adviceRows: readonly Row[] = [
  {
    example: 'Replace "foo" with "bar" in the Notes field',
    pattern: pattern(
      `(?:replace|substitute) ${QUOTED} (?:with|by) ${QUOTED} (?:in|of|inside) (?:the )?(.{1,100}? (?:field|box|area|textarea|input))`,
    ),
    message: "A field is filled as a whole: write everything that it should contain.",
    instead: (_old, text, field) => [`Set the ${field} to "${text}"`],
  },
  {
    example: "Click at position 100,200",
    pattern: pattern(
      `(${VERBS})(?: (?:at|on|over))?(?: the)?(?: (?:position|point|coordinates?|location))? ${POINT}(?: (?:of|on|in) the page)?`,
    ),
    message: "A position on the page is written as a point in backticks; an element is safer.",
    instead: (verb, x, y) => [
      `${verb} \`point ${x},${y}\``,
      `${verb} \`point ${x},${y} of "Map"\``,
    ],
  },
  {
    example: 'Double-click at (20, 30) of the "Map" image',
    pattern: pattern(
      `(${VERBS})(?: (?:at|on|over))?(?: the)?(?: (?:position|point|coordinates?|location))? ${POINT} (?:of|on|in|inside) (.{1,100})`,
    ),
    message: "A position in an element is written as a point in backticks.",
    instead: (verb, x, y, element) => [`${verb} \`point ${x},${y} of ${element}\``],
  },
  {
    example: 'Drag "Card" to the right of "Done"',
    pattern: pattern(
      `(drag|move) (.{1,100}?) (?:and drop it )?(?:to|on|onto) the (left|right) (?:side )?of (.{1,100})`,
    ),
    message: "A place beside an element is written in backticks.",
    instead: (_verb, element, side, place) => [`Drag ${element} to \`${side} of ${place}\``],
  },
  {
    example: 'Drag the "Card" item above "Done"',
    pattern: pattern(`(drag|move) (.{1,100}?) (?:and drop it )?(above|below) (.{1,100})`),
    message: "A place beside an element is written in backticks.",
    instead: (_verb, element, side, place) => [`Drag ${element} to \`${side} ${place}\``],
  },
  {
    example: 'Verify that clicking "Help" opens a new tab',
    pattern: pattern(
      `(?:verify|check|ensure|confirm|make sure|assert|expect)(?: that)? (?:clicking|a click)(?: on)? (.{1,100}?) (?:opens|should open|will open|leads to) (?:up )?(?:a|the) new (?:browser )?(?:tab|window)`,
    ),
    message: "A new tab is seen by switching to it: the step fails if none opens.",
    instead: (element) => [`Click ${element}. Switch to the new tab`],
  },
  {
    example: 'Click "Help" and verify that a new tab opens',
    pattern: pattern(
      `(?:click|tap)(?: on)? (.{1,100}?) and (?:verify|check|ensure|confirm|make sure|see|expect)?(?: that)? ?(?:a|the) new (?:browser )?(?:tab|window) (?:opens|is opened|has opened|appears)`,
    ),
    message: "A new tab is seen by switching to it: the step fails if none opens.",
    instead: (element) => [`Click ${element}. Switch to the new tab`],
  },
];

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

/** Advice for a sentence that no step expresses; null for any other sentence. */
export const adviceFor = (sentence: string): Advice | null => {
  if (sentence.length > 400) return null;
  for (const { pattern, message, instead } of adviceRows) {
    const [, ...groups] = pattern.exec(sentence.trim()) ?? [];
    if (groups.length > 0) return { message, suggestions: instead(...groups).map(capital) };
  }
  return null;
};
