import { MEANS, type Role } from "./composeRoles.ts";
import type { Deed } from "./composeVerbs.ts";
import { isBrowser } from "./doubts.ts";
import { isFieldName } from "./fieldNames.ts";
import { COMING } from "./fillable.ts";
import type { Draft } from "./formTables.ts";
import { isHolder, targetOf, textOf } from "./places.ts";
import type { Thing } from "./things.ts";

const INTO = /^(?:into|in|to|inside|at|on|under|for|as|into the field for)$/;
const WITH = /^(?:with|to|as|by|using)$/;
const CHOSEN =
  /^(?:dropdown|drop-down|drop down|dropdown list|dropdown menu|select|select box|combobox|combo box|listbox|list box|picker)$/;
/** What is ticked. */
export const TICKED = /^(?:checkbox|check box|tickbox|switch|toggle|toggle switch)$/;
/** What is typed into; a name alone may be one. */
export const FIELD =
  /^(?:field|input|input field|input box|text field|text box|textbox|textarea|text area|box|editor|search bar|search box|search field|)$/;
const CLICKED =
  /^(?:button|btn|link|hyperlink|icon|tab|menu item|menu option|menu entry|card|tile|image|picture|thumbnail|avatar|item|list item|row|badge|chip|entry|)$/;
/** What items are chosen in by a click. */
const MENU =
  /^(?:menu|submenu|sub-menu|navigation|navigation bar|nav bar|navbar|sidebar|toolbar|flyout)$/;
const MENU_PLACE =
  /^in the (?:(?!.*context).* )?(?:menu|submenu|sub-menu|navigation|navigation bar|nav bar|navbar|sidebar|toolbar|flyout)$/;
/** What is opened by a click, whatever it is called. */
const OPENED = /^(?:tab|link|menu|submenu|dropdown|date picker|section|panel|accordion)$/;
/** What is clicked when it is chosen. */
const PICKED =
  /^(?:button|link|icon|tab|menu item|menu option|menu entry|card|tile|image|picture|thumbnail|avatar|row|chip)$/;

/** A step with a thing, in places that stand elsewhere besides its own; null when the thing is not certain. */
export const draft = (
  action: Draft["action"],
  thing: Thing,
  value?: string,
  elsewhere: readonly string[] = [],
): Draft | null => {
  const target = targetOf(thing, elsewhere);
  if (target === null) return null;
  return value === undefined ? { action, target } : { action, target, value };
};

/** Nouns that stand for a field, besides what fields are called most. */
const TYPED_NOUN =
  /(?:^| )(?:quantity|amount|date|title|description|notes?|comments?|size|weight|height|age|budget|location|name|number|code|address|subject|body|price|time|reason|reference)$/;

const typed = (thing: Thing, value: string, deed: Deed): Draft | null => {
  const isKnown =
    !thing.isLoose || TYPED_NOUN.test(thing.name ?? "") || isFieldName(thing.name ?? "");
  if (!isKnown) return null;
  if (CHOSEN.test(thing.kind)) return draft("select", thing, value);
  if (TICKED.test(thing.kind)) {
    if (!/^(?:on|off)$/i.test(value)) return null;
    return draft(/^on$/i.test(value) ? "check" : "uncheck", thing);
  }
  if (thing.kind === "slider") return draft("fill", thing, value);
  return FIELD.test(thing.kind) && deed !== "choose" ? draft("fill", thing, value) : null;
};

const CHANGING = /^(?:change|update|edit|replace|adjust|amend|alter|correct|modify)$/;

