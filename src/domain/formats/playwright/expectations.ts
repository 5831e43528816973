import { type Names, type Spot, spotOf } from "./locatorCalls.ts";
import { bare, type Call, callOf, type Expression, propertyOf } from "./values.ts";

export type Expectation = {
  /** The locator or page; null for any other value. */
  readonly spot: Spot | null;
  readonly matcher: string;
  readonly isNegated: boolean;
  readonly args: readonly unknown[];
};

/** Reads `expect(…).toBe…(…)`, also with `not` and `soft`. Null for any other call. */
export const expectationOf = (node: Call, names: Names): Expectation | null => {
  const call = callOf(node);
  if (!call?.on) return null;
  let on: Expression | null = call.on;
  let isNegated = false;
  if (on.type === "MemberExpression" && propertyOf(on) === "not") {
    isNegated = true;
    on = bare(on.object);
  }
  if (on?.type !== "CallExpression") return null;
  const inner = callOf(on as Call);
  const isSoft =
    inner?.method === "soft" && inner.on?.type === "Identifier" && inner.on.name === "expect";
  if (!inner || !(isSoft || (inner.on === null && inner.method === "expect"))) return null;
  return { spot: spotOf(inner.args[0], names), matcher: call.method, isNegated, args: call.args };
};
