import { ACTED_ON_ROLES, NAMED_ROLES } from "../../catalogue/locate.ts";
import type { Helper } from "../script/helpers.ts";

const roles = (names: readonly string[]): string =>
  `[\n${names.map((name) => `  "${name}",\n`).join("")}] as const`;

const RAW = String.raw;

/** The code with which an exported script finds the target of a step. */
export const finding: readonly Helper[] = [
  { name: "Root", code: "type Root = Page | Frame;" },
  { name: "Options", code: "type Options = { nth?: number; hidden?: boolean };" },
  { name: "TIMEOUT", code: `const TIMEOUT = Number(process.env.TIMEOUT ?? "10") * 1000;` },
  { name: "ACTED_ON", code: `const ACTED_ON = ${roles(ACTED_ON_ROLES)};` },
  { name: "NAMED", code: `const NAMED = ${roles(NAMED_ROLES)};` },
  {
    name: "EDITABLE",
    code: `const EDITABLE =
  "input:not([type=button],[type=submit],[type=reset],[type=image],[type=checkbox],[type=radio]), " +
  "textarea, select, [contenteditable=''], [contenteditable=true], " +
  "[role=textbox], [role=searchbox], [role=combobox], [role=spinbutton]";`,
  },
  {
    name: "escaped",
    code:
      RAW`const escaped = (text: string): string => text.replace(/[.*+?^$` +
      RAW`{}()|[\]\\/]/g, "\\$&");`,
  },
  {
    name: "folded",
    code: RAW`const folded = (text: string): string => text.replace(/[\u00ad\u200b]/g, "").replace(/\s+/g, " ").trim();`,
  },
  {
    name: "until",
    code: `/** Looks again and again until it is so. */
const until = async (isSo: () => Promise<boolean>, problem: () => string, limit: number) => {
  const deadline = Date.now() + limit;
  for (;;) {
    const isLate = Date.now() > deadline;
    if (await isSo().catch(() => false)) return;
    if (isLate) throw new Error(problem());
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
};`,
  },
  {
    name: "whole",
    code: RAW`const MARKS = "[\\s.,;:!?*\u2026()\\[\\]\"'\u201c\u201d\u2018\u2019-]*";
const spaced = (text: string): string => text.trim().split(/\s+/).map(escaped).join("\\s+");
/** The whole of a name; capitals, white space, the marks around it and a counter behind it aside. */
const whole = (text: string): RegExp =>
  new RegExp("^" + MARKS + spaced(text) + "(?:\\s*[(\\[]\\s*\\d+\\+?\\s*[)\\]])?" + MARKS + "$", "i");`,
  },
  {
    name: "words",
    code: RAW`const WORD = "\\w\\u00c0-\\u024f\\u0370-\\u1fff\\u2c00-\\ud7ff";
/** Whole words and whole numbers of a text. Numbers are compared as they are written. */
const words = (text: string): RegExp =>
  new RegExp(
    "(?<![" + WORD + "-])(?<!\\d[.,])" + spaced(text) + "(?![" + WORD + "]|-[" + WORD + "]|[.,]\\d)",
    "i",
  );`,
  },
  {
    name: "exactly",
    code: RAW`/** A whole text in its case. */
const exactly = (text: string): RegExp => new RegExp("^\\s*" + spaced(text) + "\\s*$");`,
  },
  {
    name: "seenTexts",
    code: `/** Texts of the page: a claim of what is seen is about nothing else. */
const seenTexts = (root: Root, name: string): Locator[] =>
  [whole(name), words(name)].map((text) => root.getByText(text));`,
  },
  {
    name: "testId",
    code: `const testId = (root: Root, id: string): Locator => {
  const names = ["data-testid", "data-test-id", "data-test", "data-cy", "data-qa"];
  return root.locator(names.map((name) => "[" + name + "=" + JSON.stringify(id) + "]").join(", "));
};`,
  },
  {
    name: "anyRole",
    code: `const anyRole = (root: Root, roles: readonly string[], name: string | RegExp | null): Locator =>
  roles
    .map((role) => root.getByRole(role as "button", name === null ? {} : { name }))
    .reduce((one, other) => one.or(other));`,
  },
  {
    name: "named",
    code: `/** Elements by visible name, best match first: whole names, then words of names. */
const named = (root: Root, name: string): Locator[] =>
  [whole(name), words(name)].flatMap((text) => [
    root.getByLabel(text),
    root.getByPlaceholder(text),
    anyRole(root, ACTED_ON, text),
    anyRole(root, NAMED, text),
    root.getByAltText(text),
    root.getByTitle(text),
    root.getByText(text),
  ]);`,
  },
  {
    name: "only",
    code: `const only = (root: Root, css: string, name: string): Locator[] =>
  named(root, name).map((way) => way.and(root.locator(css)));`,
  },
  {
    name: "clickable",
    code: `/** Prefers a button to the field beside it. */
const clickable = (root: Root, name: string): Locator[] => [
  ...only(root, ":not(:is(" + EDITABLE + "))", name),
  ...named(root, name),
];`,
  },
  {
    name: "field",
    code: "const field = (root: Root, name: string): Locator[] => only(root, EDITABLE, name);",
  },
  {
    name: "dropdown",
    code: `const dropdown = (root: Root, name: string): Locator[] =>
  only(root, "select, [role=combobox], [role=listbox], input[list], [aria-haspopup=listbox]", name);`,
  },
  {
    name: "tickbox",
    code: `const tickbox = (root: Root, name: string): Locator[] =>
  only(root, "[type=checkbox], [type=radio], [role=checkbox], [role=radio], [role=switch]", name);`,
  },
  {
    name: "near",
    code: `/** Each way in the closest container that it shares with an anchor. */
const near = (root: Root, anchors: Locator[], ways: Locator[]): Locator[] =>
  ways.flatMap((way) =>
    anchors.map((anchor) => root.locator("*").filter({ has: anchor }).filter({ has: way }).last().locator(way)),
  );`,
  },
  {
    name: "inside",
    code: `/** Each way inside of a place, or in the closest container that it shares with the place's title. */
const inside = (root: Root, places: Locator[], title: Locator | null, ways: Locator[]): Locator[] => [
  ...places.flatMap((place) => ways.map((way) => place.locator(way))),
  ...(title ? ways.map((way) => root.locator("*").filter({ has: title }).filter({ has: way }).last().locator(way)) : []),
];`,
  },
  {
    name: "look",
    code: `/** The visible matches of the first way that has any. */
const look = async (ways: Locator[]): Promise<{ visible: Locator; count: number } | null> => {
  for (const way of ways) {
    const visible = way.filter({ visible: true });
    const count = await visible.count();
    if (count > 0) return { visible, count };
  }
  return null;
};`,
  },
  {
    name: "find",
    code: `/** The one visible element, waited for; several are an error unless nth says which (-1 is the last). */
const find = async (ways: Locator[], { nth, hidden }: Options = {}, limit = TIMEOUT): Promise<Locator> => {
  let found: Locator | null = null;
  let matched = 0;
  await until(
    async () => {
      const match = await look(ways);
      matched = match?.count ?? 0;
      if (match && nth !== undefined && match.count > nth) found = match.visible.nth(nth);
      else if (match && nth === undefined && match.count === 1) found = match.visible;
      // A real checkbox may be hidden behind a drawn one.
      else if (!match && hidden) for (const way of ways) if ((await way.count()) === 1) found = way;
      return found !== null;
    },
    () => (matched > 1 ? matched + " elements could be meant by " : "No visible element ") + ways[0],
    limit,
  );
  return found as unknown as Locator;
};`,
  },
];
