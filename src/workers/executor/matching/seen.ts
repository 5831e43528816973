/**
 * What is rendered (docs/matching.md, "Text"), as JavaScript for the page. `isVisible(element, forActing)`: acting may
 * mean a control that fades in under the mouse, a claim may not. `clipped(element, box)` is the part of a box that its
 * ancestors do not cut off, with what they cut off in `lostX` and `lostY`.
 */
export const SEEN = String.raw`
let styles = new Map();
const styleOf = (element) => {
  let style = styles.get(element);
  if (!style) styles.set(element, (style = getComputedStyle(element)));
  return style;
};
const parentOf = (node) => node.assignedSlot ?? node.parentElement ?? (node.parentNode instanceof ShadowRoot ? node.parentNode.host : null);
const isWithin = (node, root) => {
  for (let at = node; at; at = parentOf(at)) if (at === root) return true;
  return root.nodeType === 9;
};
const overlap = (a, b) => {
  const left = Math.max(a.left, b.left), right = Math.min(a.right, b.right);
  const top = Math.max(a.top, b.top), bottom = Math.min(a.bottom, b.bottom);
  return { left, right, top, bottom, width: Math.max(0, right - left), height: Math.max(0, bottom - top) };
};
/* The part of a box that its ancestors do not cut off; what one can scroll to is not cut off. */
const clipped = (element, box) => cutBy(parentOf(element), styleOf(element).position, box);
/* The same of a text in an element, which the element itself may cut off. */
const clippedWithin = (element, box) => cutBy(element, "static", box);
/* Where an element that scrolls can be scrolled to. */
const reachOf = (at, rect) => {
  const left = rect.left - at.scrollLeft, top = rect.top - at.scrollTop;
  const isBackwards = styleOf(at).direction === "rtl";
  return { left: isBackwards ? -1e6 : left, right: isBackwards ? 1e6 : left + Math.max(at.scrollWidth, rect.width), top, bottom: top + Math.max(at.scrollHeight, rect.height) };
};
const cutBy = (from, placed, box) => {
  let seen = box;
  let lostX = 0, lostY = 0;
  let position = placed;
  for (let at = from; at && at !== document.documentElement && at !== document.body; at = parentOf(at)) {
    const style = styleOf(at);
    if (position === "fixed") break;
    const isSkipped = position === "absolute" && style.position === "static";
    if (!isSkipped) {
      const rect = at.getBoundingClientRect();
      const { overflowX, overflowY } = style;
      const cuts = (how) => how === "hidden" || how === "clip";
      if (cuts(overflowX) || cuts(overflowY)) {
        const x = cuts(overflowX) ? rect : { left: -1e6, right: 1e6 };
        const y = cuts(overflowY) ? rect : { top: -1e6, bottom: 1e6 };
        const dots = cuts(overflowX) && style.textOverflow === "ellipsis" && at.scrollWidth > at.clientWidth ? parseFloat(style.fontSize) * 0.8 : 0;
        const before = seen;
        seen = overlap(seen, { left: x.left, right: x.right - dots, top: y.top, bottom: y.bottom });
        lostX += before.width - seen.width;
        lostY += before.height - seen.height;
      } else if (/auto|scroll/.test(overflowX + overflowY)) {
        const reached = overlap(seen, reachOf(at, rect));
        if (reached.width <= 0 || reached.height <= 0) return reached;
        const part = overlap(seen, rect);
        seen = part.width > 0 && part.height > 0 ? part : { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom, width: rect.width, height: rect.height };
      }
      position = style.position;
    }
    if (seen.width <= 0 || seen.height <= 0) break;
  }
  const { left, top, right, bottom, width, height } = seen;
  return { left, top, right, bottom, width, height, lostX, lostY };
};
/* Whether a box is where nobody can scroll to. Of a fixed element and a page that does not scroll only the window is seen. */
const isOffPage = (element, box) => {
  const root = document.scrollingElement ?? document.documentElement;
  const seen = (axis, size, whole) => {
    if (isFixed(element) || isLocked(axis)) return { from: 0, to: size };
    const scrolled = axis === "X" ? scrollX : scrollY;
    const isBackwards = axis === "X" && styleOf(root).direction === "rtl";
    return isBackwards ? { from: size - whole - scrolled, to: size - scrolled } : { from: -scrolled, to: Math.max(whole, size) - scrolled };
  };
  const x = seen("X", innerWidth, root.scrollWidth), y = seen("Y", innerHeight, root.scrollHeight);
  return box.right <= x.from || box.left >= x.to || box.bottom <= y.from || box.top >= y.to;
};
const isFixed = (element) => {
  for (let at = element; at; at = parentOf(at)) if (styleOf(at).position === "fixed") return true;
  return false;
};
/* The window scrolls as the root says, or the body if the root says nothing. */
const isLocked = (axis) => {
  const of = (element) => (element ? styleOf(element)["overflow" + axis] : "visible");
  const how = of(document.documentElement) === "visible" ? of(document.body) : of(document.documentElement);
  return how === "hidden" || how === "clip";
};
const isCut = (style) => (/^rect\((?:0px,? ?|1px,? ?){4}\)$/.test(style.clip) && /absolute|fixed/.test(style.position)) ||
  /^inset\((?:50|100)%/.test(style.clipPath) || /^circle\(0/.test(style.clipPath) || /^polygon\(([^,()]+)(?:, \1)*\)$/.test(style.clipPath) || isMaskedOut(style.maskImage);
const isMaskedOut = (image) => /gradient\(/.test(image ?? "") && colorsOf(image).every((color) => alphaOf(color) < 0.1);
/* The share of its paint that a style leaves: by opacity, by filters, and by a blur that makes letters unreadable. */
const shareOf = ({ opacity, filter, fontSize }) => {
  if (filter === "none") return Number(opacity);
  if (parseFloat(/blur\(([\d.]+)px/.exec(filter)?.[1] ?? "0") > parseFloat(fontSize) * 0.4) return 0;
  return Number(opacity) * Number(/opacity\(([\d.]+)\)/.exec(filter)?.[1] ?? 1);
};
const isBroken = (element) => element.nodeName === "IMG" && element.complete && element.naturalWidth === 0 && element.hasAttribute("src") && !/svg/.test(element.currentSrc);
let shown = new Map();
const isVisible = (element, forActing = false) => {
  const key = forActing ? 1 : 0;
  let known = shown.get(element);
  if (!known) shown.set(element, (known = []));
  if (known[key] === undefined) known[key] = looksVisible(element, forActing);
  return known[key];
};
const looksVisible = (element, forActing) => {
  if (element.nodeName === "OPTION" || element.nodeName === "OPTGROUP") {
    const select = element.closest("select");
    if (select) return !element.hidden && styleOf(element).display !== "none" && isVisible(select, forActing);
  }
  const style = styleOf(element);
  if (style.display === "contents") {
    return [...element.childNodes].some((node) => (node.nodeType === 1 ? isVisible(node, forActing) : node.nodeType === 3 && node.data.trim() !== "" && element.checkVisibility({ visibilityProperty: true, checkVisibilityCSS: true }) !== false));
  }
  if (style.visibility !== "visible") return false;
  if (element.checkVisibility && !element.checkVisibility()) return false;
  const box = element.getBoundingClientRect();
  if (!(box.width > 0 && box.height > 0)) return false;
  if (forActing) return true;
  return isPerceived(element, box);
};
/* Neither transparent, nor cut off, nor off the page, nor a picture that did not load. */
const isPerceived = (element, box) => {
  let share = 1;
  for (let at = element; at; at = parentOf(at)) {
    const style = styleOf(at);
    share *= shareOf(style);
    if (share < 0.1 || isCut(style)) return false;
  }
  if (isBroken(element)) return false;
  const part = clipped(element, box);
  if (isOffPage(element, part)) return false;
  return part.width > 0.5 && part.height > 0.5 && (part.width > 1 || part.height > 1);
};
const alphaOf = (color) => {
  const parts = /^rgba?\(([^)]*)\)$/.exec(color)?.[1]?.split(/[\s,/]+/);
  if (!parts) return /\/ (0|0\.0+)\)$/.test(color) ? 0 : 1;
  return parts.length > 3 ? Number(parts[3]) : 1;
};
`;
