import type { ElementHandle } from "playwright";
import type { ScrollWay } from "../../domain/catalogue/values.ts";

/** An option of a `<select>`. */
export type SelectOption = {
  readonly label: string;
  readonly value: string;
  readonly disabled: boolean;
};

/** A function that is run inside of the page, as Playwright takes it: `Subject` stands for what only exists there. */
export type InPage<Argument, Result> = (subject: unknown, argument: Argument) => Result;

/**
 * Makes such a function from its JavaScript text. Written as text because a compiler or loader adds helpers to
 * a function (for names, for coverage) that do not exist over there; its text is all that is ever used of it.
 */
export const inPage = <Source>(source: string): Source =>
  new Function(`return ${source}`)() as Source;

/** What a person reads in an element: of a field what has been entered, of a dropdown what is chosen. */
export const readText = inPage<InPage<undefined, string>>(`(element) => {
  if (element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement) return element.value;
  if (element instanceof HTMLSelectElement) return element.selectedOptions[0]?.label ?? "";
  return element.innerText ?? element.textContent ?? "";
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
    ? Array.from(element.options, ({ label, value, disabled }) => ({ label, value, disabled }))
    : null`);

/** Whether it is a file field, or the label of one. */
export const isFileField = inPage<InPage<undefined, boolean>>(
  `(element) => [element, element.control ?? element.closest("label")?.control].some((one) => one instanceof HTMLInputElement && one.type === "file")`,
);

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

/**
 * Which elements stand in the section that a title begins: in what the title labels, or after the title and
 * before the next heading of its level or higher. Indices.
 */
export const inSection = inPage<InPage<ElementHandle, number[]>>(`(elements, heading) => {
  const levelOf = (element) =>
    Number(element.getAttribute("aria-level") ?? /^H([1-6])$/.exec(element.tagName)?.[1] ?? 2);
  const level = levelOf(heading);
  const labelled = heading.id
    ? document.querySelector('[aria-labelledby~="' + CSS.escape(heading.id) + '"]')
    : null;
  const follows = (a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
  const next = Array.from(document.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading]")).find(
    (each) => follows(heading, each) && levelOf(each) <= level,
  );
  const inside = elements.flatMap((element, index) => {
    if (labelled?.contains(element)) return [index];
    return follows(heading, element) && (!next || follows(element, next)) ? [index] : [];
  });
  // The last section of a page has no next heading to end it: what shares a container with the title is meant.
  const container = heading.closest("section, article, fieldset, form, aside, main, li, tr");
  const near = container ? inside.filter((index) => container.contains(elements[index])) : [];
  return inside.length > 1 && !next && near.length > 0 ? near : inside;
}`);

/**
 * Which elements share the closest container with an anchor; of several, those at the smallest distance on the screen.
 * Of several anchors those count that share the closest container of all: a name in the page's header does not make
 * the row with that name doubtful, two such rows do. An anchor is not beside itself. Indices.
 */
export const closest = inPage<InPage<readonly ElementHandle[], number[]>>(`(elements, anchors) => {
  const depthOf = (node) => {
    let depth = 0;
    for (let at = node; at; at = at.parentElement) depth += 1;
    return depth;
  };
  const sharedDepth = (element, anchor) => {
    let at = anchor;
    while (at && !at.contains(element)) at = at.parentElement;
    return depthOf(at);
  };
  const distance = (element, anchor) => {
    const box = anchor.getBoundingClientRect();
    const other = element.getBoundingClientRect();
    const across = Math.max(0, box.left - other.right, other.left - box.right);
    const down = Math.max(0, box.top - other.bottom, other.top - box.bottom);
    return Math.round(Math.hypot(across, down));
  };
  const best = (items, score) => {
    const scores = items.map(score);
    const top = Math.max(...scores);
    return items.filter((_, index) => scores[index] === top);
  };
  const pairs = anchors.flatMap((anchor) =>
    elements
      .map((element, index) => ({ element, index, anchor }))
      .filter(({ element }) => element !== anchor && !element.contains(anchor)),
  );
  const sharing = best(pairs, ({ element, anchor }) => sharedDepth(element, anchor));
  const nearest = anchors.flatMap((anchor) =>
    best(
      sharing.filter((pair) => pair.anchor === anchor),
      ({ element }) => -distance(element, anchor),
    ),
  );
  return [...new Set(nearest.map(({ index }) => index))].sort((a, b) => a - b);
}`);

/** Where a name may come from. */
export type NameSource = "label" | "placeholder" | "altText" | "title" | "role";

/**
 * From which sources an element of the page could have a name with this word in it: those left out cannot.
 * Looks at attributes and contents in one pass, where each of Playwright's locators walks the whole page.
 */
export const possibleSources = inPage<InPage<string, NameSource[]>>(`(subject, word) => {
  const root = subject && subject.querySelectorAll ? subject : document;
  const every = ["label", "placeholder", "altText", "title", "role"];
  const has = (text) => {
    const said = (text ?? "").toLowerCase();
    return said.includes(word) || (/[\\u00ad\\u200b]/.test(said) && said.replace(/[\\u00ad\\u200b]/g, "").includes(word));
  };
  const some = (selector, test) => {
    for (const element of root.querySelectorAll(selector)) if (test(element)) return true;
    return false;
  };
  // What is in a shadow tree is not seen from here.
  if (some("*", (element) => element.shadowRoot)) return every;
  const attribute = (name) => some("[" + name + "]", (element) => has(element.getAttribute(name)));
  const referred = (element) =>
    (element.getAttribute("aria-labelledby") ?? "")
      .split(/\\s+/)
      .some((id) => id && has(document.getElementById(id)?.textContent));
  const found = [];
  const isLabelled = attribute("aria-label") || some("[aria-labelledby]", referred);
  const labels = isLabelled || some("input, textarea, select, button, output, meter, progress", (element) =>
    Array.from(element.labels ?? []).some((label) => has(label.textContent)));
  if (labels) found.push("label");
  if (attribute("placeholder") || attribute("aria-placeholder")) found.push("placeholder");
  if (attribute("alt")) found.push("altText");
  if (attribute("title")) found.push("title");
  const byOwn = some(
    "[role], a, button, summary, option, h1, h2, h3, h4, h5, h6, td, th, tr, legend, caption, figcaption, svg",
    (element) => has(element.textContent),
  );
  const byValue = some("input", (element) => has(element.value));
  if (found.length > 0 || byOwn || byValue) found.push("role");
  return found;
}`);

/** The same of the whole page, as an expression: it is asked in most steps, past Playwright. */
export const possibleSourcesOfPage = (word: string): string =>
  `(${String(possibleSources)})(null, ${JSON.stringify(word)})`;
