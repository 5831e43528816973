import { baseOf, formsOf } from "./inflections.ts";

/** What a verb asks for, whatever words it is said in. */
export type Deed =
  | "fill"
  | "put"
  | "choose"
  | "click"
  | "double"
  | "right"
  | "hover"
  | "clear"
  | "upload"
  | "drag"
  | "scroll"
  | "store"
  | "tick"
  | "untick"
  | "vague";

const VERBS: Readonly<Record<Deed, string>> = {
  put: "type|type in|enter|input|write|put|put down|key|key in|insert|paste|provide|supply|pop|specify|punch in|use",
  fill: "fill|fill in|fill out|fill up|set|change|update|edit|overwrite|replace|populate|complete|answer|adjust|amend|alter|correct|modify",
  choose: "choose|pick|pick out|select|opt for|go for|go with|decide on|settle on",
  click:
    "click|click on|click into|left-click|tap|tap on|press|press on|hit|push|touch|open|open up|expand|unfold|follow|launch|trigger|activate",
  double: "double-click|double-click on|double-tap|double-tap on",
  right: "right-click|right-click on",
  hover:
    "hover|hover over|hover on|mouse over|move the mouse over|move the mouse onto|move the mouse to|point at|point to|move the cursor over|place the cursor over|place the mouse over|put the mouse over|rest the mouse on|hold the mouse over|point the mouse at",
  clear:
    "clear|clear out|empty|erase|wipe|blank|blank out|delete whatever is in|delete the text in|remove the text in|delete the content of|delete the contents of|remove the content of|remove the contents of|delete everything in|remove everything from|wipe out|remove the text from|delete the text from",
  upload: "upload|attach",
  drag: "drag|drag and drop|pull",
  scroll: "scroll to|scroll down to|scroll up to|scroll until you reach|scroll until you see",
  store: "store|remember|note|note down|memorize|memorise|write down",
  tick: "tick|check|tick off|turn on|switch on|toggle on|flip on|switch",
  untick: "untick|uncheck|turn off|switch off|toggle off|flip off|deselect",
  vague:
    "close|dismiss|delete|remove|save|confirm|send|leave|log in|log out|sign in|sign out|sign up|sort|submit|go on|continue|proceed|finish|apply|discard|cancel|accept|agree|archive|book|order|pay|hide|collapse|minimise|minimize|reset|export|print|publish|add|create|invite|start|stop|share|approve|reject|decline|go back",
};

const CALLED: readonly { readonly words: readonly string[]; readonly deed: Deed }[] = (
  Object.keys(VERBS) as Deed[]
).flatMap((deed) => VERBS[deed].split("|").map((said) => ({ words: said.split(" "), deed })));
/** What may be meant by a verb, by its first word. */
export const BY_VERB = new Map<
  string,
  { readonly words: readonly string[]; readonly deed: Deed }[]
>();
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
