const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/));

/** Words that stand in no subject of a claim without quotes: they are its verb, or its purpose. */
export const neverSubject = set(
  "click tap press displayed shown to attached check confirm make its shows changes prompts includes thrown opened reads can allows lets works happens only with",
);

/** Words that end no name: what follows is missing. */
export const unfinished = set(
  "to the a an of not no is are be will do does has have can longer that and or with into from by for as at until than its his her their",
);

/** Words that start no name without quotes: they say where, how, who or how many. */
export const leading = set(
  "to of in on into onto at from with by for until till away outside inside elsewhere anywhere somewhere near around between below above behind beside under underneath off through within without about after before over is are be as than following previous same every its their how what where why when whether if there's no not every each any either neither",
);

/** Words that stand in no name without quotes. */
export const never = set(
  "+ -> => → looks look i i'm i've we you it's that's they he she should shouldn't must mustn't is isn't are aren't was were be been being has have doesn't don't does did won't can't cannot will then if unless until because while whereas whether which who whose says reads shows contains displays equals exists appears disappears opens closes expect expected please verify ensure assert optionally when",
);

/** Words that say how or which, and end no name: it stays open whether they belong to it. */
export const trailing = set(
  "quickly slowly carefully gently briefly rapidly repeatedly it them twice again immediately instead now there too here together simultaneously separately correctly successfully properly respectively below above",
);

/** Adjectives that tell one of many from others: the name of none of them. */
export const describing = set(
  "previously selected correct new newly right wrong proper updated expected appropriate relevant entered chosen matching corresponding existing remaining other different changed modified latest original desired specified required necessary various similar related saved deleted created added uploaded removed filtered valid invalid recently just same all both said your my our his her whole entire full complete given actual random another following previous respective certain particular such some its their these those this that whichever arbitrary whatever formerly earlier penultimate multiple several many few only",
);

/** Nouns that name nothing on a page. */
export const nothing = set(
  "user users customer visitor value values data changes behaviour behavior functionality page screen application app system website site it them this that these those everything something anything nothing somewhere anywhere everywhere here there one ones test step steps him her me us all both none each focus details information left right middle center centre top bottom up down position yes no me navigation only back loaded ready",
);

/** Words that speak of a text instead of saying it: `your name`, `a valid password`. */
export const vagueText = set(
  "again everything anything more cheapest latest best lowest highest default the a an your my our his her its their this that these some any all every each no valid invalid correct incorrect wrong right random new another first second third last something anything nothing username password email e-mail credentials text value it them today's tomorrow's yesterday's today tomorrow yesterday user's data details name input same different more less at only about nothing everything anything more",
);

/** Words after which a text without quotes may have ended. */
export const textTrouble = set(
  "slowly quickly again and & then but or + w/ in into on within inside at next near from using by with to as if when is should must that for",
);

/** Words that say how a text is, and not the text. */
export const textDescribing = set(
  "characters character chars letters digits symbols spaces whitespace only",
);

/** Words that stand for the target of the step before. */
export const pronouns = set("it them that");
export const possessives = set("its");

/** Nouns of a text, which name no field: `Enter the text "Hello"`. */
export const textNouns = set(
  "text texts value values word words phrase string message code: number: key keys character characters letter letters url address: link credentials following that as",
);
/** Nouns that fields are called by. */
export const fieldNouns = set(
  "username user password pass pw pwd email e-mail mail phone mobile name login city town street zip postcode age pin id code comment quantity qty amount date company number surname address country search title username: nickname firstname lastname otp",
);

/** Verbs before a colon: what stands behind it is no text of a field. */
export const noFields = set(
  "see sees verify check expect ensure assert confirm click press tap wait look note then when given url result step",
);

/** Words that are no plain part of what an action is for: a negation, a condition, a claim. */
export const deedEnds = set(
  "not no never or if unless until when while without verify check ensure assert confirm that expect see make wait then and by with is are should must twice times each every all",
);
export const messageKinds = set("error success warning validation confirmation info");
/** `Send link`: the link may be what is sent, and belong to the name. */
export const linkVerbs = set("Send Copy Share Get Create Paste Insert Reset");
