/**
 * Where a target says that it is (docs/matching.md, "Scopes"), as JavaScript for the page. A place is
 * `{roots, keeps, note}`; one that cannot be resolved to exactly one thing is `{reason, isUnclear}`.
 */
export const PLACES = String.raw`
const saidOf = (sought) => {
  const { find } = sought;
  const bare = find.by === "kind" ? (find.name === null ? find.phrase || find.kind : find.kind + " " + JSON.stringify(find.name))
    : find.by === "name" ? JSON.stringify(find.name) : find.said;
  const { ordinal } = sought;
  return (ordinal ? (ordinal.at === "last" ? "last " : ordinal.nth + ". ") : "") + bare;
};
const levelOf = (heading) => Number(heading.getAttribute("aria-level") ?? /^H([1-6])$/.exec(heading.nodeName)?.[1] ?? 2);
const follows = (a, b) => (a.compareDocumentPosition(b) & Node.DOCUMENT_POSITION_FOLLOWING) !== 0;
const HEADING = "h1, h2, h3, h4, h5, h6, [role=heading], legend, summary, caption, dt";
const HOLDERS = "section, article, fieldset, details, form, aside, main, li, tr, table, dialog, nav, [role=region], [role=group], [role=article], [role=dialog], [role=alertdialog], [role=listitem], [role=row], [role=form], [role=tabpanel], [role=complementary]";
/* The part of the page that a heading begins: its container if it has no other heading of its level, else up to the next one. */
const partOf = (heading, root) => {
  const labelled = heading.id ? inTree(document, "[aria-labelledby~='" + CSS.escape(heading.id) + "']").find((one) => !/^(?:INPUT|BUTTON|SELECT|TEXTAREA)$/.test(one.nodeName)) : null;
  if (labelled) return { roots: [labelled], keeps: () => true };
  const holder = heading.parentElement?.closest(HOLDERS);
  const isOnly = (one) => inTree(one, HEADING).every((other) => other === heading || levelOf(other) > levelOf(heading) || !isVisible(other, true));
  if (holder && isWithin(holder, root) && isOnly(holder)) return { roots: [holder], keeps: () => true };
  const next = inTree(root, "h1, h2, h3, h4, h5, h6, [role=heading]").find((other) => follows(heading, other) && levelOf(other) <= levelOf(heading) && isVisible(other, true));
  const end = next ?? null;
  // The last part of a page has no next heading to end it: its container does.
  const within = end ? root : (holder ?? heading.parentElement ?? root);
  return { roots: [within === document ? document : within], keeps: (element) => (follows(heading, element) || heading.contains(element)) && (!end || follows(element, end)) };
};
const WORD_ROLES = { sidebar: "complementary", "side bar": "complementary", aside: "complementary", header: "banner", footer: "contentinfo", navigation: "navigation", navbar: "navigation", article: "article", form: "form", fieldset: "group", toolbar: "toolbar", menu: "menu" };
const plainWords = (text) => lower(text).replace(/([a-z])([A-Z])/g, "$1 $2").split(/[^\p{L}\p{N}]+/u).filter(Boolean);
const codeWords = (element) => [element.id, element.getAttribute("class"), ...TEST_IDS.map((name) => element.getAttribute(name)), element.getAttribute("name"), element.getAttribute("data-icon")]
  .flatMap((text) => plainWords((text ?? "").replace(/([a-z\d])([A-Z])/g, "$1 $2")));
const hasCodeWords = (element, words) => { const said = new Set(codeWords(element)); return words.length > 0 && words.every((word) => said.has(word)); };
const outermost = (elements) => elements.filter((one) => !elements.some((other) => other !== one && other.contains(one)));
const CONTAINERS = "section, article, aside, nav, main, header, footer, form, fieldset, details, dialog, table, ul, ol, menu, figure, [role], [aria-label], [aria-labelledby], [popover]";
const NOT_CONTAINERS = new Set(["button", "link", "img", "heading", "checkbox", "radio", "textbox", "searchbox", "combobox", "spinbutton", "switch", "slider", "option", "separator", "progressbar", ""]);
const visibleIn = (place, css) => place.roots.flatMap((root) => inTree(root, css)).filter((one) => place.keeps(one) && isVisible(one, true));
const oneOf = (elements, what, note) => {
  if (elements.length === 1) return { roots: elements, keeps: () => true, ...(note && { note }) };
  return { reason: "there are " + elements.length + " to look in that could be " + what, isUnclear: true };
};
/* A part of the page by its name: what is labelled so, what a heading of that name begins, an entry that says so. */
const namedPart = (place, find, what, asked) => {
  const wanted = { name: find.name ?? find.phrase, match: find.match };
  const mayBe = mayBeNamed(wanted.name);
  const held = visibleIn(place, CONTAINERS).filter((one) => !NOT_CONTAINERS.has(roleOf(one)) || one.hasAttribute("popover"));
  const labelled = held.map((element) => ({ element, rank: (mayBe(element) ? namesOf(element) : []).filter(({ source }) => source === "label" || source === "name").reduce((best, { text }) => Math.max(best, rankOf(text, wanted.name, wanted.match, langOf(element))), -1) }));
  const headings = visibleIn(place, HEADING).map((element) => ({ element, rank: mayBe(element) ? rankOf(contentOf(element), wanted.name, wanted.match, langOf(element)) : -1 }));
  for (const isEqual of [true, false]) {
    const fits = ({ rank }) => (isEqual ? rank > 0 : rank === 0);
    const called = innermost(labelled.filter(fits).map(({ element }) => element));
    if (called.length > 0) return pick(called, asked, what);
    const titled = headings.filter(fits).map(({ element }) => element);
    if (titled.length > 0) {
      const heading = pick(titled, asked, what);
      return heading.reason ? heading : partOf(heading.roots[0], place.roots[0]);
    }
    if (!isEqual) continue;
    // An entry or a card that says so in one of its texts.
    const entries = innermost(visibleIn(place, "li, tr, article, [role=row], [role=listitem], [role=article], [role=option], [class*=card i], [class*=item i]").filter((one) => (mayBe(one) || one.textContent.length > 0) && hitsIn(one, wanted.name, wanted.match).some(({ whole }) => whole > 0)));
    if (find.by === "kind" && find.name !== null && entries.length > 0) return pick(entries, asked, what);
  }
  return null;
};
const pick = (elements, { ordinal }, what) => {
  if (!ordinal) return oneOf(elements, what);
  const one = elements[ordinal.at === "last" ? elements.length - 1 : ordinal.nth - 1];
  return one ? { roots: [one], keeps: () => true } : { reason: "there are only " + elements.length + " to look in that could be " + what };
};
/* "the sidebar", "the search results": a part of the page that only its words name. */
const wordedPart = (place, phrase, sought) => {
  const words = plainWords(phrase);
  const role = WORD_ROLES[lower(phrase)];
  if (role) {
    const found = innermost(visibleIn(place, "*").filter((one) => roleOf(one) === role || (role === "menu" && /^(?:menubar|menu)$/.test(roleOf(one)))));
    if (found.length > 0) return pick(found, sought, "the " + phrase);
  }
  const coded = outermost(visibleIn(place, "[id], [class], [data-testid], [data-test], [data-test-id], [data-cy], [data-qa]").filter((one) => hasCodeWords(one, words) && !/^(?:HTML|BODY)$/.test(one.nodeName)));
  if (coded.length === 0) {
    if (role !== "menu") return null;
    const navs = outermost(visibleIn(place, "nav, [role=navigation], [popover]"));
    return navs.length > 0 ? pick(navs, sought, "the " + phrase) : null;
  }
  const found = pick(coded, sought, "the " + phrase);
  return found.reason ? found : { ...found, note: "the " + phrase + " was told by its id, class or test id" };
};
/* A place that comes and goes: where it is gone, nothing is in it. Any other place must be there to tell. */
const COMES_AND_GOES = new Set(["dialog", "menu", "tooltip", "alert"]);
const holderOfTarget = (within, place, options) => {
  const { find } = within;
  const what = saidOf(within);
  if (find.by === "kind" && find.isContainer && find.kind === "section") {
    const part = (find.name ?? find.phrase) === null ? null : namedPart(place, find, what, within);
    if (part && !part.isUnclear) return part;
    const columns = find.name === null ? [] : visibleIn(place, "table, [role=table], [role=grid]").flatMap((table) => columnCells(table, find));
    if (columns.length > 0) return { roots: columns, keeps: () => true };
    if (part) return part;
    const worded = find.name === null && find.phrase ? wordedPart(place, find.phrase, within) : find.phrase ? wordedPart(place, find.phrase, within) : null;
    if (worded) return worded;
  } else {
    const found = lookIn(within, "look", place, options);
    if (found.kind === "some" && found.items.length === 1) return { roots: find.kind === "row" ? twinsOf(found.items[0].element) : [found.items[0].element], keeps: () => true, ...(found.note && { note: found.note }) };
    if (found.kind === "some") return { reason: "there are " + found.items.length + " to look in that could be " + what, isUnclear: true };
    if (found.isUnclear) return found;
    if (find.by === "kind" && find.isContainer && !find.isHeld) {
      const part = find.name !== null ? namedPart(place, find, what, within) : find.phrase ? wordedPart(place, find.phrase, within) : null;
      if (part) return part;
    }
    if (found.reason) return { reason: found.reason, isUnclear: true };
  }
  return { reason: "there is no " + what + " to look in", isUnclear: !COMES_AND_GOES.has(find.kind) };
};
const ENTRY = "tr, li, [role=row], [role=listitem]";
/* An element in another row or entry is not next to the anchor, however near. */
const isElsewhere = (element, anchor) => {
  const [one, other] = [element.closest(ENTRY), anchor.closest(ENTRY)];
  return one !== null && other !== null && !isWithin(one, other) && !isWithin(other, one);
};
/* Of several anchors those count that share the closest container of all: two rows of one name stay two. */
const closestTo = (elements, anchors) => {
  const depthOf = (node) => { let depth = 0; for (let at = node; at; at = parentOf(at)) depth += 1; return depth; };
  const shared = (element, anchor) => { let at = anchor; while (at && !isWithin(element, at)) at = parentOf(at); return depthOf(at); };
  const distance = (element, anchor) => {
    const box = anchor.getBoundingClientRect(), other = element.getBoundingClientRect();
    return Math.round(Math.hypot(Math.max(0, box.left - other.right, other.left - box.right), Math.max(0, box.top - other.bottom, other.top - box.bottom)));
  };
  const best = (items, score) => { const scores = items.map(score); const top = Math.max(...scores); return items.filter((_, at) => scores[at] === top); };
  const pairs = anchors.flatMap((anchor) => elements.filter((one) => one !== anchor && !one.contains(anchor) && !isElsewhere(one, anchor)).map((element) => ({ element, anchor })));
  if (pairs.length === 0) return [];
  const sharing = best(pairs, (pair) => shared(pair.element, pair.anchor));
  const near = new Set(anchors.flatMap((anchor) => best(sharing.filter((pair) => pair.anchor === anchor), (pair) => -distance(pair.element, anchor)).map(({ element }) => element)));
  return elements.filter((one) => near.has(one));
};
`;
