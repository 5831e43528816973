/**
 * The words for kinds of elements, and the ARIA roles of each kind.
 *
 * `loose` words are as often part of a name as a kind ("Add item", "Upload image", "New tab"): without quotes around
 * the name, the whole phrase is also tried as a name. Kinds with `by: "text"` have no role and are found by their text,
 * kinds with `by: "name"` only by their name, `by: "frame"` by their name, title or id. `content` roles get no name
 * from their content (WAI-ARIA 1.2, "Name From"), so they are found by the text that they contain.
 */
export type Kind = {
  readonly words: readonly string[];
  readonly roles: readonly string[];
  readonly by?: "text" | "field" | "content" | "frame" | "name";
  readonly loose?: true;
  /** Can hold other elements: `… in the "Billing" section`. */
  readonly container?: true;
};

const TEXT_FIELDS = ["textbox", "searchbox", "spinbutton", "combobox"] as const;
const SECTIONS = ["region", "group", "form", "article", "complementary", "navigation"] as const;

const define = <Name extends string>(table: Record<Name, Kind>): Record<Name, Kind> => table;

/** All kinds by their own name. */
export const kinds = define({
  button: { words: ["button", "btn"], roles: ["button"] },
  link: { words: ["link", "hyperlink"], roles: ["link"] },
  field: {
    words: [
      ...["field", "input", "input field", "input box", "text field", "text box", "textbox"],
      ...[
        "textfield",
        "inputfield",
        "text input",
        "input-field",
        "edit box",
        "textarea",
        "text area",
        "search field",
        "search box",
        "form field",
        "entry field",
        "upload field",
        "file field",
        "file input",
        "file upload field",
      ],
    ],
    roles: TEXT_FIELDS,
    by: "field",
  },
  /** A text box or a checkbox. */
  box: { words: ["box"], roles: [...TEXT_FIELDS, "checkbox"], by: "field" },
  dropdown: {
    words: [
      ...["dropdown", "drop-down", "drop down", "dropdown list", "dropdown menu", "drop-down list"],
      ...[
        "drop-down menu",
        "select",
        "select box",
        "select list",
        "combobox",
        "combo box",
        "list box",
      ],
      ...[
        "listbox",
        "picker",
        "dropdown box",
        "drop down list",
        "drop down menu",
        "select field",
        "select dropdown",
      ],
    ],
    roles: ["combobox", "listbox"],
    by: "field",
  },
  checkbox: {
    words: ["checkbox", "check box", "check-box", "tickbox", "tick box"],
    roles: ["checkbox"],
    by: "field",
  },
  radio: {
    words: ["radio", "radio button", "radio option", "radiobutton"],
    roles: ["radio"],
    by: "field",
  },
  switch: {
    words: ["switch", "toggle", "toggle switch", "toggle button"],
    roles: ["switch", "checkbox"],
    by: "field",
  },
  slider: { words: ["slider"], roles: ["slider"], by: "field" },
  heading: { words: ["heading", "headline", "header", "h1", "h2", "h3"], roles: ["heading"] },
  tab: { words: ["tab"], roles: ["tab"], loose: true },
  menuitem: {
    words: ["menu item", "menuitem", "menu option", "menu entry", "menu link"],
    roles: ["menuitem", "menuitemcheckbox", "menuitemradio"],
  },
  menu: {
    words: ["menu", "submenu", "sub-menu"],
    roles: ["menu", "menubar"],
    loose: true,
    container: true,
  },
  image: {
    words: ["image", "picture", "photo", "img"],
    roles: ["img"],
    loose: true,
  },
  /** Words for the look of an element, which is found by its name alone. */
  icon: {
    words: ["icon", "badge", "chip", "tile", "thumbnail", "avatar", "filter", "folder", "layer"],
    roles: [],
    by: "name",
    loose: true,
  },
  listitem: {
    words: ["item", "list item", "list entry", "listitem"],
    roles: ["listitem"],
    by: "content",
    loose: true,
    container: true,
  },
  list: { words: ["list"], roles: ["list"], by: "content", loose: true, container: true },
  row: { words: ["row", "table row"], roles: ["row"], by: "content", loose: true, container: true },
  cell: { words: ["cell", "table cell"], roles: ["cell", "gridcell"], loose: true },
  columnheader: { words: ["column", "column header"], roles: ["columnheader"], loose: true },
  table: {
    words: ["table", "grid", "calendar"],
    roles: ["table", "grid"],
    by: "content",
    loose: true,
    container: true,
  },
  dialog: {
    words: [
      "dialog",
      "dialogue",
      "modal",
      "popup",
      "pop-up",
      "dialog box",
      "modal dialog",
      "popup window",
      "modal window",
    ],
    roles: ["dialog", "alertdialog"],
    by: "content",
    container: true,
  },
  frame: { words: ["frame", "iframe"], roles: [], by: "frame" },
  option: { words: ["option"], roles: ["option"], loose: true },
  alert: { words: ["alert"], roles: ["alert"], by: "content", loose: true },
  tooltip: {
    words: ["tooltip", "tool tip", "tool-tip"],
    roles: ["tooltip"],
    by: "content",
    loose: true,
  },
  text: {
    words: [
      ...["text", "message", "error message", "success message", "notification", "paragraph"],
      ...["toast", "warning", "error", "label", "caption", "phrase", "word", "words"],
    ],
    roles: [],
    by: "text",
    loose: true,
  },
  form: { words: ["form"], roles: ["form"], by: "content", loose: true, container: true },
  navigation: {
    words: ["navigation", "nav", "navbar", "nav bar", "navigation bar", "pagination"],
    roles: ["navigation"],
    by: "content",
    loose: true,
    container: true,
  },
  footer: {
    words: ["footer", "page footer", "site footer", "footer area"],
    roles: ["contentinfo"],
    by: "content",
    loose: true,
    container: true,
  },
  /** The word alone also means a heading; `in the header` is the place. */
  banner: {
    words: ["page header", "site header", "header bar", "header area", "top bar"],
    roles: ["banner"],
    by: "content",
    loose: true,
    container: true,
  },
  toolbar: {
    words: ["toolbar", "tool bar"],
    roles: ["toolbar"],
    by: "content",
    loose: true,
    container: true,
  },
  tabpanel: {
    words: ["tab panel", "tabpanel"],
    roles: ["tabpanel"],
    by: "content",
    container: true,
  },
  section: {
    words: [
      ...["section", "panel", "area", "region", "card", "group", "sidebar", "side bar", "block"],
      ...["fieldset", "article", "widget", "pane", "drawer", "flyout", "results", "search results"],
    ],
    roles: SECTIONS,
    by: "content",
    loose: true,
    container: true,
  },
});

export type KindName = keyof typeof kinds;

const plural = (word: string): string =>
  /(?:x|s|sh|ch)$/.test(word) ? `${word}es` : word.replace(/y$/, "ie").concat("s");

const byWords = new Map<string, KindName>();
for (const name of Object.keys(kinds) as KindName[]) {
  for (const words of kinds[name].words) {
    byWords.set(words, name);
    byWords.set(plural(words), name);
  }
}

/** The kind of one or two words (`list items` → listitem); null if there is none. */
export const findKind = (words: string): KindName | null => byWords.get(words) ?? null;

/** A kind and its words before the last one. */
type Ending = { readonly kind: KindName; readonly before: readonly string[] };

const byLast = new Map<string, Ending[]>();
for (const [words, kind] of byWords) {
  const all = words.split(" ");
  const last = all.pop() ?? "";
  byLast.set(last, [...(byLast.get(last) ?? []), { kind, before: all }]);
}
for (const known of byLast.values()) known.sort((a, b) => b.before.length - a.before.length);

const NONE: readonly Ending[] = [];

/** The kinds by their last word, longest first. */
export const kindsEndingWith = (last: string): readonly Ending[] => byLast.get(last) ?? NONE;
