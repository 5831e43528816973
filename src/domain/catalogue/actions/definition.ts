/** Whether an action has a field, and the description of the field for people. */
export type FieldRule = { readonly use: "none" | "optional" | "required"; readonly what: string };

/** Renders a step as a sentence. `target` and `value` are phrases that the grammar reads back; `raw…` are the unchanged fields. */
export type EnglishParts = {
  readonly target: string;
  readonly value: string;
  readonly raw: string;
  readonly rawTarget: string;
};

/**
 * The purpose of a search. It limits the candidates of a name: a heading cannot be filled, and a claim is about the
 * texts of the page.
 */
export type Purpose = "look" | "claim" | "action" | "fill" | "select" | "check";

/** The expressions of a script language from which the statement of a step is written. */
export type CodeParts = {
  /** The element, or `page` for an action without an element. */
  readonly locator: string;
  /** The candidate locators of the target, best first, separated by commas. */
  readonly candidates: string;
  readonly hasTarget: boolean;
  /** The place in the element that the target names, in CSS pixels; null for its middle. */
  readonly at: { readonly x: number; readonly y: number } | null;
  /** The value, as an expression of type text. */
  readonly value: string;
  readonly raw: string;
  readonly rawTarget: string;
  /** Any text as an expression of type text, with variables inserted. */
  text(text: string): string;
  /** A second element, such as the destination of a drag. */
  element(target: string): string;
  /** The name of a variable in the script. */
  variable(name: string): string;
  /** The value as a pattern (exact, wildcards, regex) that `expect(page)` takes. */
  readonly pattern: string;
};

/** An action. Its definition contains everything that the service knows about it. */
export type ActionDefinition = {
  readonly summary: string;
  readonly purpose: Purpose;
  readonly target: FieldRule;
  readonly value: FieldRule;
  /** The problem of a target that is not empty; null if it is valid. */
  checkTarget?(target: string): string | null;
  /** The value is shown in the results, so it must not contain secrets. */
  readonly isShown?: true;
  /** The problem of a value that is not empty, with variables resolved; null if it is valid. */
  checkValue(value: string): string | null;
  /** At least one of the two fields is required. */
  readonly needsOne?: true;
  english(parts: EnglishParts): string;
  /** A statement of Playwright in Python. */
  python(parts: CodeParts): string;
  /** The same in TypeScript. */
  typescript(parts: CodeParts): string;
};

export const NONE: FieldRule = { use: "none", what: "" };
export const ELEMENT: FieldRule = {
  use: "required",
  what: 'the element, as in "Save" button',
};
export const ELEMENT_OR_PAGE: FieldRule = {
  use: "optional",
  what: "the element, or empty for the page",
};
export const required = (what: string): FieldRule => ({ use: "required", what });
export const optional = (what: string): FieldRule => ({ use: "optional", what });
/** Accepts any value. */
export const anyValue = (): null => null;

/** An action on an element alone, or a claim about one. */
export const onElement = (
  purpose: Purpose,
  summary: string,
  english: ActionDefinition["english"],
  python: ActionDefinition["python"],
  typescript: ActionDefinition["typescript"],
): ActionDefinition => ({
  summary,
  purpose,
  target: ELEMENT,
  value: NONE,
  checkValue: anyValue,
  english,
  python,
  typescript,
});

/** An action that takes neither an element nor a value. */
export const alone = (
  summary: string,
  english: string,
  python: string,
  typescript: string,
): ActionDefinition => ({
  summary,
  purpose: "look",
  target: NONE,
  value: NONE,
  checkValue: anyValue,
  english: () => english,
  python: () => python,
  typescript: () => typescript,
});
