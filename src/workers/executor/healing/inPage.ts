import { TEST_ID_ATTRIBUTES } from "../matching/testIds.ts";

/**
 * What is run inside of the page to describe its elements: JavaScript text, because a compiler's helpers do not
 * exist over there. `describeOf(element)` gives the features of one element, cut to what a fingerprint takes.
 */
const LIBRARY = `
  const fold = (text, most = 100) => (text ?? "").replace(/\\s+/g, " ").trim().slice(0, most);
  const attribute = (element, name) => fold(element.getAttribute(name));
  const EDITED = "input, textarea, select, [contenteditable=''], [contenteditable=true], [role=textbox], [role=searchbox]";
  const TEST_IDS = ${JSON.stringify(TEST_ID_ATTRIBUTES)};
  const BUTTONS = ["submit", "button", "reset", "image"];
  const isVisible = (element) => {
    const box = element.getBoundingClientRect();
    return box.width > 0 && box.height > 0 && getComputedStyle(element).visibility !== "hidden";
  };
  const inputType = (element) =>
    element.tagName === "INPUT" ? (element.getAttribute("type") ?? "text").toLowerCase() : "";
  const roleOf = (element) => {
    const explicit = attribute(element, "role").split(" ")[0];
    if (explicit) return explicit;
    const tag = element.tagName;
    const type = inputType(element);
    if (tag === "A") return element.hasAttribute("href") ? "link" : "";
    if (tag === "BUTTON" || tag === "SUMMARY" || BUTTONS.includes(type)) return "button";
    if (type === "checkbox" || type === "radio") return type;
    if (type === "range") return "slider";
    if (type === "number") return "spinbutton";
    if (type === "search") return "searchbox";
    if (tag === "INPUT" || tag === "TEXTAREA") return "textbox";
    if (tag === "SELECT") return element.multiple ? "listbox" : "combobox";
    if (tag === "IMG") return "img";
    if (/^H[1-6]$/.test(tag)) return "heading";
    return { LI: "listitem", OPTION: "option", LABEL: "label", TR: "row", TD: "cell" }[tag] ?? "";
  };
  const kindOf = (element) => {
    const role = roleOf(element);
    if (["checkbox", "radio", "switch", "menuitemcheckbox", "menuitemradio"].includes(role)) return "check";
    if (element.tagName === "SELECT" || role === "combobox" || role === "listbox") return "select";
    if (BUTTONS.includes(inputType(element))) return "other";
    return element.matches(EDITED) ? "field" : "other";
  };
  const textOf = (root, most = 100) => {
    if (root.nodeType === 1 && root.matches(EDITED)) return "";
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
    let text = "";
    while (text.length < most * 3 && walker.nextNode()) {
      const parent = walker.currentNode.parentElement;
      if (parent && !parent.closest(EDITED + ", script, style, noscript")) text += " " + walker.currentNode.data;
    }
    return fold(text, most);
  };
  const nameOf = (element) => {
    const referred = (element.getAttribute("aria-labelledby") ?? "").split(/\\s+/)
      .map((id) => (id ? document.getElementById(id) : null)).filter(Boolean)
      .map((each) => textOf(each)).join(" ");
    const labels = Array.from(element.labels ?? []).map((label) => textOf(label)).join(" ");
    const isButton = BUTTONS.includes(inputType(element));
    const own = kindOf(element) === "other" ? textOf(element) : "";
    return fold(referred || attribute(element, "aria-label") || labels || attribute(element, "alt") ||
      (isButton ? attribute(element, "value") : "") || own || attribute(element, "title") ||
      attribute(element, "placeholder"));
  };
  const beside = (element, forwards) => {
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    let from = element;
    if (forwards) while (from.lastChild) from = from.lastChild;
    walker.currentNode = from;
    for (let steps = 0; steps < 80; steps += 1) {
      const node = forwards ? walker.nextNode() : walker.previousNode();
      if (!node) return "";
      const parent = node.parentElement;
      const text = fold(node.data, 60);
      if (text && parent && !parent.closest(EDITED + ", script, style, noscript")) return text;
    }
    return "";
  };
  const headings = () => Array.from(document.querySelectorAll("h1,h2,h3,h4,h5,h6,[role=heading]")).reverse();
  const describeOf = (element, allHeadings) => {
    const path = [];
    for (let at = element.parentElement; at && path.length < 8; at = at.parentElement) path.push(at.tagName.toLowerCase());
    const classes = Array.from(element.classList).slice(0, 10).map((name) => fold(name, 60));
    const heading = allHeadings.find((each) =>
      each !== element && (each.compareDocumentPosition(element) & Node.DOCUMENT_POSITION_FOLLOWING) && !each.contains(element));
    const box = element.getBoundingClientRect();
    const href = element.getAttribute("href") ?? "";
    return {
      kind: kindOf(element),
      tag: element.tagName.toLowerCase().slice(0, 100),
      role: fold(roleOf(element)),
      name: nameOf(element),
      text: textOf(element),
      testId: TEST_IDS.map((name) => attribute(element, name)).find(Boolean) ?? "",
      id: fold(element.id),
      nameAttribute: attribute(element, "name"),
      type: fold(inputType(element)),
      placeholder: attribute(element, "placeholder"),
      alt: attribute(element, "alt"),
      title: attribute(element, "title"),
      href: fold(href.startsWith("#") ? href : href.split(/[?#]/)[0]),
      classes,
      ownClasses: classes.filter((name) => document.getElementsByClassName(name).length === 1),
      path,
      heading: heading ? textOf(heading, 80) : "",
      before: beside(element, false),
      after: beside(element, true),
      index: Math.max(0, Array.from(element.parentElement?.children ?? []).indexOf(element)),
      x: Math.round(box.x + scrollX),
      y: Math.round(box.y + scrollY),
    };
  };
  const THINGS = "a, button, input, select, textarea, summary, label, [role], [tabindex], [onclick], [contenteditable]";
  const likeIt = (tag) => {
    const all = Array.from(document.querySelectorAll(/^[a-z0-9-]+$/.test(tag) ? THINGS + ", " + tag : THINGS));
    return all.slice(0, 1500);
  };
`;

