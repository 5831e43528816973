import type { Locator } from "playwright";
import { optionsOf } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { type InPage, inPage, readOptions, type SelectOption } from "../inPage.ts";
import { asRead } from "../matching/compare.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { EFFECT_MS } from "./effects.ts";
import { onElement } from "./interactions.ts";
import { lookUntil, quoted } from "./polling.ts";

/**
 * Chooses options by their labels, then by their values: of a `<select>`, several at once where it takes several, or
 * one of a dropdown that the page draws itself. Exactly the options named are chosen afterwards.
 */
export const select: PerformStep = (context) =>
  onElement(context, "select", "choose from", async (locator, timeout) => {
    const wanted = optionsOf(context.step.value);
    const first = await locator.evaluate(readOptions, undefined, { timeout });
    if (first === null) return chooseDrawn(context, locator, wanted, timeout);
    const isSingle = await locator.evaluate(takesOne, undefined, { timeout });
    if (isSingle && wanted.length > 1) {
      const names = wanted.map(quoted).join(", ");
      throw new StepError(
        `${context.step.target} takes one option, and ${names} are to be chosen.`,
      );
    }
    const chosen = await awaitOptions(context, locator, wanted, first, timeout);
    await locator.selectOption(
      chosen.map(({ index }) => ({ index })),
      { timeout },
    );
    await areChosen(context, locator, chosen);
  });

const takesOne = inPage<InPage<undefined, boolean>>(`(element) => !element.multiple`);

const awaitOptions = async (
  context: StepContext,
  locator: Locator,
  wanted: readonly string[],
  first: readonly SelectOption[],
  timeout: number,
): Promise<readonly SelectOption[]> => {
  let seen: readonly SelectOption[] | null = first;
  let chosen: readonly (SelectOption | undefined)[] = [];
  const missing = await lookUntil(context, timeout, async () => {
    const options = seen ?? (await locator.evaluate(readOptions)) ?? [];
    seen = null;
    chosen = wanted.map((one) => optionIn(options, one));
    return chosen.every((one) => one && !one.disabled)
      ? { ok: true }
      : { ok: false, actual: options };
  });
  const at = chosen.findIndex((one) => !one || one.disabled);
  if (at < 0) return chosen.flatMap((one) => one ?? []);
  const labels = (missing?.actual ?? []).slice(0, 20).map(({ label }) => quoted(asRead(label)));
  const problem = chosen[at] ? "is disabled" : "is not among its options";
  throw new StepError(
    `Could not choose ${quoted(wanted[at] ?? "")} from ${context.step.target}: it ${problem}. Options: ${labels.join(", ") || "none"}.`,
  );
};

const optionIn = (options: readonly SelectOption[], wanted: string): SelectOption | undefined => {
  const label = asRead(wanted);
  return (
    options.find((one) => asRead(one.label) === label) ??
    options.find((one) => one.value === wanted) ??
    options.find((one) => asRead(one.label).toLowerCase() === label.toLowerCase())
  );
};

/** A page may refuse a choice, or take several back. */
const areChosen = async (
  context: StepContext,
  locator: Locator,
  chosen: readonly SelectOption[],
): Promise<void> => {
  const wanted = [...new Set(chosen.map(({ index }) => index))].sort((a, b) => a - b).join();
  const wrong = await lookUntil<readonly SelectOption[] | null>(context, EFFECT_MS, async () => {
    const options = await locator
      .evaluate(readOptions, undefined, { timeout: EFFECT_MS })
      .catch(() => null);
    const selected = options?.filter(({ isSelected }) => isSelected) ?? null;
    const are = selected?.map(({ index }) => index).join();
    return are === wanted ? { ok: true } : { ok: false, actual: selected };
  });
  if (!wrong) return;
  if (wrong.actual === null)
    return context.noted("the list was gone before its choice could be read");
  const are = wrong.actual.map(({ label }) => quoted(asRead(label))).join(", ") || "nothing";
  const names = chosen.map(({ label }) => quoted(asRead(label))).join(", ");
  throw new StepError(`${context.step.target} should have ${names} chosen, but it has ${are}.`);
};

/** A dropdown that the page draws: its options appear when it is opened. */
const chooseDrawn = async (
  { view, step, noted }: StepContext,
  locator: Locator,
  wanted: readonly string[],
  timeout: number,
): Promise<void> => {
  for (const one of wanted) {
    const option = view.getByRole("option", { name: one, exact: true }).filter({ visible: true });
    if ((await option.count()) === 0) await locator.click({ timeout });
    await option.first().click({ timeout });
    const isShown = await locator
      .evaluate(saysOption, one, { timeout: EFFECT_MS })
      .catch(() => null);
    if (isShown !== true) noted(`${step.target} does not show ${quoted(one)} as chosen`);
  }
};

/** Whether a drawn dropdown shows an option as chosen, in its text or its value. */
const saysOption = inPage<InPage<string, boolean>>(
  `(element, name) => (element.innerText + " " + (element.value ?? "")).includes(name)`,
);
