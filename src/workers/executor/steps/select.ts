import type { Locator } from "playwright";
import { optionsOf } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import { type InPage, inPage, LANG_OF, readOptions, type SelectOption } from "../inPage.ts";
import { asRead, hasText } from "../matching/compare.ts";
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

/** A dropdown that the page draws: its options appear when it is opened, and it shows the chosen ones. */
const chooseDrawn = async (
  context: StepContext,
  locator: Locator,
  wanted: readonly string[],
  timeout: number,
): Promise<void> => {
  const { view, step } = context;
  for (const one of wanted) {
    const option = view.getByRole("option", { name: one, exact: true }).filter({ visible: true });
    if ((await option.count()) === 0) await locator.click({ timeout });
    await option.first().click({ timeout });
    const wrong = await lookUntil<Shown | null>(context, EFFECT_MS, async () => {
      const shown = await locator.evaluate(shownBy, one, { timeout: EFFECT_MS }).catch(() => null);
      if (shown === null) return { ok: false, actual: null };
      const isShown = hasText({ text: shown.said, lang: shown.lang }, one, "words");
      return shown.isSelected || isShown ? { ok: true } : { ok: false, actual: shown };
    });
    if (!wrong) continue;
    // A menu keeps its caption; what shows a value has to show this one.
    if (wrong.actual?.isOfValues !== true) {
      context.noted(`${step.target} does not show ${quoted(one)} as chosen`);
      continue;
    }
    const said = quoted(asRead(wrong.actual.said));
    throw new StepError(`${step.target} should have ${quoted(one)} chosen, but it shows ${said}.`);
  }
};

/** The text that a drawn dropdown shows, whether the page marks the option as chosen, and whether it shows values at all. */
type Shown = {
  readonly said: string;
  readonly lang: string;
  readonly isSelected: boolean;
  readonly isOfValues: boolean;
};

const shownBy = inPage<InPage<string, Shown>>(`(element, name) => {
  const isPopup = (one) => one.matches("[role=listbox], [role=option], [role=menu], [popover]") || !one.checkVisibility();
  const read = (one) => {
    if (isPopup(one)) return "";
    if (/^(?:input|textarea)$/.test(one.localName)) return one.value;
    return Array.from(one.childNodes, (node) => node.nodeType === 3 ? node.data : node.nodeType === 1 ? read(node) : "").join(" ");
  };
  // The chosen options of a text field stand beside it, in its box.
  const isItsBox = (box) => box && box !== document.body && box.querySelectorAll("input:not([type=hidden]), select, textarea").length < 2;
  let box = element;
  if (element.localName === "input") for (let up = 0; up < 3 && isItsBox(box.parentElement); up += 1) box = box.parentElement;
  const list = document.getElementById(element.getAttribute("aria-controls") ?? element.getAttribute("aria-owns") ?? "") ?? document;
  const isCalled = (option) => (option.getAttribute("aria-label") ?? option.innerText).trim().toLowerCase() === name.trim().toLowerCase();
  const isSelected = [...list.querySelectorAll("[role=option][aria-selected=true], [role=option][aria-checked=true]")].some(isCalled);
  const isOfValues = element.getAttribute("role") === "combobox" || element.localName === "input" || element.getAttribute("aria-haspopup") === "listbox";
  return { said: box === element && element.localName === "input" ? element.value : read(box), lang: (${LANG_OF})(element), isSelected, isOfValues };
}`);
