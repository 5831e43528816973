import type { Findings, Place } from "../imported.ts";
import {
  actionOf,
  claimOf,
  keyboardOf,
  type Outcome,
  pageActionOf,
  pageClaimOf,
} from "./actions.ts";
import { dialogAnswerOf } from "./dialogs.ts";
import { type Expectation, expectationOf } from "./expectations.ts";
import { type Names, spotOf } from "./locatorCalls.ts";
import { UNKNOWN } from "./names.ts";
import type { Tabs } from "./tabs.ts";
import type { Taking } from "./taking.ts";
import {
  bodyOf,
  type Call,
  callOf,
  type Expression,
  propertyOf,
  type Statement,
  textOf,
} from "./values.ts";

/** Takes over a call. `inside` reads the statements of a function that it runs. */
type TakeCall = (node: Call, place: Place, inside: (body: readonly Statement[]) => void) => void;

/** Reads calls: of what a test does, of what it expects, and of what no step is about. */
export const createCalls = (deps: {
  readonly findings: Findings;
  readonly baseUrl: string | null;
  readonly names: Names;
  readonly tabs: Tabs;
  readonly taking: Taking;
}): TakeCall => {
  const { findings, baseUrl, names, tabs, taking } = deps;

  const called: TakeCall = (node, place, inside) => {
    const claim = expectationOf(node, names);
    if (claim) {
      claimed(claim, place);
      return;
    }
    const call = callOf(node);
    if (!call?.on) {
      findings.warn(place, UNKNOWN);
      return;
    }
    const { on, method, args } = call;
    if (on.type === "Identifier" && on.name === "console") return;
    const body = method === "step" ? bodyOf(args.at(-1)) : null;
    if (body) {
      inside(body);
      return;
    }
    if (isChore(on, method)) return;
    const keyboard =
      on.type === "MemberExpression" && propertyOf(on) === "keyboard"
        ? spotOf(on.object, names)
        : null;
    if (keyboard) {
      const outcome = keyboardOf(method, args, names.text);
      if (outcome) taking.take(outcome, place, { ...tabs.here(), tab: keyboard.tab });
      else findings.warn(place, UNKNOWN);
      return;
    }
    const spot = spotOf(on, names);
    if (!spot) {
      findings.warn(place, UNKNOWN);
      return;
    }
    if (method === "once" || method === "on") {
      listens(args, place);
      return;
    }
    if (method === "waitForEvent") return;
    const outcome =
      spot.parts.length > 0
        ? actionOf(
            method,
            spot.parts,
            args,
            names.text,
            (other) => spotOf(other, names)?.parts ?? null,
          )
        : onPage(method, args);
    if (!outcome) {
      findings.warn(place, UNKNOWN);
      return;
    }
    const isOfPage =
      spot.parts.length === 0 && outcome.steps.every(({ target }) => target === undefined);
    taking.take(outcome, place, isOfPage ? tabs.onPageOf(spot.tab) : spot);
  };

  /** `page.click("#save")`, as it was written before there were locators. */
  const onPage = (method: string, args: readonly unknown[]): Outcome | null => {
    const page = pageActionOf(method, args, names.text, baseUrl);
    if (page) return page;
    const selector = textOf(args[0], names.text);
    if (selector === null) return null;
    const parts = [{ by: "selector", selector }] as const;
    if (method === "waitForSelector")
      return actionOf("waitFor", parts, args.slice(1), names.text, () => null);
    if (method !== "dragAndDrop")
      return actionOf(method, parts, args.slice(1), names.text, () => null);
    const to = textOf(args[1], names.text);
    return to === null
      ? null
      : actionOf("dragTo", parts, [args[1]], names.text, () => [{ by: "selector", selector: to }]);
  };

  const claimed = (claim: Expectation, place: Place): void => {
    const { spot, matcher, isDenied, args } = claim;
    if (!spot) {
      findings.warn(place, "Only elements and the page are looked at.");
      return;
    }
    const outcome =
      spot.parts.length > 0
        ? claimOf(matcher, isDenied, spot.parts, args, names.text)
        : pageClaimOf(matcher, isDenied, args, names.text);
    if (!outcome) {
      findings.warn(place, `${matcher} has no equal here.`);
      return;
    }
    taking.take(outcome, place, spot.parts.length > 0 ? spot : tabs.onPageOf(spot.tab));
  };

  /** `page.once("dialog", dialog => dialog.accept())`: an answer for the dialog that the next step opens. */
  const listens = (args: readonly unknown[], place: Place): void => {
    const answer = textOf(args[0], names.text) === "dialog" ? dialogAnswerOf(args[1]) : null;
    if (answer) taking.announce(answer, place);
    else findings.warn(place, UNKNOWN);
  };

  return called;
};

/** Tidying up, tracing and settings of the run: no part of the test. */
const isChore = (on: Expression, method: string): boolean => {
  if (on.type !== "Identifier")
    return on.type === "MemberExpression" && propertyOf(on) === "tracing";
  if (["context", "browser"].includes(on.name))
    return ["close", "storageState", "newPage"].includes(method);
  return on.name === "test" && ["setTimeout", "slow", "info", "skip", "fixme"].includes(method);
};
