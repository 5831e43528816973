import type { Draft } from "./formTables.ts";
import { baseOf, formsOf } from "./inflections.ts";
import { SUBJECTS, word } from "./phrases.ts";
import { emptyAt, isCapital, kindLengthAt } from "./thingWords.ts";
import { isHolder, placedThingAt, type Thing, targetOf, textOf } from "./things.ts";
import type { Token } from "../words.ts";

/** What a verb asks for, whatever words it is said in. */
type Deed = "fill" | "put" | "choose" | "click" | "double" | "right" | "hover" | "clear" | "upload" | "drag" | "scroll" | "store" | "tick" | "untick" | "vague";

const VERBS: Readonly<Record<Deed, string>> = {
  put: "type|type in|enter|input|write|put|put down|key|key in|insert|paste|provide|supply|pop|specify|punch in|use",
  fill: "fill|fill in|fill out|fill up|set|change|update|edit|overwrite|replace|populate|complete|answer|adjust|amend|alter|correct|modify",
  choose: "choose|pick|pick out|select|opt for|go for|go with|decide on|settle on",
  click: "click|click on|click into|left-click|tap|tap on|press|press on|hit|push|touch|open|open up|expand|unfold|follow|launch|trigger|activate",
  double: "double-click|double-click on|double-tap|double-tap on",
  right: "right-click|right-click on",
  hover: "hover|hover over|hover on|mouse over|move the mouse over|move the mouse onto|move the mouse to|point at|point to|move the cursor over|place the cursor over|place the mouse over|put the mouse over|rest the mouse on|hold the mouse over|point the mouse at",
  clear: "clear|clear out|empty|erase|wipe|blank|blank out|delete whatever is in|delete the text in|remove the text in|delete the content of|delete the contents of|remove the content of|remove the contents of|delete everything in|remove everything from|wipe out|remove the text from|delete the text from",
  upload: "upload|attach",
  drag: "drag|drag and drop|pull",
  scroll: "scroll to|scroll down to|scroll up to|scroll until you reach|scroll until you see",
  store: "store|remember|note|note down|memorize|memorise|write down",
  tick: "tick|check|tick off|turn on|switch on|toggle on|flip on|switch",
  untick: "untick|uncheck|turn off|switch off|toggle off|flip off|deselect",
  vague: "close|dismiss|delete|remove|save|confirm|send|leave|log in|log out|sign in|sign out|sign up|sort|submit|go on|continue|proceed|finish|apply|discard|cancel|accept|agree|archive|book|order|pay|hide|collapse|minimise|minimize|reset|export|print|publish|add|create|invite|start|stop|share|approve|reject|decline|go back",
};

const CALLED: readonly { readonly words: readonly string[]; readonly deed: Deed }[] = (Object.keys(VERBS) as Deed[])
  .flatMap((deed) => VERBS[deed].split("|").map((said) => ({ words: said.split(" "), deed })));
const BY_VERB = new Map<string, { readonly words: readonly string[]; readonly deed: Deed }[]>();
for (const one of CALLED) {
  const verb = one.words[0] ?? "";
  BY_VERB.set(verb, [...(BY_VERB.get(verb) ?? []), one]);
}
/** The verbs of which nothing else knows what they are in other tenses. */
const TOLD = new Map<string, string>();
for (const verb of BY_VERB.keys()) {
  if (baseOf(verb) !== null) continue;
  for (const form of formsOf(verb)) TOLD.set(form, verb);
  TOLD.set(verb, verb);
}

/** A verb as one says it to somebody; null for what is no verb that is done. */
export const deedVerb = (said: string): string | null => TOLD.get(said) ?? baseOf(said);

const PREPOSITIONS: readonly (readonly string[])[] = [
  "into the field for|by means of|by way of|over to|out of|in place of",
  "into|in|to|onto|on|inside|at|under|for|as|with|using|via|through|from|by|among|within|upon|over|above|called|named",
]
  .flatMap((line) => line.split("|"))
  .map((said) => said.split(" "));

/** One part of what a deed is done with: `into the "Email" field`. */
type Role = {
  readonly preposition: string;
  readonly thing: Thing | null;
  /** What is typed or chosen; null when it can not be. */
  readonly value: string | null;
};

