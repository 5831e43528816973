import { MAX_STEPS, type StepInput } from "../catalogue/step.ts";
import type { TestData } from "../catalogue/testData.ts";
import { problemsOf, type StepDraft } from "../catalogue/vocabulary.ts";
import { describeStep } from "../english/describe.ts";
import type { ParseWarning } from "../english/parse.ts";
import { DomainError } from "../kernel/errors.ts";

/** A test read from a file. Its steps are not yet validated against the vocabulary. */
export type ImportedTest = {
  readonly name: string;
  readonly language: string;
  readonly platform: string;
  readonly text: string;
  readonly steps?: readonly StepDraft[] | undefined;
  readonly data?: TestData | undefined;
  /** Names of tags. */
  readonly tags: readonly string[];
};

/** A test of a file, or the reason why it cannot be imported. `name` is null if the file has no name for it. */
export type ImportItem =
  | {
      readonly ok: true;
      readonly name: string;
      readonly test: ImportedTest;
      /** Parts that are not imported, or only in part. */
      readonly warnings: readonly ParseWarning[];
    }
  | { readonly ok: false; readonly name: string | null; readonly problem: string };

export const unreadable = (reason: string): DomainError =>
  new DomainError("import.unreadable", `content: the file cannot be read: ${reason}.`);

/** Maximum lengths of names and of the text that a warning quotes, in UTF-16 code units. */
const MAX_NAME = 100;
const MAX_SHOWN = 500;
/** Maximum number of warnings of a test. */
const MAX_WARNINGS = 100;

/** Converts a text to a valid name: one printable line of limited length. Returns `fallback` if nothing is left. */
export const asName = (text: string, fallback: string): string => {
  const line = text
    .replace(/[\p{Cc}\p{Zl}\p{Zp}\p{Cs}\u202a-\u202e\u2066-\u2069]+/gu, " ")
    .replace(/\s+/g, " ")
    .normalize("NFC")
    .trim();
  return cut(line, MAX_NAME).trim() || fallback;
};

/** Truncates to UTF-16 code units without splitting a surrogate pair. */
const cut = (text: string, length: number): string => {
  if (text.length <= length) return text;
  const isWhole = !/[\ud800-\udbff]/.test(text[length - 1] ?? "");
  return text.slice(0, isWhole ? length : length - 1);
};

/** Appends a number to names that were used before. */
export const distinctNames = (): ((name: string) => string) => {
  const used = new Map<string, number>();
  return (name) => {
    const count = (used.get(name) ?? 0) + 1;
    used.set(name, count);
    return count === 1 ? name : `${cut(name, MAX_NAME - 10).trim()} (${count})`;
  };
};

/** Line (or number of the command) and its text. */
export type Place = { readonly line: number; readonly text: string };

type FoundStep = Partial<Omit<StepInput, "action">> & { readonly action: string };

/** Collects steps and warnings while a test of another tool is read. */
export type Findings = {
  readonly steps: StepInput[];
  readonly warnings: ParseWarning[];
  /** Adds a step, or a warning if the vocabulary refuses it. Returns whether the step was added. */
  step(place: Place, found: FoundStep): boolean;
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
    step: (place, found) => {
      const bare = {
        target: "",
        value: "",
        description: "",
        optional: false,
        disabled: false,
        ...found,
      };
      const [problem] = problemsOf(bare);
      if (problem) {
        warn(place, problem.message);
        return false;
      }
      if (steps.length === MAX_STEPS) {
        warn(
          place,
          `A test has at most ${MAX_STEPS} steps. This and all further steps are skipped.`,
        );
      }
      if (steps.length >= MAX_STEPS) return false;
      steps.push({ ...bare, description: bare.description || describeStep(bare) });
      return true;
    },
  };
};

/** The test, or the first warning as the reason if there are no steps. */
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
    return { ok: false, name, problem: `It contains no step that can be imported.${why}` };
  }
  const { text = "", tags = [], data } = more;
  const test = { name, language: "en", platform: "web", text, steps, tags, data };
  return { ok: true, name, test, warnings };
};