/** Of one element: its features, and what else of its kind is there. As a function of the element. */
export const FINGERPRINT = `(element) => {
  ${LIBRARY}
  const mine = describeOf(element, headings());
  const shared = (key, value) => (mine[key] !== "" && value === mine[key] ? { [key]: value } : {});
  const rivals = likeIt(mine.tag)
    .filter((other) => other !== element && kindOf(other) === mine.kind && isVisible(other))
    .filter((other) => !other.contains(element) && !element.contains(other))
    .map((other) => {
      const box = other.getBoundingClientRect();
      const href = other.getAttribute("href") ?? "";
      return {
        role: fold(roleOf(other)),
        name: nameOf(other),
        id: fold(other.id),
        href: fold(href.startsWith("#") ? href : href.split(/[?#]/)[0]),
        // Only what they have in common counts, and a fingerprint must stay small.
        ...shared("testId", TEST_IDS.map((name) => attribute(other, name)).find(Boolean)),
        ...shared("nameAttribute", attribute(other, "name")),
        far: Math.hypot(box.x + scrollX - mine.x, box.y + scrollY - mine.y),
      };
    })
    // Those that could be taken for it before all others: called the same in any way, then the nearest.
    .map((rival) => {
      const isShared = (key) => mine[key] !== "" && rival[key] === mine[key];
      return { rival, twin: rival.name === mine.name || ["href", "testId", "id", "nameAttribute"].some(isShared) };
    })
    .sort((a, b) => Number(b.twin) - Number(a.twin) || a.rival.far - b.rival.far)
    .slice(0, 60)
    .map(({ rival: { far, ...rival } }) => rival);
  return { ...mine, rivals };
}`;

/** Everything on the page of a kind, with its features and the CSS path that leads to it. As a function of \`{kind, tag}\`. */
export const CANDIDATES = `({ kind, tag }) => {
  ${LIBRARY}
  const pathTo = (element) => {
    const parts = [];
    for (let at = element; at && at !== document.documentElement; at = at.parentElement) {
      const index = Array.from(at.parentElement?.children ?? []).indexOf(at) + 1;
      parts.unshift(CSS.escape(at.tagName.toLowerCase()) + ":nth-child(" + index + ")");
    }
    return ["html", ...parts].join(" > ");
  };
  const all = headings();
  return likeIt(tag)
    .filter((element) => kindOf(element) === kind && isVisible(element))
    .slice(0, 800)
    .map((element) => ({ features: describeOf(element, all), path: pathTo(element) }));
}`;

/** Whether an element is the one that a CSS path leads to. As a function of both. */
export const IS_AT = `(element, path) => element === document.querySelector(path)`;
