import type { LocatorLanguage } from "../script/target.ts";

const METHOD = {
  label: "label",
  placeholder: "placeholder",
  altText: "alt_text",
  title: "title",
  text: "text",
} as const;

const last = (nth: number | null): string => (nth === null ? "" : `, nth=${nth}`);

/** Locators of Playwright in Python. */
export const pythonLocators: LocatorLanguage = {
  helpers: {
    look: "named",
    claim: "seen_texts",
    action: "clickable",
    fill: "field",
    select: "dropdown",
    check: "tickbox",
  },
  spread: (call) => `*${call}`,
  call: (helper, ...args) => `${helper}(${args.join(", ")})`,
  list: (items) => `[${items.join(", ")}]`,
  nothing: "None",
  selector: (root, selector) => `${root}.locator(${selector})`,
  testId: (root, id) => `${root}.get_by_test_id(${id})`,
  role: (root, role, name) => `${root}.get_by_role("${role}"${name ? `, name=${name}` : ""})`,
  anyRole: (root, roles, name) =>
    `any_role(${root}, [${roles.map((role) => `"${role}"`).join(", ")}], ${name ?? "None"})`,
  containing: (locator, text) => `${locator}.filter(has_text=${text})`,
  by: (root, what, name) => `${root}.get_by_${METHOD[what]}(${name})`,
  candidates: (ways, nth) => `${ways}${last(nth)}`,
  find: (ways, nth, isHidden) => `find(${ways}${last(nth)}${isHidden ? ", hidden=True" : ""})`,
};