const fills = (roles: readonly Role[], deed: Deed, verb: string): Draft | null => {
  const [one, two, three] = roles;
  // `enter in the "Name" field the text "Ann"`
  const isPlaceFirst = deed === "put" && /^(?:in|into|inside)$/.test(one?.preposition ?? "");
  if (isPlaceFirst && one?.thing && two?.preposition === "" && roles.length === 2) {
    return two.value === null ? null : typed(one.thing, two.value, deed);
  }
  if (!one || !two || one.preposition !== "") return null;
  const isValueFirst = deed === "put";
  // `change the quantity from 1 to 4`: what it was before is not typed.
  if (three) {
    const isChanged =
      !isValueFirst &&
      roles.length === 3 &&
      two.preposition === "from" &&
      three.preposition === "to" &&
      two.value !== null;
    return isChanged && one.thing && three.value !== null
      ? typed(one.thing, three.value, deed)
      : null;
  }
  if (isValueFirst) {
    if (verb === "use" && two.preposition !== "for" && two.preposition !== "as") return null;
    if (!INTO.test(two.preposition) || one.value === null || !two.thing) return null;
    // `enter "Name" as "Ann"`: which of them is the text?
    const isFigure = one.thing === null && two.thing.isQuoted;
    if (two.preposition === "as" && two.thing.kind === "" && !two.thing.hasArticle && !isFigure)
      return null;
    if (
      two.thing.kind === "" &&
      !two.thing.isQuoted &&
      two.value !== null &&
      two.preposition === "to"
    )
      return null;
    return typed(two.thing, one.value, deed);
  }
  // `update "Status" to "Done"`: typed, or chosen?
  const isOpen = one.thing?.kind === "" && one.thing.isQuoted && CHANGING.test(verb);
  if (isOpen && !/^\d+$/.test(two.value ?? "")) return null;
  // `Fill "Height" by "172"`
  const isBy =
    two.preposition === "by" && /^(?:fill|populate)/.test(verb) && one.thing?.isQuoted === true;
  return (isBy || WITH.test(two.preposition)) &&
    one.thing &&
    two.value !== null &&
    one.thing.kind !== "button"
    ? typed(one.thing, two.value, deed)
    : null;
};

const FILE = /^[\w-]+\.(?:pdf|png|jpe?g|gif|csv|txt|docx?|xlsx?|zip|svg|json|xml|webp|heic)$/i;

/** `a new tab`: with "a" and small letters nothing is named that is there. */
const isSure = ({ isQuoted, name, isIndefinite, ordinal }: Thing): boolean =>
  isQuoted || !isIndefinite || ordinal !== "" || /^\p{Lu}/u.test(name ?? "");

/** What one chooses from: a dropdown, or what manuals call a list, which has a name then. */
const isOptions = ({ kind, name }: Thing): boolean =>
  CHOSEN.test(kind) || (kind === "list" && name !== null && !COMING.test(name));

/** Whether it is said what it is called: in quotes, or with a capital. */
const isCalled = ({ isQuoted, name }: Thing): boolean => isQuoted || /^\p{Lu}/u.test(name ?? "");

const chooses = (roles: readonly Role[]): Draft | null => {
  const [one, two] = roles;
  if (!one || roles.length > 2) return null;
  if (!two) {
    const thing = one.thing;
    if (!thing || one.preposition !== "" || !isSure(thing)) return null;
    if (/^radio/.test(thing.kind) || TICKED.test(thing.kind)) return draft("check", thing);
    // `Choose "Export" from the "Actions" menu`: an item of a menu is clicked there.
    const isItem = thing.isQuoted && thing.kind === "" && thing.places.length === 1;
    if (isItem && MENU_PLACE.test(thing.places[0] ?? "")) return draft("click", thing);
    return PICKED.test(thing.kind) ? draft("click", thing) : null;
  }
  const isPlaceFirst =
    /^(?:in|from|for|under|on|within)$/.test(one.preposition) && two.preposition === "";
  const [what, where] = isPlaceFirst ? [two, one] : [one, two];
  if (!where.thing || what.preposition !== "") return null;
  if (
    !isPlaceFirst &&
    !/^(?:in|from|for|under|as|on|within|among|via|using|inside|at|through)$/.test(
      where.preposition,
    )
  )
    return null;
  // `From the "Actions" menu choose "Export"`: an item of a menu is clicked there.
  const isMenu =
    MENU.test(where.thing.kind) && /^(?:in|from|within|inside|on)$/.test(where.preposition);
  if (isMenu && what.thing && isCalled(what.thing) && what.thing.places.length === 0) {
    // `From the menu, choose "Export"`: few menus are marked as such.
    if (where.preposition === "from" && where.thing.name === null && where.thing.kind === "menu")
      return draft("click", what.thing);
    return draft("click", what.thing, undefined, [`in the ${textOf(where.thing)}`]);
  }
  if (what.value !== null && isOptions(where.thing))
    return draft("select", where.thing, what.value);
  // `Choose contacts.csv in the "File" field`
  const isFile = what.thing === null && FILE.test(what.value ?? "");
  if (
    isFile &&
    what.value !== null &&
    /^(?:field|input|file input|file field)$/.test(where.thing.kind)
  )
    return draft("upload", where.thing, what.value);
  // `Select from "Blood group" the value "O-"`
  const isNamed = isPlaceFirst && where.thing.isQuoted && where.thing.kind === "";
  return isNamed && what.value !== null && where.preposition === "from"
    ? draft("select", where.thing, what.value)
    : null;
};

