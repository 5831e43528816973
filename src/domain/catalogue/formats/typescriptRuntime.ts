import { ACTED_ON_ROLES, NAMED_ROLES } from "../locate.ts";
import { type Helper, helpersFor } from "./scriptHelpers.ts";

const roles = (names: readonly string[]): string =>
  `[\n${names.map((name) => `  "${name}",\n`).join("")}] as const`;

const RAW = String.raw;

/** In the order in which they are written; a helper uses only those before it. */
const helpers: readonly Helper[] = [
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
    code: RAW`const folded = (text: string): string => text.replace(/[\s\u00a0\u200b]+/g, " ").trim();`,
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
    code: RAW`/** The whole of a name, capitals aside, white space folded. */
const whole = (text: string): RegExp =>
  new RegExp("^\\s*" + text.trim().split(/\s+/).map(escaped).join("\\s+") + "\\s*$", "i");`,
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
    code: `/** What a person would call so, best first: whole names, then parts of names. */
const named = (root: Root, name: string): Locator[] =>
  [whole(name), name].flatMap((text) => [
    ...(text === name ? [testId(root, name)] : []),
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
    code: `/** A button before the field that it stands beside. */
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
    code: `const waitVisible = (ways: Locator[], { nth = 0 }: Options = {}, limit = TIMEOUT) =>
  seen((count) => count >= (nth === -1 ? 1 : nth + 1), ways, "Expected to be visible", limit);`,
  },
  {
    name: "waitHidden",
    code: `const waitHidden = (ways: Locator[], { nth = 0 }: Options = {}, limit = TIMEOUT) =>
  seen((count) => count <= (nth === -1 ? 0 : nth), ways, "Expected not to be visible", limit);`,
  },
  {
    name: "expectVisible",
    code: `const expectVisible = (ways: Locator[], options: Options = {}) => waitVisible(ways, options, TIMEOUT / 2);`,
  },
  {
    name: "expectHidden",
    code: `const expectHidden = (ways: Locator[], options: Options = {}) => waitHidden(ways, options, TIMEOUT / 2);`,
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
    code: `/** What a person reads in an element: of a field what has been entered. */
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
  expectTexts((text) => text.includes(folded(wanted)), wanted, readTexts, ways, options);`,
  },
  {
    name: "expectValue",
    code: `/** A dropdown's value is what a person sees chosen, or what the page sends. */
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
  {
    name: "address",
    code: `/** A full address, or a path on the base URL. */
const address = (text: string): string =>
  URL.canParse(text.trim()) ? text.trim() : new URL(text.trim(), BASE_URL).href;`,
  },
  {
    name: "go",
    code: `const go = async (page: Page, move: () => Promise<unknown>) => {
  const before = page.url();
  if ((await move()) === null && page.url() === before) throw new Error("There is no page to go to");
};`,
  },
  {
    name: "milliseconds",
    code: RAW`const milliseconds = (text: string): number => {
  const [, amount = "0", unit = "ms"] = /^\s*([\d.]+)\s*([a-z]+)\s*$/i.exec(text) ?? [];
  const lower = unit.toLowerCase();
  const factor = lower.startsWith("ms") || lower.startsWith("milli") ? 1 : lower.startsWith("s") ? 1000 : 60_000;
  return Number(amount) * factor;
};`,
  },
  {
    name: "filePath",
    code: `const filePath = (name: string): string => (process.env.FILES ?? "files") + "/" + name;`,
  },
  {
    name: "scrollBy",
    code: `/** To the top, to the bottom, or by pixels, of an element or the page. */
const scrollBy = (locator: Locator, way: string) =>
  locator.evaluate((element, way) => {
    const isPage = element === document.documentElement;
    const place = isPage ? (document.scrollingElement ?? element) : element;
    if (way === "top") place.scrollTo({ top: 0, behavior: "instant" });
    else if (way === "bottom") place.scrollTo({ top: place.scrollHeight, behavior: "instant" });
    else place.scrollBy({ top: Number.parseInt(way, 10), behavior: "instant" });
  }, way.trim().toLowerCase());`,
  },
  {
    name: "setViewport",
    code: RAW`const setViewport = (page: Page, size: string) => {
  const [width = 0, height = 0] = size.toLowerCase().split(/\s*[x×]\s*/).map(Number);
  return page.setViewportSize({ width, height });
};`,
  },
  {
    name: "textOf",
    code: RAW`const textOf = async (locator: Locator): Promise<string> =>
  (await shownText(locator)).replace(/\s+/g, " ").trim();`,
  },
  {
    name: "typeInto",
    code: `/** Key by key, after what is in the field already. */
const typeInto = async (locator: Locator, text: string) => {
  await locator.press("End");
  await locator.pressSequentially(text);
};`,
  },
  {
    name: "tick",
    code: `/** A real checkbox may be hidden behind a drawn one: then its label is clicked. */
const tick = async (locator: Locator, checked: boolean) => {
  if (await locator.isVisible()) return locator.setChecked(checked);
  if ((await locator.isChecked()) === checked) return;
  await locator.evaluate((input: HTMLInputElement) => (input.labels?.[0] ?? input).click());
  expect(await locator.isChecked()).toBe(checked);
};`,
  },
  {
    name: "choose",
    code: `/** By the option's label, then by its value; of a dropdown that the page draws itself, by a click on it. */
const choose = async (locator: Locator, wanted: string) => {
  const isSelect = await locator.evaluate((element) => element instanceof HTMLSelectElement);
  if (!isSelect) {
    await locator.click();
    const view = (await (await locator.elementHandle())?.ownerFrame()) ?? locator.page();
    const option = view.getByRole("option", { name: wanted, exact: true }).filter({ visible: true });
    return option.first().click();
  }
  let chosen: { label: string; value: string } | undefined;
  await until(
    async () => {
      const options = await locator.evaluate((element: HTMLSelectElement) =>
        Array.from(element.options, ({ label, value, disabled }) => ({ label, value, disabled })),
      );
      const option =
        options.find(({ label }) => folded(label) === folded(wanted)) ??
        options.find(({ value }) => value === wanted) ??
        options.find(({ label }) => folded(label).toLowerCase() === folded(wanted).toLowerCase());
      if (option && !option.disabled) chosen = option;
      return chosen !== undefined;
    },
    () => "There is no option " + wanted,
    TIMEOUT,
  );
  if (chosen) await locator.selectOption({ value: chosen.value, label: chosen.label });
};`,
  },
  {
    name: "frameOf",
    code: `const frameOf = async (locator: Locator): Promise<Frame> => {
  const frame = await (await locator.elementHandle())?.contentFrame();
  if (!frame) throw new Error(locator + " is no frame");
  await frame.waitForLoadState("domcontentloaded");
  return frame;
};`,
  },
  {
    name: "answers",
    code: `const answers: { accept: boolean; text?: string | undefined }[] = [];`,
  },
  {
    name: "answerDialog",
    code: `/** Answers the next dialog that opens. */
const answerDialog = (page: Page, accept: boolean, text?: string) => {
  answers.push({ accept, text });
  page.once("dialog", async (dialog) => {
    const answer = answers.shift();
    if (answer?.accept) await dialog.accept(answer.text);
    else await dialog.dismiss();
  });
};`,
  },
  {
    name: "dialogsAnswered",
    code: `const dialogsAnswered = () =>
  until(async () => answers.length === 0, () => "No dialog opened", TIMEOUT);`,
  },
  {
    name: "switchTab",
    code: RAW`/** Another tab by its title or number; the last; without a name the one before. */
const switchTab = async (page: Page, wanted: string): Promise<Page> => {
  let found: Page | undefined;
  await until(
    async () => {
      const tabs = page.context().pages();
      if (wanted === "") found = tabs[Math.max(0, tabs.indexOf(page) - 1)];
      else if (wanted === "last") found = tabs.length > 1 ? tabs.at(-1) : undefined;
      else if (/^\d{1,3}$/.test(wanted)) found = tabs[Number(wanted) - 1];
      else {
        const titles = (await Promise.all(tabs.map((tab) => tab.title()))).map((title) => title.toLowerCase());
        const at = titles.indexOf(wanted.toLowerCase());
        found = tabs[at >= 0 ? at : titles.findIndex((title) => title.includes(wanted.toLowerCase()))];
      }
      return found !== undefined;
    },
    () => "There is no tab " + wanted,
    TIMEOUT,
  );
  const tab = found ?? page;
  await tab.bringToFront();
  await tab.waitForLoadState("domcontentloaded");
  return tab;
};`,
  },
  {
    name: "screenshotPath",
    code: RAW`const screenshotPath = (name: string): string =>
  (process.env.SCREENSHOTS ?? "screenshots") + "/" + name.replace(/[^\w.-]+/g, "-").replace(/^[-.]+|[-.]+$/g, "") + ".png";`,
  },
  {
    name: "nextScreenshot",
    code: `let screenshots = 0;
const nextScreenshot = (): string => {
  screenshots += 1;
  return screenshotPath("screenshot-" + screenshots);
};`,
  },
];

/** The helpers that a script in TypeScript needs. */
export const runtimeFor = (body: string): string[] => helpersFor(helpers, body);
