import type { Looks } from "./cases.ts";
import type { PageValue } from "./inPage.ts";
import { type Mutator, NAMED, SEEN, TEXTUAL } from "./mutator.ts";

declare const document: PageValue;

const ALL: readonly Looks[] = [...SEEN, "absent", "count"];
const WORDS: readonly Looks[] = [...TEXTUAL, ...NAMED];

/** A change of the document around the element, or of how it looks. */
const harmless = (name: string, why: string, apply: Mutator["apply"], on = ALL): Mutator => ({
  ...{ name, why, on, apply },
});

/** The frame of the page is another one. */
const frameMutators: readonly Mutator[] = [
  harmless("ids everywhere", "Nobody sees an id.", (element) => {
    for (const one of element.parentElement?.children ?? []) one.id ||= `x${Math.random()}`;
  }),
  harmless("classes everywhere", "A class without rules changes nothing.", () => {
    for (const one of document.body.querySelectorAll("*")) one.classList.add("q7");
  }),
  harmless("data attributes", "Attributes are not drawn.", () => {
    for (const one of document.body.querySelectorAll("*")) one.setAttribute("data-v", "1");
  }),
  harmless("attributes in another order", "The order of attributes means nothing.", (element) => {
    const attributes = [...element.attributes].reverse();
    for (const { name } of attributes) element.removeAttribute(name);
    for (const { name, value } of attributes) element.setAttribute(name, value);
  }),
  harmless("wrapped page", "A box around all of it is not seen.", (_element, _it, use) => {
    const box = use.html("<div></div>");
    box.append(...document.body.childNodes);
    document.body.append(box);
  }),
  harmless(
    "wrapped in a group without a name",
    "A role of presentation means nothing.",
    (_element, _it, use) => {
      const box = use.html('<div role="presentation"></div>');
      box.append(...document.body.childNodes);
      document.body.append(box);
    },
  ),
  harmless("a sibling before", "Another text beside it changes nothing.", (_element, _it, use) => {
    document.body.prepend(use.html("<p>Lorem ipsum dolor</p>"));
  }),
  harmless("a sibling behind", "Another text beside it changes nothing.", (_element, _it, use) => {
    document.body.append(use.html("<p>Lorem ipsum dolor</p>"));
  }),
  harmless("another button", "Another button has another name.", (_element, _it, use) => {
    document.body.append(use.html("<button>Quit now</button>"));
  }),
  harmless("another form", "Another field has another name.", (_element, _it, use) => {
    document.body.append(use.html("<form><label>Quiz <input></label></form>"));
  }),
  harmless("another table", "Another table holds other rows.", (_element, _it, use) => {
    document.body.append(
      use.html("<table aria-label='Zoo'><tr><th>Animal</th></tr><tr><td>Zebra</td></tr></table>"),
    );
  }),
  harmless("comments", "A comment is not rendered.", (element) => {
    element.before(document.createComment("q"));
    element.after(document.createComment("q"));
  }),
  harmless("white space between elements", "White space folds.", (element) => {
    element.before("\n   \n");
    element.after("\n   \n");
  }),
  harmless("a style sheet", "Fonts and colours change no text.", (_element, _it, use) => {
    const style = use.html("<style data-mutated>*{font-family:serif;letter-spacing:1px}</style>");
    document.head.append(style);
  }),
  harmless("another colour", "Colours change no text.", (element) => {
    element.style.color = "rgb(40, 60, 90)";
    element.style.backgroundColor = "rgb(250, 250, 230)";
  }),
  harmless("larger", "A size changes no text.", (element) => {
    element.style.fontSize = "22px";
  }),
  harmless("framed", "A border changes no text.", (element) => {
    element.style.outline = "2px solid green";
  }),
  harmless("below the fold", "A person scrolls.", (_element, _it, use) => {
    document.body.prepend(use.html('<div style="height:2000px"></div>'));
  }),
  harmless("a language", "The language of the document changes no text.", () => {
    document.documentElement.lang = "en-GB";
  }),
  harmless("a description in another language", "A description names nothing.", (element) => {
    element.setAttribute("aria-description", "Weitere Angaben");
  }),
  harmless("a live region", "An empty live region says nothing.", (_element, _it, use) => {
    document.body.append(use.html('<div aria-live="polite"></div>'));
  }),
  harmless("a hidden dialog", "A closed dialog is not seen.", (_element, _it, use) => {
    document.body.append(use.html("<dialog><p>Are you sure?</p><button>Yes</button></dialog>"));
  }),
  harmless("a frame", "An empty frame shows nothing.", (_element, _it, use) => {
    document.body.append(use.html("<iframe title='Empty' srcdoc='<p>Frame</p>'></iframe>"));
  }),
  harmless(
    "an icon beside",
    "An icon without a name says nothing.",
    (element, _it, use) => {
      element.parentElement?.append(
        use.html('<svg width="8" height="8" aria-hidden="true"><circle r="4"/></svg>'),
      );
    },
    ["text", "thing", "click", "fill", "check", "select", "value", "enabled"],
  ),
  harmless("a template of the same", "A template is not rendered.", (element) => {
    const template = document.createElement("template");
    template.content.append(element.cloneNode(true));
    document.body.append(template);
  }),
  harmless(
    "a hidden copy",
    "What is not rendered is not seen, and counts for nothing.",
    (element, _it, use) => {
      const box = use.html('<div style="display:none"></div>');
      box.append(...use.whole(element).map((one) => one.cloneNode(true)));
      for (const one of box.querySelectorAll("[id]")) one.removeAttribute("id");
      for (const one of box.querySelectorAll("[for]")) one.removeAttribute("for");
      document.body.append(box);
    },
  ),
];

