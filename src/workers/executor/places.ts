import type { ElementHandle, Locator } from "playwright";
import { closest, inSection } from "./inPage.ts";

/** Which of the matched elements stand in the section that a title begins: indices in the order of the page. */
export const inSectionOf = (matches: Locator, title: ElementHandle): Promise<readonly number[]> =>
  matches.evaluateAll(inSection, title).catch(() => []);

/** Which of the matched elements are closest to any of the anchors: one index, or several that cannot be told apart. */
export const closestTo = (
  matches: Locator,
  anchors: readonly ElementHandle[],
): Promise<readonly number[]> => matches.evaluateAll(closest, anchors).catch(() => []);
