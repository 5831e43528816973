/**
 * What is rendered (docs/matching.md, "Text"), as JavaScript for the page. `isVisible(element, forActing)`: acting may
 * mean a control that fades in under the mouse, a claim may not. `boxOf(range or element)` is the visible box.
 * `isCovered(element, box)`: something opaque lies over all of it.
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
        seen = overlap(seen, { left: x.left, right: x.right, top: y.top, bottom: y.bottom });
      } else if (/auto|scroll/.test(overflowX + overflowY)) {
        const reached = overlap(seen, reachOf(at, rect));
        if (reached.width <= 0 || reached.height <= 0) return reached;
        const part = overlap(seen, rect);
        seen = part.width > 0 && part.height > 0 ? part : { left: rect.left, right: rect.right, top: rect.top, bottom: rect.bottom, width: rect.width, height: rect.height };
      }
      position = style.position;
    }
    if (seen.width <= 0 || seen.height <= 0) return seen;
  }
  return seen;
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
  /^inset\((?:50|100)%/.test(style.clipPath) || /^circle\(0/.test(style.clipPath);
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
/* Neither transparent, nor cut off, nor off the page. */
const isPerceived = (element, box) => {
  if (element.checkVisibility && !element.checkVisibility({ opacityProperty: true, checkOpacity: true })) return false;
  for (let at = element; at; at = parentOf(at)) if (isCut(styleOf(at))) return false;
  const part = clipped(element, box);
  if (isOffPage(element, part)) return false;
  return part.width > 0.5 && part.height > 0.5 && (part.width > 1 || part.height > 1);
};
const alphaOf = (color) => {
  const parts = /^rgba?\(([^)]*)\)$/.exec(color)?.[1]?.split(/[\s,/]+/);
  if (!parts) return /\/ (0|0\.0+)\)$/.test(color) ? 0 : 1;
  return parts.length > 3 ? Number(parts[3]) : 1;
};
const isOpaque = (element, until) => {
  for (let at = element; at && at !== until && !at.contains(until); at = parentOf(at)) {
    const style = styleOf(at);
    if (Number(style.opacity) < 0.9) return false;
    if (alphaOf(style.backgroundColor) >= 0.9) return true;
    if (/^(?:IMG|VIDEO|CANVAS|IFRAME)$/.test(at.nodeName)) return true;
  }
  return false;
};
const hitAt = (x, y) => {
  let hit = document.elementFromPoint(x, y);
  while (hit?.shadowRoot) {
    const inner = hit.shadowRoot.elementFromPoint(x, y);
    if (!inner || inner === hit) break;
    hit = inner;
  }
  return hit;
};
/* The element that stays in place while the page scrolls: a header that sticks, a bar at the edge. */
const stuckOf = (hit, element) => {
  for (let at = hit; at && !at.contains(element); at = parentOf(at)) if (/^(?:fixed|sticky)$/.test(styleOf(at).position)) return at;
  return null;
};
const scrollerOf = (element) => {
  for (let at = parentOf(element); at && at !== document.body && at !== document.documentElement; at = parentOf(at)) {
    if (/auto|scroll/.test(styleOf(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  }
  return document.scrollingElement ?? document.documentElement;
};
/* Whether a person can scroll the element out from under what covers it. */
const scrollsClear = (hit, element, box) => {
  const cover = stuckOf(hit, element)?.getBoundingClientRect();
  if (!cover) return false;
  const scroller = scrollerOf(element);
  const isPage = scroller === (document.scrollingElement ?? document.documentElement);
  const frame = isPage ? { top: 0, bottom: innerHeight } : scroller.getBoundingClientRect();
  const up = scroller.scrollTop, down = scroller.scrollHeight - scroller.clientHeight - up;
  const height = box.bottom - box.top;
  return (cover.bottom - box.top <= up && cover.bottom + height <= frame.bottom) || (box.bottom - cover.top <= down && cover.top - height >= frame.top);
};
/* The element that lies over the whole window, wherever a person scrolls; null if none does. */
let curtain;
const curtainOf = () => {
  if (curtain !== undefined) return curtain;
  curtain = null;
  const hit = hitAt(innerWidth / 2, innerHeight / 2);
  for (let at = hit; at && curtain === null; at = parentOf(at)) {
    const { left, top, right, bottom } = at.getBoundingClientRect();
    const isWhole = left <= 0 && top <= 0 && right >= innerWidth && bottom >= innerHeight;
    if (isWhole && styleOf(at).position === "fixed" && isOpaque(hit, parentOf(at))) curtain = at;
  }
  return curtain;
};
/* Outside of the window nothing can be hit: what lies over a box is told by positions and z-indexes. */
const isUnder = (element, box, isText) => {
  for (let branch = isText ? null : element, at = isText ? element : parentOf(element); at; branch = at, at = parentOf(at)) {
    const position = branch ? styleOf(branch).position : "static";
    const level = position === "static" ? 0 : Number(styleOf(branch).zIndex) || 0;
    for (const other of at.children) {
      const style = styleOf(other);
      if (other === branch || !/absolute|relative/.test(style.position) || style.visibility !== "visible") continue;
      const above = (Number(style.zIndex) || 0) - level;
      const isLater = position === "static" || (branch.compareDocumentPosition(other) & 4) > 0;
      if (above < 0 || (above === 0 && !isLater) || Number(style.opacity) < 0.9 || alphaOf(style.backgroundColor) < 0.9) continue;
      const rect = other.getBoundingClientRect();
      if (rect.left <= box.left && rect.top <= box.top && rect.right >= box.right && rect.bottom >= box.bottom) return true;
    }
  }
  return false;
};
/* Something opaque that an element places over its own text. */
const isLaidOver = (hit, element) => {
  for (let at = hit; at && at !== element; at = parentOf(at)) if (/absolute|fixed/.test(styleOf(at).position) && isOpaque(at, element)) return true;
  return false;
};
const isCovered = (element, box, isText = false) => {
  const part = overlap(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  if (part.width <= 0 || part.height <= 0) return (curtainOf() !== null && !isWithin(element, curtainOf())) || isUnder(element, box, isText);
  for (const [x, y] of [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.2], [0.5, 0.8]]) {
    const hit = hitAt(part.left + part.width * x, part.top + part.height * y);
    if (!hit || (isWithin(hit, element) && !(isText && isLaidOver(hit, element))) || isWithin(element, hit) || !isOpaque(hit, element) || scrollsClear(hit, element, box)) return false;
  }
  return true;
};
/* Whether a click in its middle would reach it. */
const isReached = (element) => {
  const box = element.getBoundingClientRect();
  const hit = hitAt(box.left + box.width / 2, box.top + box.height / 2);
  return hit !== null && (isWithin(hit, element) || isWithin(element, hit));
};
`;