const clickedIn = (roles: readonly Role[], action: Draft["action"], verb = ""): Draft | null => {
  const [one, two] = roles;
  if (!one?.thing || two || !/^(?:|on|into|upon|at|over)$/.test(one.preposition)) return null;
  if (
    !isSure(one.thing) ||
    (verb === "press" && one.thing.kind === "" && !/^.{3,}$/.test(one.thing.name ?? ""))
  )
    return null;
  const isNamed =
    one.thing.isQuoted || /^\p{Lu}/u.test(one.thing.name ?? "") || one.thing.ordinal !== "";
  if (/^(?:open|launch|open up)$/.test(verb) && isBrowser(one.thing.name ?? "")) return null;
  if (verb === "open" && !isNamed && !OPENED.test(one.thing.kind)) return null;
  if (
    one.thing.isLoose ||
    (one.thing.name === null && one.thing.ordinal === "" && one.thing.kind === "")
  )
    return null;
  return draft(action, one.thing);
};

const byMeans = (roles: readonly Role[], verb: string): Draft | null => {
  const tool = roles.at(-1);
  if (
    !tool?.thing ||
    !MEANS.test(tool.preposition) ||
    tool.thing.isLoose ||
    tool.thing.name === null
  )
    return null;
  const isBare =
    tool.thing.kind === "" &&
    tool.thing.isQuoted &&
    tool.preposition !== "through" &&
    // A dialog of the browser has these as well.
    (roles.length === 2 || !/^(?:ok|okay|yes|no|cancel)$/i.test(tool.thing.name)) &&
    (roles.length === 2
      ? /^(?:close|dismiss|confirm|accept|leave|decline|reject)/.test(verb)
      : /^(?:confirm|submit|continue|proceed|finish|go on)$/.test(verb));
  if (!CLICKED.test(tool.thing.kind) || (tool.thing.kind === "" && !isBare) || roles.length > 2)
    return null;
  const object = roles.length === 2 ? roles[0]?.thing : null;
  if (roles.length === 2 && (!object || roles[0]?.preposition !== "")) return null;
  if (!object || object.name === null || !object.isQuoted) return draft("click", tool.thing);
  // What is named is where it is done: `Close the "Welcome" dialog using its "Close" button`.
  return isHolder(object.kind) && object.places.length === 0
    ? draft("click", tool.thing, undefined, [`in the "${object.name}" ${object.kind}`])
    : null;
};

const stores = (roles: readonly Role[]): Draft | null => {
  const [one, two] = roles;
  if (!one?.thing || one.thing.isLoose || !two || roles.length > 2 || two.preposition !== "as")
    return null;
  const name =
    two.value ?? (two.thing?.isQuoted === false && two.thing.kind === "" ? two.thing.name : null);
  return name !== null && /^[A-Za-z_]\w*$/.test(name) ? draft("store", one.thing, name) : null;
};

