import type { LocatorLanguage } from "../script/target.ts";

const METHOD = {
  label: "getByLabel",
  placeholder: "getByPlaceholder",
  altText: "getByAltText",
  title: "getByTitle",
  text: "getByText",
} as const;

const options = (nth: number | null, isHidden: boolean): string => {
  const given = [...(nth === null ? [] : [`nth: ${nth}`]), ...(isHidden ? ["hidden: true"] : [])];
  return given.length === 0 ? "" : `, { ${given.join(", ")} }`;
};

/** Locators of Playwright in TypeScript. */
export const typescriptLocators: LocatorLanguage = {
  helpers: {
    look: "named",
    claim: "seenTexts",
    action: "clickable",
    fill: "field",
    select: "dropdown",
    check: "tickbox",
  },
  spread: (call) => `...${call}`,
  call: (helper, ...args) => `${helper}(${args.join(", ")})`,
  list: (items) => `[${items.join(", ")}]`,
  nothing: "null",
  selector: (root, selector) => `${root}.locator(${selector})`,
  testId: (root, id) => `testId(${root}, ${id})`,
  role: (root, role, name) => `${root}.getByRole("${role}"${name ? `, { name: ${name} }` : ""})`,
  anyRole: (root, roles, name) =>
    `anyRole(${root}, [${roles.map((role) => `"${role}"`).join(", ")}], ${name ?? "null"})`,
  containing: (locator, text) => `${locator}.filter({ hasText: ${text} })`,
  by: (root, what, name) => `${root}.${METHOD[what]}(${name})`,
  candidates: (ways, nth) => `[${ways}]${options(nth, false)}`,
  find: (ways, nth, isHidden) => `(await find([${ways}]${options(nth, isHidden)}))`,
};
