import { partsOf, type Trace } from "../src/domain/english/engine/types.ts";
import { englishGrammar, parseEnglish, readSentence } from "../src/domain/english/parse.ts";

/** Prints how the grammar reads each sentence: the rules by span, their slots, and the steps. */
const print = (text: string): void => void process.stdout.write(`${text}\n`);

const printTrace = ({ rule, from, to, parts }: Trace, depth: number): void => {
  const all = partsOf(parts);
  const filled = all.flatMap(({ label, slot }) =>
    slot ? [` ${label}=${JSON.stringify(slot.text)}`] : [],
  );
  print(`${"  ".repeat(depth + 1)}${from}–${to} ${rule}${filled.join("")}`);
  for (const { edge } of all) if (edge) printTrace(edge.trace, depth + 1);
};

const sentences = process.argv.slice(2);
if (sentences.length === 0) {
  print('Usage: npm run english:explain -- "Click Save" …');
  process.exit(2);
}
print(`${englishGrammar().forms.length} forms`);
for (const sentence of sentences) {
  print(`\n${sentence}`);
  const read = readSentence(sentence);
  if (read.kind === "read") {
    for (const trace of read.trace) printTrace(trace, 0);
  } else {
    print(`  asked: ${read.message}`);
    for (const steps of read.readings) print(`  reading: ${JSON.stringify(steps)}`);
  }
  const { steps, warnings } = parseEnglish(sentence);
  for (const { action, target, value, optional } of steps) {
    print(`  step: ${action} | ${target} | ${value}${optional ? " (optional)" : ""}`);
  }
  for (const { suggestions } of warnings) print(`  suggestions: ${suggestions.join(" · ")}`);
}
