/** Whether a field is taken, and in words for a person what belongs in it. */
export type FieldRule = { readonly use: "none" | "optional" | "required"; readonly what: string };

/** How a step is said: `target` and `value` are phrases that the grammar reads back; `raw…` are the fields as they are. */
export type EnglishParts = {
  readonly target: string;
  readonly value: string;
  readonly raw: string;
  readonly rawTarget: string;
};

/** What an element is looked for, which decides what can be meant by a name: nobody fills a heading. */
export type Purpose = "look" | "action" | "fill" | "select" | "check";

/** The expressions of a language that a step is written with in an exported script. */
export type CodeParts = {
  /** The one element; for an action without an element `page`. */
  readonly locator: string;
  /** The locators that the target may mean, best first, separated by commas. */
  readonly candidates: string;
  readonly hasTarget: boolean;
  /** The value, as an expression of type text. */
  readonly value: string;
  readonly raw: string;
  readonly rawTarget: string;
  /** Any text as an expression of type text, variables put in. */
  text(text: string): string;
  /** Another element than the target: what is dragged is dropped on it. */
  element(target: string): string;
  /** The name of a variable in the script. */
  variable(name: string): string;
  /** The value as a pattern (exact, wildcards, regex) that `expect(page)` takes. */
  readonly pattern: string;
};

/** One action: everything that the service knows about it stands in its definition and nowhere else. */
export type ActionDefinition = {
  readonly summary: string;
  readonly purpose: Purpose;
  readonly target: FieldRule;
  readonly value: FieldRule;
  /** Says what is wrong with a target that is not empty; null when it is fine. */
  checkTarget?(target: string): string | null;
  /** Its value is shown to whoever sees the results: no secret may stand in it. */
  readonly isShown?: true;
  /** Says what is wrong with a value that is not empty, variables known; null when it is fine. */
  checkValue(value: string): string | null;
  /** One of the two fields must be given, though neither is required by itself. */
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
/** Any value will do. */
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
