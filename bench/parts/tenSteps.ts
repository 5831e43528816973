import type { Page } from "playwright";

/** What `expect` of Playwright's runner and a plain script both can wait with. */
const seen = (page: Page, text: string) => page.getByText(text).waitFor({ state: "visible" });

const STEPS: readonly ((page: Page, siteUrl: string) => Promise<unknown>)[] = [
  (page, siteUrl) => page.goto(`${siteUrl}/`),
  (page) => page.getByLabel("Name").fill("Ann Example"),
  (page) => page.getByLabel("Email").fill("ann@example.test"),
  (page) => page.getByLabel("Size").selectOption("Large"),
  (page) => page.getByLabel("Gift wrap").check(),
  (page) => page.getByRole("button", { name: "Add to basket" }).click(),
  (page) => seen(page, "1 in your basket"),
  (page) => page.getByRole("link", { name: "Check out" }).click(),
  (page) => seen(page, "Thank you"),
  (page) => seen(page, "Your order is on its way."),
];

/** The same ten steps as anybody would script them in Playwright, a JPEG picture after each. */
export const playTenSteps = async (page: Page, siteUrl: string): Promise<number> => {
  let bytes = 0;
  for (const step of STEPS) {
    await step(page, siteUrl);
    bytes += (await page.screenshot({ type: "jpeg", quality: 80 })).length;
  }
  return bytes;
};
