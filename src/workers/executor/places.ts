import type { ElementHandle, Locator } from "playwright";
import { closest, inSection } from "./inPage.ts";

/** Which of the matched elements stand in the section that a title begins: indices in the order of the page. */
export const inSectionOf = (matches: Locator, title: ElementHandle): Promise<readonly number[]> =>
  matches.evaluateAll(inSection, title).catch(() => []);

/** Which of the matched elements are closest to an anchor: one index, or several that cannot be told apart. */
export const closestTo = (matches: Locator, anchor: ElementHandle): Promise<readonly number[]> =>
  matches.evaluateAll(closest, anchor).catch(() => []);
