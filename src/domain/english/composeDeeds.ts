import { draft, FIELD, made, TICKED } from "./composeActions.ts";
import { type Role, rolesOf } from "./composeRoles.ts";
import { BY_VERB, type Deed, deedVerb } from "./composeVerbs.ts";
import type { Draft } from "./formTables.ts";
import { SUBJECTS, word } from "./phrases.ts";
import { isHolder, placedThingAt, textOf } from "./places.ts";
import { goesOnAt } from "./saidAt.ts";
import { emptyAt } from "./thingWords.ts";
import type { Token } from "./words.ts";

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
  const verb =
    tokens[0]?.kind === "word" && (isFirst || tokens[0].text === tokens[0].lower)
      ? deedVerb(word(tokens[0]))
      : null;
  if (verb === null) return null;
  const left = verb === "leave" && !before ? leftAs(tokens) : null;
  if (left) return left;
  const found: Draft[] = [];
  for (const { words, deed } of BY_VERB.get(verb) ?? []) {
    if (!goesOnAt(tokens, 0, words)) continue;
    const said = rolesOf(tokens, words.length);
    if (!said) continue;
    const step = before
      ? madeIn(before, deed, words.join(" "), said)
      : made(deed, words.join(" "), said.roles, said.particle);
    const isNew = step && !found.some((one) => isSame(one, step));
    if (isNew) found.push(step);
  }
  return found.length === 1 ? (found[0] ?? null) : null;
};

/** `leave "Post" unticked`, `leave the "Notes" field blank`: how it is to be left is how it is made. */
const leftAs = (tokens: readonly Token[]): Draft | null => {
  const thing = placedThingAt(tokens, 1);
  const at = thing && word(tokens[thing.to]) === "as" ? thing.to + 1 : (thing?.to ?? 0);
  if (!thing || at + 1 !== tokens.length || thing.name === null) return null;
  const state = word(tokens[at]);
  const isBox =
    TICKED.test(thing.kind) || thing.kind === "box" || (thing.kind === "" && thing.isQuoted);
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
  const isPlace =
    isHolder(thing.kind) &&
    thing.isDefinite &&
    !thing.isLoose &&
    /^(?:in|inside|within|on|under|from)$/.test(preposition);
  const isTitle = thing.isQuoted || /^\p{Lu}/u.test(thing.name ?? "");
  const isSection =
    thing.kind === "" &&
    isTitle &&
    thing.places.length === 0 &&
    /^(?:within|under|inside)$/.test(preposition);
  const place = isPlace
    ? `in the ${textOf(thing)}`
    : isSection
      ? `in the "${thing.name}" section`
      : null;
  // An item is chosen in a menu, and what is chosen from anything else is told with it.
  if (deed === "choose" && isPlace && roles.length === 1) {
    const chosen = made(deed, verb, [...roles, role], particle);
    if (chosen) return chosen;
  }
  if (place === null)
    return roles.length === 1 && !thing.isLoose
      ? made(deed, verb, [...roles, role], particle)
      : null;
  if (deed === "drag") return null;
  const owned = roles.map((one) => inPlace(one, [place, ...thing.places]));
  return made(deed, verb, owned, particle);
};

/** A part in a place: whichever of them the thing is, it stands there. */
const inPlace = (role: Role, places: readonly string[]): Role =>
  role.thing
    ? { ...role, thing: { ...role.thing, places: [...role.thing.places, ...places] } }
    : role;
