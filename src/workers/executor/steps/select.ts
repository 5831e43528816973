import type { Locator } from "playwright";
import { optionsOf } from "../../../domain/catalogue/values.ts";
import { StepError } from "../errors.ts";
import {
  type InPage,
  inPage,
  LANG_OF,
  readOptions,
  readSuggestions,
  type SelectOption,
} from "../inPage.ts";
import type { View } from "../matching/ask.ts";
import { asRead, hasText } from "../matching/compare.ts";
import type { PerformStep, StepContext } from "./context.ts";
import { EFFECT_MS } from "./effects.ts";
import { onElement } from "./interactions.ts";
import { lookUntil, quoted } from "./polling.ts";

/**
 * Chooses options by their labels, then by their values, which is noted: of a `<select>`, several at once where it takes several, or
 * one of a dropdown that the page draws itself. Exactly the options named are chosen afterwards.
 */
export const select: PerformStep = (context) =>
  onElement(context, "select", "choose from", async (locator, timeout) => {
    const wanted = optionsOf(context.step.value);
    const first = await locator.evaluate(readOptions, undefined, { timeout });
    if (first === null) {
      const suggested = await locator.evaluate(readSuggestions, undefined, { timeout });
      if (suggested !== null) return takeSuggestion(context, locator, wanted, suggested, timeout);
      return chooseDrawn(context, locator, wanted, timeout);
    }
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
  const started = performance.now();
  let seen: readonly SelectOption[] | null = first;
  let chosen: readonly (SelectOption | undefined)[] = [];
  const missing = await lookUntil(context, timeout, async () => {
    const options = seen ?? (await locator.evaluate(readOptions)) ?? [];
    seen = null;
    const isQuiet =
      performance.now() - started > VALUE_GRACE_MS || context.requestsInFlight() === 0;
    chosen = wanted.map((one) => optionIn(context, options, one, isQuiet));
    return chosen.every((one) => one && !one.disabled)
      ? { ok: true }
      : { ok: false, actual: options };
  });
  const at = chosen.findIndex((one) => !one || one.disabled);
  if (at < 0) {
    const found = chosen.flatMap((one) => one ?? []);
    for (const [n, { label }] of found.entries())
      if (!isCalled(label, wanted[n] ?? ""))
        context.noted(
          `${quoted(wanted[n] ?? "")} is the value of the option ${quoted(asRead(label))}`,
        );
    return found;
  }
  const labels = (missing?.actual ?? []).slice(0, 20).map(({ label }) => quoted(asRead(label)));
  const problem = chosen[at] ? "is disabled" : "is not among its options";
  throw new StepError(
    `Could not choose ${quoted(wanted[at] ?? "")} from ${context.step.target}: it ${problem}. Options: ${labels.join(", ") || "none"}.`,
  );
};

const isCalled = (label: string, wanted: string): boolean =>
  asRead(label).toLowerCase() === asRead(wanted).toLowerCase();

/** While requests are in flight, an option of the label may arrive: one of the value waits this long. */
const VALUE_GRACE_MS = 2_000;

/** The option that a person means. Throws StepError for a label that several groups have. */
const optionIn = (
  { step }: StepContext,
  options: readonly SelectOption[],
  wanted: string,
  takesValue: boolean,
): SelectOption | undefined => {
  const cased = options.filter((one) => asRead(one.label) === asRead(wanted));
  const called = cased.length > 0 ? cased : options.filter((one) => isCalled(one.label, wanted));
  const open = called.filter((one) => !one.disabled);
  if (open.length > 1) {
    const places = open.map(({ group, index }) =>
      group ? `in ${quoted(group)}` : `${index + 1}.`,
    );
    throw new StepError(
      `Could not choose ${quoted(wanted)} from ${step.target}: ${open.length} of its options are called so (${places.join(", ")}).`,
    );
  }
  return (
    open[0] ?? called[0] ?? (takesValue ? options.find((one) => one.value === wanted) : undefined)
  );
};

/** An input that suggests options takes one of them as its text. */
const takeSuggestion = async (
  { step }: StepContext,
  locator: Locator,
  wanted: readonly string[],
  suggested: readonly { readonly label: string; readonly value: string }[],
  timeout: number,
): Promise<void> => {
  const [one = ""] = wanted;
  const option = suggested.find(
    ({ label, value }) => isCalled(label || value, one) || value === one,
  );
  if (option && wanted.length === 1) return locator.fill(option.value, { timeout });
  const labels = suggested.slice(0, 20).map(({ label, value }) => quoted(asRead(label || value)));
  throw new StepError(
    `Could not choose ${wanted.map(quoted).join(", ")} from ${step.target}: it suggests one of ${labels.join(", ") || "nothing"}.`,
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
  if (!wrong) {
    return context.lasts({
      said: `${context.step.target} has other options chosen.`,
      isStill: async () => {
        if ((await locator.count()) !== 1) return true;
        const options = (await locator.evaluate(readOptions)) ?? [];
        return options.flatMap((one) => (one.isSelected ? one.index : [])).join() === wanted;
      },
    });
  }
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
    const list = await listOf(view, locator);
    const called = { name: one, exact: true };
    const isThere = await list.locator
      .getByRole("option", called)
      .filter({ visible: true })
      .count();
    if (isThere === 0 || list.isClosed) await locator.click({ timeout });
    // Some dropdowns say only once they are open which list is theirs.
    const opened = list.isClosed ? await listOf(view, locator) : list;
    const option = opened.locator.getByRole("option", called).filter({ visible: true });
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

/** Where the options of a drawn dropdown stand: in its own list, in the list that it names, or anywhere in the page. */
const listOf = async (
  view: View,
  locator: Locator,
): Promise<{ readonly locator: Pick<Locator, "getByRole">; readonly isClosed: boolean }> => {
  const [role, named, expanded] = await Promise.all(
    ["role", "aria-controls", "aria-expanded"].map((name) => locator.getAttribute(name)),
  );
  if (role === "listbox") return { locator, isClosed: false };
  const list = named ? view.locator(`[id=${JSON.stringify(named)}]`) : null;
  const isThere = list !== null && (await list.count()) === 1;
  return { locator: isThere ? list : view, isClosed: expanded === "false" };
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
