export type State = "visible" | "enabled" | "checked" | "empty";

const phrases = (lines: readonly string[]): readonly (readonly string[])[] =>
  lines
    .flatMap((line) => line.split("|"))
    .map((said) => said.split(" "))
    .sort((one, other) => other.length - one.length);

/** What stands behind "is", and how things stand then; false is the contrary. */
export const STATES: readonly {
  readonly words: readonly string[];
  readonly state: State;
  readonly is: boolean;
}[] = (
  [
    [
      "visible",
      true,
      "visible|shown|displayed|present|there|on screen|on the screen|on the page|in view|listed|offered|presented|rendered|back|on show|to be seen|to be found|found|seen|on display|in sight|showing|displaying|still there|up",
    ],
    [
      "visible",
      false,
      "hidden|gone|absent|missing|invisible|removed|out of sight|out of view|nowhere to be seen|nowhere to be found|not there|dismissed",
    ],
    [
      "enabled",
      true,
      "enabled|active|clickable|usable|available to click|pressable|no longer greyed out|operable|ready to be clicked",
    ],
    [
      "enabled",
      false,
      "disabled|inactive|greyed out|grayed out|greyed-out|grayed-out|grey|unclickable|not clickable|non-clickable|dimmed|blocked",
    ],
    [
      "checked",
      true,
      "ticked|checked|preselected|pre-selected|preticked|prechecked|pre-checked|pre-ticked|switched on|turned on|toggled on",
    ],
    ["empty", true, "empty|blank"],
    ["checked", false, "unticked|unchecked|unselected|switched off|turned off|toggled off"],
  ] as const
).flatMap(([state, is, said]) => phrases([said]).map((words) => ({ words, state, is })));

/** Verbs that say all of it by themselves. */
export const COMING = phrases([
  "appears|appear|shows up|show up|pops up|pop up|comes up|come up|turns up|turn up|exists|exist|shows|emerges|comes into view|come into view|slides in|pops in|is brought up|can be seen|can be found|is to be seen|comes back|reappears|appeared|popped up|showed up|has appeared|will appear|is coming up|surfaces",
]);
export const GOING = phrases([
  "disappears|disappear|vanishes|vanish|goes away|go away|closes|close|fades|fades away|fades out|goes|disappeared|vanished|closed|went away|is gone|gets closed|is closed|drops out|can't be seen|cannot be seen|can't be found|cannot be found|collapses",
]);
/** What is opened is seen then: of a page or a link that nobody can say. */
export const OPENING = phrases([
  "opens|open|opens up|is opened|is open|has opened|gets opened|slides out|unfolds|expands|drops down|launches",
]);
export const LIGHTING = phrases([
  "lights up|can be clicked|can be pressed|can be used|can be tapped|lets itself be clicked",
]);
export const DIMMING = phrases([
  "can't be clicked|cannot be clicked|can't be pressed|cannot be pressed|can't be used|cannot be used|greys out|cannot be tapped|can't be tapped",
]);

export type Holding = "text" | "equals" | "contains" | "value" | "shows";
/** Verbs behind which a text stands, and what it is to the thing. */
export const HOLDING: readonly { readonly words: readonly string[]; readonly as: Holding }[] = (
  [
    [
      "equals",
      "increases to|increase to|decreases to|increased to|decreased to|grows to|shrinks to|falls to|jumps to|equals|equal|is equal to|amounts to|comes to|totals|comes out at|comes out as|turns into|turns to|changes to|changed to|goes to|updates to|becomes|has changed to|is now|goes up to|goes down to|drops to|rises to|adds up to|works out at|be equal to|jumps to|switches to|turned into",
    ],
    ["text", "reads|read|says|say|states|has the text|have the text"],
    ["shows", "shows|show|displays|display|is showing|is displaying|carries|bears"],
    [
      "contains",
      "contains|contain|includes|include|mentions|mention|features|has in it|is to contain",
    ],
    [
      "value",
      "has the value|have the value|has the default value|has a default value of|has default value|has the initial value|holds|hold|stays at|stay at|remains at|remain at|keeps the value|keeps|keep|is prefilled with|is pre-filled with|is preset to|defaults to|default to|retains|is stuck at|still holds",
    ],
  ] as const
).flatMap(([as, said]) => phrases([said]).map((words) => ({ words, as })));
