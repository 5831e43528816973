import type { ElementHandle, Locator } from "playwright";
import { plainMessage } from "./errors.ts";
import type { Found } from "./locators.ts";

const REPLACED = /not attached|was detached|context was destroyed/i;

/** What each action waits for before it does anything: on this very element, and on none that comes in its place. */
const READY: Readonly<
  Record<string, (element: ElementHandle, options: { timeout: number }) => Promise<unknown>>
> = {
  click: (element, options) => element.click({ trial: true, ...options }),
  double_click: (element, options) => element.click({ trial: true, ...options }),
  right_click: (element, options) => element.click({ trial: true, ...options }),
  hover: (element, options) => element.hover({ trial: true, ...options }),
  check: (element, options) => tickable(element, true, options),
  uncheck: (element, options) => tickable(element, false, options),
  // Why it cannot be edited or chosen from is said by who tries to.
  fill: (element, options) => unlessLate(element.waitForElementState("editable", options)),
  clear: (element, options) => unlessLate(element.waitForElementState("editable", options)),
  select: (element, options) => unlessLate(element.waitForElementState("enabled", options)),
};

/** One that the page hides behind a drawn one is ticked in another way. */
const tickable = async (
  element: ElementHandle,
  checked: boolean,
  options: { timeout: number },
): Promise<void> => {
  if (await element.isVisible()) await element.setChecked(checked, { trial: true, ...options });
};

const unlessLate = (ready: Promise<void>): Promise<void> =>
  ready.catch((error: unknown) => {
    if (REPLACED.test(plainMessage(error))) throw error;
  });

/**
 * Waits until what was told by its place can be acted on, and answers where it stands by then. It is known by its
 * number among others of its kind: where the page draws itself anew meanwhile, that number is another's. What was found
 * in any other way is answered as it is. Rejects as acting on it would when it does not become ready in time.
 */
export const whereItIs = async (
  first: Found,
  action: string,
  deadline: number,
  find: (timeoutMs: number) => Promise<Found>,
  meanwhile: () => Promise<void>,
): Promise<Found> => {
  if (!first.isPlaced) {
    await meanwhile();
    return first;
  }
  const left = (): number => Math.max(1, deadline - performance.now());
  let element = await elementOf(first.locator, left());
  await meanwhile();
  for (;;) {
    try {
      if (!(await element?.evaluate((each) => each.isConnected))) throw new Error("not attached");
      await READY[action]?.(element as ElementHandle, { timeout: left() });
      return await find(left());
    } catch (error) {
      if (!REPLACED.test(plainMessage(error)) || performance.now() >= deadline) throw error;
    }
    element = await elementOf((await find(left())).locator, left());
  }
};

/** null when it is gone again already. */
const elementOf = (locator: Locator, timeout: number): Promise<ElementHandle | null> =>
  locator.elementHandle({ timeout: Math.min(timeout, 1_000) }).catch(() => null);
