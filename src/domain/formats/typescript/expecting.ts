import type { Helper } from "../script/helpers.ts";

const RAW = String.raw;

/** The code with which an exported script waits for an assertion. */
export const expecting: readonly Helper[] = [
  {
    name: "seen",
    code: `const seen = (wanted: (count: number) => boolean, ways: Locator[], problem: string, limit: number) => {
  let count = 0;
  return until(
    async () => {
      count = (await look(ways))?.count ?? 0;
      return wanted(count);
    },
    () => problem + ": " + count + " seen of " + ways[0],
    limit,
  );
};`,
  },
  {
    name: "waitVisible",
    code: `const waitVisible = (limit: number, ways: Locator[], { nth = 0 }: Options = {}) =>
  seen((count) => count >= (nth === -1 ? 1 : nth + 1), ways, "Expected to be visible", limit);`,
  },
  {
    name: "waitHidden",
    code: `const waitHidden = (limit: number, ways: Locator[], { nth = 0 }: Options = {}) =>
  seen((count) => count <= (nth === -1 ? 0 : nth), ways, "Expected not to be visible", limit);`,
  },
  {
    name: "expectVisible",
    code: `const expectVisible = (ways: Locator[], options: Options = {}) => waitVisible(TIMEOUT / 2, ways, options);`,
  },
  {
    name: "expectHidden",
    code: `const expectHidden = (ways: Locator[], options: Options = {}) => waitHidden(TIMEOUT / 2, ways, options);`,
  },
  {
    name: "expectCount",
    code: `/** So many; of a certain one of them, one or none. */
const expectCount = (wanted: number, ways: Locator[], { nth }: Options = {}) => {
  const least = nth === -1 ? 1 : (nth ?? 0) + 1;
  const soMany = (count: number) => (nth === undefined ? count : Number(count >= least));
  return seen((count) => soMany(count) === wanted, ways, "Expected " + wanted, TIMEOUT / 2);
};`,
  },
  {
    name: "shownText",
    code: `/** The visible text of an element; of a field, its content. */
const shownText = (locator: Locator): Promise<string> =>
  locator.evaluate((element: HTMLElement) => {
    if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
    if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.label ?? "";
    return element.innerText ?? element.textContent ?? "";
  });`,
  },
  {
    name: "expectTexts",
    code: `const expectTexts = async (
  isSo: (text: string) => boolean,
  wanted: string,
  textsOf: (locator: Locator) => Promise<string[]>,
  ways: Locator[],
  options: Options,
) => {
  let actual: string[] = [];
  await until(
    async () => {
      actual = await textsOf(await find(ways, options, 500));
      return actual.some(isSo);
    },
    () => "Expected " + JSON.stringify(wanted) + ", but it is " + JSON.stringify(actual[0] ?? null),
    TIMEOUT / 2,
  );
};`,
  },
  {
    name: "readTexts",
    code: `const readTexts = async (locator: Locator): Promise<string[]> =>
  [await shownText(locator), (await locator.textContent()) ?? ""].map(folded);`,
  },
  {
    name: "expectText",
    code: `const expectText = (wanted: string, ways: Locator[], options: Options = {}) =>
  expectTexts((text) => text === folded(wanted), wanted, readTexts, ways, options);`,
  },
  {
    name: "expectContains",
    code: `const expectContains = (wanted: string, ways: Locator[], options: Options = {}) =>
  expectTexts((text) => words(wanted).test(text), wanted, readTexts, ways, options);`,
  },
  {
    name: "expectValue",
    code: `/** The value of a dropdown: its visible option or its submitted value. */
const expectValue = (wanted: string, ways: Locator[], options: Options = {}) =>
  expectTexts(
    (text) => text === wanted || folded(text) === folded(wanted),
    wanted,
    async (locator) => [await shownText(locator), await locator.inputValue()],
    ways,
    options,
  );`,
  },
  {
    name: "matches",
    code: RAW`/** Exact text, * wildcards, or /regex/flags. */
const matches = (pattern: string, text: string): boolean => {
  const regex = /^\/(.+)\/([imsu]{0,4})$/s.exec(pattern);
  if (regex) return new RegExp(regex[1] ?? "", regex[2]).test(text);
  if (!pattern.includes("*")) return pattern === text;
  return new RegExp("^" + pattern.split(/\*+/).map(escaped).join("[\\s\\S]*") + "$").test(text);
};`,
  },
  {
    name: "expectAddress",
    code: RAW`/** A pattern that starts with / is meant on the page's own host. */
const expectAddress = (page: Page, wanted: string) => {
  const pattern = wanted.trim();
  const isPath = pattern.startsWith("/") && !/^\/(.+)\/([imsu]{0,4})$/s.test(pattern);
  const shown = () => {
    const { pathname, search, hash } = new URL(page.url());
    return isPath ? pathname + search + hash : page.url();
  };
  return until(
    async () =>
      matches(pattern, shown()) ||
      (!pattern.includes("*") && URL.canParse(pattern) && new URL(pattern).href === page.url()),
    () => "Expected the address " + wanted + ", but it is " + page.url(),
    TIMEOUT / 2,
  );
};`,
  },
  {
    name: "expectTitle",
    code: `const expectTitle = async (page: Page, wanted: string) => {
  let title = "";
  await until(
    async () => {
      title = folded(await page.title());
      return matches(wanted.trim(), title);
    },
    () => "Expected the title " + wanted + ", but it is " + title,
    TIMEOUT / 2,
  );
};`,
  },
];
