import type { Purpose } from "../../catalogue/actions/index.ts";
import { type Match, optionsIn, type Query, queriesOf } from "../../catalogue/locate.ts";
import { type Point, parseTarget, type Target } from "../../catalogue/target.ts";

/** A target as expressions: its candidate locators, best first, and the locator of the selected match. */
type ScriptTarget = {
  readonly candidates: string;
  readonly locator: string;
  readonly at: Point | null;
};

/** Syntax of locators in a language. Texts are passed as expressions. */
export type LocatorLanguage = {
  /** The helper that finds elements by name, for each purpose. */
  readonly helpers: Readonly<Record<Purpose, string>>;
  /** Spreads the result of a helper into a list. */
  spread(call: string): string;
  call(helper: string, ...args: readonly string[]): string;
  list(items: readonly string[]): string;
  readonly nothing: string;
  selector(root: string, selector: string): string;
  testId(root: string, id: string): string;
  /** One role; `name` is an expression, or null. */
  role(root: string, role: string, name: string | null): string;
  /** Any of several roles. */
  anyRole(root: string, roles: readonly string[], name: string | null): string;
  containing(locator: string, text: string): string;
  by(
    root: string,
    what: "label" | "placeholder" | "altText" | "title" | "text",
    name: string,
  ): string;
  /** `nth` counts from 0, -1 is the last. `isHidden` falls back to hidden elements. */
  candidates(ways: string, nth: number | null): string;
  find(ways: string, nth: number | null, isHidden: boolean): string;
};

/** Language, quoting of texts, and the root of the search. */
type Writing = {
  readonly language: LocatorLanguage;
  readonly str: (text: string) => string;
  readonly root: string;
};

/** Converts a target to expressions that search in the same order as the service. */
export const scriptTarget = (text: string, purpose: Purpose, writing: Writing): ScriptTarget => {
  const { language } = writing;
  const target = parseTarget(text);
  const { ordinal } = target;
  const first = target.any === true ? 0 : null;
  const nth = ordinal === null ? first : ordinal.at === "last" ? -1 : ordinal.nth - 1;
  const ways = placedWays(target, purpose, writing);
  return {
    candidates: language.candidates(ways, nth),
    locator: language.find(ways, nth, purpose === "check"),
    at: target.at ?? null,
  };
};

/** Locators as arguments, or the list that a helper returns. */
const placedWays = (target: Target, purpose: Purpose, writing: Writing): string => {
  const { within, near } = target;
  const { language, str, root } = writing;
  const spread = (helper: string, ...args: readonly string[]) =>
    language.spread(language.call(helper, ...args));
  let ways = waysOf(target, purpose, writing);
  if (near) {
    const anchors = language.list([placedWays(near, "look", writing)]);
    ways = spread("near", root, anchors, language.list([ways]));
  }
  if (within) {
    const { find } = within;
    const title =
      find.by === "kind" && find.name !== null
        ? language.role(root, "heading", str(find.name))
        : language.nothing;
    const places = language.list([placedWays(within, "look", writing)]);
    ways = spread("inside", root, places, title, language.list([ways]));
  }
  return ways;
};

const waysOf = (target: Target, purpose: Purpose, writing: Writing): string => {
  const { language, str, root } = writing;
  const find = purpose === "select" ? optionsIn(target.find) : target.find;
  const called = (name: string) =>
    language.spread(language.call(language.helpers[purpose], root, str(name)));
  if (find.by === "name") {
    const { name, match = "words" } = find;
    if (match === "words") return called(name);
    return language.by(
      root,
      "text",
      match === "exactly" ? language.call("exactly", str(name)) : str(name),
    );
  }
  // Searching the whole phrase as a name takes too many locators, so a helper does it.
  const phrase = find.by === "kind" ? find.phrase : null;
  const own = phrase === null ? find : ({ ...find, phrase: null } as typeof find);
  const written = new Set(queriesOf(own).map((query) => queryOf(query, writing)));
  return [...written, ...(phrase === null ? [] : [called(phrase)])].join(", ");
};

const queryOf = (query: Query, { language, str, root }: Writing): string => {
  const named = (text: string, match: Match) => language.call(match, str(text));
  const roleOf = (roles: readonly string[], name: string | null): string => {
    const [role = ""] = roles;
    return roles.length === 1
      ? language.role(root, role, name)
      : language.anyRole(root, roles, name);
  };
  switch (query.by) {
    case "selector":
      return language.selector(root, str(query.selector));
    case "testId":
      return language.testId(root, str(query.id));
    case "role":
      return roleOf(query.roles, query.name === null ? null : named(query.name, query.match));
    case "content":
      return language.containing(roleOf(query.roles, null), named(query.text, "words"));
    default:
      return language.by(root, query.by, named(query.text, query.match));
  }
};
