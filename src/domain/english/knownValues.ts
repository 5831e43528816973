import type { StepInput } from "../catalogue/step.ts";
import { parseTarget } from "../catalogue/target.ts";
import { word } from "./phrases.ts";
import type { Token } from "./words.ts";

const HOLDS = [
  "is still|should still be|must still be|is now|should now be|is set to|should be|must be|is|equals",
  "should equal|should stay at|stays at|should remain|remains|should read|reads",
]
  .join("|")
  .split("|")
  .map((words) => words.split(" "))
  .sort((one, other) => other.length - one.length);

const FILLED = new Set(["fill", "type", "select"]);
const MAX_BACK = 20;

/**
 * `"Status" is still "Open"`, where something was chosen or typed in "Status" before: what is claimed is its value. Null
 * when nothing was, or when more than that is said.
 */
export const valueOfKnown = (
  tokens: readonly Token[],
  source: string,
  steps: readonly StepInput[],
): StepInput | null => {
  const value = tokens.at(-1);
  if (value?.kind !== "quoted" || tokens.length > 14) return null;
  let from = 0;
  if (/^(?:verify|check|ensure|confirm|assert|expect)$/.test(word(tokens[0]))) from = 1;
  if (/^(?:that|if)$/.test(word(tokens[from]))) from++;
  if (word(tokens[from]) === "the") from++;
  const verb = HOLDS.find((words) =>
    words.every((one, at) => word(tokens.at(at - 1 - words.length)) === one),
  );
  const end = tokens.length - 1 - (verb?.length ?? 0);
  const first = tokens[from];
  if (!verb || !first || end <= from) return null;
  const isQuoted = end === from + 1 && first.kind === "quoted";
  const name = isQuoted ? first.text : source.slice(first.start, tokens[end - 1]?.end);
  const known = steps.slice(-MAX_BACK).filter((step) => {
    if (!FILLED.has(step.action)) return false;
    const { find, within, near } = parseTarget(step.target);
    const isWhole = within === null && near === null;
    return isWhole && "name" in find && find.name?.toLowerCase() === name.toLowerCase();
  });
  const step = known.at(-1);
  if (!step) return null;
  return {
    action: "assert_value",
    target: step.target,
    value: value.text,
    description: source.slice(tokens[0]?.start, value.end),
    optional: false,
    disabled: false,
  };
};
