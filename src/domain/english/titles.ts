import type { StepInput } from "../catalogue/step.ts";
import { withoutBullets } from "./bullets.ts";
import { baseOf } from "./inflections.ts";
import type { Instruction, Warn } from "./instruction.ts";

/** What a claim has in it that only names what the lines below show. */
const CLAIMING =
  /\b(?:should|must|shall|cannot|can|could|is|are|was|gets?|stays?|remains?|works?|fails?|appears?|shows?|opens?|closes?|becomes?|has|have|won't|doesn't|isn't|aren't|able)\b/i;
/** With one of these it says where, when, how often or for whom the lines below are done. */
const MATTERS =
  /(?:^|[^\p{L}])(?:if|unless|when|whenever|while|once|after|before|repeat\w*|every|each|twice|times|again|same|instead|optional\w*|either|or|else|otherwise|known|alternative\w*|logged|signed|mobile|phone|tablet|desktop|wait|skip\w*|currently|actual|actually|bug|issue|note|admin|guest|the following|these|this|below|follows)(?=$|[^\p{L}])/iu;
const PLACED =
  /^(?:in|on|at|under|within|inside|from|below|above|near|with|using|as|for|to|via|through|by|into|upon|given|and|then|but|expected|result|i|we|you)\b/i;
/** How things are before anything is done: nobody knows how they come to be so. */
const GIVEN =
  /\b(?:is|are|has|have|was|were) (?:been |already |currently )?(?:open|opened|loaded|empty|full|available|set|configured|running|installed|created|added|selected|displayed|visible|shown|slow|broken)\s*$/i;
const SEEN =
  /\b(?:should|must|is|are|isn't|appears?|disappears?|shows?|reads|says|contains|has|verify|check|expect|ensure|visible|hidden|see)\b|^\W*(?:->|=>|→)/i;
const VIEWING = /^(?:verify|ensure|assert|observe|check|look|read|see|expect|confirm|validate)$/;
const ADDRESS = /^(?:https?:\/\/|\/)\S+$/i;
const MAX_BELOW = 12;

const plain = (raw: string): string => withoutBullets(raw.trim()).trim();

const isDeed = (line: string): boolean => {
  const [first = ""] = line.toLowerCase().split(/[\s:]/);
  const base = baseOf(first);
  return ADDRESS.test(line) || (base !== null && !VIEWING.test(base));
};

/** The names in quotes and the figures of a line. */
const saidIn = (text: string): readonly string[] =>
  [...text.matchAll(/"([^"]+)"|(\d[\d.,:/-]*\d|\d)/g)].map(
    ([, name, figure]) => name ?? figure ?? "",
  );

/**
 * Whether a line that ends with a colon only names what the lines below it show: `"Pay" must stay disabled until the
 * terms are accepted:`, where what it names is named below again, done and looked at. Such a line needs not be understood.
 */
export const isTitle = (lines: readonly string[], index: number): boolean => {
  const raw = lines[index] ?? "";
  if (raw.length > 160) return false;
  const said = plain(raw).replace(/\s*:[*_\s]*$/, "");
  const bare = said.replaceAll(/"[^"]*"/g, "x");
  const isOver =
    !CLAIMING.test(bare) ||
    MATTERS.test(bare) ||
    PLACED.test(bare) ||
    GIVEN.test(bare) ||
    /[<>{}[\]$=@`;]/.test(bare);
  if (isOver || bare.split(/\s+/).length > 18) return false;
  const first = bare.split(/\s/)[0]?.toLowerCase() ?? "";
  const base = baseOf(first);
  if (base === first && !VIEWING.test(base)) return false;
  const below: string[] = [];
  for (let at = index + 1; at < lines.length && below.length < MAX_BELOW; at++) {
    const line = plain(lines[at] ?? "");
    if (line.endsWith(":")) break;
    if (line !== "") below.push(line);
  }
  const all = below.join("\n");
  return (
    below.some(isDeed) &&
    below.some((line) => SEEN.test(line)) &&
    saidIn(said).every((name) => all.includes(name))
  );
};

type Said = Omit<Instruction, "last">;

/** Reads what names the lines below it: when nothing of it is understood, they say all of it. */
export function* readTitle(
  read: (said: Said, warn: Warn) => Iterable<undefined>,
  said: Said,
  steps: readonly StepInput[],
  warn: Warn,
): Generator<undefined> {
  const from = steps.length;
  const warned: Parameters<Warn>[] = [];
  yield* read(said, (...args) => void warned.push(args));
  if (steps.length > from) for (const args of warned) warn(...args);
}
