import { type Names, type Spot, spotOf } from "./locatorCalls.ts";
import { type Tabs, tabSpot } from "./tabs.ts";
import { bare, type Call, callOf, type Expression, textOf } from "./values.ts";

type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "spot"; readonly spot: Spot }
  /** A tab that opens when the event is used. */
  | { readonly kind: "popup" }
  /** A value that no step is about, such as a browser or a download. */
  | { readonly kind: "ignored" };

export const UNKNOWN = "This code is not supported.";

/** The names that are declared in a test. */
export type Scope = {
  readonly names: Names;
  /** Whether a name is bound to a value that is irrelevant to steps. */
  isIgnored(name: string): boolean;
  /** Declares a name. Returns why its value is unknown, or null. */
  declare(name: string, init: Expression | null, isConstant: boolean): string | null;
  /** Declares the name of an awaited event. `given`: the first argument of `waitForEvent`. */
  declareEvent(name: string, given: unknown): void;
};

/** `pages`: names of the page. `constants`: top-level constants of the file. */
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
    return SET_UP.has(call.method) ? { kind: "ignored" } : null;
  };

  const eventOf = (given: unknown): Value => {
    const name = textOf(given, names.text);
    return name === "popup" || name === "page" ? { kind: "popup" } : { kind: "ignored" };
  };

  return {
    names,
    isIgnored: (name) => scope.get(name)?.kind === "ignored",
    declare: (name, init, isConstant) => {
      scope.delete(name);
      const value = init && valueGiven(init);
      if (value?.kind === "text" && !isConstant) return "The value of this variable can change.";
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
