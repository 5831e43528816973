import { assertNever } from "../kernel/errors.ts";
import { type Kind, kinds } from "./kinds.ts";
import type { Finder } from "./target.ts";

/** Whether the whole name must match, ignoring case and the marks around it, or whole words of it. */
export type Match = "whole" | "words";

/** A query for elements, equivalent to a locator of Playwright. `roles` matches any of them. */
export type Query =
  | { readonly by: "selector"; readonly selector: string }
  | { readonly by: "testId"; readonly id: string }
  | {
      readonly by: "role";
      readonly roles: readonly string[];
      readonly name: string | null;
      readonly match: Match;
    }
  /** Elements of a role that contain a text, for roles without a name from content. */
  | { readonly by: "content"; readonly roles: readonly string[]; readonly text: string }
  | {
      readonly by: "label" | "placeholder" | "altText" | "title" | "text";
      readonly text: string;
      readonly match: Match;
    };

/** Interactive roles. A name without a kind is searched in these roles first. */
export const ACTED_ON_ROLES = [
  ...["button", "link", "checkbox", "radio", "switch", "tab", "option", "combobox", "listbox"],
  ...["textbox", "searchbox", "spinbutton", "slider", "menuitem", "menuitemcheckbox"],
  ...["menuitemradio", "treeitem"],
] as const;

/** Other roles with an accessible name. */
export const NAMED_ROLES = [
  ...["heading", "img", "cell", "gridcell", "columnheader", "rowheader", "row", "region", "group"],
  ...["form", "dialog", "alertdialog", "navigation", "table", "list", "progressbar", "tooltip"],
] as const;

/**
 * The queries for a target in the order of steps.md. The first one that matches a visible element counts. Whole names come
 * before words of names, so that `Save` does not match `Save as…`.
 */
export const queriesOf = (find: Finder): readonly Query[] => {
  switch (find.by) {
    case "selector":
    case "testId":
      return [find];
    case "name":
      return [...byName(find.name, "whole"), ...byName(find.name, "words")];
    case "kind": {
      const kind = kinds[find.kind];
      if (find.phrase === null)
        return [...byKind(kind, find.name, "whole"), ...byKind(kind, find.name, "words")];
      const { phrase } = find;
      // "menu" alone is first a name, then a kind.
      if (find.name === null && kind.loose)
        return [...byName(phrase, "whole"), ...byKind(kind, null, "whole")];
      if (find.name === null) return [...byKind(kind, null, "whole"), ...byName(phrase, "whole")];
      // If the kind excludes nothing, `Add tile` is first a whole name, then a tile named Add.
      if (kind.by === "name") {
        return (["whole", "words"] as const).flatMap((match) => [
          ...byName(phrase, match),
          ...byKind(kind, find.name, match),
        ]);
      }
      return [
        ...byKind(kind, find.name, "whole"),
        ...byName(phrase, "whole"),
        ...byKind(kind, find.name, "words"),
        ...byName(phrase, "words"),
      ];
    }
    default:
      return assertNever(find);
  }
};

/** For `select`, "list" means a dropdown, because a plain list has no options. */
export const optionsIn = (find: Finder): Finder =>
  find.by === "kind" && find.kind === "list" ? { ...find, kind: "dropdown" } : find;

const testId = (id: string): Query => ({ by: "testId", id });

const byName = (text: string, match: Match): Query[] => [
  { by: "label", text, match },
  { by: "placeholder", text, match },
  { by: "role", roles: ACTED_ON_ROLES, name: text, match },
  { by: "role", roles: NAMED_ROLES, name: text, match },
  { by: "altText", text, match },
  { by: "title", text, match },
  { by: "text", text, match },
];

/** Frames have no role, so their attributes are searched. */
const frames = (name: string | null): Query[] => {
  const value = name === null ? "" : JSON.stringify(name).replaceAll("\\u", "\\");
  const attributes =
    name === null ? [""] : ["name", "title", "id"].map((key) => `[${key}=${value}]`);
  const css = ["iframe", "frame"].flatMap((tag) => attributes.map((one) => `${tag}${one}`));
  return [{ by: "selector", selector: `css=${css.join(", ")}` }];
};

const byKind = ({ roles, by }: Kind, name: string | null, match: Match): Query[] => {
  if (by === "text") return name === null ? [] : [{ by: "text", text: name, match }];
  if (by === "name") return name === null ? [] : [...byName(name, match), testId(name)];
  if (by === "frame") return match === "whole" ? frames(name) : [];
  const named: Query = { by: "role", roles, name, match };
  if (name === null) return match === "whole" ? [named] : [];
  if (by === "content")
    return match === "whole" ? [named] : [named, { by: "content", roles, text: name }];
  // A password field has no role, so its label and placeholder are searched.
  if (by === "field")
    return [named, { by: "label", text: name, match }, { by: "placeholder", text: name, match }];
  return [named];
};
