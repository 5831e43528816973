import type { Looks } from "./cases.ts";
import type { Helpers, Mutated, PageValue } from "./inPage.ts";

/** A change of a page. `apply` runs in the page; it returns false if it does not apply to the element. */
export type Mutator = {
  readonly name: string;
  /** Why a person would say that the claim fails, or why it still holds. */
  readonly why: string;
  readonly on: readonly Looks[];
  readonly apply: (element: PageValue, it: Mutated, use: Helpers) => unknown;
};

/** Claims and acts that need their element to be seen. */
export const SEEN: readonly Looks[] = [
  ...(["text", "thing", "enabled", "disabled", "checked", "unchecked", "value"] as const),
  ...(["content", "cell", "click", "fill", "select", "check"] as const),
];
/** Claims and acts whose element is called by its name. */
export const NAMED: readonly Looks[] = [
  ...(["thing", "enabled", "disabled", "checked", "unchecked", "value"] as const),
  ...(["click", "fill", "select", "check"] as const),
];
export const TEXTUAL: readonly Looks[] = ["text", "content", "cell"];
export const ACTS: readonly Looks[] = ["click", "fill", "select", "check"];
