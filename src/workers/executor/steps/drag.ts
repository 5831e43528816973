import type { Locator } from "playwright";
import { parseTarget } from "../../../domain/catalogue/target.ts";
import { BESIDE_PX, parseDrop, type Side } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { type InPage, inPage } from "../inPage.ts";
import { findOne } from "../locators.ts";
import { askRest } from "../matching/ask.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { EFFECT_MS } from "./effects.ts";
import { onElement } from "./interactions.ts";
import { lookUntil } from "./polling.ts";

/** Listens for the end of a drag in the element, until it is asked. */
const listen = inPage<InPage<undefined, void>>(`(element) => {
  const key = Symbol.for("end of a drag");
  const told = (event) => { if (event.composedPath().includes(element)) element[key] = true; };
  element[key] = false;
  for (const type of ["drop", "pointerup", "mouseup", "touchend"]) document.addEventListener(type, told, { capture: true, once: false });
}`);

/** Whether a drag has ended in the element since then. */
const heard = inPage<InPage<undefined, boolean>>(
  `(element) => element[Symbol.for("end of a drag")] === true`,
);

/** Drags the element and drops it where the value says; the drop must arrive there. */
export const drag: PerformStep = (context) =>
  onElement(context, "look", "drag", async (locator, timeout) => {
    const { target, side } = parseDrop(context.step.value);
    const place = { ...context, step: { ...context.step, target } };
    const found = await findOne({ ...place, foundBy: () => {}, sawAt: () => {} }, "look", timeout);
    if (side !== null) return dragBeside(locator, found.locator, side, timeout);
    const { at } = parseTarget(target);
    await found.locator.evaluate(listen, undefined, { timeout });
    const before = await stateOf(context, locator);
    await locator.dragTo(found.locator, {
      timeout,
      ...(at && { targetPosition: { x: at.x, y: at.y } }),
    });
    const isThere = await found.locator
      .evaluate(heard, undefined, { timeout: 1_000 })
      .catch(() => null);
    if (isThere === null) context.noted("the page was redrawn before the drop could be observed");
    if (isThere === false) {
      throw new StepError(
        `${context.step.target} was dragged, but ${target} did not take the drop.`,
      );
    }
    const isIdle = await lookUntil(context, EFFECT_MS, async () => {
      const after = await stateOf(context, locator);
      return after === null || after !== before ? { ok: true } : { ok: false, actual: null };
    });
    if (isIdle) context.noted("nothing on the page changed after the drop");
  });

/** A mark of the page's contents and of the place of the element; null where the page does not answer. */
const stateOf = async ({ view }: StepContext, locator: Locator): Promise<string | null> => {
  const [rest, box] = await Promise.all([
    askRest(view).catch(() => null),
    locator.boundingBox({ timeout: 500 }).catch(() => null),
  ]);
  return rest && `${rest.mark} ${JSON.stringify(box)}`;
};

const dragBeside = async (
  locator: Locator,
  anchor: Locator,
  side: Side,
  timeout: number,
): Promise<void> => {
  await locator.scrollIntoViewIfNeeded({ timeout });
  const [from, to] = [
    await locator.boundingBox({ timeout }),
    await anchor.boundingBox({ timeout }),
  ];
  if (!from || !to)
    throw new StepError("There is nothing to see of what is dragged or dropped on.");
  const { mouse } = locator.page();
  const x =
    side === "left"
      ? to.x - BESIDE_PX
      : side === "right"
        ? to.x + to.width + BESIDE_PX
        : to.x + to.width / 2;
  const y =
    side === "above"
      ? to.y - BESIDE_PX
      : side === "below"
        ? to.y + to.height + BESIDE_PX
        : to.y + to.height / 2;
  await mouse.move(from.x + from.width / 2, from.y + from.height / 2);
  await mouse.down();
  await mouse.move(x, y, { steps: 5 });
  await mouse.up();
};
