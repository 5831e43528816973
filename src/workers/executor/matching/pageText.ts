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
const STRING = /^\s*"((?:[^"\\]|\\.)*)"/s;
/* The text that a style puts into an element; empty if it puts none there that is seen. */
const textOfStyle = (style) => {
  let said = "", rest = style.content;
  if (rest === "none" || rest === "normal") return "";
  for (let one = STRING.exec(rest); one; one = STRING.exec(rest)) {
    said += one[1].replace(/\\(.)/g, "$1");
    rest = rest.slice(one[0].length);
  }
  return said !== "" && style.display !== "none" && style.visibility === "visible" && Number(style.opacity) >= 0.1 ? said : "";
};
const pseudo = (element, part) => textOfStyle(getComputedStyle(element, part));
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
const runsOf = (root, mayHold) => {
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
    if (style.visibility !== "visible" || parseFloat(style.fontSize) === 0 || alphaOf(inkOf(element)) < 0.1) return;
    /* An exponent is no further digit: 10⁵ is not 105. */
    const isRaised = /^SU[PB]$/.test(element.nodeName) && /^\p{Nd}/u.test(text) && /\p{Nd}$/u.test(pieces.at(-1)?.text ?? "");
    pieces.push({ text: (isRaised ? "^" : "") + transformed(text, style.textTransform), source: text, element, node, isGap });
    isGap = false;
  };
  /* The page did not write what only decorates. */
  const addStyled = (element, part) => {
    const style = getComputedStyle(element, part);
    const text = textOfStyle(style);
    if (text === "") return;
    const piece = { text: transformed(text, style.textTransform), source: /[\p{L}\p{N}]/u.test(text) ? text : "", element, node: null };
    if (/absolute|fixed/.test(style.position)) { runs.push([{ ...piece, isGap: false }]); return; }
    const isApart = style.display !== "inline" || edge(style, "Left") || edge(style, "Right");
    pieces.push({ ...piece, isGap: isGap || isApart });
    isGap = isApart;
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
    addStyled(node, "::before");
    for (const child of childrenOf(node)) visit(child, node);
    addStyled(node, "::after");
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
/* The range of a node from one place of a word to another; the whole node where its words are not found. */
const rangeOf = (node, from, to) => {
  const range = document.createRange();
  range.selectNodeContents(node);
  if (from >= 0) range.setStart(node, from);
  if (to >= 0) range.setEnd(node, to);
  return range;
};
const placesIn = (said, word) => {
  const found = [];
  for (let at = said.indexOf(word); at >= 0 && found.length < 50; at = said.indexOf(word, at + 1)) found.push(at);
  return found;
};
/* The lines of what is said in pieces of a run, once for each place in which a text of one node says it. */
const linesOf = (pieces, wanted) => {
  const [first, last] = [pieces[0], pieces.at(-1)];
  const words = norm(wanted).toLowerCase();
  const said = ({ source }) => (source.toLowerCase().length === source.length ? source.toLowerCase() : "");
  if (pieces.length === 1 && first.node !== null) {
    const all = placesIn(said(first), words);
    const ranges = all.length === 0 ? [rangeOf(first.node, -1, -1)] : all.map((at) => rangeOf(first.node, at, at + words.length));
    return ranges.map((range) => [...range.getClientRects()]);
  }
  const tokens = words.split(" ");
  const lines = pieces.flatMap((piece) => {
    if (piece.node === null) return [piece.element.getBoundingClientRect()];
    const from = piece === first ? said(first).lastIndexOf(tokens[0]) : -1;
    const end = piece === last ? said(last).indexOf(tokens.at(-1)) : -1;
    return [...rangeOf(piece.node, from, end < 0 ? -1 : end + tokens.at(-1).length).getClientRects()];
  });
  return [lines];
};
/* A line is seen if nothing that matters of it is cut off: of a number one digit matters. */
const seenLine = (element, line) => {
  const box = clippedWithin(element, line);
  return box.width > 0 && box.height > 0 && box.lostX <= 3 && box.lostY <= line.height * 0.4 && !isOffPage(element, box) ? box : null;
};
const boxAround = (boxes) => {
  const side = (of, pick) => of(...boxes.map(pick));
  const [left, top] = [side(Math.min, (one) => one.left), side(Math.min, (one) => one.top)];
  const [right, bottom] = [side(Math.max, (one) => one.right), side(Math.max, (one) => one.bottom)];
  return { left, top, right, bottom, width: right - left, height: bottom - top };
};
/* Whether a digit of another text touches the number on one side: a person reads both as one number. */
const touchesDigit = (line, nodes, side) => {
  const x = side < 0 ? line.left - 1.5 : line.right + 1.5, y = (line.top + line.bottom) / 2;
  const at = document.caretRangeFromPoint?.(x, y);
  const node = at?.startContainer;
  if (!node || node.nodeType !== 3 || nodes.includes(node) || !isVisible(node.parentElement)) return false;
  return [at.startOffset - 1, at.startOffset].some((from) => from >= 0 && from < node.length && /\p{Nd}/u.test(node.data[from]) && isInside(rangeOf(node, from, from + 1).getBoundingClientRect(), x, y));
};
const isPartOfNumber = (lines, pieces, wanted) => {
  const nodes = pieces.map(({ node }) => node);
  return (/^\p{Nd}/u.test(norm(wanted)) && touchesDigit(lines[0], nodes, -1)) || (/\p{Nd}$/u.test(norm(wanted)) && touchesDigit(lines.at(-1), nodes, 1));
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
  for (const all of linesOf(part, wanted)) {
    const lines = all.filter(({ width, height }) => width > 0 && height > 0);
    const seenLines = lines.map((line) => seenLine(element, line));
    if (lines.length === 0 || seenLines.includes(null) || (match !== "containing" && isPartOfNumber(lines, part, wanted))) continue;
    return { element, text, whole, box: boxAround(seenLines), line: seenLines[0] };
  }
  return null;
};
/* The part of a text in front of what its block cuts off. */
const keptOf = (piece, line) => {
  const isKept = (end) => clippedWithin(piece.element, rangeOf(piece.node, 0, end).getBoundingClientRect()).lostX <= 3;
  if (piece.text.length !== piece.source.length || clippedWithin(piece.element, line).lostX <= 3) return piece;
  let [kept, over] = [0, piece.source.length];
  while (over - kept > 1) {
    const middle = Math.floor((kept + over) / 2);
    if (isKept(middle)) kept = middle;
    else over = middle;
  }
  return { ...piece, text: piece.text.slice(0, kept), source: piece.source.slice(0, kept) };
};
/* The pieces of a run that a person can read, as far as they can. */
const readable = (pieces) => pieces.flatMap((piece) => {
  if (!isVisible(piece.element)) return [];
  if (piece.node === null) return [piece];
  const lines = [...rangeOf(piece.node, -1, -1).getClientRects()].filter(({ width }) => width > 0);
  const first = lines.map((line) => clippedWithin(piece.element, line)).find(({ width, height }) => width > 0 && height > 0);
  if (lines.length > 0 && (!first || isCovered(piece.element, first, true))) return [];
  return [lines.length === 1 ? keptOf(piece, lines[0]) : piece];
});
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
  const hits = runsOf(root, mayHold).flatMap((pieces) => hitOf(pieces, wanted, match) ?? []);
  if (hits.length > 0 || claimOf(wanted, "en").length < 2) return hits.filter((hit) => !isCovered(hit.element, hit.line, true));
  const joint = [];
  for (const element of inTree(root, READ_AS_ONE)) {
    if (!mayHold(element) || !isVisible(element)) continue;
    const pieces = runsOf(element, () => true).flatMap((run) => run.map((one, at) => (at === 0 ? { ...one, isGap: true } : one)));
    const hit = pieces.length > 0 ? hitOf(pieces, wanted, match) : null;
    if (hit) joint.push(hit);
  }
  return innermost(joint, (hit) => hit.element).filter((hit) => !isCovered(hit.element, hit.line, true));
};
const innermost = (items, of = (item) => item) => items.filter((item) => !items.some((other) => of(other) !== of(item) && isWithin(of(other), of(item))));
/* Elements of a selector, shadow trees included, in document order. */
const inTree = (root, css) => {
  const found = [...root.querySelectorAll(css)];
  for (const host of allHosts()) if (isWithin(host, root)) found.push(...host.shadowRoot.querySelectorAll(css));
  return found;
};
`;
