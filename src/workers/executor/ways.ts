import type { Frame, Locator, Page } from "playwright";
import { type Match, optionsIn, type Query, queriesOf } from "../../domain/catalogue/locate.ts";
import type { Finder } from "../../domain/catalogue/target.ts";
import { UNSEEN, withoutUnseen } from "./unseen.ts";

/**
 * What an element is looked for, which decides what can be meant: nobody fills a heading.
 * `look` is for reading and asserting; `action` for clicking, hovering and keys; `file` for choosing a file.
 */
export type Purpose = "look" | "action" | "fill" | "select" | "check" | "file";

/** One way to find an element, and how it is written down. */
export type Way = {
  /** Which kind of query it is: a way whose source cannot have the name is not tried. */
  readonly by: Query["by"];
  readonly text: string;
  /** Whether the name is compared in whole or in part; null without a name. */
  readonly match: Match | null;
  readonly locator: Locator;
  /** The same with capitals as written: decides between `Save` and `SAVE`. */
  readonly strict?: Locator;
  /** Of a way of several roles, those of one alone. */
  readonly ofRole?: (role: Role) => Locator;
};

/** The page, or the frame of it, that a test looks at. */
export type View = Page | Frame;
export type Root = View | Locator;

/** Whether a root is an element, and not the whole of what is looked at. */
export const isElement = (root: Root): root is Locator => "filter" in root;

export type Role = Parameters<Page["getByRole"]>[0];

const EDITABLE = [
  "input:not([type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio])",
  "textarea",
  '[contenteditable=""]',
  "[contenteditable=true]",
  "[role=textbox]",
  "[role=searchbox]",
  "[role=combobox]",
  "[role=spinbutton]",
].join(", ");

/** Only elements that an action can be done to are meant by it. */
const SUITABLE: Readonly<Record<Purpose, string | null>> = {
  look: null,
  file: null,
  action: `:not(:is(${EDITABLE}))`,
  fill: `${EDITABLE}, select`,
  select: "select, [role=combobox], [role=listbox], input[list], [aria-haspopup=listbox]",
  check:
    "input[type=checkbox], input[type=radio], [role=checkbox], [role=radio], [role=switch], [role=menuitemcheckbox], [role=menuitemradio]",
};

/** Attributes that give an element a name for tests alone. */
export const TEST_ID_ATTRIBUTES = [
  "data-testid",
  "data-test-id",
  "data-test",
  "data-cy",
  "data-qa",
];

/**
 * The ways to find what a target names, best first: the queries of the domain, those elements alone that suit
 * the purpose. A selector is taken as it is. `view` is what the root is in.
 */
export const waysOf = (root: Root, find: Finder, purpose: Purpose, view: View): Way[] => {
  const ways = queriesOf(purpose === "select" ? optionsIn(find) : find).map((query) =>
    wayOf(root, query, view),
  );
  const suits = SUITABLE[purpose];
  if (suits === null || find.by === "selector" || find.by === "testId") return ways;
  const suitable = ways.map((way) => only(root, way, suits));
  if (purpose !== "action") return suitable;
  // "Click Search" means the button beside a field with the same label; the field when there is nothing else.
  // And what looks like a button to a person may be no button: when acting, whatever is called so will do.
  const called = find.by === "kind" && find.name !== null ? find.name : null;
  const others = called === null ? [] : queriesOf({ by: "name", name: called });
  return [
    ...(find.by === "name" ? [...suitable, ...ways] : ways),
    ...others.map((query) => wayOf(root, query, view)),
  ];
};

const only = (root: Root, way: Way, css: string): Way => ({
  by: way.by,
  text: way.text,
  match: way.match,
  locator: way.locator.and(root.locator(css)),
  ...(way.strict && { strict: way.strict.and(root.locator(css)) }),
  ...(way.ofRole && {
    ofRole: (role: Role) => way.ofRole?.(role).and(root.locator(css)) ?? way.locator,
  }),
});

const wayOf = (root: Root, query: Query, view: View): Way => {
  switch (query.by) {
    case "selector":
      return {
        by: "selector",
        text: query.selector,
        match: null,
        locator: root.locator(query.selector),
      };
    case "testId": {
      const value = JSON.stringify(query.id);
      const css = TEST_ID_ATTRIBUTES.map((name) => `[${name}=${value}]`).join(", ");
      return { by: "testId", text: `testid=${query.id}`, match: null, locator: root.locator(css) };
    }
    case "role":
      return byRole(root, query.roles as readonly Role[], query.name, query.match);
    case "content":
      return byContent(root, view, query.roles as readonly Role[], query.text);
    case "label":
      return named("label", query, (name, exact) => root.getByLabel(name, { exact }));
    case "placeholder":
      return named("placeholder", query, (name, exact) => root.getByPlaceholder(name, { exact }));
    case "altText":
      return named("alt", query, (name, exact) => root.getByAltText(name, { exact }));
    case "title":
      return named("title", query, (name, exact) => root.getByTitle(name, { exact }));
    case "text":
      return named("text", query, (name, exact) => root.getByText(name, { exact }));
  }
};

