import type { Page } from "playwright";

/** What `expect` of Playwright's runner and a plain script both can wait with. */
const seen = (page: Page, text: string) => page.getByText(text).waitFor({ state: "visible" });

interface Step {
  readonly play: (page: Page, siteUrl: string) => Promise<unknown>;
  /** Whether the next step only looks at the page, so that one picture shows both (decision 040). */
  readonly shares?: true;
}

const STEPS: readonly Step[] = [
  { play: (page, siteUrl) => page.goto(`${siteUrl}/`) },
  { play: (page) => page.getByLabel("Name").fill("Ann Example") },
  { play: (page) => page.getByLabel("Email").fill("ann@example.test") },
  { play: (page) => page.getByLabel("Size").selectOption("Large") },
  { play: (page) => page.getByLabel("Gift wrap").check() },
  { play: (page) => page.getByRole("button", { name: "Add to basket" }).click(), shares: true },
  { play: (page) => seen(page, "1 in your basket") },
  { play: (page) => page.getByRole("link", { name: "Check out" }).click(), shares: true },
  { play: (page) => seen(page, "Thank you"), shares: true },
  { play: (page) => seen(page, "Your order is on its way.") },
];

/**
 * Which steps of the script have a JPEG picture of their own: every one, as anybody would write it, or only those whose
 * picture the service does not share with the step after them, which are as many as it takes itself.
 */
export type Pictures = "each" | "shared";

/** The same ten steps as anybody would script them in Playwright. Resolves with how many pictures it took. */
export const playTenSteps = async (
  page: Page,
  siteUrl: string,
  pictures: Pictures = "each",
): Promise<number> => {
  let taken = 0;
  for (const { play, shares } of STEPS) {
    await play(page, siteUrl);
    if (pictures === "shared" && shares) continue;
    await takePicture(page).catch(() => takePicture(page));
    taken += 1;
  }
  return taken;
};

/** Chromium says now and then, of hundreds, that it cannot: the next time it can. */
const takePicture = (page: Page) => page.screenshot({ type: "jpeg", quality: 80 });
