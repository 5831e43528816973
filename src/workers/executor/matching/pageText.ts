/**
 * The text of the page, as JavaScript for the page. `hitsIn(root, wanted, match, isThorough)` are the places where a
 * text is seen: `{element, text, isEqual, box}`, in document order. A run is the text of a block: inline elements are
 * joined, and a gap that styles put between two of them (padding, margin, inline blocks) counts as a space.
 */
export const PAGE_TEXT = String.raw`
const NO_TEXT = new Set(["SCRIPT", "STYLE", "NOSCRIPT", "TEMPLATE", "TEXTAREA", "SELECT", "DATALIST", "IFRAME", "OBJECT", "VIDEO", "AUDIO", "CANVAS", "HEAD", "title", "desc", "metadata", "defs", "METER", "PROGRESS"]);
const CAPTIONS = { submit: "Submit", reset: "Reset", button: "" };
const transformed = (text, how) => how === "uppercase" ? text.toUpperCase() : how === "lowercase" ? text.toLowerCase()
  : how === "capitalize" ? text.replace(/(^|[\s-])(\p{L})/gu, (all, gap, letter) => gap + letter.toUpperCase()) : text;
const childrenOf = (element) => {
  if (element.shadowRoot) return element.shadowRoot.childNodes;
  if (element.nodeName === "SLOT") {
    const assigned = element.assignedNodes();
    return assigned.length > 0 ? assigned : element.childNodes;
  }
  return element.childNodes;
};
const pseudo = (element, part) => {
  const style = getComputedStyle(element, part);
  const { content } = style;
  const said = content === "none" || content === "normal" ? undefined : /^"(.*)"$/s.exec(content)?.[1];
  return said && style.display !== "none" && style.visibility === "visible" ? said.replace(/\\(.)/g, "$1") : "";
};
let hosts = null;
const allHosts = () => {
  if (hosts) return hosts;
  hosts = [];
  const look = (root) => {
    for (const element of root.querySelectorAll("*")) {
      if (!element.shadowRoot) continue;
      hosts.push(element);
      look(element.shadowRoot);
    }
  };
  look(document);
  return hosts;
};
const edge = (style, side) => parseFloat(style["padding" + side]) + parseFloat(style["margin" + side]) + parseFloat(style["border" + side + "Width"]) > 2;
/* "mayHold(element)" leaves out blocks that cannot have the text. */
const runsOf = (root, mayHold, isThorough) => {
  const runs = [];
  let pieces = [];
  let isGap = false;
  const end = () => {
    if (pieces.length > 0) runs.push(pieces);
    pieces = [];
    isGap = false;
  };
  const add = (text, element, node = null) => {
    if (text === "") return;
    const style = styleOf(element);
    if (style.visibility !== "visible" || parseFloat(style.fontSize) === 0 || alphaOf(style.color) === 0) return;
    pieces.push({ text: transformed(text, style.textTransform), source: text, element, node, isGap });
    isGap = false;
  };
  const visit = (node, within) => {
    if (node.nodeType === 3) return add(node.data, within, node);
    if (node.nodeType !== 1 || NO_TEXT.has(node.nodeName)) return;
    if (node.nodeName === "BR") { isGap = true; return; }
    const style = styleOf(node);
    const { display } = style;
    if (display === "none") return;
    if (node.nodeName === "INPUT") {
      const caption = CAPTIONS[node.type];
      if (caption === undefined) { isGap = true; return; }
      isGap = true;
      add(node.value || caption, node);
      isGap = true;
      return;
    }
    const isInline = display === "inline" || display === "contents" || display.startsWith("ruby");
    const isAtom = display.startsWith("inline-");
    if (!isInline && !isAtom) {
      end();
      if (!mayHold(node)) return;
    }
    if (isAtom || (isInline && edge(style, "Left"))) isGap = true;
    if (isThorough) add(pseudo(node, "::before"), node);
    for (const child of childrenOf(node)) visit(child, node);
    if (isThorough) add(pseudo(node, "::after"), node);
    if (isAtom || (isInline && edge(style, "Right"))) isGap = true;
    if (!isInline && !isAtom) end();
  };
  visit(root.nodeType === 9 ? (root.body ?? root.documentElement) : root, root.nodeType === 9 ? null : parentOf(root));
  end();
  return runs;
};
const joined = (pieces, key, gap) => pieces.map((one, at) => (at > 0 && one.isGap ? gap : "") + one[key]).join("");
/* A gap that only styles make may be read as a space or as none. */
const isSaid = (pieces, wanted, match, lang) =>
  rangeIn(joined(pieces, "text", " "), wanted, match, lang) !== null ||
  (pieces.some((one) => one.isGap) && rangeIn(joined(pieces, "text", ""), wanted, match, lang) !== null) ||
  (match === "exactly" && rangeIn(joined(pieces, "source", " "), wanted, match, lang) !== null);
const ancestorOf = (elements) => {
  let at = elements[0];
  while (at && !elements.every((one) => isWithin(one, at))) at = parentOf(at);
  return at ?? elements[0];
};
/* The box of what is said in pieces of a run; of a text that stands in one node the box of its words alone. */
const boxOfPieces = (pieces, wanted) => {
  const boxes = pieces.map(({ element, node, source }) => {
    if (node === null) return element.getBoundingClientRect();
    const range = document.createRange();
    range.selectNodeContents(node);
    const said = source.toLowerCase(), words = wanted.trim().toLowerCase();
    const at = pieces.length > 1 || said.length !== source.length ? -1 : said.indexOf(words);
    if (at >= 0 && at === said.lastIndexOf(words)) {
      range.setStart(node, at);
      range.setEnd(node, at + words.length);
    }
    return range.getBoundingClientRect();
  }).filter(({ width, height }) => width > 0 || height > 0);
  if (boxes.length === 0) return null;
  const side = (of, pick) => of(...boxes.map(pick));
  const [left, top] = [side(Math.min, (one) => one.left), side(Math.min, (one) => one.top)];
  const [right, bottom] = [side(Math.max, (one) => one.right), side(Math.max, (one) => one.bottom)];
  return { left, top, right, bottom, width: right - left, height: bottom - top };
};
const hitOf = (pieces, wanted, match) => {
  const lang = langOf(pieces[0].element);
  if (!isSaid(pieces, wanted, match, lang)) return null;
  const seen = pieces.filter(({ element }) => isVisible(element));
  if (seen.length === 0 || (seen.length < pieces.length && !isSaid(seen, wanted, match, lang))) return null;
  let part = seen;
  while (part.length > 1 && isSaid(part.slice(1), wanted, match, lang)) part = part.slice(1);
  while (part.length > 1 && isSaid(part.slice(0, -1), wanted, match, lang)) part = part.slice(0, -1);
  const element = ancestorOf(part.map((one) => one.element));
  const text = norm(joined(seen, "text", " "));
  const own = norm(joined(part, "text", " "));
  const whole = Math.max(rankOf(text, wanted, "words", lang), rankOf(own, wanted, "words", lang));
  /* Words that are drawn off the page, or that their block cuts off, are not seen. */
  const words = boxOfPieces(part, wanted);
  if (words === null) return null;
  const box = clippedWithin(element, words);
  return !isOffPage(element, box) && box.width > 0 && box.height > 0 ? { element, text, whole, box } : null;
};
const longestWord = (wanted) => claimOf(wanted, "en").reduce((best, one) => (one.numbers === null && one.lower.length > best.length ? one.lower : best), "");
const holderOf = (wanted, isThorough) => {
  const longest = longestWord(wanted);
  if (longest === "" || isThorough || allHosts().length > 0) return () => true;
  return (element) => {
    const said = element.textContent.toLowerCase();
    return said.includes(longest) || /[^\0-\x7f]/.test(said + longest) && lower(said).includes(longest) ||
      (element.getElementsByTagName("input").length > 0);
  };
};
/* Elements that are read as one although blocks divide them: a row, an entry, a button, a term with its meaning. */
const READ_AS_ONE = "tr, li, dl > div, dl, button, a, label, p, td, th, figure, summary, fieldset > legend, h1, h2, h3, h4, h5, h6, [role=row], [role=listitem], [role=option], [role=menuitem], [role=button], [role=link], [role=heading], [role=cell], [role=gridcell], [role=alert], [role=status], [role=tab], [role=treeitem]";
const hitsIn = (root, wanted, match, isThorough) => {
  if (norm(wanted) === "") return [];
  const mayHold = holderOf(wanted, isThorough);
  const start = root.nodeType === 9 ? (root.body ?? root.documentElement) : root;
  if (!start || !mayHold(start)) return [];
  const hits = runsOf(root, mayHold, isThorough).flatMap((pieces) => hitOf(pieces, wanted, match) ?? []);
  if (hits.length > 0 || claimOf(wanted, "en").length < 2) return hits.filter((hit) => !isCovered(hit.element, hit.box, true));
  const joint = [];
  for (const element of inTree(root, READ_AS_ONE)) {
    if (!mayHold(element) || !isVisible(element)) continue;
    const pieces = runsOf(element, () => true, isThorough).flatMap((run) => run.map((one, at) => (at === 0 ? { ...one, isGap: true } : one)));
    const hit = pieces.length > 0 ? hitOf(pieces, wanted, match) : null;
    if (hit) joint.push(hit);
  }
  return innermost(joint, (hit) => hit.element).filter((hit) => !isCovered(hit.element, hit.box, true));
};
const innermost = (items, of = (item) => item) => items.filter((item) => !items.some((other) => of(other) !== of(item) && isWithin(of(other), of(item))));
/* Elements of a selector, shadow trees included, in document order. */
const inTree = (root, css) => {
  const found = [...root.querySelectorAll(css)];
  for (const host of allHosts()) if (isWithin(host, root)) found.push(...host.shadowRoot.querySelectorAll(css));
  return found;
};
`;