/** The text is written another way. */
const textMutators: readonly Mutator[] = [
  {
    name: "two text nodes",
    why: "How the text is divided in the document is not seen.",
    on: WORDS,
    apply: (element, it, use) => {
      for (const namer of use.namers(element)) {
        for (const node of [...namer.childNodes]) {
          if (node.nodeType === 3 && node.data.includes(it.text))
            node.splitText(node.data.indexOf(it.text) + 1);
        }
      }
    },
  },
  {
    name: "bold first letter",
    why: "Inline elements divide no word.",
    on: TEXTUAL,
    apply: (element, it) => {
      for (const node of [...element.childNodes]) {
        if (!(node.nodeType === 3) || !node.data.includes(it.text)) continue;
        const rest = node.splitText(node.data.indexOf(it.text));
        const bold = document.createElement("b");
        bold.textContent = rest.data.slice(0, 1);
        rest.data = rest.data.slice(1);
        rest.before(bold);
        return true;
      }
      return false;
    },
  },
  {
    name: "bold",
    why: "An inline element around the text changes nothing.",
    on: TEXTUAL,
    apply: (element) => {
      const bold = document.createElement("strong");
      bold.append(...element.childNodes);
      element.append(bold);
    },
  },
  {
    name: "soft hyphen",
    why: "A soft hyphen is not drawn.",
    on: ["text", "cell", "content", "thing", "click"],
    apply: (element, it, use) =>
      /^\p{L}{4}/u.test(it.text) &&
      use.retext(element, it.text, `${it.text.slice(0, 3)}\u00ad${it.text.slice(3)}`),
  },
  {
    name: "zero-width space",
    why: "A mark of no width is not drawn.",
    on: ["text", "cell", "content", "thing", "click"],
    apply: (element, it, use) =>
      /^\p{L}{4}/u.test(it.text) &&
      use.retext(element, it.text, `${it.text.slice(0, 3)}\u200b${it.text.slice(3)}`),
  },
  {
    name: "spaces that do not break",
    why: "A space that does not break is a space.",
    on: WORDS,
    apply: (element, it, use) =>
      it.text.includes(" ") && use.rename(element, it.text, it.text.replaceAll(" ", "\u00a0")),
  },
  {
    name: "lines in the source",
    why: "White space folds.",
    on: WORDS,
    apply: (element, it, use) =>
      it.text.includes(" ") && use.rename(element, it.text, it.text.replaceAll(" ", "\n      ")),
  },
  {
    name: "capitals by style",
    why: "The page draws the text in capitals; case is not claimed.",
    on: ["text", "thing", "click", "enabled"],
    apply: (element) => {
      element.style.textTransform = "uppercase";
    },
  },
  {
    name: "small letters",
    why: "Case is not claimed.",
    on: ["text", ...NAMED],
    apply: (element, it, use) =>
      it.text !== it.text.toLowerCase() && use.rename(element, it.text, it.text.toLowerCase()),
  },
  {
    name: "decomposed letters",
    why: "Two ways to write one letter look the same.",
    on: ["text", "thing", "click"],
    apply: (element, it, use) =>
      it.text.normalize("NFD") !== it.text &&
      use.retext(element, it.text, it.text.normalize("NFD")),
  },
  {
    name: "a colon behind the name",
    why: "Marks around a name are not part of it.",
    on: ["value", "fill", "check", "checked", "unchecked", "select"],
    apply: (element, it, use) => use.rename(element, it.text, `${it.text}:`),
  },
  {
    name: "a required mark",
    why: "A star says that the field is required.",
    on: ["value", "fill", "select"],
    apply: (element, it, use) => use.rename(element, it.text, `${it.text} *`),
  },
  {
    name: "in brackets",
    why: "Marks around a text are not part of it.",
    on: ["text"],
    apply: (element, it, use) => use.retext(element, it.text, `(${it.text})`),
  },
  {
    name: "a full stop behind",
    why: "Marks around a text are not part of it.",
    on: ["text"],
    apply: (element, it, use) =>
      /\p{L}$/u.test(it.text) && use.retext(element, it.text, `${it.text}.`),
  },
  {
    name: "within a sentence",
    why: "The words stand in a longer text.",
    on: ["text"],
    apply: (element, it, use) =>
      /\p{L}$/u.test(it.text) &&
      use.retext(element, it.text, `As of today: ${it.text}, since noon`),
  },
  {
    name: "the text in a longer word elsewhere",
    why: "The text itself is there, too.",
    on: ["text"],
    apply: (_element, it, use) => {
      const added = use.html("<p></p>");
      added.textContent = `un${it.text}xs`;
      document.body.append(added);
    },
  },
  {
    name: "the text twice",
    why: "The text is seen.",
    on: ["text"],
    apply: (_element, it, use) => {
      if (it.scope) return false;
      const added = use.html("<p></p>");
      added.textContent = it.text;
      document.body.append(added);
      return true;
    },
  },
  {
    name: "soon there",
    why: "The element appears within the time of the step.",
    on: SEEN,
    apply: (element, _it, use) => {
      const mark = document.createComment("soon");
      element.replaceWith(mark);
      use.later(60, () => mark.replaceWith(element));
    },
  },
];

