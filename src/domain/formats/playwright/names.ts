import { type Names, type Spot, spotOf } from "./locatorCalls.ts";
import { type Tabs, tabSpot } from "./tabs.ts";
import { bare, type Call, callOf, type Expression, textOf } from "./values.ts";

/** What a name was given. */
type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "spot"; readonly spot: Spot }
  /** A tab that is about to open. */
  | { readonly kind: "popup" }
  /** Something that no step is about: a browser, a download that is awaited. */
  | { readonly kind: "nothing" };

/** It is not known what a program says, or what that would be as a step. */
export const UNKNOWN = "It is not known what this comes to as a step.";

/** What the names of a test stand for. */
export type Scope = {
  readonly names: Names;
  /** Whether a name is of something that no step is about. */
  isNothing(name: string): boolean;
  /** Gives a name what it is declared as; answers why it has nothing, null where all is well. */
  declare(name: string, init: Expression | null, isConstant: boolean): string | null;
  /** Gives a name what an event that is awaited brings, of the arguments of `waitForEvent`. */
  declareEvent(name: string, given: unknown): void;
};

/** `pages`: what the page is called. `constants`: of the file, outside of the test. */
export const createScope = (
  pages: readonly string[],
  constants: ReadonlyMap<string, string>,
  tabs: Tabs,
): Scope => {
  const scope = new Map<string, Value>();
  for (const name of pages) scope.set(name, { kind: "spot", spot: tabSpot(0) });

  const names: Names = {
    text: (name) => {
      const value = scope.get(name);
      if (value) return value.kind === "text" ? value.text : null;
      return constants.get(name) ?? null;
    },
    spot: (name) => {
      const value = scope.get(name);
      return value?.kind === "spot" ? value.spot : null;
    },
  };

  const valueGiven = (init: Expression): Value | null => {
    const node = bare(init);
    if (!node) return null;
    const text = textOf(node, names.text);
    if (text !== null) return { kind: "text", text };
    if (node.type === "Identifier") {
      const value = scope.get(node.name);
      if (value?.kind !== "popup") return value ?? null;
      return { kind: "spot", spot: tabs.opened() };
    }
    const spot = spotOf(node, names);
    if (spot) return { kind: "spot", spot };
    const call = node.type === "CallExpression" ? callOf(node as Call) : null;
    if (!call) return null;
    if (call.method === "waitForEvent") return eventOf(call.args[0]);
    if (call.method === "newPage" && tabs.isOne()) return { kind: "spot", spot: tabSpot(0) };
    return SET_UP.has(call.method) ? { kind: "nothing" } : null;
  };

  const eventOf = (given: unknown): Value => {
    const name = textOf(given, names.text);
    return name === "popup" || name === "page" ? { kind: "popup" } : { kind: "nothing" };
  };

  return {
    names,
    isNothing: (name) => scope.get(name)?.kind === "nothing",
    declare: (name, init, isConstant) => {
      scope.delete(name);
      const value = init && valueGiven(init);
      if (value?.kind === "text" && !isConstant) return "It may change while the program runs.";
      if (value) scope.set(name, value);
      return value || !init ? null : UNKNOWN;
    },
    declareEvent: (name, given) => {
      const event = eventOf(given);
      scope.set(name, event.kind === "popup" ? { kind: "spot", spot: tabs.opened() } : event);
    },
  };
};

const SET_UP: ReadonlySet<string> = new Set([
  "launch",
  "newContext",
  "waitForResponse",
  "waitForRequest",
  "connect",
]);
