/** The names of the roles in messages. */
const KINDS: Readonly<Record<string, string>> = {
  ...{ button: "button", link: "link", tab: "tab", option: "option", slider: "slider" },
  ...{ textbox: "field", searchbox: "field", spinbutton: "field", file: "field" },
  ...{ combobox: "dropdown", listbox: "dropdown", checkbox: "checkbox", switch: "switch" },
  ...{ radio: "radio button", menuitem: "menu item", menuitemcheckbox: "menu item" },
  ...{ menuitemradio: "menu item", treeitem: "item", heading: "heading", img: "image" },
  ...{ dialog: "dialog", alertdialog: "dialog", alert: "alert", tooltip: "tooltip" },
};

/**
 * What a person could have meant instead (docs/matching.md, "Messages"), as JavaScript for the page.
 * `nearby(asked)` is `{isHidden, dialog, things: [{kind, name, isInDialog}], nameless: [{kind, hint}]}`: `isHidden` if
 * the page has the target and does not show it, `isUnread` if it draws it and nobody can read it, `hint` says how to write a control without a name.
 */
export const NEARBY = String.raw`
const KIND_WORDS = new Map(Object.entries(${JSON.stringify(KINDS)}));
const MOST_THINGS = 400;
const isThereHidden = ({ find, within, near }, purpose) => {
  if (within || near || (find.by !== "name" && find.by !== "kind") || find.name === null) return false;
  const everywhere = { roots: [document], keeps: () => true };
  const mayBe = mayBeNamed(find.name);
  const pool = find.by === "kind" && find.roles.length > 0 ? ofKind(find, purpose, everywhere) : inTree(document, ANY_ACTED + ", " + ANY_NAMED);
  const isHidden = (element) => !isVisible(element, true) && !element.closest("head");
  if (pool.some((element) => mayBe(element) && isHidden(element) && (matchOf(element, find)?.rank ?? -1) > 0)) return true;
  const isText = find.by === "name" || find.how === "text";
  return isText && inTree(document, "body *").some((element) => mayBe(element) && !NO_TEXT.has(element.nodeName) && isHidden(element) && rankOf(element.textContent, find.name, find.match, langOf(element)) > 0);
};
/* Whether the page draws a text that nobody can read: covered, cut off, or without contrast. */
const isThereUnread = ({ find, within, near }) => {
  const isText = find.by === "name" || (find.by === "kind" && find.how === "text");
  if (within || near || !isText || find.name === null) return false;
  return runsOf(document, holderOf(find.name, false)).some((pieces) => isSaid(pieces, find.name, find.match, langOf(pieces[0].element)));
};
/* Words of code that say nothing of what an icon shows. */
const PLAIN_CODE = new Set("icon icons ico fa fas far fab fal bi mdi mat material svg symbol glyph glyphicon btn button link nav item lucide feather ion ph ti ri la lg sm md xs xl solid regular outline fill small large primary secondary default".split(" "));
/* The words of code by which an icon would be told, and the controls that have them. */
const iconWords = () => {
  const found = new Map();
  for (const element of inTree(document, "[id], [class], [data-testid], [data-test], [data-test-id], [data-cy], [data-qa], [data-icon], use")) {
    const control = element.closest("button, a, [role=button], [role=link], [onclick]") ?? element.closest("svg") ?? element;
    const said = element.nodeName === "use" ? plainWords(element.getAttribute("href") ?? "") : codeWords(element);
    for (const word of said) if (/^\p{L}{3,}$/u.test(word) && !PLAIN_CODE.has(word)) found.set(word, (found.get(word) ?? new Set()).add(control));
  }
  return found;
};
const nth = (n) => n + (/1\d$/.test(n) ? "th" : ({ 1: "st", 2: "nd", 3: "rd" }[n % 10] ?? "th"));
const hintOf = (element, kind, ofIt, icons, things) => {
  const id = TEST_IDS.map((name) => element.getAttribute(name)).find(Boolean);
  if (id) return "testid=" + id;
  const word = [...icons].find(([word, controls]) => controls.size === 1 && controls.has(element) && !things.some(({ name }) => plainWords(name).includes(word)))?.[0];
  if (word) return JSON.stringify(word) + " icon";
  return ofIt.length === 1 ? "the " + kind : nth(ofIt.indexOf(element) + 1) + " " + kind;
};
const nearby = ({ sought, purpose }) => {
  fresh();
  const dialog = openDialog();
  const isInDialog = (element) => dialog !== null && isWithin(element, dialog);
  const things = [], nameless = [], byKind = new Map();
  for (const element of inTree(document, ANY_ACTED + ", " + ANY_NAMED)) {
    const kind = KIND_WORDS.get(roleOf(element)) ?? (isActedOn(element) ? "button" : null);
    if (things.length >= MOST_THINGS || kind === null || !isVisible(element, true)) continue;
    byKind.set(kind, [...(byKind.get(kind) ?? []), element]);
    const [first] = namesOf(element);
    if (first) things.push({ kind, name: first.text.slice(0, 200), isInDialog: isInDialog(element) });
    else if (isActedOn(element)) nameless.push({ element, kind });
  }
  for (const pieces of runsOf(document, () => true)) {
    if (things.length >= 2 * MOST_THINGS) break;
    const said = norm(joined(readable(pieces), "text", " "));
    const { element } = pieces[0];
    if (said !== "" && !element.closest("button, a, label, [role=button]")) things.push({ kind: "text", name: said.slice(0, 200), isInDialog: isInDialog(element) });
  }
  letGo();
  const shown = purpose === "action" || purpose === "file" ? nameless.filter(({ element }) => !dialog || isInDialog(element)).slice(0, 3) : [];
  const icons = shown.length > 0 ? iconWords() : new Map();
  return {
    isHidden: isThereHidden(sought, purpose), isUnread: purpose === "claim" && isThereUnread(sought), dialog: dialog ? (namesOf(dialog)[0]?.text ?? "") : null, things,
    nameless: shown.map(({ element, kind }) => ({ kind, hint: hintOf(element, kind, byKind.get(kind), icons, things) })),
  };
};
`;
