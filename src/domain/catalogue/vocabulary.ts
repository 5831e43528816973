import type { FieldRule } from "./actions/definition.ts";
import { type ActionDefinition, actionTable } from "./actions/index.ts";
import { secretsIn } from "./secrets.ts";
import { MAX_FIELD_BYTES, MAX_STEPS, type StepInput } from "./step.ts";
import { hasVariables } from "./values.ts";

export type { ActionDefinition } from "./actions/index.ts";

export type ActionName = keyof typeof actionTable;

/** All actions by name, with validation, description and exports. */
export const actionDefinitions: Readonly<Record<ActionName, ActionDefinition>> = actionTable;

/** Names of all actions, in the order of lists for people. */
export const actionNames = Object.keys(actionTable) as readonly ActionName[];

/** Whether a text is the name of an action. Ignores inherited properties such as `constructor`. */
export const isAction = (name: string): name is ActionName => Object.hasOwn(actionTable, name);

/** A step of a request. Only the action is required; absent texts are empty. */
export type StepDraft = {
  readonly action: string;
  readonly target?: string | undefined;
  readonly value?: string | undefined;
  readonly description?: string | undefined;
  readonly optional?: boolean | undefined;
  readonly disabled?: boolean | undefined;
};

/** A validation error. `position` counts from 1. */
export type StepProblem = {
  readonly position: number;
  readonly field: "action" | "target" | "value" | "description" | "steps";
  readonly message: string;
};

export type ValidatedSteps<Draft> =
  | { readonly ok: true; readonly steps: (Omit<Draft, keyof StepInput> & StepInput)[] }
  | { readonly ok: false; readonly problems: StepProblem[] };

/** Maximum number of reported problems. */
const MAX_PROBLEMS = 50;

/** Validates steps and fills absent texts. Keeps other properties of a draft, such as `id`. Returns problems, never throws. */
export const validateSteps = <Draft extends StepDraft>(
  drafts: readonly Draft[],
): ValidatedSteps<Draft> => {
  if (drafts.length > MAX_STEPS) {
    const message = `A test has at most ${MAX_STEPS} steps; this one has ${drafts.length}.`;
    return { ok: false, problems: [{ position: MAX_STEPS + 1, field: "steps", message }] };
  }
  const problems: StepProblem[] = [];
  const steps = drafts.map((draft, index) => {
    const step = {
      ...draft,
      action: draft.action,
      target: draft.target ?? "",
      value: draft.value ?? "",
      description: draft.description ?? "",
      optional: draft.optional ?? false,
      disabled: draft.disabled ?? false,
    };
    for (const problem of problemsOf(step)) {
      if (problems.length < MAX_PROBLEMS) problems.push({ position: index + 1, ...problem });
    }
    return step;
  });
  return problems.length === 0 ? { ok: true, steps } : { ok: false, problems };
};

const TEXTS = ["action", "target", "value", "description"] as const;
type Problem = Omit<StepProblem, "position">;
const NO_PROBLEMS: Problem[] = [];

const unusableFields = (step: StepInput, isKnown: boolean): Problem[] => {
  // Unrolled for speed: runs for every parsed step, and nearly all are valid.
  const { action, target, value, description } = step;
  const isUsable =
    (isKnown || textProblem(action) === null) &&
    textProblem(target) === null &&
    textProblem(value) === null &&
    textProblem(description) === null;
  if (isUsable) return NO_PROBLEMS;
  return TEXTS.flatMap((field): Problem[] => {
    const message = textProblem(step[field]);
    return message ? [{ field, message }] : [];
  });
};

const definitionOf: ReadonlyMap<string, ActionDefinition> = new Map(Object.entries(actionTable));

/** Checks that a required field is present and an unsupported one is absent. Returns the problem or null. */
const fieldProblem = (
  action: string,
  field: "target" | "value",
  given: string,
  isGiven: boolean,
  { use, what }: FieldRule,
): string | null => {
  if (use === "required" && !isGiven) return `${action} needs a ${field}: ${what}.`;
  // A field of blanks is neither present nor absent.
  if (use === "optional" && !isGiven && given !== "") {
    return `The ${field} is nothing but blanks; leave it empty.`;
  }
  return use === "none" && given !== "" ? `${action} takes no ${field}; leave it empty.` : null;
};

