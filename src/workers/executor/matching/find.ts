import { ACTED_ON_ROLES, NAMED_ROLES } from "../../../domain/catalogue/locate.ts";

/**
 * How a target is found (docs/matching.md, "Targets"), as JavaScript for the page. `lookIn(sought, purpose, place,
 * options)` is `{kind: "some", items, way, note}` or `{kind: "none", reason, isUnclear}`. Stages are tried in their
 * order: equal names before whole words; what one acts on before what is merely called so.
 */
export const FIND = `
const ACTED_ON = new Set(${JSON.stringify(ACTED_ON_ROLES)});
const NAMED = new Set(${JSON.stringify(NAMED_ROLES)});
const EDITED = new Set(["textbox", "searchbox", "combobox", "spinbutton"]);
const isEdited = (element) => (EDITED.has(roleOf(element)) && element.nodeName !== "SELECT" && element.nodeName !== "BUTTON") || element.isContentEditable;
const isClickable = (element) => element.hasAttribute("onclick") || element.onclick !== null && element.onclick !== undefined || (element.hasAttribute("tabindex") && element.tabIndex >= 0);
const isActedOn = (element) => ACTED_ON.has(roleOf(element)) || roleOf(element) === "file" || isClickable(element);
const SUITS = {
  look: () => true,
  read: () => true,
  claim: () => true,
  file: () => true,
  action: (element) => !isEdited(element),
  fill: (element) => isEdited(element) || element.nodeName === "SELECT" || roleOf(element) === "slider",
  select: (element) => /^(?:combobox|listbox)$/.test(roleOf(element)) || element.nodeName === "SELECT" || element.hasAttribute("list") || /^(?:listbox|true|menu)$/.test(element.getAttribute("aria-haspopup") ?? ""),
  check: (element) => /^(?:checkbox|radio|switch|menuitemcheckbox|menuitemradio)$/.test(roleOf(element)),
};
const ANY_ACTED = "a, area, button, summary, input:not([type=hidden]), select, textarea, option, [role], [contenteditable], [onclick], [tabindex]";
const ANY_NAMED = "h1, h2, h3, h4, h5, h6, img, svg, td, th, tr, li, table, section, fieldset, form, nav, dialog, details, iframe, figure, output, progress, meter, [role], [aria-label], [aria-labelledby], [title]";
/* A hidden checkbox stands for its visible label, or for what is drawn beside it; a file field for its button. */
const isHiddenControl = (element, purpose) => {
  if (element.nodeName !== "INPUT") return false;
  if (purpose === "file") return element.type === "file";
  if (purpose !== "check") return false;
  const labels = [...(element.labels ?? []), ...byIds(element, "aria-labelledby")];
  return labels.length > 0 ? labels.some((label) => isVisible(label, true)) : element.parentElement !== null && isVisible(element.parentElement, true);
};
/* The visible elements of a selector; of controls that pages hide behind drawn ones, those too. */
const poolOf = (place, css, purpose) => {
  const found = place.roots.flatMap((root) => inTree(root, css)).filter((element) => place.keeps(element));
  return place.roots.length > 1 ? [...new Set(found)] : found;
};
/* An element that is looked at or read has to be seen; one that is acted on may fade in under the mouse. */
const IS_SEEN = new Set(["claim", "read"]);
const isShownFor = (element, purpose) => isVisible(element, !IS_SEEN.has(purpose)) || (!IS_SEEN.has(purpose) && isHiddenControl(element, purpose));
const ranked = (elements, find, purpose) => {
  const mayBe = mayBeNamed(find.name);
  return elements.flatMap((element) => {
    if (!mayBe(element)) return [];
    const match = matchOf(element, find);
    return match && isShownFor(element, purpose) ? [{ element, ...match }] : [];
  });
};
/* The text of a drawing is hit through any shape of its group. */
const shapeOf = (element) => (element.ownerSVGElement ? (element.closest("g") ?? element.ownerSVGElement) : element);
const textItems = (place, find, isThorough, purpose) => {
  const items = place.roots.flatMap((root) => hitsIn(root, find.name, find.match, isThorough)).filter((hit) => place.keeps(hit.element));
  return items.map((hit) => ({ element: purpose === "action" ? shapeOf(hit.element) : hit.element, rank: hit.whole, text: hit.text, source: "text", box: hit.box, line: hit.line }));
};
const equal = (items) => items.filter(({ rank }) => rank > 0);
const strict = (items) => (items.some(({ rank }) => rank === 3) ? items.filter(({ rank }) => rank === 3) : items);
const lazy = (make) => { let made; return () => (made ??= make()); };
/* A name alone: controls, other things with a name, then texts. */
const namedStages = (find, purpose, place, options) => {
  const acted = lazy(() => ranked(poolOf(place, ANY_ACTED, purpose).filter(isActedOn), find, purpose));
  const suitable = lazy(() => innermost(acted().filter(({ element }) => SUITS[purpose](element)), (item) => item.element));
  const others = lazy(() => innermost(acted().filter(({ element }) => !SUITS[purpose](element)), (item) => item.element));
  const things = lazy(() => innermost(ranked(poolOf(place, ANY_NAMED, purpose).filter((element) => !isActedOn(element)), find, purpose), (item) => item.element));
  const texts = lazy(() => textItems(place, find, options.isThorough, purpose));
  const held = purpose === "fill" || purpose === "select" || purpose === "check";
  const tiers = held ? [suitable] : [suitable, others, things, texts];
  const stages = [true, false].flatMap((isEqual) => tiers.map((tier) => ({ isEqual, items: () => (isEqual ? equal(tier()) : tier()) })));
  return [...stages, ...cellStages(find, purpose, place)];
};
/* In a row, the header of a column names its cell, or the control in it. */
const cellStages = (find, purpose, place) => {
  const row = place.roots.length === 1 && place.roots[0].nodeType === 1 && roleOf(place.roots[0]) === "row" ? place.roots[0] : null;
  if (!row || purpose === "claim" || find.name === null) return [];
  const items = () => crossing(row, find).flatMap((cell) => {
    if (purpose === "look" || purpose === "read") return isShownFor(cell, purpose) ? [{ element: cell, rank: 3, source: "column", text: find.name }] : [];
    return inTree(cell, ANY_ACTED).filter((one) => isActedOn(one) && SUITS[purpose](one) && isShownFor(one, purpose)).map((element) => ({ element, rank: 3, source: "column", text: find.name }));
  });
  return [{ isEqual: true, items }];
};
const classed = (element, words) => { const said = codeWords(element); return words.some((word) => said.includes(word)); };
const isDrawnBox = (element) => {
  const style = styleOf(element);
  return alphaOf(style.backgroundColor) > 0 || parseFloat(style.borderTopWidth) > 0 || style.backgroundImage !== "none" || style.boxShadow !== "none";
};
/* Elements that a person takes for the kind although their role is another. */
const DRAWN = {
  button: { css: "a, [onclick], [tabindex], [role], summary, label, div, span", is: (element) => (roleOf(element) === "link" && (isDrawnBox(element) || classed(element, ["btn", "button"]))) || (!/^(?:link|option|row|cell|gridcell|tab|menuitem|dialog)$/.test(roleOf(element)) && isClickable(element)) || (roleOf(element) === "" && styleOf(element).cursor === "pointer" && (isDrawnBox(element) || classed(element, ["btn", "button"]))), said: "drawn as a button" },
  link: { css: "button, [role=button], [onclick], a:not([href])", is: (element) => !isDrawnBox(element) || classed(element, ["link"]) || roleOf(element) === "", said: "drawn as a link" },
  dropdown: { css: "button, [role=button], [aria-haspopup]", is: (element) => element.hasAttribute("aria-haspopup") || element.hasAttribute("aria-expanded"), said: "opening a list" },
  image: { css: "svg, canvas, figure, [style*=background], [aria-label]", is: (element) => /^(?:svg|CANVAS|FIGURE)$/.test(element.nodeName) || styleOf(element).backgroundImage !== "none", said: "drawn as an image" },
  alert: { css: "[role=status], [aria-live], [class]", is: (element) => roleOf(element) === "status" || element.hasAttribute("aria-live") || classed(element, ["alert", "toast", "notification", "snackbar", "flash"]), said: "drawn as an alert" },
  dialog: { css: "[popover], [class]", is: (element) => classed(element, ["modal", "dialog", "popup"]) && /fixed|absolute/.test(styleOf(element).position), said: "drawn as a dialog" },
  tooltip: { css: "[popover], [class]", is: (element) => classed(element, ["tooltip", "tippy"]) && !isActedOn(element) && !inTree(element, "button, input, select").length, said: "drawn as a tooltip" },
  menu: { css: "[popover], [class], nav", is: (element) => classed(element, ["menu", "dropdown"]) && inTree(element, "a, button, li").length > 0, said: "drawn as a menu" },
  field: { css: "[contenteditable]", is: (element) => element.isContentEditable, said: "editable" },
};
const ofKind = (find, purpose, place) => {
  if (find.kind === "row") return place.roots.flatMap((root) => bodyRows(root)).filter((row) => place.keeps(row));
  if (find.kind === "cell") return poolOf(place, CELL, purpose).filter((cell) => /^(?:cell|gridcell|rowheader)$/.test(roleOf(cell)));
  if (find.kind === "frame") return poolOf(place, "iframe, frame", purpose);
  const wanted = new Set(find.roles);
  const found = poolOf(place, "*", purpose).filter((element) => wanted.has(roleOf(element)) || (find.kind === "field" && /^(?:file|slider)$/.test(roleOf(element))));
  return find.kind === "form" || find.kind === "section" ? found : found.filter((element) => !(element.nodeName === "svg" && element.parentElement?.closest("svg")));
};
const held = (elements, purpose) => elements.filter((element) => isShownFor(element, purpose));
const asItems = (elements) => elements.map((element) => ({ element, rank: 3, source: "kind", text: null }));
/* Elements of the kind by their contents: rows by a cell, dialogs and lists by a text. */
const containing = (elements, find, purpose) => {
  const holds = (element) => hitsIn(element, find.name, find.match).reduce((best, { whole }) => Math.max(best, whole), -1);
  const items = held(elements, purpose).flatMap((element) => { const rank = element.textContent === "" && allHosts().length === 0 ? -1 : holds(element); return rank >= 0 ? [{ element, rank, source: "content", text: find.name }] : []; });
  return innermost(items, (item) => item.element);
};
const rowsCalled = (elements, find, purpose) => held(elements, purpose).flatMap((row) => {
  const rank = cellsOf(row).reduce((best, cell) => Math.max(best, rankOf(cell.innerText, find.name, find.match, langOf(cell))), -1);
  return rank > 0 ? [{ element: row, rank, source: "content", text: find.name }] : [];
});
const kindStages = (find, purpose, place, options) => {
  const { kind, name, phrase } = find;
  if (find.how === "text") return name === null ? [] : textStages(find, purpose, place, options);
  if (find.how === "name") return [...(name === null ? [] : wordedStages(find, purpose, place, options))];
  const real = lazy(() => ofKind(find, purpose, place));
  if (name === null) {
    const all = { isEqual: true, items: () => asItems(held(real(), purpose)) };
    const drawn = { isEqual: true, note: DRAWN[kind]?.said, items: () => asItems(held(drawnOf(kind, place, purpose), purpose)) };
    if (!phrase || find.isHeld || !find.isLoose) return [all, ...(DRAWN[kind] ? [drawn] : [])];
    const called = namedStages({ ...find, by: "name", name: phrase }, purpose, place, options).filter(({ isEqual }) => isEqual);
    return purpose === "claim" ? [all] : [...called, all, ...(DRAWN[kind] ? [drawn] : [])];
  }
  const matches = lazy(() => (kind === "row" ? rowsCalled(real(), find, purpose) : ranked(real(), find, purpose)));
  const drawn = lazy(() => (DRAWN[kind] ? innermost(ranked(drawnOf(kind, place, purpose), find, purpose), (item) => item.element) : []));
  const content = lazy(() => (find.how === "content" ? containing(real(), find, purpose) : []));
  const drawnContent = lazy(() => (find.how === "content" && DRAWN[kind] ? containing(drawnOf(kind, place, purpose), find, purpose) : []));
  const called = !phrase ? [] : namedStages({ ...find, by: "name", name: phrase }, purpose === "claim" ? "look" : purpose, place, options).filter(({ isEqual }) => isEqual);
  const note = DRAWN[kind]?.said;
  /* An area that only its text names: a file is dropped where it says so. */
  const said = kind === "section" && (purpose === "file" || purpose === "action") ? [{ isEqual: true, note: "told by its text", items: () => equal(textItems(place, find, options.isThorough, purpose)) }] : [];
  return [
    { isEqual: true, items: () => equal(matches()) },
    // Without quotes the kind may be a part of the name: "Open popup".
    ...called,
    { isEqual: true, items: () => equal(content()) },
    { isEqual: true, items: () => (kind === "row" ? place.roots.flatMap((root) => rowsCalled(footRows(root).filter((row) => place.keeps(row)), find, purpose)) : []) },
    { isEqual: true, note, items: () => equal(drawn()) },
    { isEqual: true, note, items: () => equal(drawnContent()) },
    ...said,
    ...cellStages(find, purpose, place).filter(() => kind === "cell" || kind === "columnheader" || kind === "field"),
    { isEqual: false, items: matches },
    { isEqual: false, items: content },
    { isEqual: false, note, items: drawn },
    { isEqual: false, note, items: drawnContent },
  ];
};
const drawnOf = (kind, place, purpose) => poolOf(place, DRAWN[kind].css, purpose).filter((element) => DRAWN[kind].is(element));
const textStages = (find, purpose, place, options) => {
  const texts = lazy(() => textItems(place, find, options.isThorough, purpose));
  return [{ isEqual: true, items: () => equal(texts()) }, { isEqual: false, items: texts }];
};
/* Icons, badges and the like: by any name; where no name fits, exactly one by the words of its code. */
const wordedStages = (find, purpose, place, options) => {
  const look = purpose === "claim" ? "look" : purpose;
  const stages = (name) => namedStages({ ...find, by: "name", name }, look, place, options);
  const whole = [...(find.phrase ? stages(find.phrase) : []), ...stages(find.name)];
  const words = plainWords(find.name);
  const coded = () => {
    const found = held(poolOf(place, "[id], [class], [data-testid], [data-test], [data-test-id], [data-cy], [data-qa], [data-icon], use", purpose).filter((element) => hasCodeWords(element, words) || (element.nodeName === "use" && words.every((word) => plainWords(element.getAttribute("href") ?? "").includes(word)))), look)
      .map((element) => element.closest("button, a, [role=button], [role=link], [onclick]") ?? element.closest("svg") ?? element);
    const distinct = innermost([...new Set(found)]);
    return distinct.length === 1 ? asItems(distinct) : [];
  };
  return [...whole.filter(({ isEqual }) => isEqual), ...whole.filter(({ isEqual }) => !isEqual), { isEqual: true, note: "told by its id, class or test id", items: coded }];
};
const selectorStages = (find, place, purpose) => {
  const visible = (elements) => [{ isEqual: true, items: () => asItems(elements().filter((one) => place.keeps(one) && isShownFor(one, purpose))) }];
  if (find.by === "testId") return visible(() => poolOf(place, TEST_IDS.map((name) => "[" + name + "=" + JSON.stringify(find.id) + "]").join(", "), purpose));
  if (find.by === "css") return visible(() => poolOf(place, find.css, purpose));
  return visible(() => place.roots.flatMap((root) => {
    const result = document.evaluate(find.xpath, root, null, XPathResult.ORDERED_NODE_SNAPSHOT_TYPE, null);
    return Array.from({ length: result.snapshotLength }, (_, at) => result.snapshotItem(at)).filter((node) => node.nodeType === 1);
  }));
};
const stagesOf = (find, purpose, place, options) => {
  if (find.by === "name") return purpose === "claim" ? textStages(find, purpose, place, options) : namedStages(find, purpose, place, options);
  return find.by === "kind" ? kindStages(find, purpose, place, options) : selectorStages(find, place, purpose);
};
const lookIn = (sought, purpose, place, options) => {
  let where = place;
  const notes = [];
  if (sought.within) {
    where = holderOfTarget(sought.within, place, options);
    if (where.reason) return { kind: "none", reason: where.reason, isUnclear: where.isUnclear };
    if (where.note) notes.push(where.note);
  }
  let anchors = null;
  if (sought.near) {
    const near = lookIn(sought.near, "look", where, options);
    if (near.kind === "none") return { kind: "none", reason: near.reason ?? "there is no " + saidOf(sought.near) + " to look next to" };
    anchors = near.items.map(({ element }) => element);
  }
  let reason;
  for (const stage of stagesOf(sought.find, purpose, where, options)) {
    // The third of two is not the first of those that are merely called alike.
    if (reason && !stage.isEqual) break;
    let items = stage.items();
    if (IS_SEEN.has(purpose)) items = items.filter((item) => !isCovered(item.element, item.line ?? item.element.getBoundingClientRect(), item.line !== undefined));
    if (anchors && items.length > 0) {
      const near = new Set(closestTo(items.map(({ element }) => element), anchors));
      items = items.filter(({ element }) => near.has(element));
    }
    if (items.length === 0) continue;
    const chosen = sought.ordinal ? ordinal(items, sought, purpose) : { items: purpose === "claim" ? items : sought.any ? items.slice(0, 1) : purpose === "action" ? unblocked(strict(items)) : strict(items) };
    if (chosen.isUnclear) return { kind: "none", ...chosen };
    reason ??= chosen.reason;
    if (!chosen.items) continue;
    if (stage.note) notes.push(noteOf(chosen.items[0].element, stage.note));
    return { kind: "some", items: chosen.items, notes };
  }
  return { kind: "none", ...(reason && { reason }) };
};
const noteOf = (element, said) => "a " + (roleOf(element) || element.localName) + " " + said;
const COUNTED = { row: (element) => tableOf(element), listitem: (element) => element.parentElement, option: (element) => element.parentElement };
const ordinal = (items, { ordinal: asked, find }, purpose) => {
  const parents = find.by === "kind" && find.name === null && COUNTED[find.kind] ? new Set(items.map(({ element }) => COUNTED[find.kind](element))) : new Set();
  const top = innermostParents([...parents]);
  if (find.kind === "row" && top.length > 1) return { reason: "there are " + top.length + " tables with rows", isUnclear: true };
  const all = find.kind === "row" ? items.map(({ element }) => element) : null;
  const drawn = find.name === null && virtualSize(items.map(({ element }) => element)) !== null;
  const placed = (nth) => items.find(({ element }) => Number(element.getAttribute("aria-posinset")) === nth);
  const one = drawn ? placed(asked.at === "last" ? virtualSize(items.map(({ element }) => element)) : asked.nth) : asked.at === "last" ? items.at(-1) : all ? items.find(({ element }) => element === rowAt(all, asked.nth)) : items[asked.nth - 1];
  if (one) return { items: [one] };
  return { reason: "there " + (items.length === 1 ? "is only 1" : "are only " + items.length) };
};
const innermostParents = (parents) => parents.filter((one) => one && !parents.some((other) => other && other !== one && other.contains(one)));
/* The modal dialog on top; null if none is open. */
const openDialog = () => {
  const open = inTree(document, "dialog, [aria-modal=true]").filter((element) => (element.matches("dialog") ? element.matches(":modal") : true) && isVisible(element, true));
  return open.findLast((element) => element.matches("dialog") && isReached(element)) ?? open.at(-1) ?? null;
};
/* Whether something takes the click in its middle that nobody can scroll away. */
const isBlocked = (element) => {
  const box = element.getBoundingClientRect();
  const [x, y] = [box.left + box.width / 2, box.top + box.height / 2];
  if (!isInside({ left: 0, top: 0, right: innerWidth, bottom: innerHeight }, x, y)) return false;
  const hit = hitAt(x, y);
  return hit !== null && !isWithin(hit, element) && !isWithin(element, hit) && !scrollsClear(hit, element, box);
};
/* Of equal elements a person takes the one that is not blocked. */
const unblocked = (items) => {
  if (items.length < 2) return items;
  const free = items.filter(({ element }) => !isBlocked(element));
  return free.length > 0 ? free : items;
};
const LAYERS = "[role=listbox], [role=menu], [role=tree], [role=grid], [role=dialog], [role=alertdialog], [role=tooltip], [role=alert], [role=status], [popover], option";
const isAbove = (element, dialog) => {
  if (isWithin(element, dialog)) return true;
  if (!isReached(element)) return false;
  if (element.closest(LAYERS)) return true;
  for (let at = element; at; at = parentOf(at)) if (/fixed|absolute/.test(styleOf(at).position) && Number(styleOf(at).zIndex) > 0) return true;
  return false;
};
/* While a modal dialog is open, actions look in it, then in what is drawn above it. */
const lookFor = (sought, purpose, options, root) => {
  const place = { roots: [root], keeps: () => true };
  const dialog = purpose === "look" || IS_SEEN.has(purpose) || sought.find.by === "css" || sought.find.by === "xpath" ? null : openDialog();
  if (!dialog || root !== document) return lookIn(sought, purpose, place, options);
  const inside = lookIn(sought, purpose, { roots: [dialog], keeps: () => true }, options);
  if (inside.kind === "some") return inside;
  const above = lookIn(sought, purpose, { roots: [root], keeps: (element) => isAbove(element, dialog) || element.contains(dialog) }, options);
  if (above.kind === "some" && above.items.every(({ element }) => isAbove(element, dialog))) return above;
  return inside.reason ? inside : { kind: "none", reason: "a dialog is open" + (namesOf(dialog)[0] ? " (" + JSON.stringify(namesOf(dialog)[0].text) + ")" : "") + ", and nothing in it is called so" };
};
`;
