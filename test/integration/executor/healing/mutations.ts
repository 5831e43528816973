import type { Page } from "playwright";
import type { Purpose } from "../../../../src/workers/executor/matching/sought.ts";

/** What is done to a page between two runs. */
export const mutations = ["id", "classes", "order", "wording", "nesting"] as const;
export type Mutation = (typeof mutations)[number];

/** An element of a page that a step could be about. */
export type Subject = {
  /** Its place among the page's elements that one can act on. */
  readonly index: number;
  readonly purpose: Purpose;
  readonly name: string;
  readonly kind: string;
  readonly id: string;
  /** A class that nothing else has. */
  readonly ownClass: string;
  readonly path: string;
};

const THINGS = "a[href], button, input:not([type=hidden]), select, textarea";

/** JavaScript that is run in the page: written as text, since a compiler's helpers do not exist there. */
const inPage = <Result>(page: Page, source: string, argument?: unknown): Promise<Result> =>
  page.evaluate(`(${source})(${JSON.stringify(argument ?? null)})`) as Promise<Result>;

/** The visible elements of a page that one can act on, by their place. */
export const subjectsOf = async (page: Page): Promise<Subject[]> =>
  inPage<Subject[]>(
    page,
    `() => {
      const fold = (text) => (text ?? "").replace(/\\s+/g, " ").trim();
      const pathTo = (element) => {
        const parts = [];
        for (let at = element; at !== document.body; at = at.parentElement) {
          parts.unshift(at.tagName.toLowerCase() + ":nth-child(" + (Array.from(at.parentElement.children).indexOf(at) + 1) + ")");
        }
        return "body > " + parts.join(" > ");
      };
      return Array.from(document.querySelectorAll(${JSON.stringify(THINGS)})).flatMap((element, index) => {
        const box = element.getBoundingClientRect();
        if (box.width < 2 || box.height < 2 || getComputedStyle(element).visibility === "hidden") return [];
        const tag = element.tagName;
        const type = element.getAttribute("type") ?? "";
        const isCheck = type === "checkbox" || type === "radio";
        const isButton = tag === "BUTTON" || ["submit", "button", "reset"].includes(type);
        const purpose = isCheck ? "check" : tag === "SELECT" ? "select" : tag === "A" || isButton ? "action" : "fill";
        const label = Array.from(element.labels ?? []).map((each) => fold(each.textContent)).join(" ");
        const name = purpose === "action" ? fold(element.textContent) || fold(element.value) : label || fold(element.placeholder);
        const kinds = { check: type === "radio" ? "radio button" : "checkbox", select: "dropdown", fill: "field" };
        return [{
          index, purpose, name, id: element.id, path: pathTo(element),
          kind: kinds[purpose] ?? (isButton ? "button" : "link"),
          ownClass: Array.from(element.classList).find((one) => document.getElementsByClassName(one).length === 1) ?? "",
        }];
      });
    }`,
  );

