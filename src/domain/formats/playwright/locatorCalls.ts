import type { Part } from "./locators.ts";
import {
  bare,
  type Call,
  callOf,
  type Expression,
  type FindText,
  integerOf,
  isTrue,
  propertiesOf,
  textOf,
  wordsOf,
} from "./values.ts";

/** A page or an element: the tab, its frames, outermost first, and the parts of the locator. */
export type Spot = {
  /** Number of the tab, from 0. */
  readonly tab: number;
  readonly frames: readonly (readonly Part[])[];
  readonly parts: readonly Part[];
};

export type Names = {
  readonly text: FindText;
  /** The page or locator of a name; null if the name is neither. */
  readonly spot: (name: string) => Spot | null;
};

/** Maximum length of a chain of calls. */
const MAX_DEPTH = 40;

/** Reads a page, a named locator, or a chain of calls on them. Null for any other expression. */
export const spotOf = (expression: unknown, names: Names, depth = 0): Spot | null => {
  const node = bare(expression);
  if (!node || depth > MAX_DEPTH) return null;
  if (node.type === "Identifier") return names.spot(node.name);
  if (node.type !== "CallExpression") return null;
  const call = callOf(node as Call);
  if (!call?.on) return null;
  const on = spotOf(call.on, names, depth + 1);
  return on && afterCall(on, call.method, call.args, names, depth);
};

const BY = {
  getByLabel: "label",
  getByPlaceholder: "placeholder",
  getByText: "text",
  getByAltText: "alt",
  getByTitle: "title",
} as const;

const afterCall = (
  on: Spot,
  method: string,
  args: readonly unknown[],
  names: Names,
  depth: number,
): Spot | null => {
  const { text: find } = names;
  const plus = (...parts: readonly (Part | null)[]): Spot | null =>
    parts.some((part) => part === null)
      ? null
      : { ...on, parts: [...on.parts, ...parts.flatMap((part) => part ?? [])] };
  if (Object.hasOwn(BY, method)) {
    const name = wordsOf(args[0], find);
    if (name === null) return null;
    const exact = isTrue(propertiesOf(args[1])?.get("exact"));
    return plus({ by: BY[method as keyof typeof BY], name, exact });
  }
  switch (method) {
    case "getByRole":
      return plus(roleOf(args, find));
    case "getByTestId": {
      const id = textOf(args[0], find);
      return plus(id === null ? null : { by: "testId", id });
    }
    case "first":
      return plus({ by: "nth", nth: 0 });
    case "last":
      return plus({ by: "nth", nth: -1 });
    case "nth": {
      const nth = integerOf(args[0]);
      return plus(nth === null ? null : { by: "nth", nth });
    }
    case "locator": {
      const selector = textOf(args[0], find);
      if (selector === null) {
        const inner = spotOf(args[0], names, depth + 1);
        return inner && plus(...inner.parts);
      }
      const first: Part = { by: "selector", selector };
      return args[1] === undefined ? plus(first) : plus(first, ...filters(args[1], names, depth));
    }
    case "filter":
      return plus(...filters(args[0], names, depth));
    case "frameLocator": {
      const selector = textOf(args[0], find);
      if (selector === null) return null;
      return intoFrame(on, [...on.parts, { by: "selector", selector }]);
    }
    case "contentFrame":
      return intoFrame(on, on.parts);
    default:
      return null;
  }
};

const intoFrame = (on: Spot, parts: readonly Part[]): Spot => ({
  tab: on.tab,
  frames: [...on.frames, parts],
  parts: [],
});

const CONDITIONS = ["checked", "disabled", "expanded", "pressed", "selected"];

const roleOf = (args: readonly unknown[], find: FindText): Part | null => {
  const role = textOf(args[0], find);
  if (role === null || !/^[a-z]+$/.test(role)) return null;
  if (args[1] === undefined) return { by: "role", role, name: null, exact: false, conditions: "" };
  const options = propertiesOf(args[1]);
  if (!options) return null;
  const given = options.get("name");
  const name = given === undefined ? null : wordsOf(given, find);
  if (given !== undefined && name === null) return null;
  let conditions = "";
  for (const [key, value] of options) {
    const node = bare(value);
    if (CONDITIONS.includes(key) && node?.type === "BooleanLiteral")
      conditions += `[${key}=${node.value}]`;
    else if (key === "level" && integerOf(value) !== null)
      conditions += `[level=${integerOf(value)}]`;
    else if (key === "includeHidden" && !isTrue(value)) conditions += "";
    else if (key !== "name" && key !== "exact") return null;
  }
  return { by: "role", role, name, exact: isTrue(options.get("exact")), conditions };
};

const filters = (given: unknown, names: Names, depth: number): readonly (Part | null)[] => {
  const options = propertiesOf(given);
  if (!options) return [null];
  return [...options].flatMap(([key, value]): (Part | null)[] =>
    filterOf(key, value, names, depth),
  );
};

const filterOf = (key: string, value: Expression, names: Names, depth: number): (Part | null)[] => {
  switch (key) {
    case "hasText":
    case "hasNotText": {
      const text = wordsOf(value, names.text);
      return [text && { by: key, text }];
    }
    case "has":
    case "hasNot": {
      const inner = spotOf(value, names, depth + 1);
      const isPlain = inner && inner.frames.length === 0 && inner.parts.length > 0;
      return [isPlain ? { by: key, inner: inner.parts } : null];
    }
    case "visible":
      // Targets match visible elements only.
      return isTrue(value) ? [] : [null];
    default:
      return [null];
  }
};