/** A text that is claimed not to be there is there, and is not seen as a text. */
const absentMutator = (name: string, why: string, apply: Mutator["apply"]): Mutator => ({
  ...{ name, why, on: ["absent"], apply },
});
const absentMutators: readonly Mutator[] = [
  absentMutator(
    "absent: in a longer word",
    "The text is a part of another word.",
    (_element, it, use) => document.body.append(use.html(`<p>q${it.text}q</p>`)),
  ),
  absentMutator("absent: not rendered", "A hidden text is not seen.", (_element, it, use) =>
    document.body.append(use.html(`<p style="display:none">${it.text}</p>`)),
  ),
  absentMutator(
    "absent: a placeholder",
    "A placeholder is no text of the page.",
    (_element, it, use) => document.body.append(use.html(`<input placeholder="${it.text}">`)),
  ),
  absentMutator(
    "absent: a title",
    "A title is seen by nobody who does not hover.",
    (_element, it, use) => document.body.append(use.html(`<p title="${it.text}">Lorem</p>`)),
  ),
  absentMutator("absent: an accessible name", "A name is not drawn.", (_element, it, use) =>
    document.body.append(use.html(`<p aria-label="${it.text}">Lorem</p>`)),
  ),
  absentMutator("absent: in a comment", "A comment is not rendered.", (_element, it, use) =>
    document.body.append(use.html(`<p>Lorem<!--${it.text}--></p>`)),
  ),
  absentMutator("absent: in a closed dialog", "A closed dialog is not seen.", (_element, it, use) =>
    document.body.append(use.html(`<dialog>${it.text}</dialog>`)),
  ),
];

/** Rows and items that do not count. */
const countMutators: readonly Mutator[] = [
  {
    name: "a footer row",
    why: "A footer is no row of the body.",
    on: ["count"],
    apply: (element, _it, use) => {
      const table = element.closest("table");
      if (!table) return false;
      const foot = table.createTFoot();
      foot.append(
        use.html("<table><tr><td>Sum</td></tr></table>").querySelector("tr") as PageValue,
      );
      return true;
    },
  },
  {
    name: "a hidden row",
    why: "A row that is not rendered is not seen.",
    on: ["count"],
    apply: (element) => {
      const copy = element.cloneNode(true) as PageValue;
      copy.hidden = true;
      copy.style.display = "none";
      element.after(copy);
    },
  },
  {
    name: "a caption",
    why: "A caption is no row.",
    on: ["count", "cell"],
    apply: (element) => {
      const table = element.closest("table");
      if (!table) return false;
      table.createCaption().textContent = "All of this year";
      return true;
    },
  },
];

/** Changes after which the claim still holds. */
export const greenMutators: readonly Mutator[] = [
  ...frameMutators,
  ...textMutators,
  ...absentMutators,
  ...countMutators,
];
