import { word } from "./phrases.ts";
import {
  ableTo,
  backBrings,
  checkedOn,
  dayInCalendar,
  eachDoneBy,
  withPointer,
} from "./sayingAble.ts";
import {
  asPer,
  inEachOwn,
  keptIn,
  meaningThat,
  notedAs,
  typedSlowly,
  withoutAside,
} from "./sayingAsides.ts";
import { explainedInBrackets, valueInBrackets } from "./sayingBrackets.ts";
import { changedBy, clearedAndTyped, givenAs, inTheirRow, signedInWith } from "./sayingChanges.ts";
import {
  changesIts,
  followingAre,
  hasTarget,
  isAsked,
  nothingCalled,
  takenTo,
  textChanges,
} from "./sayingClaims.ts";
import {
  attributeOfIts,
  byItsRadio,
  closedByCross,
  eachTitle,
  numberSaid,
  pictureCalled,
} from "./sayingDeeds.ts";
import { broughtTo, keyDoes, opensOther } from "./sayingEffects.ts";
import { fieldFirst, setEqual, theFollowing, toldDone } from "./sayingFields.ts";
import { hasAttribute, landedWith, openedByClick, toBeDone, withFocus } from "./sayingForms.ts";
import { sameClaimed } from "./sayingGaps.ts";
import { howInBrackets } from "./sayingHow.ts";
import { doneByKey, doneByMeans, doneByOther } from "./sayingMeans.ts";
import { inBoth, repeatedThere, setAt, typedAndPressed, withDone } from "./sayingOrder.ts";
import type { Saying, Unless } from "./sayingParts.ts";
import {
  eachOfThese,
  insteadOf,
  namedBetween,
  nowhereSeen,
  readsInstead,
  seenWithCount,
} from "./sayingSeen.ts";
import { askedText, hasAria, textOfKind, tooltipOf } from "./sayingTexts.ts";
import { thenHow, untilDone, whoDoesIt } from "./sayingUntil.ts";
import type { Token } from "./words.ts";

/** Longer sentences are not said otherwise. */
const MAX_TOKENS = 50;

const SAYINGS: readonly (readonly [string, readonly Saying[]])[] = [
  ["by", [byItsRadio, closedByCross, doneByOther, doneByKey, doneByMeans]],
  ["with|using|via|through", [byItsRadio, closedByCross, doneByKey, doneByMeans]],
  ["takes|brings|leads|redirects|sends|navigates|forwards", [broughtTo]],
  ["opens|closes|hides|shows|dismisses|reveals", [keyDoes]],
  ["opens|gives|launches|triggers", [opensOther]],
  ["(", [explainedInBrackets, valueInBrackets, howInBrackets]],
  ["having|with|have|get", [withDone]],
  ["at", [setAt]],
  ["both", [inBoth]],
  ["times|twice", [repeatedThere]],
  ["press|hit", [typedAndPressed]],
  ["it", [pictureCalled]],
  ["click|clicks|tap|taps|tick|ticks|press|check|untick|uncheck|hover", [eachTitle]],
  [
    "maxlength|minlength|max|min|step|rows|pattern|autocomplete|tabindex|role|type|name|class",
    [attributeOfIts],
  ],
  ["enter|type|input", [numberSaid]],
  ["following|these", [followingAre]],
  ["taken|redirected|sent|brought|navigated|forwarded|landed|lands|land", [takenTo]],
  ["does|do|is|are", [isAsked]],
  ["its", [changesIts]],
  ["changes|becomes|become|turns|changed|updates|switches", [textChanges]],
  ["nothing", [nothingCalled]],
  ["target=", [hasTarget]],
  ["double-click|double-clicking|right-click", [openedByClick]],
  ["has|have", [hasAttribute]],
  ["be", [toBeDone]],
  ["focus", [withFocus]],
  ["with", [landedWith]],
  ["=", [setEqual]],
  [":", [fieldFirst, thenHow]],
  [",", [sameClaimed]],
  ["and", [sameClaimed]],
  ["until|till|til", [untilDone]],
  ["who|that", [whoDoesIt]],
  [",", [withoutAside, typedSlowly]],
  ["per|according", [asPer]],
  ["meaning", [meaningThat]],
  ["in|into", [inEachOwn]],
  ["keep|save|store|remember|put|hold", [keptIn]],
  ["as", [notedAs]],
  ["instead|in|rather", [insteadOf, readsInstead]],
  ["nowhere", [nowhereSeen]],
  [",", [namedBetween]],
  ["with", [seenWithCount]],
  ["tooltip", [tooltipOf]],
  ["text", [textOfKind]],
  ["has|have", [hasAria]],
  ["is", [askedText]],
  ["these|following", [eachOfThese]],
  ["able|can", [ableTo]],
  ["calendar", [dayInCalendar]],
  ["mouse|pointer|cursor", [withPointer]],
  ["by", [eachDoneBy]],
  ["brings|takes|leads|returns", [backBrings]],
  ["on|at|in", [checkedOn]],
  ["via|using|with|through|in|from", [changedBy]],
  ["her|his|their|its", [inTheirRow]],
  ["with|using", [signedInWith]],
  ["as", [givenAs]],
  ["type|enter|write|types|enters", [clearedAndTyped]],
  ["following", [theFollowing]],
  ["clicked|pressed|tapped", [toldDone]],
];

const BY_CUE = new Map<string, readonly Saying[]>();
for (const [cues, known] of SAYINGS) {
  for (const cue of cues.split("|")) BY_CUE.set(cue, [...(BY_CUE.get(cue) ?? []), ...known]);
}

/**
 * The ways to say in plain sentences what a sentence says by what it is done by, what comes of it, or in brackets; each
 * way is all of its sentences in their order. Nothing is asked of a sentence without one of the words that tell it.
 */
export const saidPlainly = (
  tokens: readonly Token[],
  source: string,
): readonly (readonly string[] | Unless)[] => {
  if (tokens.length < 3 || tokens.length > MAX_TOKENS) return [];
  const ways: (readonly string[] | Unless)[] = [];
  for (let at = 0; at < tokens.length; at++) {
    const token = tokens[at];
    const sayings = BY_CUE.get(token?.kind === "mark" ? token.text : word(token));
    if (sayings === undefined) continue;
    for (const saying of sayings) {
      const way = saying(tokens, at, source);
      if (way) ways.push(way);
    }
  }
  return ways;
};
