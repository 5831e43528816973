import { TOLD } from "./inflections.ts";
import { isEnd } from "./purposes.ts";
import type { Token } from "./words.ts";

/** Written out: a copy by spreading has another shape than other tokens, and all that reads them is slower. */
const said = ({ start, end }: Token, text: string): Token => ({
  kind: "word",
  text,
  lower: text,
  start,
  end,
});
const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");

/** What stands before a verb that tells what was done. */
export const TELLING = new Set(["have", "has", "had", "already", "just"]);

/** `I clicked "Save"`, `clicking "Save"`, `populates …` → `click "Save"`; null when nothing is told. */
export const inPresent = (tokens: readonly Token[]): readonly Token[] | null => {
  const from = TELLING.has(word(tokens[0])) ? 1 : 0;
  const first = tokens[from];
  const present = TOLD.get(word(first));
  const isMore = tokens.length > from + 1;
  return first && present && isMore ? [said(first, present), ...tokens.slice(from + 1)] : null;
};

const CONTRACTED: Readonly<Record<string, readonly [string, string | null]>> = {
  "i'm": ["i", "am"],
  "we're": ["we", "are"],
  "you're": ["you", "are"],
  "they're": ["they", "are"],
  "i've": ["i", "have"],
  "we've": ["we", "have"],
  "there's": ["there", "is"],
  "i'll": ["i", "will"],
};

/** Words that are said in others. */
const REPLACED = new Set([...Object.keys(CONTRACTED), "shall"]);

const ATTRIBUTE = /^[a-z][a-z-]*=$/;

/** `the attribute alt="Acme"` → `the attribute alt = "Acme"`. */
export const withSigns = (tokens: readonly Token[]): readonly Token[] => {
  if (!tokens.some((one) => one.lower === "attribute")) return tokens;
  const at = tokens.findIndex(
    (token, index) =>
      token.kind === "word" && ATTRIBUTE.test(token.text) && tokens[index + 1]?.kind === "quoted",
  );
  const token = tokens[at];
  if (!token) return tokens;
  const name = token.text.slice(0, -1);
  return [
    ...tokens.slice(0, at),
    { ...said(token, name), end: token.end - 1 },
    { ...said(token, "="), start: token.end - 1 },
    ...tokens.slice(at + 1),
  ];
};

const replaced = (tokens: readonly Token[]): readonly Token[] =>
  tokens.flatMap((token) => {
    if (token.kind !== "word" || !REPLACED.has(token.lower)) return [token];
    const [one, two] = CONTRACTED[token.lower] ?? ["should", null];
    return two === null ? [said(token, one)] : [said(token, one), said(token, two)];
  });

/** `I'm on /login` → `I am on /login`; `we shall see` → `we should see`. */
export const expanded = (tokens: readonly Token[]): readonly Token[] => {
  const all = tokens.some(({ lower }) => REPLACED.has(lower)) ? replaced(tokens) : tokens;
  let cues = 0;
  for (const token of all) cues |= REWORDED.get(token.lower) ?? 0;
  if (cues === 0) return all;
  // "Ought to" comes to "should".
  const bound = (cues & CUE.oblige) === 0 ? all : obliged(all);
  const timed = (cues & (CUE.when | CUE.oblige)) === 0 ? bound : withoutWhen(bound);
  const plain = (cues & CUE.look) === 0 ? timed : withoutLooks(timed);
  return (cues & CUE.wait) === 0 ? plain : withoutLimit(plain);
};

/** `ought to see`, `is supposed to be` → `should …`. */
const OBLIGED: readonly (readonly string[])[] = [
  ["ought", "to"],
  ["is", "supposed", "to"],
  ["are", "supposed", "to"],
  ["am", "supposed", "to"],
  ["is", "expected", "to"],
  ["are", "expected", "to"],
  ["is", "meant", "to"],
];
const OBLIGES = new Set(["ought", "supposed", "expected", "meant"]);

const obliged = (tokens: readonly Token[]): readonly Token[] => {
  for (const words of OBLIGED) {
    const at = tokens.findIndex((_, start) =>
      words.every((one, index) => word(tokens[start + index]) === one),
    );
    const first = tokens[at];
    if (at >= 0 && first && at + words.length < tokens.length) {
      return [...tokens.slice(0, at), said(first, "should"), ...tokens.slice(at + words.length)];
    }
  }
  return tokens;
};

