import type { PageValue } from "./inPage.ts";
import type { Mutator } from "./mutator.ts";

declare const document: PageValue;

/** A text that is claimed not to be there can be seen. */
export const absentMutators: readonly Mutator[] = [
  {
    name: "seen in a paragraph",
    why: "The text can be read.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html("<p></p>");
      added.textContent = it.text;
      element.after(added);
    },
  },
  {
    name: "seen within a sentence",
    why: "The words stand in a longer text.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html("<p></p>");
      added.textContent = `Note: ${it.text}, as of today`;
      element.after(added);
    },
  },
  {
    name: "seen in capitals",
    why: "The page draws the text in capitals.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html('<p style="text-transform:uppercase"></p>');
      added.textContent = it.text;
      element.after(added);
    },
  },
  {
    name: "seen in pieces",
    why: "Inline elements divide the text, and a person reads one.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html("<p><b></b><i></i></p>");
      const half = Math.ceil(it.text.length / 2);
      (added.firstChild as PageValue).textContent = it.text.slice(0, half);
      (added.lastChild as PageValue).textContent = it.text.slice(half);
      element.after(added);
    },
  },
  {
    name: "seen in a dialog",
    why: "A dialog shows the text.",
    on: ["absent"],
    apply: (_element, it, use) => {
      const dialog = use.html("<dialog></dialog>");
      dialog.textContent = it.text;
      document.body.append(dialog);
      (dialog as PageValue).showModal();
    },
  },
  {
    name: "seen on a button",
    why: "A button shows the text.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html("<button></button>");
      added.textContent = it.text;
      element.after(added);
    },
  },
  {
    name: "seen in a cell",
    why: "A table shows the text.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html("<table><tbody><tr><td></td></tr></tbody></table>");
      (added.querySelector("td") as PageValue).textContent = it.text;
      element.after(added);
    },
  },
  {
    name: "seen at the end of the page",
    why: "The text can be scrolled to.",
    on: ["absent"],
    apply: (_element, it, use) => {
      const added = use.html('<p style="margin-top:3000px"></p>');
      added.textContent = it.text;
      document.body.append(added);
    },
  },
  {
    name: "seen a moment later",
    why: "The text appears while the page settles.",
    on: ["absent"],
    apply: (element, it, use) => {
      const added = use.html("<p></p>");
      added.textContent = it.text;
      use.later(60, () => element.after(added));
    },
  },
  {
    name: "seen in a shadow tree",
    why: "A web component shows the text.",
    on: ["absent"],
    apply: (element, it, use) => {
      const host = use.html("<div></div>");
      host.attachShadow({ mode: "open" }).append(it.text);
      element.after(host);
    },
  },
  {
    name: "seen with soft hyphens",
    why: "Invisible marks divide the text, and a person reads one word.",
    on: ["absent"],
    apply: (element, it, use) => {
      if (!/\p{L}{4}/u.test(it.text)) return false;
      const added = use.html("<p></p>");
      added.textContent = it.text.replace(/\p{L}{3}/u, "$&\u00ad");
      element.after(added);
      return true;
    },
  },
];
