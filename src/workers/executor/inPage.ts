import type { ScrollWay } from "../../domain/catalogue/values.ts";

/** An option of a `<select>`. */
export type SelectOption = {
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
  /** The label of the group that it stands in. */
  readonly group: string | null;
  readonly index: number;
  readonly isSelected: boolean;
};

/** A function that is run inside of the page, as Playwright takes it: `Subject` stands for what only exists there. */
export type InPage<Argument, Result> = (subject: unknown, argument: Argument) => Result;

/**
 * Makes such a function from its JavaScript text. Written as text because a compiler or loader adds helpers to
 * a function (for names, for coverage) that do not exist over there; its text is all that is ever used of it.
 */
export const inPage = <Source>(source: string): Source =>
  new Function(`return ${source}`)() as Source;

/** The text that a person reads in an element: of a field the entered text, of a dropdown the chosen options. */
export const readText = inPage<InPage<undefined, string>>(`(element) => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) return Array.from(element.selectedOptions, ({ label }) => label).join(", ");
  return element.innerText ?? element.textContent ?? "";
}`);

/** The language of an element, as a function for the page; English if the page does not say a known one. */
export const LANG_OF = `(element) => {
  const said = element.closest("[lang]")?.getAttribute("lang") || "en";
  const isKnown = /^[A-Za-z]{2,3}(-[A-Za-z0-9]{2,8})*$/.test(said) && Intl.NumberFormat.supportedLocalesOf([said]).length > 0;
  return isKnown ? said : "en";
}`;

/** The same as styles show it and as the page wrote it (\`source\`), and the language that it is in. */
export const readTexts = inPage<
  InPage<undefined, { readonly text: string; readonly source: string; readonly lang: string }>
>(`(element) => {
  const text = (${String(readText)})(element);
  return { text, source: "value" in element ? text : (element.textContent ?? ""), lang: (${LANG_OF})(element) };
}`);

/**
 * Marks a field, for as long as it is there, in a way that neither the page nor its scripts come upon. A label's
 * field is marked with it.
 */
export const markField = inPage<InPage<undefined, void>>(`(element) => {
  const mark = Symbol.for("field that is not shown");
  for (const one of [element, element.control]) if (one) Object.defineProperty(one, mark, { value: true, configurable: true });
}`);

/** Of each field whether it is marked, and what is in it. */
export const readFields = inPage<
  (fields: unknown) => { readonly marked: boolean; readonly text: string }[]
>(`(fields) => fields.map((field) => ({
  marked: field[Symbol.for("field that is not shown")] === true,
  text: String(("value" in field ? field.value : null) ?? field.innerText ?? field.textContent ?? "").slice(0, 20000) + " " +
    (field.selectedOptions ? Array.from(field.selectedOptions, (option) => option.label).join(" ") : ""),
}))`);

/** Scrolls an element, or for the root the page, to an end or by pixels, at once. */
export const scrollBy = inPage<InPage<ScrollWay, void>>(`(element, way) => {
  const place = element === document.documentElement ? (document.scrollingElement ?? element) : element;
  const behavior = "instant";
  if (way.by !== undefined) place.scrollBy({ top: way.by, behavior });
  else place.scrollTo({ top: way.to === "top" ? 0 : place.scrollHeight, behavior });
}`);

/** The options of a \`<select>\`: \`{label, value, disabled}\` each; null of a dropdown that the page draws itself. */
export const readOptions = inPage<InPage<undefined, SelectOption[] | null>>(`(element) =>
  element instanceof HTMLSelectElement
    ? Array.from(element.options, ({ label, value, disabled, index, selected, parentElement: { label: group = null, disabled: isOff } }) =>
        ({ label, value, disabled: disabled || (group !== null && isOff), group, index, isSelected: selected }))
    : null`);

/** The options that an input suggests: label and value; null of an element without such a list. */
export const readSuggestions = inPage<
  InPage<undefined, { readonly label: string; readonly value: string }[] | null>
