import { MAX_STEPS, type StepInput } from "../catalogue/step.ts";
import type { TestData } from "../catalogue/testData.ts";
import { problemsOf, type StepDraft } from "../catalogue/vocabulary.ts";
import { describeStep } from "../english/describe.ts";
import type { ParseWarning } from "../english/english.ts";
import { DomainError } from "../kernel/errors.ts";

/** A test of a file, as far as it can be told without the vocabulary. */
export type ImportedTest = {
  readonly name: string;
  readonly language: string;
  readonly platform: string;
  readonly text: string;
  readonly steps?: readonly StepDraft[] | undefined;
  /** Rows that it runs with; none unless they are there. */
  readonly data?: TestData | undefined;
  /** The names of its tags. */
  readonly tags: readonly string[];
};

/** A place in a file: a test, or why there is none. `name` is what the file says, as far as it does. */
export type ImportItem =
  | {
      readonly ok: true;
      readonly name: string;
      readonly test: ImportedTest;
      /** What of it is not taken over, or not quite so. */
      readonly warnings: readonly ParseWarning[];
    }
  | { readonly ok: false; readonly name: string | null; readonly problem: string };

/** What a file as a whole is refused with. */
export const unreadable = (reason: string): DomainError =>
  new DomainError("import.unreadable", `content: the file cannot be read: ${reason}.`);

/** Names of tests and tags, and what a warning shows, are cut to these lengths, in characters. */
const MAX_NAME = 100;
const MAX_SHOWN = 500;
/** So many warnings of one test are told: who has more reads the first ones first. */
const MAX_WARNINGS = 100;

/** A text of another tool as a name of ours: one line, all printable, not too long. */
export const asName = (text: string, otherwise: string): string => {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/\s+/g, " ")
    .normalize("NFC")
    .trim();
  return cut(line, MAX_NAME).trim() || otherwise;
};

/** At most so many UTF-16 units of a text, no character cut in two. */
const cut = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const isWhole = !/[\ud800-\udbff]/.test(text[length - 1] ?? "");
  return text.slice(0, isWhole ? length : length - 1);
};

/** Names of tests that occur again in a file get a number: they would not be told apart. */
export const distinctNames = (): ((name: string) => string) => {
  const met = new Map<string, number>();
  return (name) => {
    const count = (met.get(name) ?? 0) + 1;
    met.set(name, count);
    return count === 1 ? name : `${cut(name, MAX_NAME - 10).trim()} (${count})`;
  };
};

/** Where something stands in a file: the line (or, in a list of commands, its number), and the words there. */
export type Place = { readonly line: number; readonly text: string };

type Taken = Partial<Omit<StepInput, "action">> & { readonly action: string };

/** The steps of one test of another tool, as they are found. */
export type Findings = {
  readonly steps: StepInput[];
  readonly warnings: ParseWarning[];
  /** Takes a step over; where the vocabulary refuses it, that is a warning. Says whether it was taken. */
  step(place: Place, taken: Taken): boolean;
  /** What is not taken over, or not quite so. */
  warn(place: Place, message: string): void;
};

export const createFindings = (): Findings => {
  const steps: StepInput[] = [];
  const warnings: ParseWarning[] = [];
  const warn = ({ line, text }: Place, message: string): void => {
    if (warnings.length >= MAX_WARNINGS) return;
    const shown = text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}…` : text;
    warnings.push({ line, text: shown, message, suggestions: [] });
  };
  return {
    steps,
    warnings,
    warn,
    step: (place, taken) => {
      const bare = {
        target: "",
        value: "",
        description: "",
        optional: false,
        disabled: false,
        ...taken,
      };
      const [problem] = problemsOf(bare);
      if (problem) {
        warn(place, problem.message);
        return false;
      }
      if (steps.length === MAX_STEPS) {
        warn(place, `A test has at most ${MAX_STEPS} steps; from here on they are left out.`);
      }
      if (steps.length >= MAX_STEPS) return false;
      steps.push({ ...bare, description: bare.description || describeStep(bare) });
      return true;
    },
  };
};

/** A test of what was found, or, where nothing was, why there is none. */
export const itemOf = (
  name: string,
  { steps, warnings }: Pick<Findings, "steps" | "warnings">,
  more: {
    readonly text?: string;
    readonly tags?: readonly string[];
    readonly data?: TestData | undefined;
  } = {},
): ImportItem => {
  if (steps.length === 0) {
    const [first] = warnings;
    const why = first ? ` Line ${first.line}: ${first.message}` : "";
    return { ok: false, name, problem: `There is no step in it that can be taken over.${why}` };
  }
  const { text = "", tags = [], data } = more;
  const test = { name, language: "en", platform: "web", text, steps, tags, data };
  return { ok: true, name, test, warnings };
};
