import { findKind, type KindName, kinds } from "../../catalogue/kinds.ts";
import { parseTarget } from "../../catalogue/target.ts";
import { escapeRegExp, parsePattern } from "../../catalogue/values.ts";
import { quote } from "../../english/words.ts";
import { exactPattern } from "../exactPattern.ts";
import { cssString } from "../selectorText.ts";
import type { Words } from "./values.ts";

/** A link of a chain of Playwright's locators. */
export type Part =
  | {
      readonly by: "role";
      readonly role: string;
      readonly name: Words | null;
      readonly exact: boolean;
      /** Conditions of the role engine, as it writes them: `[checked=true]`. */
      readonly conditions: string;
    }
  | {
      readonly by: "label" | "placeholder" | "text" | "alt" | "title";
      readonly name: Words;
      readonly exact: boolean;
    }
  | { readonly by: "testId"; readonly id: string }
  | { readonly by: "selector"; readonly selector: string }
  /** Counted from 0; -1 is the last. */
  | { readonly by: "nth"; readonly nth: number }
  | { readonly by: "hasText" | "hasNotText"; readonly text: Words }
  | { readonly by: "has" | "hasNot"; readonly inner: readonly Part[] };

/**
 * Converts a chain of locators to a target: a name if it is certain to identify the element, else the same selector.
 */
export const targetOfParts = (parts: readonly Part[]): string =>
  friendly(parts) ?? selectorOf(parts);

// ---------------------------------------------------------------- as a person says it

const friendly = (parts: readonly Part[]): string | null => {
  const [first, second, third, ...rest] = parts;
  if (!first || rest.length > 0) return null;
  if (!second) return soleTarget(first);
  if (second.by === "hasText" && first.by === "role" && first.name === null) {
    const item = named({ ...first, name: second.text });
    if (item === null) return null;
    return third ? inside(third, item) : item;
  }
  return third || first.by !== "role" ? null : inside(second, named(first));
};

const inside = (part: Part, container: string | null): string | null => {
  const thing = part.by === "role" ? named(part) : null;
  if (thing === null || container === null) return null;
  const text = `${thing} in the ${container}`;
  const { find, within } = parseTarget(text);
  const isMeant =
    JSON.stringify(find) === JSON.stringify(parseTarget(thing).find) &&
    JSON.stringify(within) === JSON.stringify(parseTarget(container));
  return isMeant ? text : null;
};

