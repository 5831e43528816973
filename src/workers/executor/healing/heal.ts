import type { Locator } from "playwright";
import { parseTarget } from "../../../domain/catalogue/target.ts";
import {
  type Features,
  type Fingerprint,
  featuresSchema,
  fingerprintSchema,
} from "../../../domain/healing/fingerprint.ts";
import {
  type Change,
  changesOf,
  choose,
  MIN_SCORE,
  type Scored,
} from "../../../domain/healing/score.ts";
import { type InPage, inPage } from "../inPage.ts";
import { look } from "../look.ts";
import type { View } from "../matching/ask.ts";
import type { Purpose } from "../matching/sought.ts";
import { CANDIDATES, FINGERPRINT, IS_AT } from "./inPage.ts";

const ASK_MS = 2_000;

const fingerprintIn = inPage<InPage<undefined, unknown>>(FINGERPRINT);
const candidatesIn = inPage<(of: { kind: string; tag: string }) => unknown[]>(CANDIDATES);
const isAt = inPage<InPage<string, boolean>>(IS_AT);

/** Something on the page, and the CSS path to it. */
type Candidate = { readonly features: Features; readonly path: string };

/** An element as it is now; null when the page does not say. */
export const takeFingerprint = async (locator: Locator): Promise<Fingerprint | null> => {
  const taken = await locator
    .evaluate(fingerprintIn, undefined, { timeout: ASK_MS })
    .catch(() => null);
  const parsed = fingerprintSchema.safeParse(taken);
  return parsed.success ? parsed.data : null;
};

/** The element that was found in place of a step's element. */
export type Healed = {
  readonly locator: Locator;
  /** How a person would name it now: what the step's target should be. */
  readonly target: string;
  readonly score: number;
  /** How alike the next one was; null when nothing else was of its kind. */
  readonly runnerUp: number | null;
  readonly changes: readonly Change[];
};

/**
 * Looks for what a step had when it last passed, by its fingerprint. A text is why nothing was taken for it.
 * `rejected` are targets that somebody said are not it.
 */
export const heal = async (
  view: View,
  purpose: Purpose,
  was: Fingerprint,
  rejected: readonly string[],
): Promise<Healed | string> => {
  const seen = await candidatesOn(view, was);
  if (seen === null) return "the page did not say what is on it";
  const choice = choose(was, seen);
  if (choice.kind === "none") {
    if (choice.best === null) return `there is nothing like ${said(was)}, as it was last, any more`;
    const near = said(choice.best.candidate.features);
    return choice.best.score >= MIN_SCORE
      ? `${near} is where ${said(was)} was last, but nothing shows that it is the same`
      : `nothing is enough like ${said(was)}, as it was last; nearest is ${near} (${rounded(choice.best)}, needed ${MIN_SCORE})`;
  }
  if (choice.kind === "several") {
    const [best, second] = [choice.best, choice.second].map(
      (one) => `${said(one.candidate.features)} (${rounded(one)})`,
    );
    return `it may have become ${best} or ${second}, which cannot be told apart`;
  }
  const { candidate, score } = choice.best;
  const target = await targetOf(view, purpose, candidate);
  if (rejected.includes(target)) {
    return `${said(candidate.features)} was taken for it before, and somebody has rejected that`;
  }
  return {
    locator: view.locator(`css=${candidate.path}`),
    target,
    score,
    runnerUp: choice.second?.score ?? null,
    changes: changesOf(was, candidate.features),
  };
};

const rounded = ({ score }: Scored<unknown>): string => score.toFixed(2);

const candidatesOn = async (view: View, { kind, tag }: Features): Promise<Candidate[] | null> => {
  const found = await view.evaluate(candidatesIn, { kind, tag }).catch(() => null);
  return (
    found?.flatMap((one) => {
      const { features, path } = one as { features: unknown; path: string };
      const parsed = featuresSchema.safeParse(features);
      return parsed.success ? [{ features: parsed.data, path }] : [];
    }) ?? null
  );
};

/** `button "Save"`: an element in words. */
const said = ({ role, tag, name, id }: Features): string => {
  const what = role || tag;
  return name ? `${what} ${JSON.stringify(name)}` : id ? `${what} #${id}` : `a ${what}`;
};

/** The names of the roles in plain words. */
const KIND_WORDS: Readonly<Record<string, string>> = {
  button: "button",
  link: "link",
  textbox: "field",
  searchbox: "field",
  spinbutton: "field",
  combobox: "dropdown",
  listbox: "dropdown",
  checkbox: "checkbox",
  radio: "radio button",
  tab: "tab",
  heading: "heading",
};

/** The best target that names this element and nothing else: its words before what is in the code. */
const targetOf = async (
  view: View,
  purpose: Purpose,
  { features, path }: Candidate,
): Promise<string> => {
  const { role, name, testId, id, nameAttribute, tag } = features;
  const quoted = JSON.stringify(name);
  const word = KIND_WORDS[role];
  const isCss = (text: string) => /^[A-Za-z_][\w-]*$/.test(text);
  const targets = [
    ...(testId ? [`testid=${testId}`] : []),
    ...(name && word && !/["\\]/.test(name) ? [`${quoted} ${word}`] : []),
    ...(name && !word && !/["\\]/.test(name) ? [quoted] : []),
    ...(isCss(id) ? [`#${id}`] : []),
    ...(isCss(nameAttribute) ? [`css=${tag}[name=${nameAttribute}]`] : []),
  ];
  for (const target of targets) {
    const seen = await look(view, parseTarget(target), purpose, true).catch(() => null);
    if (seen?.kind !== "some" || seen.count > 1) continue;
    const isIt = await seen.locator.evaluate(isAt, path, { timeout: ASK_MS }).catch(() => false);
    if (isIt) return target;
  }
  return `css=${path}`;
};
