/** The verbs that say what is done, as one says them to somebody: what they are in other tenses is made from them. */
const VERBS = [
  "click tap press push hit double-click right-click left-click double-tap open visit navigate go browse",
  "head proceed return move land enter type input write insert paste supply provide specify key fill",
  "complete populate select choose pick check tick uncheck untick mark unmark deselect unselect toggle",
  "turn switch enable disable activate deactivate hover reload refresh accept dismiss confirm cancel",
  "scroll drag drop clear empty erase wait pause use set change update modify edit replace add append",
  "upload attach follow expand collapse focus submit take capture store save remember search look read",
  "run call execute perform resize load launch access leave close log sign verify ensure assert observe",
  "swipe zoom pull bring position place put give make answer touch invoke repeat grab assign",
]
  .join(" ")
  .split(" ");

const IRREGULAR: Readonly<Record<string, string>> = {
  went: "go",
  gone: "go",
  chose: "choose",
  chosen: "choose",
  wrote: "write",
  written: "write",
  left: "leave",
  took: "take",
  taken: "take",
  gave: "give",
  made: "make",
  ran: "run",
  read: "read",
  brought: "bring",
};

/** Verbs that say their last letter twice: `tapped`, `setting`. */
const DOUBLED = /^(?:tap|hit|drag|drop|set|submit|put|run|log|untap|double-tap)$/;

const stemOf = (verb: string): string => {
  if (DOUBLED.test(verb)) return `${verb}${verb.at(-1)}`;
  return verb.endsWith("e") ? verb.slice(0, -1) : verb;
};

const gerundOf = (verb: string): string => `${stemOf(verb)}ing`;
const pastOf = (verb: string): string =>
  /[^aeo]y$/.test(verb) ? `${verb.slice(0, -1)}ied` : `${stemOf(verb)}ed`;
const thirdOf = (verb: string): string => {
  if (/[^aeo]y$/.test(verb)) return `${verb.slice(0, -1)}ies`;
  return /(?:s|sh|ch|x|o)$/.test(verb) ? `${verb}es` : `${verb}s`;
};

/** What a verb is in other tenses: `clicks`, `clicking`, `clicked`. */
export const formsOf = (verb: string): readonly string[] => [
  thirdOf(verb),
  gerundOf(verb),
  pastOf(verb),
];

/** A verb by its gerund: `After clicking "Save", …`. */
export const GERUNDS: ReadonlyMap<string, string> = new Map(
  VERBS.map((verb) => [gerundOf(verb), verb]),
);

/** A verb by what it is when somebody does it, or has done it: `clicks`, `clicking`, `clicked`. */
export const TOLD: ReadonlyMap<string, string> = new Map([
  ...GERUNDS,
  ...VERBS.flatMap((verb): [string, string][] => [
    [pastOf(verb), verb],
    [thirdOf(verb), verb],
  ]),
  ...Object.entries(IRREGULAR),
]);

/** All verbs in all their forms: the one that is said to somebody stands for itself. */
const BASES: ReadonlyMap<string, string> = new Map([
  ...TOLD,
  ...VERBS.map((verb): [string, string] => [verb, verb]),
]);

/** A verb as one says it to somebody, by any of its forms; null for what is no verb that is done. */
export const baseOf = (verb: string): string | null => BASES.get(verb) ?? null;