/** Problems of a step. Empty if it is valid. */
export const problemsOf = (step: StepInput): Problem[] => {
  const { action } = step;
  const definition = definitionOf.get(action);
  const unusable = unusableFields(step, definition !== undefined);
  if (unusable.length > 0) return unusable;
  if (!definition) return [{ field: "action", message: unknownAction(action) }];

  if (definition.needsOne && step.target === "" && step.value === "") {
    const message = `${action} needs a target or a value: ${definition.value.what}.`;
    return [{ field: "value", message }];
  }
  const problems: Problem[] = [];
  const isAimed = step.target.trim() !== "";
  const aim = fieldProblem(action, "target", step.target, isAimed, definition.target);
  if (aim) problems.push({ field: "target", message: aim });
  const given = fieldProblem(action, "value", step.value, step.value !== "", definition.value);
  if (given) problems.push({ field: "value", message: given });
  const target = step.target === "" ? null : (definition.checkTarget?.(step.target) ?? null);
  if (target) problems.push({ field: "target", message: target });
  if (definition.isShown && secretsIn(step.value).length > 0) {
    const message = "It is shown in the results and must not contain a secret.";
    problems.push({ field: "value", message });
  }
  const message =
    step.value === "" || hasVariables(step.value) ? null : definition.checkValue(step.value);
  if (definition.value.use !== "none" && message) problems.push({ field: "value", message });
  return problems;
};

/** Shorter texts cannot exceed the limit in bytes. */
const isTooLong = (text: string): boolean =>
  text.length * 3 > MAX_FIELD_BYTES && new TextEncoder().encode(text).length > MAX_FIELD_BYTES;

/** Fast check: matches NUL and every surrogate, also in valid pairs. */
const mayBeUnstorable = (text: string): boolean => {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === 0 || (code & 0xf800) === 0xd800) return true;
  }
  return false;
};

const textProblem = (text: string): string | null => {
  if (isTooLong(text)) return `Longer than ${MAX_FIELD_BYTES} bytes.`;
  if (!mayBeUnstorable(text)) return null;
  // PostgreSQL cannot store NUL or unpaired surrogates.
  if (text.includes("\0")) return "Contains a NUL character.";
  return /\p{Surrogate}/u.test(text) ? "Contains half a character (a lone surrogate)." : null;
};

const unknownAction = (name: string): string => {
  const shown = name.length > 60 ? `${name.slice(0, 60)}…` : name;
  const [nearest] = nearestTo(name, actionNames, 1);
  const hint = nearest ? ` Did you mean ${nearest}?` : "";
  return `Unknown action ${JSON.stringify(shown)}.${hint} Known actions: ${actionNames.join(", ")}.`;
};

/** Names similar to a mistyped word, best first. */
export const nearestTo = <Name extends string>(
  word: string,
  names: readonly Name[],
  count: number,
): Name[] => {
  const wanted = word
    .slice(0, 40)
    .toLowerCase()
    .replaceAll(/[\s-]+/g, "_");
  const length = [...wanted].length;
  const near = (name: string): number =>
    name.length < 5 ? 1 : Math.max(2, Math.floor(name.length / 3));
  return (
    names
      // The distance is at least the difference in length.
      .filter((name) => Math.abs(name.length - length) <= near(name))
      .map((name) => ({ name, distance: editDistance(wanted, name) }))
      .filter(({ name, distance }) => distance <= near(name))
      .sort((a, b) => a.distance - b.distance)
      .slice(0, count)
      .map(({ name }) => name)
  );
};

/** Optimal string alignment distance: Levenshtein with transpositions. */
const editDistance = (from: string, to: string): number => {
  const a = [...from];
  const b = [...to];
  const rows: number[][] = [b.map((_, index) => index), []];
  rows[0] = [0, ...b.map((_, index) => index + 1)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const above = rows[i - 1]?.[j] ?? 0;
      const diagonal = rows[i - 1]?.[j - 1] ?? 0;
      let best = Math.min(
        above + 1,
        (row[j - 1] ?? 0) + 1,
        diagonal + (a[i - 1] === b[j - 1] ? 0 : 1),
      );
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) {
        best = Math.min(best, (rows[i - 2]?.[j - 2] ?? 0) + 1);
      }
      row.push(best);
    }
    rows[i] = row;
  }
  return rows[a.length]?.[b.length] ?? 0;
};
