import { readFileSync } from "node:fs";
import path from "node:path";
import { parseEnglish } from "../../../src/domain/catalogue/grammar/index.ts";
import { parseTarget } from "../../../src/domain/catalogue/target.ts";
import { parseDuration } from "../../../src/domain/catalogue/values.ts";

/** A sentence or a document as people write it, the steps that it means, and whether part of it must be asked about. */
export type Example = {
  readonly text: string;
  readonly steps: readonly (readonly [action: string, target: string, value: string])[];
  readonly warned: boolean;
};

/** `seen` is there to write the grammar by; `heldOut` is looked at by nobody who does, so that it measures what is learnt. */
export type Part = "seen" | "heldOut";

/** Reads a part of the corpus: entries divided by empty lines, what it means behind `> `, steps divided by `;;`. */
export const readCorpus = (part: Part): readonly Example[] =>
  readFileSync(path.join(import.meta.dirname, `${part}.txt`), "utf8")
    .trim()
    .split(/\n{2,}/)
    .map(readExample);

const readExample = (entry: string): Example => {
  const lines = entry.split("\n");
  const meaning = lines.at(-1) ?? "";
  if (!meaning.startsWith("> ") || lines.length < 2) throw new Error(`No meaning given: ${entry}`);
  const parts = meaning
    .slice(2)
    .split(";;")
    .map((part) => part.trim());
  const steps = parts
    .filter((part) => part !== "warned")
    .map((part) => {
      const [action = "", target = "", value = ""] = part.split("|").map((field) => field.trim());
      return [action, target, value] as const;
    });
  return { text: lines.slice(0, -1).join("\n"), steps, warned: parts.includes("warned") };
};

/**
 * `right`: the steps meant, and a warning where one is due. `warned`: not understood in whole, and said so.
 * `silently wrong`: other steps than were meant, without a word.
 */
export type Verdict = "right" | "warned" | "silently wrong";

/** Parses an example with today's grammar and judges the answer. Targets and times are compared by what they mean. */
export const judge = (example: Example): Verdict => {
  const { steps, warnings } = parseEnglish(example.text);
  const answer = steps.map(({ action, target, value }) => meaningOf(action, target, value));
  const meant = example.steps.map(([action, target, value]) => meaningOf(action, target, value));
  const isSame = JSON.stringify(answer) === JSON.stringify(meant);
  if (isSame && warnings.length > 0 === example.warned) return "right";
  return warnings.length > 0 ? "warned" : "silently wrong";
};

const WITH_TARGET_AS_VALUE = new Set(["drag"]);

const meaningOf = (action: string, target: string, value: string): unknown => [
  // A field that is filled with nothing is cleared.
  action === "fill" && value === "" ? "clear" : action,
  target === "" ? "" : looselyNamed(target),
  WITH_TARGET_AS_VALUE.has(action) ? looselyNamed(value) : (parseDuration(value) ?? value),
];

/** A name is the same with quotes and without, and a message or text is whatever has that text. */
const looselyNamed = (target: string): unknown =>
  JSON.parse(
    JSON.stringify(parseTarget(target), (key, value: unknown) => {
      if (key === "phrase") return null;
      const find = value as { by?: string; kind?: string; name?: string | null } | null;
      if (find?.by === "kind" && find.kind === "text" && find.name) {
        return { by: "name", name: find.name };
      }
      return value;
    }),
  );