const soleTarget = (part: Part): string | null => {
  switch (part.by) {
    case "role":
      return named(part);
    // The kind "field" excludes a button of the same name; labelled elements are found regardless of their kind.
    case "label":
    case "placeholder": {
      const name = plainText(part.name);
      return name === null ? null : asKind(name, "field");
    }
    case "testId":
      return /^[^\s"'`]+$/.test(part.id) ? `testid=${part.id}` : null;
    case "selector":
      return /^#[A-Za-z_][\w-]*$/.test(part.selector) ? part.selector : null;
    default:
      return null;
  }
};

/** The words by which a role is called; of roles that are not here, the role is said. */
const WORDS: Readonly<Record<string, string>> = {
  textbox: "field",
  searchbox: "field",
  spinbutton: "field",
  combobox: "dropdown",
  radio: "radio button",
  menuitem: "menu item",
  img: "image",
  listitem: "item",
  columnheader: "column",
  region: "section",
  contentinfo: "footer",
};

const named = (part: Extract<Part, { by: "role" }>): string | null => {
  const name = part.name === null ? null : plainText(part.name);
  if (name === null || part.conditions !== "") return null;
  const word = Object.hasOwn(WORDS, part.role) ? (WORDS[part.role] ?? "") : part.role;
  const kind = findKind(word);
  const isThisRole = kind !== null && (kinds[kind].roles as readonly string[]).includes(part.role);
  return isThisRole ? asKind(name, word) : null;
};

/** `"Save" button`, if that is read as this and nothing else. */
const asKind = (name: string, word: string): string | null => {
  const text = `${quote(name)} ${word}`;
  const { find, within, near, ordinal } = parseTarget(text);
  const kind: KindName | null = findKind(word);
  const isMeant =
    find.by === "kind" &&
    find.kind === kind &&
    find.name === name &&
    find.phrase === null &&
    within === null &&
    near === null &&
    ordinal === null;
  return isMeant ? text : null;
};

/** The words of a name that is a text, and not blank. */
const plainText = (words: Words): string | null =>
  "text" in words && words.text.trim() !== "" ? words.text.trim() : null;

// ---------------------------------------------------------------- as a selector

const ENGINE = /^(?:css|xpath|text|role|testid)=/i;

/** The chain as a selector of Playwright's engines. */
const selectorOf = (parts: readonly Part[]): string => {
  const chain = parts.map(partSelector).join(" >> ");
  return ENGINE.test(chain) ? chain : `css=html >> ${chain}`;
};

const partSelector = (part: Part): string => {
  switch (part.by) {
    case "role":
      return `role=${part.role}${nameCondition(part.name, part.exact)}${part.conditions}`;
    case "label":
      return `internal:label=${internalText(part.name, part.exact)}`;
    case "text":
      return textSelector(part.name, part.exact);
    case "placeholder":
      return attributeSelector("placeholder", part.name, part.exact);
    case "alt":
      return attributeSelector("alt", part.name, part.exact);
    case "title":
      return attributeSelector("title", part.name, part.exact);
    case "testId":
      return `css=[data-testid=${cssString(part.id)}]`;
    case "selector":
      return withEngine(part.selector);
    case "nth":
      return `nth=${part.nth}`;
    case "hasText":
      return `internal:has-text=${internalText(part.text, false)}`;
    case "hasNotText":
      return `internal:has-not-text=${internalText(part.text, false)}`;
    case "has":
      return `internal:has=${JSON.stringify(chainOf(part.inner))}`;
    case "hasNot":
      return `internal:has-not=${JSON.stringify(chainOf(part.inner))}`;
  }
};

const chainOf = (parts: readonly Part[]): string => parts.map(partSelector).join(" >> ");

/** Selectors without an engine are CSS, or XPath when they begin like a path. */
const withEngine = (selector: string): string => {
  const text = selector.trim();
  if (/^(?:\/\/|\.\.|\(\/\/)/.test(text)) return `xpath=${text}`;
  const attribute = /^(id|data-testid|data-test-id|data-test)=(.+)$/s.exec(text);
  if (attribute) return `css=[${attribute[1]}=${cssString(attribute[2] ?? "")}]`;
  return /^(?:css|xpath|text|role|nth|visible|internal:[\w-]+|_react|_vue)(?::light)?=/.test(text)
    ? text
    : `css=${text}`;
};

const regexOf = ({ regex, flags }: Extract<Words, { regex: string }>): string =>
  `/${regex}/${flags.replace(/[^imsu]/g, "")}`;

const nameCondition = (name: Words | null, exact: boolean): string => {
  if (name === null) return "";
  if ("regex" in name) return `[name=${regexOf(name)}]`;
  return exact ? `[name=${JSON.stringify(name.text)}]` : `[name*=${JSON.stringify(name.text)}i]`;
};

const internalText = (words: Words, exact: boolean): string =>
  "regex" in words ? regexOf(words) : `${JSON.stringify(words.text)}${exact ? "s" : "i"}`;

const textSelector = (words: Words, exact: boolean): string => {
  if ("regex" in words) return `text=${regexOf(words)}`;
  const isSimple = /^[^"'/\\\s>][^">\\]*$/.test(words.text) && !/['\s]$/.test(words.text);
  if (!exact && isSimple) return `text=${words.text}`;
  if (exact && isSimple) return `text="${words.text}"`;
  return `internal:text=${internalText(words, exact)}`;
};

const attributeSelector = (name: string, words: Words, exact: boolean): string => {
  if ("regex" in words) return `internal:attr=[${name}=${regexOf(words)}]`;
  return exact
    ? `css=[${name}=${cssString(words.text)}]`
    : `css=[${name}*=${cssString(words.text)} i]`;
};

/**
 * An address as a pattern of ours. A path is one of the page's own host. Of a glob `*` and `**` are both our `*`; one that
 * says more is null.
 */
export const addressPattern = (address: string, isGlob: boolean): string | null => {
  if (!isGlob || !/[*?{}[\]]/.test(address)) {
    const isPath = address.startsWith("/") && parsePattern(address).kind !== "exact";
    return isPath ? `/^https?:\\/\\/[^\\/]+${escapeRegExp(address)}$/` : exactPattern(address);
  }
  const pattern = address.replace(/\*+/g, "*");
  return !/[?{}[\]]/.test(pattern) && parsePattern(pattern).kind === "wildcard" ? pattern : null;
};