const LOOKS = new Set(
  [
    "big small large huge tiny little wide narrow bold bright dark light round",
    "red green blue yellow orange purple violet pink black white grey gray brown",
    "primary secondary blueish greenish colored coloured",
  ]
    .join(" ")
    .split(" "),
);

const CUE = { oblige: 1, look: 2, when: 4, wait: 8 } as const;

/** Without one of these nothing of what follows applies. */
const REWORDED = new Map<string, number>([
  ...[...OBLIGES].map((said): [string, number] => [said, CUE.oblige]),
  ...[...LOOKS].map((said): [string, number] => [said, CUE.look]),
  ...["still", "now", "also", "already", "should", "must", "will", "shall"].map(
    (said): [string, number] => [said, CUE.when],
  ),
  ...["wait", "waits"].map((said): [string, number] => [said, CUE.wait]),
]);

/** `the big green "Save" button` → `the "Save" button`: how it looks is no part of what it is called. */
const withoutLooks = (tokens: readonly Token[]): readonly Token[] => {
  const at = tokens.findIndex(
    (token, index) => index > 0 && LOOKS.has(word(token)) && token.text === token.lower,
  );
  if (at < 0 || !/^(?:the|a|an)$/.test(word(tokens[at - 1]))) return tokens;
  let end = at + 1;
  while (LOOKS.has(word(tokens[end])) || tokens[end]?.text === ",") end++;
  const next = tokens[end];
  const isName = next?.kind === "quoted" || (next?.kind === "word" && /^\p{Lu}/u.test(next.text));
  return isName ? [...tokens.slice(0, at), ...tokens.slice(end)] : tokens;
};