const drags = (roles: readonly Role[]): Draft | null => {
  const [one, two, three] = roles;
  const onto = three ?? two;
  if (!one?.thing || !onto?.thing || roles.length > 3 || one.preposition !== "") return null;
  if (
    !/^(?:to|into|onto|on|over to|over)$/.test(onto.preposition) ||
    one.thing.isLoose ||
    onto.thing.isLoose
  )
    return null;
  const from = three && two ? fromWhere(two) : [];
  if (from === null || (three && one.thing.places.length > 0)) return null;
  const [target, value] = [targetOf(one.thing, from), targetOf(onto.thing)];
  return target !== null && value !== null ? { action: "drag", target, value } : null;
};

/** `drag "Milk" from "To buy" to "Bought"`: where it stands before; null when that is not certain. */
const fromWhere = ({ preposition, thing }: Role): readonly string[] | null => {
  if (preposition !== "from" || !thing || thing.name === null || thing.places.length > 0)
    return null;
  if (isHolder(thing.kind)) return [`in the ${textOf(thing)}`];
  return thing.isQuoted && thing.kind === "" ? [`in the "${thing.name}" section`] : null;
};

const switched = (
  roles: readonly Role[],
  particle: string,
  deed: Deed,
  verb: string,
): Draft | null => {
  const [one] = roles;
  if (!one?.thing || roles.length > 1 || one.preposition !== "" || one.thing.isLoose) return null;
  const isBare = verb === "switch";
  if (isBare && !/^(?:on|off)$/.test(particle)) return null;
  const isOff = deed === "untick" || particle === "off";
  if (!isBare && deed === "tick" && particle === "off") return null;
  const isKnown =
    TICKED.test(one.thing.kind) ||
    /^(?:box|radio|radio button)$/.test(one.thing.kind) ||
    one.thing.kind === "";
  if (!isKnown || (one.thing.kind === "" && !one.thing.isQuoted)) return null;
  // `check "A"` may as well look at it, `deselect "A"` stand for an option.
  if (/^(?:check|deselect)$/.test(verb) && one.thing.kind === "") return null;
  return draft(isOff ? "uncheck" : "check", one.thing);
};

const uploads = (roles: readonly Role[]): Draft | null => {
  const [one, two] = roles;
  if (!one || !two?.thing || one.value === null || roles.length > 2 || one.preposition !== "")
    return null;
  return /^(?:to|in|into|via|through|under|using|as|with|for|on)$/.test(two.preposition) &&
    !two.thing.isLoose
    ? draft("upload", two.thing, one.value)
    : null;
};

/** The step that a deed is with its parts; null when they do not suit it for certain. */
export const made = (
  deed: Deed,
  verb: string,
  roles: readonly Role[],
  particle: string,
): Draft | null => {
  if (particle !== "" && deed !== "tick" && deed !== "untick") {
    if (
      !(particle === "in" || particle === "out" || particle === "down") ||
      (deed !== "fill" && deed !== "put")
    )
      return null;
  }
  switch (deed) {
    case "put":
    case "fill":
      return fills(roles, deed, verb);
    case "choose":
      return chooses(roles);
    case "click":
      return clickedIn(
        roles,
        "click",
        /^(?:press|hit|push)/.test(verb)
          ? "press"
          : /^(?:open|launch|trigger|activate|follow|expand|unfold)/.test(verb)
            ? "open"
            : "",
      );
    case "double":
      return clickedIn(roles, "double_click");
    case "right":
      return clickedIn(roles, "right_click");
    case "hover":
      return clickedIn(roles, "hover");
    case "scroll":
      return clickedIn(roles, "scroll");
    case "clear":
      return roles[0]?.thing &&
        FIELD.test(roles[0].thing.kind) &&
        roles.length === 1 &&
        (roles[0].thing.kind !== "" || verb.includes(" "))
        ? draft("clear", roles[0].thing)
        : null;
    case "upload":
      return uploads(roles);
    case "drag":
      return drags(roles);
    case "store":
      return stores(roles);
    case "tick":
    case "untick":
      return switched(roles, particle, deed, verb);
    case "vague":
      return byMeans(roles, verb);
  }
};
