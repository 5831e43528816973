import { parseEnglish } from "../src/domain/english/index.ts";
import { parseText } from "../src/domain/english/parse.ts";
import {
  heldOutParts,
  judge,
  type Parse,
  type Part,
  readCorpus,
  seenParts,
  type Verdict,
} from "../test/corpus/english/corpus.ts";

/**
 * Scores the grammars on the corpus, part by part. Of held-out parts it prints counts only. A suggestion is right if it
 * comes to the steps that the entry means. Speeds are ratios of one run: processor time, both grammars in turn.
 */
const grammars: readonly (readonly [name: string, parse: Parse])[] = [
  ["current", parseEnglish],
  ["chart", parseText],
];

type Score = Record<Verdict, number> & { entries: number; suggested: number };

const isSuggested = (example: ReturnType<typeof readCorpus>[number], parse: Parse): boolean =>
  parse(example.text).warnings.some(({ suggestions }) =>
    suggestions.some(
      (text) =>
        judge({ ...example, text: text.replace(/ \(leaves out: .*\)$/, "") }, parse) === "right",
    ),
  );

const scoreOf = (part: Part, parse: Parse): Score => {
  const score: Score = { entries: 0, right: 0, warned: 0, "silently wrong": 0, suggested: 0 };
  for (const example of readCorpus(part)) {
    const verdict = judge(example, parse);
    score.entries++;
    score[verdict]++;
    if (verdict === "warned" && isSuggested(example, parse)) score.suggested++;
  }
  return score;
};

const percent = (count: number, of: number): string =>
  of === 0 ? "–" : `${((100 * count) / of).toFixed(1)} %`;

const print = (cells: readonly string[]): void =>
  void process.stdout.write(
    `${cells.map((cell, at) => cell.padEnd(at === 0 ? 18 : 13)).join("")}\n`,
  );

print(["part", "grammar", "entries", "right", "asked", "silently", "suggested"]);
for (const part of [...seenParts, ...heldOutParts]) {
  for (const [name, parse] of grammars) {
    const { entries, right, warned, suggested, ...rest } = scoreOf(part, parse);
    const wrong = String(rest["silently wrong"]);
    print([
      part,
      name,
      String(entries),
      percent(right, entries),
      String(warned),
      wrong,
      percent(suggested, warned),
    ]);
  }
}

const texts = seenParts.flatMap((part) => readCorpus(part).map(({ text }) => text));
const lines = texts.reduce((count, text) => count + text.split("\n").length, 0);
const speeds = grammars.map(([, parse]) => {
  const from = process.cpuUsage();
  for (const text of texts) parse(text);
  return lines / (process.cpuUsage(from).user / 1e6);
});
const [current = 1, chart = 0] = speeds;
process.stdout.write(
  `\n${Math.round(chart)} lines per second, ${(chart / current).toFixed(2)} times the current grammar\n`,
);