const VALUE_NOUN = /^(?:text|value|string|phrase|word|words|code|number|amount|date|following|e-mail|email|address|digits|option|letters|file|name|answer|message)$/;
const FIGURE = /[\d@]|^\$\{/;
const MAX_ROLES = 4;

const prepositionAt = (tokens: readonly Token[], at: number): readonly string[] | null =>
  PREPOSITIONS.find((words) => words.every((one, index) => word(tokens[at + index]) === one)) ?? null;

/** A text that is typed or chosen and where it ends: quoted, a figure, or a name with a capital. */
const valueAt = (tokens: readonly Token[], at: number): { readonly value: string; readonly to: number } | null => {
  let from = at;
  if (/^(?:the|a|an)$/.test(word(tokens[from]))) from++;
  if (VALUE_NOUN.test(word(tokens[from])) && from < tokens.length - 1) from++;
  else from = at;
  if (word(tokens[from]) === "of" && from > at) return null;
  const token = tokens[from];
  if (!token) return null;
  if (token.kind === "quoted" || token.kind === "literal") {
    return kindLengthAt(tokens, from + 1) > 0 && word(tokens[from + 1]) !== "select" ? null : { value: token.text, to: from + 1 };
  }
  if (token.kind !== "word") return null;
  if (FIGURE.test(token.text) && !/[!?…*<>|]|^\/|^https?:/.test(token.text)) return { value: token.text, to: from + 1 };
  let end = from;
  while (isCapital(tokens[end]) && end < from + 4) end++;
  const next = tokens[end];
  const isOver = next === undefined || prepositionAt(tokens, end) !== null || next.kind === "mark";
  return end > from && isOver && kindLengthAt(tokens, end) === 0
    ? { value: tokens.slice(from, end).map(({ text }) => text).join(" "), to: end }
    : null;
};

/** Everything that stands behind a verb, part by part; null when some of it is not understood. */
const rolesOf = (tokens: readonly Token[], from: number): { readonly roles: readonly Role[]; readonly particle: string } | null => {
  const roles: Role[] = [];
  let particle = "";
  let at = from;
  while (at < tokens.length) {
    const empty = emptyAt(tokens, at);
    if (empty > 0) {
      at += empty;
      continue;
    }
    const isParticle = /^(?:on|off|in|out|down)$/.test(word(tokens[at])) && (at + 1 === tokens.length || (at > from && /^(?:with|as|using|to|for)$/.test(word(tokens[at + 1]))));
    if (isParticle && particle === "") {
      particle = word(tokens[at]);
      at++;
      continue;
    }
    const preposition = prepositionAt(tokens, at);
    const behind = at + (preposition?.length ?? 0);
    // `using its "Close" button`: whose it is was said just before.
    const isIts = word(tokens[behind]) === "its" && MEANS.test(preposition?.join(" ") ?? "");
    const start = isIts ? behind + 1 : behind;
    const thing = placedThingAt(tokens, start, true);
    const value = valueAt(tokens, start);
    const to = Math.max(thing?.to ?? 0, value?.to ?? 0);
    if (to === 0 || roles.length === MAX_ROLES) return null;
    roles.push({
      preposition: preposition?.join(" ") ?? "",
      thing: thing?.to === to ? thing : null,
      value: value?.to === to ? value.value : null,
    });
    at = to;
  }
  return { roles, particle };
};

const INTO = /^(?:into|in|to|inside|at|on|under|for|as|into the field for)$/;
const WITH = /^(?:with|to|as|by|using)$/;
const MEANS = /^(?:with|using|via|through|by means of|by way of)$/;
const CHOSEN = /^(?:dropdown|drop-down|drop down|dropdown list|dropdown menu|select|select box|combobox|combo box|listbox|list box|picker)$/;
const TICKED = /^(?:checkbox|check box|tickbox|switch|toggle|toggle switch)$/;
const FIELD = /^(?:field|input|input field|input box|text field|text box|textbox|textarea|text area|box|editor|search bar|search box|search field|)$/;
const CLICKED = /^(?:button|btn|link|hyperlink|icon|tab|menu item|menu option|menu entry|card|tile|image|picture|thumbnail|avatar|item|list item|row|badge|chip|entry|)$/;
/** What is opened by a click, whatever it is called. */
const OPENED = /^(?:tab|link|menu|submenu|dropdown|date picker|section|panel|accordion)$/;
/** What is clicked when it is chosen. */
const PICKED = /^(?:button|link|icon|tab|menu item|menu option|menu entry|card|tile|image|picture|thumbnail|avatar|row|chip)$/;

const draft = (action: Draft["action"], thing: Thing, value?: string, elsewhere: readonly string[] = []): Draft | null => {
  const target = targetOf(thing, elsewhere);
  if (target === null) return null;
  return value === undefined ? { action, target } : { action, target, value };
};

const typed = (thing: Thing, value: string, deed: Deed): Draft | null => {
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
  if (!one || !two || one.preposition !== "") return null;
  const isValueFirst = deed === "put";
  // `change the quantity from 1 to 4`: what it was before is not typed.
  if (three) {
    const isChanged = !isValueFirst && roles.length === 3 && two.preposition === "from" && three.preposition === "to" && two.value !== null;
    return isChanged && one.thing && three.value !== null ? typed(one.thing, three.value, deed) : null;
  }
  if (isValueFirst) {
    if (verb === "use" && two.preposition !== "for" && two.preposition !== "as") return null;
    if (!INTO.test(two.preposition) || one.value === null || !two.thing) return null;
    // `enter "Name" as "Ann"`: which of them is the text?
    if (two.preposition === "as" && two.thing.kind === "" && !two.thing.hasArticle) return null;
    if (two.thing.kind === "" && !two.thing.isQuoted && two.value !== null && two.preposition === "to") return null;
    return typed(two.thing, one.value, deed);
  }
  // `update "Status" to "Done"`: typed, or chosen?
  const isOpen = one.thing?.kind === "" && one.thing.isQuoted && CHANGING.test(verb);
  if (isOpen && !/^\d+$/.test(two.value ?? "")) return null;
  return WITH.test(two.preposition) && one.thing && two.value !== null && one.thing.kind !== "button" ? typed(one.thing, two.value, deed) : null;
};

/** `a new tab`: with "a" and small letters nothing is named that is there. */
const isSure = ({ isQuoted, name, isIndefinite, ordinal }: Thing): boolean =>
  isQuoted || !isIndefinite || ordinal !== "" || /^\p{Lu}/u.test(name ?? "");

const chooses = (roles: readonly Role[]): Draft | null => {
  const [one, two] = roles;
  if (!one || roles.length > 2) return null;
  if (!two) {
    const thing = one.thing;
    if (!thing || one.preposition !== "" || !isSure(thing)) return null;
    if (/^radio/.test(thing.kind) || TICKED.test(thing.kind)) return draft("check", thing);
    return PICKED.test(thing.kind) ? draft("click", thing) : null;
  }
  const isPlaceFirst = /^(?:in|from|for|under|on|within)$/.test(one.preposition) && two.preposition === "";
  const [what, where] = isPlaceFirst ? [two, one] : [one, two];
  if (!where.thing || what.preposition !== "") return null;
  if (!isPlaceFirst && !/^(?:in|from|for|under|as|on|within|among|via|using|inside|at|through)$/.test(where.preposition)) return null;
  if (what.value !== null && CHOSEN.test(where.thing.kind)) return draft("select", where.thing, what.value);
  return null;
};

const clickedIn = (roles: readonly Role[], action: Draft["action"], verb = ""): Draft | null => {
  const [one, two] = roles;
  if (!one?.thing || two || !/^(?:|on|into|upon|at|over)$/.test(one.preposition)) return null;
  if (!isSure(one.thing) || (verb === "press" && one.thing.kind === "" && !/^.{3,}$/.test(one.thing.name ?? ""))) return null;
  const isNamed = one.thing.isQuoted || /^\p{Lu}/u.test(one.thing.name ?? "") || one.thing.ordinal !== "";
  if (verb === "open" && !isNamed && !OPENED.test(one.thing.kind)) return null;
  if (one.thing.isLoose || (one.thing.name === null && one.thing.ordinal === "" && one.thing.kind === "")) return null;
  return draft(action, one.thing);
};

const byMeans = (roles: readonly Role[], verb: string): Draft | null => {
  const tool = roles.at(-1);
  if (!tool?.thing || !MEANS.test(tool.preposition) || tool.thing.isLoose || tool.thing.name === null) return null;
  const isBare = tool.thing.kind === "" && tool.thing.isQuoted && /^(?:close|dismiss|confirm|accept|leave|decline|reject)/.test(verb) && tool.preposition !== "through" && roles.length === 2;
  if (!CLICKED.test(tool.thing.kind) || (tool.thing.kind === "" && !isBare) || roles.length > 2) return null;
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
  if (!one?.thing || one.thing.isLoose || !two || roles.length > 2 || two.preposition !== "as") return null;
  const name = two.value ?? (two.thing?.isQuoted === false && two.thing.kind === "" ? two.thing.name : null);
  return name !== null && /^[A-Za-z_]\w*$/.test(name) ? draft("store", one.thing, name) : null;
};

const drags = (roles: readonly Role[]): Draft | null => {
  const [one, two, three] = roles;
  const onto = three ?? two;
  const isFrom = three ? two?.preposition === "from" && one?.thing?.places.length === 0 : true;
  if (!one?.thing || !onto?.thing || !isFrom || roles.length > 3 || one.preposition !== "") return null;
  if (three || !/^(?:to|into|onto|on|over to|over)$/.test(onto.preposition) || one.thing.isLoose || onto.thing.isLoose) return null;
  const [target, value] = [targetOf(one.thing), targetOf(onto.thing)];
  return target !== null && value !== null ? { action: "drag", target, value } : null;
};

const switched = (roles: readonly Role[], particle: string, deed: Deed, verb: string): Draft | null => {
  const [one] = roles;
  if (!one?.thing || roles.length > 1 || one.preposition !== "" || one.thing.isLoose) return null;
  const isBare = verb === "switch";
  if (isBare && !/^(?:on|off)$/.test(particle)) return null;
  const isOff = deed === "untick" || particle === "off";
  if (!isBare && deed === "tick" && particle === "off") return null;
  const isKnown = TICKED.test(one.thing.kind) || /^(?:box|radio|radio button)$/.test(one.thing.kind) || one.thing.kind === "";
  if (!isKnown || (one.thing.kind === "" && !one.thing.isQuoted)) return null;
  // `check "A"` may as well look at it, `deselect "A"` stand for an option.
  if (/^(?:check|deselect)$/.test(verb) && one.thing.kind === "") return null;
  return draft(isOff ? "uncheck" : "check", one.thing);
};

const uploads = (roles: readonly Role[]): Draft | null => {
  const [one, two] = roles;
  if (!one || !two?.thing || one.value === null || roles.length > 2 || one.preposition !== "") return null;
  return /^(?:to|in|into|via|through|under|using|as|with|for|on)$/.test(two.preposition) && !two.thing.isLoose ? draft("upload", two.thing, one.value) : null;
};

const made = (deed: Deed, verb: string, roles: readonly Role[], particle: string): Draft | null => {
  if (particle !== "" && deed !== "tick" && deed !== "untick") {
    if (!(particle === "in" || particle === "out" || particle === "down") || (deed !== "fill" && deed !== "put")) return null;
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
      return roles[0]?.thing && FIELD.test(roles[0].thing.kind) && roles.length === 1 && (roles[0].thing.kind !== "" || verb.includes(" ")) ? draft("clear", roles[0].thing) : null;
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

/** How many words say who acts. */
const subjectAt = (tokens: readonly Token[]): number => (SUBJECTS.has(word(tokens[0])) ? 1 : 0);

/**
 * The step that a clause asks for, put together from its verb and what stands behind it; null when any word is left
 * over or more than one step could be meant.
 */
export const composedDeed = (all: readonly Token[]): Draft | null => {
  const before = leadRole(all);
  if (before === undefined) return null;
  const rest = before ? all.slice(before.to) : all;
  const tokens = withoutLeading(rest);
  const isFirst = tokens[0] === all[0];
  const verb = tokens[0]?.kind === "word" && (isFirst || tokens[0].text === tokens[0].lower) ? deedVerb(word(tokens[0])) : null;
  if (verb === null) return null;
  const left = verb === "leave" && !before ? leftAs(tokens) : null;
  if (left) return left;
  const known = (BY_VERB.get(verb) ?? []).filter(({ words }) =>
    words.every((one, index) => index === 0 || word(tokens[index]) === one),
  );
  const found: Draft[] = [];
  for (const { words, deed } of known) {
    const said = rolesOf(tokens, words.length);
    if (!said) continue;
    const step = before ? madeIn(before, deed, words.join(" "), said) : made(deed, words.join(" "), said.roles, said.particle);
    const isNew = step && !found.some((one) => isSame(one, step));
    if (isNew) found.push(step);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
};

/** `leave "Post" unticked`, `leave the "Notes" field blank`: how it is to be left is how it is made. */
const leftAs = (tokens: readonly Token[]): Draft | null => {
  const thing = placedThingAt(tokens, 1);
  if (!thing || thing.to + 1 !== tokens.length || thing.name === null) return null;
  const state = word(tokens[thing.to]);
  const isBox = TICKED.test(thing.kind) || thing.kind === "box" || (thing.kind === "" && thing.isQuoted);
  if (/^(?:unticked|unchecked)$/.test(state) && isBox) return draft("uncheck", thing);
  if (/^(?:ticked|checked)$/.test(state) && isBox) return draft("check", thing);
  return /^(?:empty|blank)$/.test(state) && FIELD.test(thing.kind) ? draft("clear", thing) : null;
};

const isSame = (one: Draft, other: Draft): boolean =>
  one.action === other.action && one.target === other.target && one.value === other.value;

/** A clause without who acts, and without words before that say nothing. */
const withoutLeading = (all: readonly Token[]): readonly Token[] => {
  let tokens = all;
  for (let rounds = 0; rounds < 4; rounds++) {
    const empty = emptyAt(tokens, 0) || subjectAt(tokens);
    if (empty === 0) break;
    tokens = tokens.slice(empty);
  }
  return tokens;
};

type Lead = { readonly role: Role; readonly to: number };

/** `In the "Email" field …`, `From the "Country" dropdown …`: a part that stands before its verb; undefined when it is not understood. */
const leadRole = (tokens: readonly Token[]): Lead | null | undefined => {
  const preposition = word(tokens[0]);
  if (!/^(?:in|into|inside|within|on|under|from|for|using|via)$/.test(preposition)) return null;
  const from = preposition === "inside" && word(tokens[1]) === "of" ? 2 : 1;
  const thing = placedThingAt(tokens, from, true);
  if (!thing) return undefined;
  const mark = tokens[thing.to];
  const isMark = mark?.kind === "mark" && /^[,:]$/.test(mark.text);
  const role = { preposition, thing, value: null };
  return { role, to: isMark ? thing.to + 1 : thing.to };
};

/** What is done with a part that stands before its verb: where it is typed or chosen, or the place of it all. */
const madeIn = (
  { role }: Lead,
  deed: Deed,
  verb: string,
  { roles, particle }: { readonly roles: readonly Role[]; readonly particle: string },
): Draft | null => {
  const { thing, preposition } = role;
  if (!thing) return null;
  const isPlace = isHolder(thing.kind) && thing.isDefinite && !thing.isLoose && /^(?:in|inside|within|on|under|from)$/.test(preposition);
  const isTitle = thing.isQuoted || /^\p{Lu}/u.test(thing.name ?? "");
  const isSection = thing.kind === "" && isTitle && thing.places.length === 0 && /^(?:within|under|inside)$/.test(preposition);
  const place = isPlace ? `in the ${textOf(thing)}` : isSection ? `in the "${thing.name}" section` : null;
  if (place === null) return roles.length === 1 && !thing.isLoose ? made(deed, verb, [...roles, role], particle) : null;
  if (deed === "drag") return null;
  const owned = roles.map((one) => inPlace(one, [place, ...thing.places]));
  return made(deed, verb, owned, particle);
};

/** A part in a place: whichever of them the thing is, it stands there. */
const inPlace = (role: Role, places: readonly string[]): Role =>
  role.thing
    ? { ...role, thing: { ...role.thing, places: [...role.thing.places, ...places] } }
    : role;
