import { TEST_ID_ATTRIBUTES } from "./testIds.ts";

/**
 * Roles and names of elements, as JavaScript for the page, after HTML-AAM and accname 1.2. `namesOf(element)` are all
 * names that a person may use: `{text, source}`. `matchOf(element, find)` is the best match: `{rank, source, text}`.
 */
export const NAMES = String.raw`
const TEST_IDS = ${JSON.stringify(TEST_ID_ATTRIBUTES)};
const INPUT_ROLES = { button: "button", submit: "button", reset: "button", image: "button", checkbox: "checkbox", radio: "radio", range: "slider", number: "spinbutton", search: "searchbox", file: "file", hidden: "" };
const TAG_ROLES = { ARTICLE: "article", ASIDE: "complementary", BUTTON: "button", DETAILS: "group", DIALOG: "dialog", FIELDSET: "group", FIGURE: "figure", FORM: "form", HR: "separator", LI: "listitem", MAIN: "main", MENU: "list", METER: "meter", NAV: "navigation", OL: "list", OPTGROUP: "group", OPTION: "option", OUTPUT: "status", PROGRESS: "progressbar", SECTION: "region", SUMMARY: "button", TABLE: "table", TEXTAREA: "textbox", UL: "list", SEARCH: "search", TBODY: "rowgroup", THEAD: "rowgroup", TFOOT: "rowgroup" };
const tableOf = (element) => element.closest("table, [role=table], [role=grid], [role=treegrid]");
const nativeRole = (element) => {
  const name = element.nodeName;
  if (TAG_ROLES[name] !== undefined) return TAG_ROLES[name];
  if (name === "A" || name === "AREA") return element.hasAttribute("href") ? "link" : "";
  if (name === "INPUT") {
    const type = (element.getAttribute("type") ?? "text").toLowerCase();
    return INPUT_ROLES[type] ?? (element.hasAttribute("list") ? "combobox" : "textbox");
  }
  if (name === "SELECT") return element.multiple || element.size > 1 ? "listbox" : "combobox";
  if (name === "IMG") return element.getAttribute("alt") === "" ? "" : "img";
  if (name === "svg") return "img";
  if (/^H[1-6]$/.test(name)) return "heading";
  if (name === "TR") return "row";
  if (name === "TD") return /grid$/.test(tableOf(element)?.getAttribute("role") ?? "") ? "gridcell" : "cell";
  if (name === "TH") return element.scope === "row" || (element.scope !== "col" && !element.closest("thead") && element.parentElement?.querySelector("td") && element.cellIndex === 0) ? "rowheader" : "columnheader";
  if (name === "HEADER" || name === "FOOTER") {
    const isOfPart = element.parentElement?.closest("article, aside, main, nav, section");
    return isOfPart ? "" : name === "HEADER" ? "banner" : "contentinfo";
  }
  return element.isContentEditable && !element.parentElement?.isContentEditable ? "textbox" : "";
};
let roles = new Map();
const roleOf = (element) => {
  let role = roles.get(element);
  if (role === undefined) {
    const said = (element.getAttribute("role") ?? "").trim().toLowerCase().split(/\s+/)[0];
    role = said === "" || said === undefined ? nativeRole(element) : said === "image" ? "img" : said === "none" || said === "presentation" ? "" : said;
    roles.set(element, role);
  }
  return role;
};
const byIds = (element, attribute) => (element.getAttribute(attribute) ?? "").split(/\s+/).filter(Boolean)
  .map((id) => element.getRootNode().getElementById?.(id)).filter(Boolean);
const FROM_CONTENT = new Set(["button", "cell", "checkbox", "columnheader", "gridcell", "heading", "link", "menuitem", "menuitemcheckbox", "menuitemradio", "option", "radio", "row", "rowheader", "switch", "tab", "tooltip", "treeitem"]);
const isLeftOut = (node) => node.getAttribute("aria-hidden") === "true" || NO_TEXT.has(node.nodeName) && node.nodeName !== "svg" || styleOf(node).display === "none" || styleOf(node).visibility === "hidden";
const contentOf = (element, depth = 0) => {
  let said = "";
  for (const node of childrenOf(element)) {
    if (node.nodeType === 3) said += node.data;
    if (node.nodeType !== 1 || depth > 30 || isLeftOut(node)) continue;
    const label = node.getAttribute("aria-label") || (node.nodeName === "IMG" ? node.alt : "") || (node.nodeName === "svg" ? svgTitle(node) : "");
    const inner = label || (node.nodeName === "INPUT" ? (CAPTIONS[node.type] === undefined ? "" : node.value) : contentOf(node, depth + 1));
    const isInline = /^(?:inline|contents|ruby)$/.test(styleOf(node).display) && node.nodeName !== "BR" && !edge(styleOf(node), "Left") && !edge(styleOf(node), "Right");
    said += isInline && !label ? inner : " " + inner + " ";
  }
  return said;
};
const svgTitle = (svg) => [...svg.children].find((one) => one.nodeName === "title")?.textContent ?? "";
const labelsOf = (element) => [...(element.labels ?? [])].map((label) => labelText(label, element)).filter((text) => norm(text) !== "");
/* The text of a label without its field. */
const labelText = (label, field) => {
  let said = "";
  for (const node of childrenOf(label)) {
    if (node.nodeType === 3) said += node.data;
    if (node.nodeType !== 1 || node === field || isLeftOut(node) || /^(?:INPUT|SELECT|TEXTAREA|OPTION)$/.test(node.nodeName)) continue;
    said += node.contains(field) ? labelText(node, field) : (node.nodeName === "IMG" ? node.alt : contentOf(node)) + " ";
  }
  return said;
};
const captionOf = (element) => {
  const css = { FIELDSET: "legend", TABLE: "caption", FIGURE: "figcaption", DETAILS: "summary" }[element.nodeName];
  const caption = css && [...element.children].find((one) => one.localName === css);
  return caption ? contentOf(caption) : "";
};
let named = new Map();
/* The names, the accessible name first. */
const namesOf = (element) => {
  let names = named.get(element);
  if (names) return names;
  names = [];
  const add = (source, text) => {
    const said = norm(text);
    if (said !== "" && !names.some((one) => one.text === said)) names.push({ text: said, source });
  };
  const role = roleOf(element);
  for (const other of byIds(element, "aria-labelledby")) add("label", other.getAttribute("aria-label") || contentOf(other) || other.value);
  add("label", element.getAttribute("aria-label"));
  for (const label of labelsOf(element)) add("label", label);
  add("name", captionOf(element));
  if (element.nodeName === "INPUT" && CAPTIONS[element.type] !== undefined) add("name", element.value || CAPTIONS[element.type]);
  if (/^(?:IMG|AREA)$/.test(element.nodeName) || element.type === "image") add("alt", element.alt);
  if (element.nodeName === "svg") add("name", svgTitle(element));
  if (FROM_CONTENT.has(role) || element.onclick || element.hasAttribute("onclick")) {
    add("name", contentOf(element));
    if (names.length === 0) add("name", pseudo(element, "::before") + pseudo(element, "::after"));
    if (element.nodeName !== "OPTION") add("text", element.innerText);
    else add("name", element.label);
  }
  if (/^I?FRAME$/.test(element.nodeName)) for (const name of ["name", "title", "id"]) add("name", element.getAttribute(name));
  add("title", element.getAttribute("title"));
  add("placeholder", element.getAttribute("placeholder") || element.getAttribute("aria-placeholder"));
  named.set(element, names);
  return names;
};
/* Labels are what a person reads; the others follow in this order where several names match equally well. */
const SOURCES = ["label", "name", "text", "alt", "title", "placeholder"];
const matchOf = (element, { name, match = "words" }) => {
  const lang = langOf(element);
  let best = null;
  for (const one of namesOf(element)) {
    const rank = rankOf(one.text, name, match, lang);
    if (rank >= 0 && (best === null || rank > best.rank)) best = { rank, ...one };
  }
  return best;
};
/* Whether an element can have a name at all: reading all names of a page takes long. */
const mayBeNamed = (wanted) => {
  const longest = longestWord(wanted);
  if (longest === "") return () => true;
  const plain = (text) => { const said = (text ?? "").toLowerCase(); return /[^\0-\x7f]/.test(said) ? lower(said) : said; };
  const has = (text) => plain(text).includes(longest);
  return (element) => {
    if (/^I?FRAME$/.test(element.nodeName)) return true;
    if (has(element.textContent) || element.shadowRoot || element.nodeName === "SLOT" || element.nodeName === "INPUT" && has(element.value + " " + (CAPTIONS[element.type] ?? ""))) return true;
    for (const name of ["aria-label", "title", "placeholder", "aria-placeholder", "alt", "label"]) if (element.hasAttribute(name) && has(element.getAttribute(name))) return true;
    if (element.labels && [...element.labels].some((label) => has(label.textContent) || label.querySelector("img, svg"))) return true;
    if (element.hasAttribute("aria-labelledby")) return true;
    return element.childElementCount > 0 ? element.querySelector("img, svg, [aria-label], input, slot") !== null : element.textContent === "";
  };
};
`;