/** How a step would name the element so that this mutation can break it; null when it cannot. */
export const targetFor = (mutation: Mutation, subject: Subject): string | null => {
  const { id, ownClass, name, kind, path } = subject;
  switch (mutation) {
    case "id":
      return id ? `#${id}` : null;
    case "classes":
      return ownClass ? `css=.${ownClass}` : null;
    case "order":
      return id ? `#${id}` : ownClass ? `css=.${ownClass}` : null;
    case "wording":
      return name && name.length < 60 && !/["\\\\]/.test(name) ? `"${name}" ${kind}` : null;
    case "nesting":
      return `css=${path}`;
  }
};

/** Keeps hold of an element, whatever becomes of it. */
export const holdOn = (page: Page, index: number): Promise<void> =>
  inPage(
    page,
    `(index) => { window.__it = document.querySelectorAll(${JSON.stringify(THINGS)})[index]; }`,
    index,
  );

/** Changes the page as a new release of it would. `turn` chooses among several ways. */
export const mutate = (page: Page, mutation: Mutation, turn: number): Promise<void> =>
  inPage(
    page,
    `({ mutation, turn }) => {
      const it = window.__it;
      const hash = (n) => "css-" + ((turn + 1) * 7919 + n * 104729).toString(36);
      const reword = (text) => {
        const words = { submit: "Send", save: "Store", delete: "Remove", sign: "Log", email: "E-mail", name: "Title",
          password: "Passphrase", click: "Press", toggle: "Switch", get: "Fetch", open: "Show", post: "Publish", set: "Put",
          cookie: "crumb", comment: "remark", change: "Alter", commands: "Instructions", utilities: "Helpers", form: "sheet",
          button: "Knob", radio: "Option", checkbox: "Tick", visit: "Enter", clear: "Empty", docs: "Manual", link: "Path" };
        const changed = text.replace(/[A-Za-z]+/g, (word) => words[word.toLowerCase()] ?? word);
        if (changed !== text) return changed;
        // Without a word for it: shortened, as labels are when there is no room.
        return text.split(" ").map((word) => word.slice(0, 1) + word.slice(1).replace(/[aeiou]/gi, "")).join(" ") + " \u2192";
      };
      const setText = (root) => {
        const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
        while (walker.nextNode()) {
          const node = walker.currentNode;
          if (node.data.trim() && !node.parentElement.closest("select, textarea")) node.data = reword(node.data.trim());
        }
      };
      if (mutation === "id" || mutation === "order") { if (it.id) {
        const label = document.querySelector('label[for="' + CSS.escape(it.id) + '"]');
        it.id = ["renamed-", "v2-", "x"][turn % 3] + it.id.length + hash(1);
        if (label) label.htmlFor = it.id;
      } }
      if (mutation === "classes" || (mutation === "order" && !it.id)) it.className = hash(1) + " " + hash(2);
      if (mutation === "order") {
        const siblings = Array.from(it.parentElement.children);
        for (const [at, sibling] of siblings.entries()) if ((at * 7 + turn) % 3 === 0) it.parentElement.prepend(sibling);
      }
      if (mutation === "wording") {
        if (it.labels) for (const label of it.labels) setText(label);
        if (it.placeholder) it.placeholder = reword(it.placeholder);
        if (["submit", "button", "reset"].includes(it.type) && it.tagName === "INPUT") it.value = reword(it.value);
        setText(it);
      }
      if (mutation === "nesting") {
        const wrap = document.createElement(["div", "section", "span"][turn % 3]);
        it.replaceWith(wrap);
        wrap.append(it);
        const outer = wrap.parentElement;
        if (turn % 2 === 1 && outer !== document.body) { const more = document.createElement("div"); outer.replaceWith(more); more.append(outer); }
      }
    }`,
    { mutation, turn },
  );

/** Takes the element away; `lookAlike` puts another in its place that does something else. */
export const remove = (page: Page, lookAlike: boolean): Promise<void> =>
  inPage(
    page,
    `(lookAlike) => {
      const it = window.__it;
      const labels = Array.from(it.labels ?? []);
      if (lookAlike) {
        const other = it.cloneNode(true);
        other.id = it.id ? "another-thing" : "";
        other.removeAttribute("name");
        for (const one of Array.from(other.classList))
          if (document.getElementsByClassName(one).length === 1) other.classList.remove(one);
        if (other.hasAttribute("href")) other.setAttribute("href", "/somewhere/else");
        other.removeAttribute("aria-label");
        other.removeAttribute("title");
        if (other.placeholder) other.placeholder = "Another thing";
        if (other.tagName === "INPUT" && other.value) other.value = "Another thing";
        else if (!["INPUT", "SELECT", "TEXTAREA"].includes(other.tagName)) other.textContent = "Another thing";
        it.after(other);
      }
      for (const label of labels) if (!label.contains(it)) label.remove();
      it.remove();
    }`,
    lookAlike,
  );

/** Whether a locator leads to the element that was held on to. */
export const isIt = new Function("element", "return element === window.__it") as (
  element: unknown,
) => boolean;
