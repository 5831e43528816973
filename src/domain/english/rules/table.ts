import type { Rule } from "../engine/types.ts";

type Options = Omit<Rule, "phrase" | "form" | "steps" | "examples"> & {
  readonly examples?: Rule["examples"];
};

/** A row of a table of one kind of phrase. Examples are pairs of a sentence and its steps, `action target ← value`. */
export const rowsOf =
  (phrase: string) =>
  (form: string, steps: string, example: string | null = null, options: Options = {}): Rule => ({
    phrase,
    form,
    steps,
    examples: [],
    ...options,
    ...(example === null ? {} : { examples: exampleOf(example) }),
  });

/** `sentence => steps` lines. */
const exampleOf = (text: string): Rule["examples"] =>
  text.split("\n").map((line) => {
    const [sentence = "", steps = ""] = line.split(" => ");
    return [sentence.trim(), steps.trim().replaceAll("⏎", "\n")] as const;
  });