>(
  `(element) => (element.list ? Array.from(element.list.options, ({ label, value }) => ({ label, value })) : null)`,
);

/** Whether a click in the middle of a checkbox would reach it, and whether it is ticked. */
export const readTick = inPage<
  InPage<undefined, { readonly isReached: boolean; readonly isChecked: boolean }>
>(`(input) => {
  input.scrollIntoView({ block: "nearest" });
  const box = input.getBoundingClientRect();
  const hit = input.getRootNode().elementFromPoint?.(box.left + box.width / 2, box.top + box.height / 2);
  const isSeen = box.width > 0 && box.height > 0 && getComputedStyle(input).visibility === "visible";
  return { isReached: isSeen && (hit === input || input.contains(hit)), isChecked: input.checked ?? input.getAttribute("aria-checked") === "true" };
}`);

/** The words for why a person cannot use an element although it is not disabled; null if they can. */
export const readObstacle = inPage<InPage<undefined, string | null>>(`(element) => {
  if (element.closest("[inert]")) return "inert";
  const modals = [...document.querySelectorAll("dialog:modal")];
  if (modals.length > 0 && !modals.some((one) => one.contains(element))) return "behind an open dialog";
  return getComputedStyle(element).pointerEvents === "none" ? "drawn so that it takes no clicks" : null;
}`);

/** Whether a checkbox is neither checked nor unchecked. */
export const isMixed = inPage<InPage<undefined, boolean>>(
  `(element) => element.indeterminate === true || element.getAttribute("aria-checked") === "mixed"`,
);

/** Whether it is ticked after one frame of rest. */
export const isStillTicked = inPage<InPage<undefined, Promise<boolean>>>(`(input) =>
  new Promise((resolve) => {
    const told = () => resolve(input.checked ?? input.getAttribute("aria-checked") === "true");
    setTimeout(told, 100);
    requestAnimationFrame(() => requestAnimationFrame(told));
  })`);

/** The label of a checkbox that the page draws itself. */
export const labelOf = inPage<InPage<undefined, unknown>>(`(input) => input.labels?.[0] ?? null`);

/** A point of a label, in its own coordinates, that no link or other control of the label takes; null if there is none. */
export const freePointOf = inPage<InPage<undefined, { x: number; y: number } | null>>(`(label) => {
  label.scrollIntoView({ block: "nearest" });
  const box = label.getBoundingClientRect();
  const isFree = (x, y) => {
    const hit = label.getRootNode().elementFromPoint?.(x, y);
    return hit && label.contains(hit) && !hit.closest("a, button, select, textarea");
  };
  for (const share of [0.5, 0.02, 0.1, 0.25, 0.75, 0.9])
    for (const line of label.getClientRects()) {
      const [x, y] = [line.left + line.width * share, line.top + line.height / 2];
      if (isFree(x, y)) return { x: x - box.left, y: y - box.top };
    }
  return null;
}`);

/** Clicks the label of a checkbox that the page hides behind a drawn one, or the checkbox itself. */
export const clickLabel = inPage<InPage<undefined, void>>(
  `(input) => (input.labels?.[0] ?? input).click()`,
);

/** Tries \`[source, flags, text]\`. */
export const testRegExp: (parts: readonly string[]) => boolean = inPage(
  `([source, flags, text]) => new RegExp(source, flags).test(text)`,
);

/** An element in a line: its tag, what tells it apart, its text. */
export const outline = inPage<InPage<undefined, string>>(`(element) => {
  const attributes = ["id", "name", "type", "href", "aria-label", "placeholder", "class"]
    .map((name) => [name, element.getAttribute(name)])
    .filter(([, value]) => value)
    .slice(0, 3)
    .map(([name, value]) => " " + name + '="' + value.slice(0, 40) + '"')
    .join("");
  const text = (element.textContent ?? "").replace(/\\s+/g, " ").trim().slice(0, 40);
  return "<" + element.tagName.toLowerCase() + attributes + ">" + text;
}`);
