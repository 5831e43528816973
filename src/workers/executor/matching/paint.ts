/**
 * The painting of the page (docs/matching.md, "Text"), as JavaScript for the page. `isCovered(element, box, isText)`:
 * something opaque lies over the box, or a text has the colour of what is behind it. `isReached(element)`: a click in
 * its middle reaches it. `letGo()` ends what the tests of one look put into the page.
 */
export const PAINT = String.raw`
/* Hit tests leave out what takes no clicks: while a look lasts, everything takes them. */
let sheet = null;
const holdHits = () => {
  if (sheet !== null) return;
  sheet = new CSSStyleSheet();
  sheet.replaceSync("*, ::before, ::after { pointer-events: auto !important }");
  document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet];
};
const letGo = () => {
  if (sheet !== null) document.adoptedStyleSheets = document.adoptedStyleSheets.filter((one) => one !== sheet);
  sheet = null;
};
/* The elements at a point, the uppermost first, those of shadow trees in the place of their hosts. */
const stackAt = (x, y, root = document) => root.elementsFromPoint(x, y).filter((one) => one.getRootNode() === root)
  .flatMap((one) => (one.shadowRoot ? [...stackAt(x, y, one.shadowRoot), one] : [one]));
const colorsOf = (image) => image.match(/(?:rgba?|color|oklch|oklab|lab|lch)\([^()]*\)/g) ?? [];
/* Whether a style fills its box. Of a picture only a photograph is known to. */
const isFilled = (style) => {
  if (style.backgroundClip === "text") return false;
  if (alphaOf(style.backgroundColor) >= 0.9) return true;
  const { backgroundImage: image } = style;
  if (/url\("[^"]*(?:\.jpe?g|^data:image\/jpeg)/.test(image)) return true;
  return /gradient\(/.test(image) && !/url\(/.test(image) && style.backgroundSize === "auto" && colorsOf(image).every((color) => alphaOf(color) >= 0.9);
};
const isReplaced = (element) => /^(?:IMG|VIDEO|CANVAS|IFRAME)$/.test(element.nodeName);
const isOpaque = (hit, until) => {
  if (!isReplaced(hit) && !isFilled(styleOf(hit))) return false;
  let shown = 1;
  for (let at = hit; at && !isWithin(until, at); at = parentOf(at)) shown *= Number(styleOf(at).opacity);
  return shown >= 0.9;
};
const hitAt = (x, y) => {
  letGo();
  return stackAt(x, y)[0] ?? null;
};
const isInside = ({ left, top, right, bottom }, x, y) => left <= x && x <= right && top <= y && y <= bottom;
/* Whether a part that styles put into an element lies over a point. */
const isPseudoOver = (element, x, y) => ["::before", "::after"].some((part) => {
  const style = getComputedStyle(element, part);
  if (style.content === "none" || style.content === "normal" || !/absolute|fixed/.test(style.position) || Number(style.zIndex) < 0) return false;
  if (style.display === "none" || style.visibility !== "visible" || Number(style.opacity) < 0.9 || !isFilled(style)) return false;
  let holder = element;
  while (holder && styleOf(holder).position === "static") holder = parentOf(holder);
  const from = style.position === "fixed" || !holder ? { left: 0, top: 0 } : holder.getBoundingClientRect();
  const left = from.left + (holder?.clientLeft ?? 0) + parseFloat(style.left), top = from.top + (holder?.clientTop ?? 0) + parseFloat(style.top);
  return isInside({ left, top, right: left + parseFloat(style.width), bottom: top + parseFloat(style.height) }, x, y);
});
/* The backdrop of a modal dialog is hit as the dialog. */
const isBackdrop = (hit, x, y) => hit.nodeName === "DIALOG" && hit.matches(":modal") && !isInside(hit.getBoundingClientRect(), x, y);
/* Something that an element places over its own text. */
const isLaidOver = (hit, element) => {
  for (let at = hit; at && at !== element; at = parentOf(at)) if (/absolute|fixed/.test(styleOf(at).position)) return true;
  return false;
};
const isShaped = (element) => {
  for (let at = element; at; at = parentOf(at)) if (styleOf(at).clipPath !== "none" || styleOf(at).backfaceVisibility === "hidden") return true;
  return false;
};
/* Whether the element is not seen at a point: something opaque lies over it, or its shape leaves the point out. */
const isCoveredAt = (element, box, isText, x, y) => {
  if (isText && isPseudoOver(element, x, y)) return true;
  for (const hit of stackAt(x, y)) {
    if (isWithin(hit, element)) {
      if (!isText || !isLaidOver(hit, element)) return false;
      if (isOpaque(hit, element)) return true;
    } else if (isBackdrop(hit, x, y)) {
      if (alphaOf(getComputedStyle(hit, "::backdrop").backgroundColor) >= 0.9) return true;
    } else if (isWithin(element, hit)) {
      if (isPseudoOver(hit, x, y)) return true;
    } else if (isOpaque(hit, element)) return !scrollsClear(hit, element, box);
  }
  return isShaped(element);
};
/* The colour of the letters; what is behind shines through letters that cut out a background. */
const inkOf = (element) => {
  const style = styleOf(element);
  if (element.ownerSVGElement) return style.fill === "none" && style.stroke === "none" ? "rgba(0, 0, 0, 0)" : style.fill;
  const ink = style.webkitTextFillColor;
  if (alphaOf(ink) >= 0.1) return ink;
  for (let at = element; at; at = parentOf(at)) if (styleOf(at).backgroundClip === "text") return "rgb(1, 2, 3)";
  return parseFloat(style.webkitTextStrokeWidth) > 0 ? style.webkitTextStrokeColor : ink;
};
const channelsOf = (color) => (/^rgba?\(/.test(color) ? color.match(/[\d.]+/g).slice(0, 3).map(Number) : null);
const isPlain = (element) => {
  const style = styleOf(element);
  const isDecorated = (part) => { const one = getComputedStyle(element, part); return one.content !== "none" && one.content !== "normal" && (alphaOf(one.backgroundColor) > 0 || one.backgroundImage !== "none" || one.boxShadow !== "none"); };
  return style.backgroundImage === "none" && !isReplaced(element) && style.mixBlendMode === "normal" && style.backdropFilter === "none" && !/inset/.test(style.boxShadow) && !isDecorated("::before") && !isDecorated("::after");
};
/* Whether letters have the colour of what is behind them. Unknown backgrounds count as another colour. */
const isFaint = (element, x, y) => {
  const style = styleOf(element);
  if (element.ownerSVGElement || style.textShadow !== "none" || parseFloat(style.webkitTextStrokeWidth) > 0 || /\p{Extended_Pictographic}/u.test(element.textContent.replace(/\p{Nd}/gu, ""))) return false;
  const ink = channelsOf(inkOf(element));
  if (ink === null) return false;
  const stack = stackAt(x, y);
  const from = stack.indexOf(element);
  if (from < 0) return false;
  for (const at of stack.slice(from)) {
    const { backgroundColor, opacity } = styleOf(at);
    const alpha = alphaOf(backgroundColor);
    if (!isPlain(at) || (alpha > 0 && (alpha < 1 || Number(opacity) < 1))) return false;
    const behind = alpha === 0 ? null : channelsOf(backgroundColor);
    if (alpha > 0) return behind !== null && behind.every((one, n) => Math.abs(one - ink[n]) <= 6);
  }
  return !/dark/.test(styleOf(document.documentElement).colorScheme) && ink.every((one) => one >= 249);
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
  const top = stackAt(innerWidth / 2, innerHeight / 2).find((hit) => isOpaque(hit, document.documentElement));
  for (let at = top; at && curtain === null; at = parentOf(at)) {
    const { left, top, right, bottom } = at.getBoundingClientRect();
    const isWhole = left <= 0 && top <= 0 && right >= innerWidth && bottom >= innerHeight;
    if (isWhole && styleOf(at).position === "fixed" && !(Number(styleOf(at).zIndex) < 0)) curtain = at;
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
      if (above < 0 || (above === 0 && !isLater) || Number(style.opacity) < 0.9 || !isFilled(style)) continue;
      const rect = other.getBoundingClientRect();
      if (rect.left <= box.left && rect.top <= box.top && rect.right >= box.right && rect.bottom >= box.bottom) return true;
    }
  }
  return false;
};
const SPOTS = [[0.5, 0.5], [0.15, 0.5], [0.85, 0.5], [0.5, 0.2], [0.5, 0.8]];
const ALONG = [[0.5, 0.5], [0.1, 0.5], [0.9, 0.5], [0.3, 0.5], [0.7, 0.5]];
/* An element is covered if all of it is, a text if most of its line is. */
const isCovered = (element, box, isText = false) => {
  holdHits();
  const part = overlap(box, { left: 0, top: 0, right: innerWidth, bottom: innerHeight });
  if (part.width <= 0 || part.height <= 0) return (curtainOf() !== null && !isWithin(element, curtainOf())) || isUnder(element, box, isText);
  const at = ([x, y]) => [part.left + part.width * x, part.top + part.height * y];
  const enough = isText ? 3 : 1;
  let seen = 0;
  for (const spot of isText ? ALONG : SPOTS) {
    if (!isCoveredAt(element, box, isText, ...at(spot))) seen += 1;
    if (seen === enough) return isText && isFaint(element, ...at(SPOTS[0]));
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
