import { parseEnglish } from "../src/domain/english/index.ts";
import {
  heldOutParts,
  judge,
  type Part,
  readCorpus,
  seenParts,
  type Verdict,
} from "../test/corpus/english/corpus.ts";

/**
 * Scores the grammar on the corpus, part by part. Of held-out parts it prints counts only. Suggestions are right if the text
 * with one of them in place of each line that is asked about comes to the steps that the entry means. The speed is in processor time.
 */

type Score = Record<Verdict, number> & { entries: number; suggested: number };

const MAX_REPAIRED = 3;

/** The texts in which a suggestion stands in place of each line that is asked about. */
const repaired = (text: string): readonly string[] => {
  const { warnings } = parseEnglish(text);
  if (warnings.length > MAX_REPAIRED) return [];
  return warnings.reduce<readonly string[]>(
    (texts, { line, suggestions }) =>
      texts.flatMap((each) => suggestions.map((sentence) => withLine(each, line, sentence))),
    [text],
  );
};

const withLine = (text: string, line: number, sentence: string): string =>
  text
    .split("\n")
    .map((each, at) => (at + 1 === line ? sentence.replace(/ \(leaves out: .*\)$/, "") : each))
    .join("\n");

const isSuggested = (example: ReturnType<typeof readCorpus>[number]): boolean =>
  repaired(example.text).some((text) => judge({ ...example, text }) === "right");

const scoreOf = (part: Part): Score => {
  const score: Score = { entries: 0, right: 0, warned: 0, "silently wrong": 0, suggested: 0 };
  for (const example of readCorpus(part)) {
    const verdict = judge(example);
    score.entries++;
    score[verdict]++;
    if (verdict === "warned" && isSuggested(example)) score.suggested++;
  }
  return score;
};

const percent = (count: number, of: number): string =>
  of === 0 ? "–" : `${((100 * count) / of).toFixed(1)} %`;

const print = (cells: readonly string[]): void =>
  void process.stdout.write(
    `${cells.map((cell, at) => cell.padEnd(at === 0 ? 18 : 13)).join("")}\n`,
  );

print(["part", "entries", "right", "asked", "silently", "suggested"]);
for (const part of [...seenParts, ...heldOutParts]) {
  const { entries, right, warned, suggested, ...rest } = scoreOf(part);
  const wrong = String(rest["silently wrong"]);
  print([
    part,
    String(entries),
    percent(right, entries),
    String(warned),
    wrong,
    percent(suggested, warned),
  ]);
}

const texts = seenParts.flatMap((part) => readCorpus(part).map(({ text }) => text));
const lines = texts.reduce((count, text) => count + text.split("\n").length, 0);
const from = process.cpuUsage();
for (const text of texts) parseEnglish(text);
const speed = lines / (process.cpuUsage(from).user / 1e6);
process.stdout.write(`\n${Math.round(speed)} lines per second\n`);
