import type { PageValue } from "./inPage.ts";
import { ACTS, type Mutator } from "./mutator.ts";

declare const document: PageValue;
declare const requestAnimationFrame: PageValue;

/** The kind, the state or the place of the element is another one, or the act has another effect. */
export const stateMutators: readonly Mutator[] = [
  {
    name: "another kind",
    why: "A text of the name is there, and nothing of the kind.",
    on: ["thing", "enabled", "disabled", "click", "check", "select", "fill"],
    apply: (element, it, use) => {
      const text = use.html(`<span></span>`);
      text.textContent = it.text;
      const [first] = use.namers(element);
      element.replaceWith(text);
      if (first && first !== element) first.remove();
    },
  },
  {
    name: "a heading of the name",
    why: "A heading is no button, link, tab or field.",
    on: ["thing", "enabled", "click", "check", "fill"],
    apply: (element, it, use) => {
      if (it.role === "heading") return false;
      const heading = use.html("<h3></h3>");
      heading.textContent = it.text;
      const [first] = use.namers(element);
      element.replaceWith(heading);
      if (first && first !== element) first.remove();
      return true;
    },
  },
  {
    name: "a field of the name",
    why: "A field is no button, link, tab, heading or image.",
    on: ["thing", "click"],
    apply: (element, it, use) => {
      if (/^(?:textbox|checkbox)$/.test(it.role ?? "")) return false;
      const label = use.html("<label></label>");
      label.append(it.text, document.createElement("input"));
      element.replaceWith(label);
      return true;
    },
  },
  {
    name: "a link of the name",
    why: "A link is no tab, heading, checkbox, option or image.",
    on: ["thing", "click", "check"],
    apply: (element, it, use) => {
      if (/^(?:link|button)$/.test(it.role ?? "")) return false;
      const link = use.html('<a href="#other"></a>');
      link.textContent = it.text;
      const [first] = use.namers(element);
      element.replaceWith(link);
      if (first && first !== element) first.remove();
      return true;
    },
  },
  {
    name: "a button of the name",
    why: "A button is no link, tab, heading, checkbox or image.",
    on: ["thing", "click", "check"],
    apply: (element, it, use) => {
      if (it.role === "button") return false;
      const button = use.html('<button type="button"></button>');
      button.textContent = it.text;
      const [first] = use.namers(element);
      element.replaceWith(button);
      if (first && first !== element) first.remove();
      return true;
    },
  },
  {
    name: "a second of the name",
    why: "Two are called so, and the sentence does not say which one.",
    on: [...ACTS, "enabled", "disabled", "checked", "unchecked", "value"],
    apply: (element, _it, use) => {
      const [first = element] = use.namers(element);
      const id = `${element.id}-second`;
      const copy = element.cloneNode(true) as PageValue;
      copy.id = id;
      if (first === element) {
        element.after(copy);
        return;
      }
      const label = first.cloneNode(true) as PageValue;
      const inside = label.querySelector("input, select, textarea");
      if (inside) inside.replaceWith(copy);
      else label.htmlFor = id;
      (first.parentElement ?? document.body).append(label);
      if (!inside) label.after(copy);
    },
  },
  {
    name: "disabled",
    why: "Nothing can be done with a disabled control.",
    on: ["enabled", ...ACTS],
    apply: (element) => {
      if (!("disabled" in element)) return false;
      element.disabled = true;
      return true;
    },
  },
  {
    name: "in a disabled fieldset",
    why: "A disabled fieldset disables its controls.",
    on: ["enabled", ...ACTS],
    apply: (element, _it, use) => {
      if (!("disabled" in element)) return false;
      const fieldset = use.html("<fieldset disabled></fieldset>");
      const [first = element] = use.namers(element);
      const whole = first.contains(element) ? first : element;
      whole.replaceWith(fieldset);
      fieldset.append(whole);
      return true;
    },
  },
  {
    name: "aria-disabled",
    why: "The page says that the control is disabled.",
    on: ["enabled"],
    apply: (element) => element.setAttribute("aria-disabled", "true"),
  },
  {
    name: "not disabled",
    why: "The control can be used.",
    on: ["disabled"],
    apply: (element) => element.removeAttribute("disabled"),
  },
  {
    name: "read only",
    why: "Nothing can be typed into a field that is read only.",
    on: ["fill"],
    apply: (element) => element.setAttribute("readonly", ""),
  },
  {
    name: "too short",
    why: "The field takes fewer characters than were typed.",
    on: ["fill"],
    apply: (element) => {
      element.addEventListener("input", () => {
        const field = element as PageValue;
        field.value = field.value.slice(0, 3);
      });
    },
  },
  {
    name: "digits refused",
    why: "The field takes letters only, and something else is in it than was typed.",
    on: ["fill"],
    apply: (element) => {
      element.addEventListener("input", () => {
        const field = element as PageValue;
        field.value = field.value.replace(/\d/g, "");
      });
    },
  },
  {
    name: "emptied by the page",
    why: "What was typed is not there any more.",
    on: ["fill"],
    apply: (element) => {
      element.addEventListener("input", () => {
        (element as PageValue).value = "";
      });
    },
  },
  {
    name: "not checked",
    why: "The box is not ticked.",
    on: ["checked"],
    apply: (element) => {
      (element as PageValue).checked = false;
    },
  },
  {
    name: "checked",
    why: "The box is ticked.",
    on: ["unchecked"],
    apply: (element) => {
      (element as PageValue).checked = true;
    },
  },
  {
    name: "unticked by the page",
    why: "The page takes the tick back.",
    on: ["check"],
    apply: (element) =>
      element.addEventListener("click", (event: PageValue) => event.preventDefault()),
  },
  {
    name: "unticked a moment later",
    why: "The page takes the tick back once it has drawn it.",
    on: ["check"],
    apply: (element) => {
      element.addEventListener("change", () => {
        requestAnimationFrame(() => {
          (element as PageValue).checked = false;
        });
      });
    },
  },
  {
    name: "unticked after a while",
    why: "The page takes the tick back when its service refuses it.",
    on: ["check"],
    apply: (element) => {
      element.addEventListener("change", () => {
        setTimeout(() => {
          (element as PageValue).checked = false;
        }, 150);
      });
    },
  },
  {
    name: "choice taken back after a while",
    why: "The page chooses another option when its service refuses this one.",
    on: ["select"],
    apply: (element) => {
      element.addEventListener("change", () => {
        setTimeout(() => {
          (element as PageValue).selectedIndex = 2;
        }, 150);
      });
    },
  },
  {
    name: "text taken back after a while",
    why: "The page empties the field when its service refuses the text.",
    on: ["fill"],
    apply: (element) => {
      element.addEventListener("input", () => {
        setTimeout(() => {
          (element as PageValue).value = "";
        }, 150);
      });
    },
  },
  {
    name: "inert",
    why: "Nobody can use what is inert.",
    on: ["enabled", "click", "fill", "check", "select"],
    apply: (element) => {
      (element.closest("label") ?? element).setAttribute("inert", "");
    },
  },
  {
    name: "takes no clicks",
    why: "A person who clicks it gets no answer.",
    on: ["enabled"],
    apply: (element) => element.style.setProperty("pointer-events", "none", "important"),
  },
  {
    name: "option removed",
    why: "The list has no such option.",
    on: ["select"],
    apply: (element) => [...element.querySelectorAll("option")].at(1)?.remove(),
  },
  {
    name: "option disabled",
    why: "The option cannot be chosen.",
    on: ["select"],
    apply: (element) => {
      for (const option of [...element.querySelectorAll("option")].slice(1, 2))
        option.disabled = true;
    },
  },
  {
    name: "option called otherwise",
    why: "The option is another one: Sweden in Swedenborg.",
    on: ["select"],
    apply: (element) => {
      for (const option of [...element.querySelectorAll("option")].slice(1, 2))
        option.text += "borg";
    },
  },
  {
    name: "choice taken back",
    why: "The page chooses another option.",
    on: ["select"],
    apply: (element) => {
      element.addEventListener("change", () => {
        (element as PageValue).selectedIndex = 2;
      });
    },
  },
  {
    name: "a single choice only",
    why: "The list takes one option, and two were named.",
    on: ["select"],
    apply: (element) => {
      if (!(element as PageValue).multiple) return false;
      (element as PageValue).multiple = false;
      return true;
    },
  },
  {
    name: "another value",
    why: "The field holds another text.",
    on: ["value"],
    apply: (element) => {
      (element as PageValue).value = (element as PageValue).type === "number" ? "31" : "Zebra";
    },
  },
  {
    name: "more in the value",
    why: "The field holds more than the text.",
    on: ["value"],
    apply: (element) => {
      (element as PageValue).value += (element as PageValue).type === "number" ? "5" : " x";
    },
  },
  {
    name: "less in the value",
    why: "The field holds a part of the text.",
    on: ["value"],
    apply: (element) => {
      const field = element as PageValue;
      field.value = field.value.slice(0, -1);
    },
  },
  {
    name: "placeholder instead of the value",
    why: "The field is empty and hints at the text.",
    on: ["value"],
    apply: (element) => {
      const field = element as PageValue;
      field.placeholder = field.value;
      field.value = "";
    },
  },
  {
    name: "default instead of the value",
    why: "The attribute has the text, the field does not.",
    on: ["value"],
    apply: (element) => {
      const field = element as PageValue;
      field.defaultValue = field.value;
      field.value = "";
    },
  },
  {
    name: "value in another field",
    why: "Another field holds the text.",
    on: ["value"],
    apply: (element, _it, use) => {
      const field = element as PageValue;
      const other = use.html("<label>Other <input></label>");
      (other.querySelector("input") as PageValue).value = field.value;
      field.form?.append(other);
      field.value = "";
    },
  },
  {
    name: "moved out of its place",
    why: "The element stands elsewhere on the page.",
    on: ["text", "thing", "click"],
    apply: (element, it) => {
      if (!it.scope?.contains(element)) return false;
      document.body.append(element);
      return true;
    },
  },
  {
    name: "moved to the place beside",
    why: "The element stands in another place of the same kind.",
    on: ["text", "thing", "click"],
    apply: (element, it) => {
      const place = it.scope?.nextElementSibling ?? it.scope?.previousElementSibling;
      if (!it.scope?.contains(element) || !place || place.tagName !== it.scope.tagName)
        return false;
      place.lastElementChild?.append(element);
      return true;
    },
  },
  {
    name: "place without its name",
    why: "There is no place of that name.",
    on: ["text", "thing", "click"],
    apply: (_element, it, use) => {
      const place = it.scope;
      if (!place || !/^(?:SECTION|TR)$/.test(place.tagName)) return false;
      if (place.tagName === "TR") {
        for (const cell of place.querySelectorAll("td:nth-child(-n+2)"))
          cell.textContent = use.other;
        return it.looks !== "text";
      }
      place.setAttribute("aria-label", use.other);
      for (const heading of place.querySelectorAll("h2")) heading.textContent = use.other;
      return true;
    },
  },
  {
    name: "place removed",
    why: "The place is not there; the element is.",
    on: ["text", "thing", "click"],
    apply: (element, it) => {
      const place = it.scope;
      if (!place) return false;
      place.after(element);
      place.remove();
      return true;
    },
  },
  {
    name: "two places of the name",
    why: "The sentence does not say in which of two places.",
    on: ["click"],
    apply: (_element, it) => {
      const place = it.scope;
      if (!place) return false;
      place.after(place.cloneNode(true));
      return true;
    },
  },
  {
    name: "value of the row below",
    why: "Another row has the text.",
    on: ["cell"],
    apply: (element) => {
      const cell = element as PageValue;
      const row = cell.parentElement;
      const other = row?.nextElementSibling ?? row?.previousElementSibling;
      const beside = other?.children[cell.cellIndex];
      if (!beside) return false;
      [cell.textContent, beside.textContent] = [beside.textContent, cell.textContent];
      return true;
    },
  },
  {
    name: "value of another column",
    why: "Another column has the text.",
    on: ["cell"],
    apply: (element) => {
      const cell = element as PageValue;
      const beside = cell.nextElementSibling;
      if (!beside) return false;
      beside.textContent = cell.textContent;
      cell.textContent = "Zebra";
      return true;
    },
  },
  {
    name: "columns renamed",
    why: "The text stands below another header.",
    on: ["cell"],
    apply: (element) => {
      const table = element.closest("table");
      const headers = [...(table?.querySelectorAll("th") ?? [])];
      const names = headers.map((header) => header.textContent);
      for (const [at, header] of headers.entries())
        header.textContent = names[(at + 1) % names.length] ?? "";
      return headers.length > 1;
    },
  },
  {
    name: "one less",
    why: "There is one less than was claimed.",
    on: ["count"],
    apply: (element) => element.remove(),
  },
  {
    name: "one more",
    why: "There is one more than was claimed.",
    on: ["count"],
    apply: (element) => {
      element.after(element.cloneNode(true));
    },
  },
  {
    name: "one hidden",
    why: "One of them is not seen.",
    on: ["count"],
    apply: (element) => {
      element.style.display = "none";
    },
  },
  {
    name: "none",
    why: "There are none.",
    on: ["count"],
    apply: (_element, it) => it.scope?.replaceChildren(),
  },
  {
    name: "ten times as many",
    why: "3 is not 30.",
    on: ["count"],
    apply: (element, it) => {
      const count = it.scope?.children.length ?? 0;
      for (let at = 0; at < count * 9; at++) element.after(element.cloneNode(true));
    },
  },
];
