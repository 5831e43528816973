import type { Purpose } from "../actions.ts";
import { type Query, queriesOf } from "../locate.ts";
import { parseTarget, type Target } from "../target.ts";

/** A target in Python: the locators it may mean, best first, and which of several matches is meant. */
export type PythonTarget = { readonly candidates: string; readonly locator: string };

/** How texts are written, and what elements are looked for in. */
type Writing = { readonly str: (text: string) => string; readonly root: string };

/** Writes a target as Python expressions on `page`, to be found in the order in which the service finds it. */
export const pythonTarget = (
  text: string,
  purpose: Purpose,
  str: (text: string) => string,
  root = "page",
): PythonTarget => {
  const target = parseTarget(text);
  const nth =
    target.ordinal === null
      ? ""
      : `, nth=${target.ordinal.at === "last" ? -1 : target.ordinal.nth - 1}`;
  const hidden = purpose === "check" ? ", hidden=True" : "";
  const ways = placedWays(target, purpose, { str, root });
  return { candidates: `${ways}${nth}`, locator: `find(${ways}${nth}${hidden})` };
};

/** The ways as arguments: one locator after another, or a list that a helper makes. */
const placedWays = (target: Target, purpose: Purpose, writing: Writing): string => {
  const { within, near } = target;
  const { str, root } = writing;
  let ways = waysOf(target, purpose, writing);
  if (near) ways = `*near(${root}, [${placedWays(near, "look", writing)}], [${ways}])`;
  if (within) {
    const { find } = within;
    const title =
      find.by === "kind" && find.name !== null
        ? `${root}.get_by_role("heading", name=${str(find.name)})`
        : "None";
    ways = `*inside(${root}, [${placedWays(within, "look", writing)}], ${title}, [${ways}])`;
  }
  return ways;
};

const HELPER: Readonly<Record<Purpose, string>> = {
  look: "named",
  action: "clickable",
  fill: "field",
  select: "dropdown",
  check: "tickbox",
};

const waysOf = ({ find }: Target, purpose: Purpose, writing: Writing): string => {
  const { str, root } = writing;
  if (find.by === "name") return `*${HELPER[purpose]}(${root}, ${str(find.name)})`;
  const written = queriesOf(find).map((query) => queryOf(query, writing));
  // The whole phrase is tried as a name too: too many ways to write one by one.
  const phrase = find.by === "kind" ? find.phrase : null;
  if (phrase === null) return [...new Set(written)].join(", ");
  const own = queriesOf({ ...find, phrase: null } as typeof find).map((query) =>
    queryOf(query, writing),
  );
  const called = `*${HELPER[purpose]}(${root}, ${str(phrase)})`;
  return [...new Set(own), called].join(", ");
};

const queryOf = (query: Query, { str, root }: Writing): string => {
  switch (query.by) {
    case "selector":
      return `${root}.locator(${str(query.selector)})`;
    case "testId":
      return `${root}.get_by_test_id(${str(query.id)})`;
    case "role": {
      if (query.name === null) return roleOf(root, query.roles, "");
      return roleOf(
        root,
        query.roles,
        query.match === "whole" ? `whole(${str(query.name)})` : str(query.name),
      );
    }
    case "content":
      return `${roleOf(root, query.roles, "")}.filter(has_text=${str(query.text)})`;
    default: {
      const wanted = query.match === "whole" ? `whole(${str(query.text)})` : str(query.text);
      return `${root}.get_by_${METHOD[query.by]}(${wanted})`;
    }
  }
};

const METHOD = {
  label: "label",
  placeholder: "placeholder",
  altText: "alt_text",
  title: "title",
  text: "text",
} as const;

const roleOf = (root: string, roles: readonly string[], name: string): string => {
  const [role] = roles;
  if (roles.length === 1) return `${root}.get_by_role("${role}"${name ? `, name=${name}` : ""})`;
  return `any_role(${root}, [${roles.map((one) => `"${one}"`).join(", ")}], ${name || "None"})`;
};
