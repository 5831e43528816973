import { kinds } from "../../../domain/catalogue/kinds.ts";
import { optionsIn } from "../../../domain/catalogue/locate.ts";
import type { Finder, Match, Target } from "../../../domain/catalogue/target.ts";
import { describeTarget } from "../targetText.ts";

/**
 * What an element is looked for: `claim` for what a person sees, `read` for what it says, `look` for the rest, `action` for clicking, hovering
 * and keys, `file` for choosing a file.
 */
export type Purpose = "look" | "read" | "claim" | "action" | "fill" | "select" | "check" | "file";

/** A finder as the page reads it. */
type SoughtFinder =
  | { readonly by: "css"; readonly css: string; readonly said: string }
  | { readonly by: "xpath"; readonly xpath: string; readonly said: string }
  | { readonly by: "testId"; readonly id: string; readonly said: string }
  | { readonly by: "name"; readonly name: string; readonly match: Match }
  | {
      readonly by: "kind";
      readonly kind: string;
      readonly roles: readonly string[];
      readonly how: string | null;
      readonly name: string | null;
      readonly phrase: string | null;
      readonly match: Match;
      readonly isLoose: boolean;
      readonly isHeld: boolean;
      readonly isContainer: boolean;
    };

/** A target as the page reads it. */
export type Sought = {
  readonly find: SoughtFinder;
  readonly ordinal: Target["ordinal"];
  readonly any: boolean;
  readonly within: Sought | null;
  readonly near: Sought | null;
};

/** Kinds that are waited for and never traded for another. */
const HELD: ReadonlySet<string> = new Set([
  ...["option", "row", "cell", "dialog", "tooltip", "alert", "tab", "menuitem"],
]);

/** A target as the page reads it, for a purpose. */
export const soughtOf = (target: Target, purpose: Purpose): Sought => ({
  find: finderOf(purpose === "select" ? optionsIn(target.find) : target.find, target),
  ordinal: target.ordinal,
  any: target.any === true,
  within: target.within && soughtOf(target.within, "look"),
  near: target.near && soughtOf(target.near, "look"),
});

/** Whether the selector engines of Playwright find a target, and not the page's own engine. */
export const isPlainSelector = ({ find, within, near }: Target): boolean =>
  find.by === "selector" && within === null && near === null;

const finderOf = (find: Finder, target: Target): SoughtFinder => {
  const said = describeTarget(target);
  switch (find.by) {
    case "testId":
      return { by: "testId", id: find.id, said: `testid=${find.id}` };
    case "name":
      return { by: "name", name: find.name, match: find.match ?? "words" };
    case "kind": {
      const { roles, by = null, loose = false, container = false } = kinds[find.kind];
      return {
        by: "kind",
        kind: find.kind,
        roles,
        how: by,
        name: find.name,
        phrase: find.phrase,
        match: find.match ?? "words",
        isLoose: loose,
        isHeld: HELD.has(find.kind),
        isContainer: container,
      };
    }
    case "selector":
      return selectorOf(find.selector, said);
  }
};

const ROLE = /^role=([a-z]+)(?:\[name=(["'])(.*)\2 ?i?\])?$/;

const selectorOf = (selector: string, said: string): SoughtFinder => {
  const at = selector.indexOf("=");
  const [engine, body] = [selector.slice(0, at), selector.slice(at + 1)];
  if (engine === "xpath") return { by: "xpath", xpath: body.replace(/^\/\//, ".//"), said };
  const kind = {
    by: "kind",
    phrase: null,
    isLoose: false,
    isHeld: true,
    isContainer: true,
  } as const;
  if (engine === "text") {
    const isQuoted = /^"(.*)"$/s.exec(body);
    const match = isQuoted ? "exactly" : "containing";
    return { ...kind, kind: "text", roles: [], how: "text", name: isQuoted?.[1] ?? body, match };
  }
  const role = ROLE.exec(selector);
  if (role) {
    const [, name = "", , called = null] = role;
    return { ...kind, kind: name, roles: [name], how: null, name: called, match: "words" };
  }
  return { by: "css", css: engine === "css" ? body : selector, said };
};
