import { GERUNDS } from "./inflections.ts";
import { spoken } from "./phrases.ts";
import type { Token } from "./words.ts";

const word = (token: Token | undefined): string => (token?.kind === "word" ? token.lower : "");

/** What a request begins with before it says what is to be done. */
const LEADS: readonly (readonly string[])[] = [
  "go ahead and|would like you to|would like to|want you to|want to|need you to|need to|wish to",
  "have to|try to|proceed to|i'd like you to|i'd like to|we'd like you to|we'd like to|i want you to",
  "i want to|i need you to|i need to|i would like you to|i would like to|we would like to|we want to",
  "we need to|you need to|you want to|you have to|you can|you may|you will need to|you'll need to",
  "could you|can you|would you|will you|i am going to|we are going to|i'm going to|let us|let's",
  "your task is to|attempt to|i try to|user tries to|the user tries to|the user wants to",
]
  .flatMap((line) => line.split("|"))
  .map((words) => words.split(" "))
  .sort((one, other) => other.length - one.length);

const BY_FIRST = new Map<string, (readonly string[])[]>();
for (const lead of LEADS) {
  const [first = ""] = lead;
  const known = BY_FIRST.get(first) ?? [];
  known.push(lead);
  BY_FIRST.set(first, known);
}

const SOFT = new Set(["please", "kindly", "now", "then", "next", "just", "simply"]);
/** A deed that may follow a request: `I want to see "A"` tells more than `want to`. */
const ASKING = /^(?:could|can|would|will)$/;
/** `Do you see …`, `Can you find …` ask for a claim, and have forms of their own. */
const LOOKING = /^(?:see|find|notice|spot)$/;
const ENDS: readonly (readonly string[])[] = [
  ["please"],
  ["for", "me"],
  ["for", "us"],
  ["thanks"],
  ["thank", "you"],
];
const LAST = new Set(ENDS.map((words) => words.at(-1) ?? ""));

const ASKED = /^(?:you|tester|someone|somebody|we)$/;

/** Whether a sentence asks somebody to do something: its question mark asks nothing. */
export const isRequest = (tokens: readonly Token[]): boolean => {
  const start = SOFT.has(word(tokens[0])) ? 1 : 0;
  const whom = word(tokens[start + 1]) === "the" ? start + 2 : start + 1;
  return ASKING.test(word(tokens[start])) && ASKED.test(word(tokens[whom]));
};

/** `Could you please click "Save" for me` → `click "Save"`: courtesy says nothing of what is done. */
export const withoutCourtesy = (all: readonly Token[]): readonly Token[] => {
  let tokens = all;
  for (let rounds = 0; rounds < 4; rounds++) {
    const next = withoutLead(tokens);
    if (next === tokens) break;
    tokens = next;
  }
  for (let rounds = 0; rounds < 2; rounds++) {
    if (!LAST.has(word(tokens.at(-1)))) break;
    const end = ENDS.find((words) =>
      words.every((one, index) => word(tokens.at(index - words.length)) === one),
    );
    if (!end || tokens.length < end.length + 2) break;
    tokens = tokens.slice(0, -end.length);
    if (tokens.at(-1)?.kind === "mark" && tokens.at(-1)?.text === ",") tokens = tokens.slice(0, -1);
  }
  return tokens;
};

const withoutLead = (tokens: readonly Token[]): readonly Token[] => {
  const first = word(tokens[0]);
  if (!FIRST.has(first)) return tokens;
  if (SOFT.has(first) && tokens.length > 2 && startsLead(tokens, 1)) return tokens.slice(1);
  if ((first === "please" || first === "kindly") && tokens.length > 2) return tokens.slice(1);
  const claimed = first === "make" && word(tokens[1]) === "sure" ? 2 : CLAIMING.has(first) ? 1 : 0;
  // `Ensure no error is shown`: without "that" it begins no name.
  if (claimed > 0) {
    return tokens[claimed]?.text === "no"
      ? [...tokens.slice(0, claimed), spoken("that"), ...tokens.slice(claimed)]
      : tokens;
  }
  const gerund = word(tokens[3]);
  const isMind = ["would", "you", "mind"].every((one, at) => word(tokens[at]) === one);
  const verb = isMind ? GERUNDS.get(gerund) : undefined;
  const [one] = tokens.slice(3);
  if (one && verb) {
    const { kind, start, end } = one;
    return [{ kind, text: verb, lower: verb, start, end }, ...tokens.slice(4)];
  }
  const lead = leadAt(tokens, 0);
  if (!lead || tokens.length < lead.length + 2) return tokens;
  const next = word(tokens[lead.length]);
  if (ASKING.test(first) && LOOKING.test(next)) return tokens;
  return tokens.slice(lead.length);
};

const CLAIMING = new Set("verify ensure check confirm assert validate".split(" "));
/** Words that a request can begin with. */
const FIRST = new Set([...SOFT, ...CLAIMING, "make", ...BY_FIRST.keys()]);

const startsLead = (tokens: readonly Token[], at: number): boolean =>
  word(tokens[at]) === "please" || word(tokens[at]) === "kindly" || leadAt(tokens, at) !== null;

const leadAt = (tokens: readonly Token[], at: number): readonly string[] | null => {
  const known = BY_FIRST.get(word(tokens[at]));
  return (
    known?.find((words) => words.every((one, index) => word(tokens[at + index]) === one)) ?? null
  );
};
