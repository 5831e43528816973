import { MAX_WAIT_FOR_MS } from "../../catalogue/values.ts";
import { elementsSlot } from "../engine/elementLists.ts";
import type { LanguageData } from "../engine/grammar.ts";
import { elementSlot, placeSlot, reading } from "../engine/slots.ts";
import { bounded, type SlotReader } from "../engine/types.ts";
import {
  addressSlot,
  attributeSlot,
  characterSlot,
  durationSlot,
  fileNameSlot,
  fileSlot,
  htmlAttributeSlot,
  keySlot,
  MAX_PAUSE_MS,
  numberSlot,
  pairSlot,
  pixelsSlot,
  quotedListSlot,
  quotedSlot,
  sizeSlot,
  textSlot,
  timesSlot,
  urlSlot,
  variableSlot,
  wholeAddressSlot,
  wordSlot,
} from "../engine/values.ts";
import { auxiliaries, classes } from "../lexicon/classes.ts";
import { misspellings } from "../lexicon/misspellings.ts";
import { inflect, verbs } from "../lexicon/verbs.ts";
import { claims } from "../rules/claims.ts";
import { clauses, outcomes, seeings } from "../rules/clauses.ts";
import { commands } from "../rules/commands.ts";
import { pageClaims } from "../rules/pageClaims.ts";
import { bareStates, claimVerbs, effects, predicates, states } from "../rules/predicates.ts";
import {
  ands,
  bareField,
  boxOnly,
  CHOSEN_FROM,
  cancel,
  choosableList,
  chooser,
  clearable,
  control,
  deed,
  dropPlace,
  element,
  field,
  knownField,
  messageName,
  nameWords,
  possessive,
  SUGGESTED,
  strictChooser,
  TICKED,
  textWords,
  thing,
  tickable,
  waitedFor,
} from "./englishElements.ts";
import {
  bareValue,
  counted,
  fieldName,
  frame,
  freeText,
  holder,
  listed,
  literal,
  noun,
  nth,
  option,
  optionText,
  part,
  path,
  tabPart,
  test,
} from "./englishParts.ts";

const place: SlotReader = (tokens, from, to, source) => {
  const found = placeSlot(nameWords)(tokens, from, to, source);
  return found && SUGGESTED.test(String(found.text)) ? null : found;
};

/** English: the words, rows and slots of the grammar. */
export const english: LanguageData = {
  verbs,
  inflect,
  classes,
  auxiliaries,
  misspellings,
  rules: [
    ...clauses,
    ...seeings,
    ...outcomes,
    ...commands,
    ...claims,
    ...pageClaims,
    ...predicates,
    ...states,
    ...bareStates,
    ...claimVerbs,
    ...effects,
  ],
  slots: {
    url: urlSlot,
    address: addressSlot,
    wholeAddress: wholeAddressSlot,
    element,
    things: elementsSlot(nameWords, thing, ands),
    waited: elementsSlot(nameWords, waitedFor, ands),
    dropPlace,
    control,
    possessive,
    cancel,
    tickable,
    elements: elementsSlot(nameWords, element, ands),
    listed,
    field,
    clearables: elementsSlot(nameWords, clearable, ands),
    bareField,
    knownField,
    freeText,
    bareValue,
    fieldName,
    chooser,
    optionField: elementSlot(nameWords, (kind) => kind === null || CHOSEN_FROM.has(kind)),
    strictChooser,
    button: elementSlot(nameWords, (kind) => kind === "button" || kind === "link"),
    deed,
    messageName,
    unticked: elementSlot(nameWords, (kind) => !TICKED.has(kind)),
    noun,
    strictField: elementSlot(nameWords, (kind) => kind === "field"),
    tickables: elementsSlot(nameWords, tickable, ands),
    boxes: elementsSlot(nameWords, boxOnly, ands),
    boxOnly,
    choosable: choosableList,
    part,
    tabpart: tabPart,
    frame,
    literal,
    holder,
    counted,
    place,
    namedPlace: (tokens, from, to, source) =>
      tokens.slice(from, to).some(({ kind }) => kind === "quoted")
        ? place(tokens, from, to, source)
        : null,
    fileName: fileNameSlot,
    device: (tokens, from, to, source) => {
      const found = sizeSlot(tokens, from, to, source);
      return found && /^\D/.test(String(found.text)) ? found : null;
    },
    kinded: elementSlot(nameWords, (kind) => kind !== null),
    confirm: bounded(1, (tokens, from) =>
      tokens[from]?.kind === "quoted" && /^ok$/i.test(tokens[from]?.text ?? "")
        ? reading("ok")
        : null,
    ),
    path,
    nth,
    text: option,
    option: optionText,
    expected: bounded(8, textSlot(textWords, true)),
    quoted: quotedSlot,
    quotedList: (tokens, from, to, source) =>
      quotedListSlot(ands)(tokens, from, to, source) ?? quotedSlot(tokens, from, to, source),
    texts: quotedListSlot(ands),
    key: bounded(5, keySlot(false)),
    namedKey: bounded(5, keySlot(true)),
    number: bounded(1, numberSlot(textWords)),
    times: bounded(1, timesSlot(textWords)),
    duration: bounded(2, durationSlot(textWords, MAX_PAUSE_MS)),
    limit: bounded(2, durationSlot(textWords, MAX_WAIT_FOR_MS)),
    file: fileSlot,
    size: sizeSlot,
    variable: variableSlot,
    braced: bounded(1, variableSlot, ({ text }) => text.startsWith("${")),
    selector: elementSlot(nameWords, (_, { find }) => find.by === "selector"),
    name: wordSlot,
    attribute: attributeSlot,
    htmlAttribute: htmlAttributeSlot,
    pixels: pixelsSlot,
    pair: pairSlot,
    named: (tokens, from, to, source) =>
      tokens.slice(from, to).some(({ kind }) => kind === "quoted")
        ? elementsSlot(nameWords, thing, ands)(tokens, from, to, source)
        : null,
    quotedOnly: bounded(1, quotedSlot, ({ kind }) => kind === "quoted"),
    character: characterSlot,
    webUrl: bounded(1, urlSlot, ({ text }) => /^(?:\/\w|https?:)/.test(text)),
    test,
  },
};
