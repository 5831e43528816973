import { actForms, wholeForms } from "./actForms.ts";
import { claimForms } from "./claimForms.ts";
import { type Draft, type FormTable, formsFor, formTable } from "./formTables.ts";
import { placeDoubts, placeForms } from "./goForms.ts";
import { placeWays } from "./goWays.ts";
import type { Mood } from "./line.ts";
import { matchForm } from "./match.ts";
import { placeClaims } from "./pageForms.ts";
import { PERSONS, SUBJECTS, withoutAdverb, word } from "./phrases.ts";
import type { Reader } from "./reader.ts";
import { waitForms } from "./waitForms.ts";
import type { Token } from "./words.ts";

/** Where in the test a clause stands. */
export type Context = {
  readonly mood: Mood | null;
  readonly isFirst: boolean;
  /** What the sentence before came to, last: what "it" stands for, and where is typed. Null when it came to nothing. */
  readonly last?: Draft | null;
  /** How often what is read has been said otherwise by now. */
  readonly depth?: number;
};

/** A sentence of more clauses is not read: it bounds how long one takes. */
export const MAX_CLAUSES = 60;

/** Longer clauses are no instruction; quoted texts count as one word. */
export const MAX_CLAUSE_WORDS = 40;

const claims = formTable([...placeClaims, ...claimForms]);
const allForms = [...waitForms, ...actForms, ...claimForms];
const toGoTo = formTable([...placeForms, ...allForms, ...placeWays]);
const toBeAt = formTable([...placeClaims, ...allForms]);
const wholes = formTable(wholeForms);
const unclearPlace = formTable([...placeDoubts, ...allForms]);

/** What the forms make of a clause. */
export type Outcome =
  | { readonly kind: "step"; readonly draft: Draft; readonly lead: readonly Token[] }
  /** Not certain. `firm` ends the search: another form would be a guess. */
  | { readonly kind: "doubt"; readonly message: string; readonly firm: boolean }
  | { readonly kind: "unknown" };

const CLAIMING = new Set(
  "verify verifies check checks ensure assert confirm expect validate double-check recheck see observe observes notice ensures confirms asserts expects validates".split(
    " ",
  ),
);

/** `Verify that …`, `make sure …`: how many words only say that a claim follows. */
const claimLead = (tokens: readonly Token[]): number => {
  const one = word(tokens[0]);
  const isLead = CLAIMING.has(one) || one === "make" || one === "should" || one === "can";
  if (!isLead) return 0;
  const two = word(tokens[1]);
  const three = word(tokens[2]);
  const isTwo = one === "make" && two === "sure";
  const isSeeing = (one === "should" || one === "can") && two === "see" && three === "that";
  const length = isTwo || isSeeing ? 2 : CLAIMING.has(one) ? 1 : 0;
  if (length === 0) return 0;
  const joined = length + (/^(?:that|if|whether)$/.test(word(tokens[length])) ? 1 : 0);
  if (SUBJECTS.has(word(tokens[joined]))) return joined + 1;
  const article = /^(?:the|a|an)$/.test(word(tokens[joined])) ? 1 : 0;
  return PERSONS.has(word(tokens[joined + article])) ? joined + article + 1 : joined;
};

/** What the forms make of the words, with where in the test they stand. */
export const tryForms = (tokens: readonly Token[], reader: Reader, context: Context): Outcome => {
  const lead = claimLead(tokens);
  if (lead > 0 && lead < tokens.length) {
    const claimed = search(claims, tokens.slice(lead), reader);
    if (claimed.kind === "step") {
      const before = [...tokens.slice(0, lead), ...claimed.lead];
      return { kind: "step", draft: claimed.draft, lead: before };
    }
    if (claimed.kind === "doubt" && claimed.firm) return claimed;
  }
  const place =
    context.mood === "then"
      ? toBeAt
      : context.mood === "given" || context.isFirst
        ? toGoTo
        : unclearPlace;
  return search(place, tokens, reader);
};

/** One of these is in every whole form. */
export const JOINING = new Set(["and", "then"]);

/** A sentence that no `and` divides; null for all others. */
export const readWhole = (tokens: readonly Token[], reader: Reader): Draft | null => {
  const bare = SUBJECTS.has(word(tokens[0])) ? withoutAdverb(tokens.slice(1)) : tokens;
  if (bare.length > MAX_CLAUSE_WORDS || !bare.some(({ lower }) => JOINING.has(lower))) return null;
  const outcome = search(wholes, bare, reader);
  return outcome.kind === "step" ? outcome.draft : null;
};

const search = (table: FormTable, tokens: readonly Token[], reader: Reader): Outcome => {
  let soft: Outcome = { kind: "unknown" };
  const tried = formsFor(table, tokens);
  for (const form of tried.forms) {
    const { built, lead } = matchForm(form, tried, reader.read);
    const [one, other] = built;
    if (!one) continue;
    if (!other && !("doubt" in one)) {
      return { kind: "step", draft: one, lead: tokens.slice(0, lead) };
    }
    if (built.some((some) => !("doubt" in some))) {
      return {
        kind: "doubt",
        message: "It can be read in more than one way: put names and texts in quotes.",
        firm: true,
      };
    }
    if (!("doubt" in one)) continue;
    if (one.firm) return { kind: "doubt", message: one.doubt, firm: true };
    if (soft.kind === "unknown") soft = { kind: "doubt", message: one.doubt, firm: false };
  }
  return soft;
};
