import type { Page } from "playwright";

/** Works in scripts and in Playwright's test runner. */
const waitForText = (page: Page, text: string) =>
  page.getByText(text).waitFor({ state: "visible" });

interface Step {
  readonly play: (page: Page, siteUrl: string) => Promise<unknown>;
  /** The next step is an assertion, so one screenshot shows both steps (decision 040). */
  readonly sharesScreenshot?: true;
}

const STEPS: readonly Step[] = [
  { play: (page, siteUrl) => page.goto(`${siteUrl}/`) },
  { play: (page) => page.getByLabel("Name").fill("Ann Example") },
  { play: (page) => page.getByLabel("Email").fill("ann@example.test") },
  { play: (page) => page.getByLabel("Size").selectOption("Large") },
  { play: (page) => page.getByLabel("Gift wrap").check() },
  {
    play: (page) => page.getByRole("button", { name: "Add to basket" }).click(),
    sharesScreenshot: true,
  },
  { play: (page) => waitForText(page, "1 in your basket") },
  { play: (page) => page.getByRole("link", { name: "Check out" }).click(), sharesScreenshot: true },
  { play: (page) => waitForText(page, "Thank you"), sharesScreenshot: true },
  { play: (page) => waitForText(page, "Your order is on its way.") },
];

/** `each`: a screenshot after every step. `shared`: the same screenshots as the service, which shares some between steps. */
export type Screenshots = "each" | "shared";

/** The same ten steps as a Playwright script. Returns the number of screenshots. */
export const playTenSteps = async (
  page: Page,
  siteUrl: string,
  screenshots: Screenshots = "each",
): Promise<number> => {
  let taken = 0;
  for (const { play, sharesScreenshot } of STEPS) {
    await play(page, siteUrl);
    if (screenshots === "shared" && sharesScreenshot) continue;
    await takeScreenshot(page).catch(() => takeScreenshot(page));
    taken += 1;
  }
  return taken;
};

/** Fails about once in several hundred calls; the caller retries. */
const takeScreenshot = (page: Page) => page.screenshot({ type: "jpeg", quality: 80 });