type Text = { readonly by: Query["by"]; readonly text: string; readonly match: Match };

const named = (
  engine: string,
  { by, text, match }: Text,
  find: (name: string | RegExp, exact: boolean) => Locator,
): Way => ({
  by,
  text: `${engine}${match === "whole" ? "" : "*"}=${text}`,
  match,
  locator: find(written(text, match), false),
  strict: find(text, true),
});

const byRole = (root: Root, roles: readonly Role[], name: string | null, match: Match): Way => {
  const first = roles.length === 1 ? roles[0] : undefined;
  if (name === null) {
    return {
      by: "role",
      text: first ? `role=${first}` : roles.map((role) => `role=${role}`).join(" or "),
      match: null,
      locator: anyOf(roles.map((role) => bareRole(root, role))),
    };
  }
  const compared = pattern(name, match);
  const shown = match === "whole" ? JSON.stringify(name) : String(compared);
  return {
    by: "role",
    text: first ? `role=${first}[name=${shown}]` : `name=${shown}`,
    match,
    locator: anyOf(roles.map((role) => root.getByRole(role, { name: compared }))),
    strict: anyOf(roles.map((role) => root.getByRole(role, { name, exact: true }))),
    ...(first === undefined && {
      ofRole: (role: Role) => root.getByRole(role, { name: compared }),
    }),
  };
};

/** A form or section without a name has no role of its own, but a person points at it all the same. */
const bareRole = (root: Root, role: Role): Locator => {
  if (role === "form") return root.locator("form, [role=form]");
  if (role === "region") return root.locator("section, [role=region]");
  return root.getByRole(role);
};

/** Elements told by what they contain: the innermost of those nested. */
const byContent = (root: Root, view: View, roles: readonly Role[], text: string): Way => {
  const hasText = written(text, "part");
  const locators = roles.map((role) => {
    const inner = bareRole(view, role).filter({ hasText });
    return bareRole(root, role).filter({ hasText }).filter({ hasNot: inner });
  });
  return {
    by: "content",
    text: `${roles.map((role) => `role=${role}`).join(" or ")} containing ${JSON.stringify(text)}`,
    match: "part",
    locator: anyOf(locators),
  };
};

const anyOf = (locators: readonly Locator[]): Locator => {
  const [first, ...rest] = locators;
  if (!first) throw new Error("No locator to choose from");
  return rest.reduce((all, locator) => all.or(locator), first);
};

/** A name that is all there is, as a pattern for a page's own text. */
export const wholeName = (name: string): RegExp => written(name, "whole");

/** A name as a pattern: white space folded, capitals aside; the whole of it, or a part. */
const pattern = (name: string, match: Match): RegExp => {
  const words = forSelector(name.trim().split(/\s+/).map(escapeRegExp).join("\\s+"));
  return match === "whole" ? new RegExp(`^\\s*${words}\\s*$`, "i") : new RegExp(words, "i");
};

/**
 * The same for a text as the page has it, with what nobody sees anywhere in it. Out of the names of roles Playwright
 * takes that itself, and out of texts where it is asked for a text and not for a pattern.
 */
const written = (name: string, match: Match): RegExp => {
  const [any, gap] = [`[${UNSEEN}]*`, `[\\s${UNSEEN}]*`];
  const word = (text: string): string => [...text].map(escapeRegExp).join(any);
  const words = withoutUnseen(name).trim().split(/\s+/).map(word).join(`${any}\\s${gap}`);
  return match === "whole" ? new RegExp(`^${gap}${words}${gap}$`, "i") : new RegExp(words, "i");
};

/** Playwright puts patterns into selectors, and escapes but the first of two quotes in a row. */
const forSelector = (source: string): string =>
  source.replace(/(?<=["'`])["'`]/g, (quote) => `\\x${quote.charCodeAt(0).toString(16)}`);

const escapeRegExp = (text: string): string => text.replace(/[.*+?^${}()|[\]\\/]/g, "\\$&");
