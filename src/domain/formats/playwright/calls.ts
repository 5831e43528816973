import type { Findings, Place } from "../imported.ts";
import { assertionOf, pageAssertionOf } from "./assertions.ts";
import { dialogAnswerOf } from "./dialogs.ts";
import { actionOf } from "./elementActions.ts";
import { type Expectation, expectationOf } from "./expectations.ts";
import { type Names, type Spot, spotOf } from "./locatorCalls.ts";
import type { Outcome } from "./outcome.ts";
import { keyboardOf, pageActionOf } from "./pageActions.ts";
import { UNKNOWN } from "./scope.ts";
import type { StepWriter } from "./stepWriter.ts";
import type { Tabs } from "./tabs.ts";
import {
  bodyOf,
  type Call,
  callOf,
  type Expression,
  propertyOf,
  type Statement,
  textOf,
} from "./values.ts";

export type CallReader = {
  readonly findings: Findings;
  readonly baseUrl: string | null;
  readonly names: Names;
  readonly tabs: Tabs;
  readonly writer: StepWriter;
};

/** Translates a call to steps or a warning. Calls `readBody` with the statements of a `test.step`. */
export const readCall = (
  reader: CallReader,
  node: Call,
  place: Place,
  readBody: (body: readonly Statement[]) => void,
): void => {
  const { findings, names } = reader;
  const expectation = expectationOf(node, names);
  if (expectation) {
    readExpectation(reader, expectation, place);
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
    readBody(body);
    return;
  }
  if (isIgnored(on, method)) return;
  const keyboard =
    on.type === "MemberExpression" && propertyOf(on) === "keyboard"
      ? spotOf(on.object, names)
      : null;
  const spot = keyboard ?? spotOf(on, names);
  if (!spot) findings.warn(place, UNKNOWN);
  else if (keyboard) readKeyboard(reader, method, args, place, keyboard);
  else readMethod(reader, method, args, place, spot);
};

const readKeyboard = (
  { findings, names, tabs, writer }: CallReader,
  method: string,
  args: readonly unknown[],
  place: Place,
  { tab }: Spot,
): void => {
  const outcome = keyboardOf(method, args, names.text);
  if (outcome) writer.write(outcome, place, { ...tabs.here(), tab });
  else findings.warn(place, UNKNOWN);
};

const readMethod = (
  reader: CallReader,
  method: string,
  args: readonly unknown[],
  place: Place,
  spot: Spot,
): void => {
  const { findings, names, tabs, writer } = reader;
  if (method === "once" || method === "on") {
    readListener(reader, args, place);
    return;
  }
  if (method === "waitForEvent") return;
  const locatorOf = (other: unknown) => spotOf(other, names)?.parts ?? null;
  const isPage = spot.parts.length === 0;
  const outcome = isPage
    ? pageOutcome(reader, method, args)
    : actionOf(method, spot.parts, args, names.text, locatorOf);
  if (!outcome) {
    findings.warn(place, UNKNOWN);
    return;
  }
  const hasNoTarget = outcome.steps.every(({ target }) => target === undefined);
  writer.write(outcome, place, isPage && hasNoTarget ? tabs.onPageOf(spot.tab) : spot);
};

/** Also translates methods with a selector, such as `page.click("#save")`. */
const pageOutcome = (
  { names, baseUrl }: CallReader,
  method: string,
  args: readonly unknown[],
): Outcome | null => {
  const page = pageActionOf(method, args, names.text, baseUrl);
  if (page) return page;
  const selector = textOf(args[0], names.text);
  if (selector === null) return null;
  const parts = [{ by: "selector", selector }] as const;
  if (method !== "dragAndDrop") {
    const ownMethod = method === "waitForSelector" ? "waitFor" : method;
    return actionOf(ownMethod, parts, args.slice(1), names.text, () => null);
  }
  const to = textOf(args[1], names.text);
  if (to === null) return null;
  return actionOf("dragTo", parts, [args[1]], names.text, () => [{ by: "selector", selector: to }]);
};

const readExpectation = (
  { findings, names, tabs, writer }: CallReader,
  { spot, matcher, isNegated, args }: Expectation,
  place: Place,
): void => {
  if (!spot) {
    findings.warn(place, "Only assertions on pages and locators are supported.");
    return;
  }
  const isPage = spot.parts.length === 0;
  const outcome = isPage
    ? pageAssertionOf(matcher, isNegated, args, names.text)
    : assertionOf(matcher, isNegated, spot.parts, args, names.text);
  if (!outcome) {
    findings.warn(place, `${matcher} is not supported.`);
    return;
  }
  writer.write(outcome, place, isPage ? tabs.onPageOf(spot.tab) : spot);
};

/** Reads `page.once("dialog", dialog => dialog.accept())`. */
const readListener = (
  { findings, names, writer }: CallReader,
  args: readonly unknown[],
  place: Place,
): void => {
  const answer = textOf(args[0], names.text) === "dialog" ? dialogAnswerOf(args[1]) : null;
  if (answer) writer.announce(answer, place);
  else findings.warn(place, UNKNOWN);
};

/** Cleanup, tracing and settings of the run are not part of a test. */
const isIgnored = (on: Expression, method: string): boolean => {
  if (on.type !== "Identifier")
    return on.type === "MemberExpression" && propertyOf(on) === "tracing";
  if (["context", "browser"].includes(on.name))
    return ["close", "storageState", "newPage"].includes(method);
  return on.name === "test" && ["setTimeout", "slow", "info", "skip", "fixme"].includes(method);
};
