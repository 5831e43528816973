import type { Helper } from "../script/helpers.ts";

const RAW = String.raw;

/** The code with which an exported script executes an action. */
export const acting: readonly Helper[] = [
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
    code: `/** Types key by key after the present content of the field. */
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
