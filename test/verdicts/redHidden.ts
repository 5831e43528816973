import type { PageValue } from "./inPage.ts";
import { type Mutator, SEEN, TEXTUAL } from "./mutator.ts";

declare const document: PageValue;

const HELD = SEEN;

/** The element cannot be seen. */
export const hiddenMutators: readonly Mutator[] = [
  {
    name: "removed",
    why: "The element is not on the page.",
    on: HELD,
    apply: (element, _it, use) => {
      for (const one of use.whole(element)) one.remove();
    },
  },
  {
    name: "display none",
    why: "The element is not rendered.",
    on: HELD,
    apply: (element, _it, use) => {
      for (const one of use.whole(element))
        (one as PageValue).style.setProperty("display", "none", "important");
    },
  },
  {
    name: "hidden by an ancestor",
    why: "The part of the page that holds the element is not rendered.",
    on: HELD,
    apply: (element, _it, use) => {
      const [first] = use.whole(element);
      const parent =
        element.closest("section, form, table, ul, nav, .card, p") ?? first?.parentElement;
      if (!parent || parent === document.body) return false;
      (parent as PageValue).style.setProperty("display", "none", "important");
      for (const one of use.whole(element)) if (!parent.contains(one)) one.remove();
      return true;
    },
  },
  {
    name: "visibility hidden",
    why: "The element takes space, and nothing of it is drawn.",
    on: HELD,
    apply: (element, _it, use) => {
      for (const one of use.whole(element))
        (one as PageValue).style.setProperty("visibility", "hidden", "important");
    },
  },
  {
    name: "transparent",
    why: "An element of no opacity is not seen.",
    on: ["text", "thing", "content", "cell"],
    apply: (element) => {
      // A checkbox that the page draws itself is transparent, too.
      if (element.tagName === "INPUT") return false;
      element.style.setProperty("opacity", "0", "important");
      return true;
    },
  },
  {
    name: "off the page",
    why: "The element stands where nobody can scroll to.",
    on: ["text", "thing", "click"],
    apply: (element, _it, use) => {
      for (const one of use.whole(element)) {
        const { style } = one as PageValue;
        style.setProperty("position", "absolute", "important");
        style.setProperty("left", "-9999px", "important");
        style.setProperty("top", "-9999px", "important");
      }
    },
  },
  {
    name: "for screen readers only",
    why: "A text that is clipped to one pixel is not seen.",
    on: ["text", "content"],
    apply: (element) => {
      element.style.cssText +=
        ";position:absolute!important;width:1px!important;height:1px!important;overflow:hidden!important;clip:rect(0,0,0,0)!important;white-space:nowrap!important;padding:0!important;border:0!important;margin:-1px!important";
    },
  },
  {
    name: "no font size",
    why: "A text of size 0 is not seen.",
    on: TEXTUAL,
    apply: (element) => {
      element.style.setProperty("font-size", "0", "important");
    },
  },
  {
    name: "clipped to nothing",
    why: "A box of no height with hidden overflow shows nothing.",
    on: ["text", "content"],
    apply: (element) => {
      if (/^T[DH]$/.test(element.tagName)) return false;
      element.style.cssText +=
        ";display:block!important;height:0!important;min-height:0!important;overflow:hidden!important;padding:0!important;border:0!important";
      return true;
    },
  },
  {
    name: "covered",
    why: "Something opaque lies over the whole page.",
    on: ["text", "thing", "click", "check"],
    apply: (_element, _it, use) => {
      document.body.append(
        use.html('<div style="position:fixed;inset:0;background:#fff;z-index:2147483647"></div>'),
      );
    },
  },
  {
    name: "below a gradient",
    why: "A gradient without a gap lies over the page.",
    on: ["text", "thing"],
    apply: (_element, _it, use) => {
      document.body.append(
        use.html(
          '<div style="position:fixed;inset:0;z-index:2147483647;background:linear-gradient(#fff,#eee)"></div>',
        ),
      );
    },
  },
  {
    name: "below a cover that takes no clicks",
    why: "A cover hides the page, whatever it does with clicks.",
    on: ["text", "thing"],
    apply: (_element, _it, use) => {
      document.body.append(
        use.html(
          '<div style="position:fixed;inset:0;z-index:2147483647;background:#fff;pointer-events:none"></div>',
        ),
      );
    },
  },
  {
    name: "transparent letters",
    why: "Letters without ink are not seen.",
    on: ["text", "content"],
    apply: (element) => {
      element.style.cssText += ";-webkit-text-fill-color:transparent!important";
    },
  },
  {
    name: "a shape without area",
    why: "A shape that leaves nothing shows nothing.",
    on: ["text", "content"],
    apply: (element) => {
      element.style.cssText += ";clip-path:polygon(0 0,0 0,0 0)!important";
    },
  },
  {
    name: "blurred",
    why: "Nobody reads letters that are blurred to a cloud.",
    on: ["text", "content"],
    apply: (element) => {
      element.style.cssText += ";filter:blur(20px)!important";
    },
  },
  {
    name: "nearly transparent",
    why: "A hundredth of its ink cannot be read.",
    on: ["text", "content"],
    apply: (element) => {
      element.style.cssText += ";opacity:.01!important";
    },
  },
  {
    name: "a broken picture",
    why: "The browser shows that the picture did not load.",
    on: ["thing"],
    apply: (element) => {
      if (element.tagName !== "IMG") return false;
      (element as PageValue).src = "data:image/png;base64,AAAA";
      return true;
    },
  },
  {
    name: "behind a modal",
    why: "A modal dialog is open; what is below cannot be reached.",
    on: ["click", "fill", "select", "check"],
    apply: (_element, _it, use) => {
      const dialog = use.html("<dialog><p>Session over</p><button>Sign in again</button></dialog>");
      document.body.append(dialog);
      (dialog as PageValue).showModal();
    },
  },
  {
    name: "late",
    why: "The element appears after the time of the step.",
    on: HELD,
    apply: (element, it, use) => {
      for (const one of use.whole(element)) {
        const mark = document.createComment("later");
        if (!one.isConnected) continue;
        one.replaceWith(mark);
        use.later(it.lateMs, () => mark.replaceWith(one));
      }
    },
  },
  {
    name: "in closed details",
    why: "The element is folded away.",
    on: ["text", "content", "thing", "click"],
    apply: (element, _it, use) => {
      if (/^(?:T[DHR]|LI|INPUT)$/.test(element.tagName)) return false;
      const details = use.html("<details><summary>More</summary></details>");
      element.replaceWith(details);
      details.append(element);
      return true;
    },
  },
  {
    name: "in a closed dialog",
    why: "A dialog that is not open is not seen.",
    on: ["text", "content", "thing", "click"],
    apply: (element, _it, use) => {
      if (/^(?:T[DHR]|LI|INPUT)$/.test(element.tagName)) return false;
      const dialog = use.html("<dialog></dialog>");
      element.replaceWith(dialog);
      dialog.append(element);
      return true;
    },
  },
  {
    name: "in a template",
    why: "The content of a template is not rendered.",
    on: ["text", "content", "thing", "click"],
    apply: (element) => {
      if (element.tagName === "INPUT") return false;
      const template = document.createElement("template");
      element.replaceWith(template);
      template.content.append(element);
      return true;
    },
  },
];