/** `Wait up to 10 seconds for "A"` → `wait for "A"`: how long is waited at most is a setting of the run. */
const withoutLimit = (tokens: readonly Token[]): readonly Token[] => {
  if (!/^waits?$/.test(word(tokens[0]))) return tokens;
  const isUpTo =
    (word(tokens[1]) === "up" && word(tokens[2]) === "to") ||
    (word(tokens[1]) === "at" && word(tokens[2]) === "most");
  const [first] = tokens;
  if (first && isUpTo && /^(?:for|until|till)$/.test(word(tokens[5]))) {
    return [first, ...tokens.slice(5)];
  }
  // `wait for up to 10 seconds until …`, `wait for "A" for up to 10 seconds`, `… (up to 10 seconds)`
  const isForUpTo = ["for", "up", "to"].every((one, at) => word(tokens[at + 1]) === one);
  if (first && isForUpTo && /^(?:for|until|till)$/.test(word(tokens[6]))) {
    return [first, ...tokens.slice(6)];
  }
  const to = tokens.findIndex(
    (token, at) =>
      at > 2 &&
      /^(?:to|most|of|max)$/.test(word(token)) &&
      /^(?:seconds?|secs?|s|minutes?)$/.test(word(tokens[at + 2])),
  );
  let from = to - 1;
  if (to < 0 || !/^(?:up|at|maximum|max)$/.test(word(tokens[from]))) return tokens;
  while (/^(?:for|a|,|\()$/.test(tokens[from - 1]?.lower ?? "")) from--;
  const isLast = tokens.slice(to + 3).every((token) => token.kind === "mark");
  return isLast && from > 2 ? tokens.slice(0, from) : tokens;
};

const MODAL = /^(?:should|must|will|shall)$/;
const SAYS = /^(?:has|have|is|are|shows|show|contains|contain|says|reads|displays)$/;
const WHEN = /^(?:now|also|still|then|immediately|automatically|subsequently|again|instead)$/;

/** `should now end with` → `should end with`. */
const withoutWhen = (tokens: readonly Token[]): readonly Token[] => {
  const early = tokens.findIndex(
    (token, index) =>
      index > 0 &&
      /^(?:still|now|also|already)$/.test(word(token)) &&
      SAYS.test(word(tokens[index + 1])),
  );
  if (early > 0 && early + 2 < tokens.length) {
    return [...tokens.slice(0, early), ...tokens.slice(early + 1)];
  }
  const at = tokens.findIndex((token) => MODAL.test(word(token)));
  if (at < 0 || !WHEN.test(word(tokens[at + 1])) || at + 2 >= tokens.length) return tokens;
  return [...tokens.slice(0, at + 1), ...tokens.slice(at + 2)];
};

const STATE =
  /^(?:visible|shown|displayed|present|hidden|gone|enabled|disabled|checked|ticked|unchecked|unticked|selected|empty|blank|open|closed|page|screen|top|bottom|view|below|forward|back|clicked|pressed|loaded)$/;
const ADDRESS = /^(?:https?:\/\/|\/)\S*$/i;
const TAILS = [
  ["again"],
  ["by", "default"],
  ["as", "well"],
  ["too"],
  ["immediately"],
  ["right", "away"],
  ["successfully"],
  ["correctly"],
  ["properly"],
  ["instead"],
  ["first"],
  ["anywhere"],
  ["at", "all"],
  ["now"],
  ["as", "expected"],
  ["manually"],
  ["there"],
  ["afterwards"],
  ["afterward"],
  ["again", "afterwards"],
];

const LAST = new Set(TAILS.map((words) => words.at(-1) ?? ""));

/** One of these is in every clause that is said in other words here, or without its end. */
export const WORDED: readonly string[] = [...LAST, ...REPLACED, ...REWORDED.keys(), "attribute"];

/** `… the Save button again`, `… is checked by default`, when what comes before has ended for certain. */
export const withoutTail = (tokens: readonly Token[]): readonly Token[] => {
  if (!LAST.has(word(tokens.at(-1)))) return tokens;
  const tail = TAILS.find((words) =>
    words.every((one, index) => word(tokens.at(index - words.length)) === one),
  );
  if (!tail || tokens.length < tail.length + 2) return tokens;
  const last = tokens.at(-tail.length - 1);
  const isOver = isEnd(last) || STATE.test(word(last)) || ADDRESS.test(word(last));
  return isOver ? tokens.slice(0, -tail.length) : tokens;
};

/** Words that say how often. */
export const TIMES: ReadonlyMap<string, number> = new Map([
  ["once", 1],
  ["twice", 2],
  ["thrice", 3],
]);
/** What a clause that is repeated ends with. */
const REPEATING = /^(?:once|twice|thrice|times|x\d{1,4}|\d{1,4}x)$/;

/** How often a clause is done, and the clause without it: `… twice`, `… 3 times in a row`, `… x3`; null when it does not say. */
export const repeatsOf = (
  tokens: readonly Token[],
  numberOf: (text: string) => number | null,
): { readonly tokens: readonly Token[]; readonly times: number } | null => {
  const isRow =
    word(tokens.at(-1)) === "row" &&
    word(tokens.at(-2)) === "a" &&
    word(tokens.at(-3)) === "in" &&
    tokens.length > 3;
  const all = isRow ? tokens.slice(0, -3) : tokens;
  // `Click twice on "Next"`
  const early = TIMES.get(word(all[1]));
  if (early !== undefined && all.length > 2) {
    return { tokens: [...all.slice(0, 1), ...all.slice(2)], times: early };
  }
  const last = word(all.at(-1));
  // `Go back two pages`
  if (/^(?:pages|steps|screens)$/.test(last) && /^(?:back|forward)$/.test(word(all.at(-3)))) {
    const pages = all.length < 6 ? numberOf(word(all.at(-2))) : null;
    return pages === null ? null : { tokens: all.slice(0, -2), times: pages };
  }
  if (all.length < 2 || !REPEATING.test(last)) return null;
  const often = TIMES.get(last);
  if (often !== undefined) return { tokens: all.slice(0, -1), times: often };
  const figure = /^(?:x(\d{1,4})|(\d{1,4})x)$/.exec(last);
  if (figure) return { tokens: all.slice(0, -1), times: Number(figure[1] ?? figure[2]) };
  const times = last === "times" ? numberOf(word(all.at(-2))) : null;
  return times === null ? null : { tokens: all.slice(0, -2), times };
};
