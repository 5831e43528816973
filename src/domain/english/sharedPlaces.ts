import type { StepInput } from "../catalogue/step.ts";
import { parseTarget } from "../catalogue/target.ts";
import type { Clause } from "./clauses.ts";
import { quote } from "./words.ts";

/** What is only looked at, or ticked: to click one thing may be what brings the place of the next. */
const ALIKE = new Set([
  ...["check", "uncheck"],
  ...["assert_visible", "assert_hidden", "assert_enabled", "assert_disabled"],
  ...["assert_checked", "assert_unchecked"],
]);
const LISTING = /^(?:,|and|&|nor)$/;

/**
 * `Tick "A", "B" and "C" in the "L" section`: a place behind the last of a list is that of each of them. Given
 * are the steps so far, one for each clause, and what the last clause was read as; null where nothing is shared.
 */
export const placedAlike = (
  before: readonly StepInput[],
  clauses: readonly Clause[],
  { action, target }: Pick<StepInput, "action" | "target">,
): StepInput[] | null => {
  const { tokens, joint } = clauses[before.length] ?? { tokens: [], joint: "" };
  const [name] = tokens;
  if (name?.kind !== "quoted" || !LISTING.test(joint) || !ALIKE.has(action)) return null;
  // In the quotes that its writer took, or in ours.
  const written = name.end - name.start;
  const isWritten = target.slice(1, written - 1) === name.text;
  const length = isWritten ? written : quote(name.text).length;
  const place = target.slice(length);
  if (!place.startsWith(" ") || !(isWritten || target.startsWith(quote(name.text)))) return null;
  if (!isPlaced(target)) return null;
  const steps = [...before];
  for (let at = before.length - 1; at >= 0; at--) {
    const [clause, step] = [clauses[at], steps[at]];
    const last = clause?.tokens.at(-1);
    if (!clause || !step || last?.kind !== "quoted") return null;
    if (step.action !== action || step.target !== last.text) return null;
    const shared = quote(last.text) + place;
    if (!isPlaced(shared)) return null;
    steps[at] = { ...step, target: shared };
    if (clause.tokens.length > 1) return steps;
    if (!LISTING.test(clause.joint)) return null;
  }
  return null;
};

const isPlaced = (target: string): boolean => {
  const { within, near } = parseTarget(target);
  return within !== null || near !== null;
};
