/** What exists in pages only: the program has no types of the DOM. */
// biome-ignore lint/suspicious/noExplicitAny: see above.
export type PageValue = any;

declare const document: PageValue;
declare const scrollTo: PageValue;
declare const addEventListener: PageValue;
declare const NodeFilter: PageValue;

/** What mutators are given besides the element. */
export type Mutated = {
  readonly text: string;
  readonly role: string | null;
  readonly looks: string;
  readonly scope: PageValue | null;
  /** Longer than the step may take, in milliseconds. */
  readonly lateMs: number;
};

/** Functions that mutators share; they run in the page. */
export type Helpers = {
  /** Replaces a text in the text nodes below an element; false if it is not there. */
  retext(element: PageValue, from: string, to: string): boolean;
  /** Replaces what an element is called: its text, label, value, alt or aria-label; false if it is not called so. */
  rename(element: PageValue, from: string, to: string): boolean;
  /** The labels of a control, or the element itself. */
  namers(element: PageValue): readonly PageValue[];
  /** The element, and its label if that stands outside of it. */
  whole(element: PageValue): readonly PageValue[];
  /** A word that is in none of the texts. */
  readonly other: string;
  html(html: string): PageValue;
  later(ms: number, then: () => void): void;
};

/** Installs the helpers and what resets the page. */
export const install = (mutators: Readonly<Record<string, string>>): void => {
  const textsIn = (root: PageValue): PageValue[] => {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    const found: PageValue[] = [];
    while (walker.nextNode()) found.push(walker.currentNode as PageValue);
    return found;
  };
  const namers = (element: PageValue): readonly PageValue[] => {
    const labels = (element as PageValue).labels;
    return labels && labels.length > 0 ? [...labels] : [element];
  };
  const retext = (element: PageValue, from: string, to: string): boolean => {
    let isDone = false;
    for (const node of textsIn(element)) {
      const at = node.data.toLowerCase().indexOf(from.toLowerCase());
      if (at < 0) continue;
      node.data = node.data.slice(0, at) + to + node.data.slice(at + from.length);
      isDone = true;
    }
    return isDone;
  };
  const helpers: Helpers = {
    retext,
    namers,
    whole: (element) => [...new Set([element, ...namers(element)])],
    other: "Zebra",
    rename: (element, from, to) => {
      let isDone = false;
      for (const namer of namers(element)) isDone = retext(namer, from, to) || isDone;
      for (const name of ["aria-label", "alt", "title", "placeholder"]) {
        const value = element.getAttribute(name);
        if (value === null || !value.toLowerCase().includes(from.toLowerCase())) continue;
        element.setAttribute(
          name,
          value.replace(new RegExp(from.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"), "i"), to),
        );
        isDone = true;
      }
      return isDone;
    },
    html: (html) => {
      const box = document.createElement("div");
      box.innerHTML = html;
      return box.firstElementChild ?? box;
    },
    later: (ms, then) => {
      const { body } = document;
      setTimeout(() => {
        if (document.body === body) then();
      }, ms);
    },
  };
  const table = Object.fromEntries(
    // biome-ignore lint/security/noGlobalEval: the mutators are this suite's own functions.
    Object.entries(mutators).map(([name, source]) => [name, globalThis.eval(`(${source})`)]),
  );
  const origin = document.body.cloneNode(true) as PageValue;
  const html = document.documentElement;
  const attributes = [...html.attributes].map(({ name, value }) => [name, value] as const);
  const stay = (event: Event) => event.preventDefault();
  addEventListener("click", (event: PageValue) => {
    const link = event.composedPath().find((one: PageValue) => one.nodeName === "A");
    if (link) event.preventDefault();
  });
  addEventListener("submit", stay, true);
  Object.assign(globalThis, {
    /** Resets the page, and mutates it; false if the mutator does not apply. */
    verdictsMutate: (
      name: string | null,
      at: string,
      it: Omit<Mutated, "scope">,
      scope: string | null,
    ) => {
      for (const { name } of [...html.attributes]) html.removeAttribute(name);
      for (const [name, value] of attributes) html.setAttribute(name, value);
      for (const style of document.querySelectorAll("style[data-mutated]")) style.remove();
      document.documentElement.replaceChild(origin.cloneNode(true), document.body);
      scrollTo(0, 0);
      if (name === null) return true;
      const element = document.querySelector(at);
      if (!element) throw new Error(`Nothing at ${at}`);
      const place = scope === null ? null : document.querySelector(scope);
      return table[name](element, { ...it, scope: place }, helpers) !== false;
    },
  });
};
