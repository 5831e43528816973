import type { parse } from "@babel/parser";
import { hasVariables } from "../../catalogue/values.ts";

/** Types of syntax nodes, derived from the parser. */
export type Program = ReturnType<typeof parse>["program"];
export type Statement = Program["body"][number];
export type Expression = Extract<Statement, { type: "ExpressionStatement" }>["expression"];
export type Call = Extract<Expression, { type: "CallExpression" }>;
type ObjectLiteral = Extract<Expression, { type: "ObjectExpression" }>;

export type Words = { readonly text: string } | { readonly regex: string; readonly flags: string };

/** Returns the text that is bound to a name, or null. */
export type FindText = (name: string) => string | null;

/** Removes `await`, `!`, `as …` and parentheses. */
export const bare = (expression: unknown): Expression | null => {
  let node = expression as Expression | null | undefined;
  for (let depth = 0; node && depth < 50; depth += 1) {
    switch (node.type) {
      case "AwaitExpression":
        node = node.argument;
        break;
      case "TSNonNullExpression":
      case "TSAsExpression":
      case "TSSatisfiesExpression":
      case "ParenthesizedExpression":
        node = node.expression;
        break;
      default:
        return node;
    }
  }
  return null;
};

/** Maximum nesting of expressions in a text. */
const MAX_DEPTH = 50;

/** The text of a constant expression; null if it is not constant. */
export const textOf = (expression: unknown, find: FindText, depth = 0): string | null => {
  const node = bare(expression);
  if (!node || depth > MAX_DEPTH) return null;
  switch (node.type) {
    case "StringLiteral":
      return literal(node.value);
    case "NumericLiteral":
      return String(node.value);
    case "TemplateLiteral": {
      const parts = node.quasis.map(({ value }) => value.cooked ?? value.raw);
      const between = node.expressions.map((part) => textOf(part, find, depth + 1));
      if ([...parts.map(literal), ...between].some((part) => part === null)) return null;
      return parts.map((part, at) => `${part}${between[at] ?? ""}`).join("");
    }
    case "BinaryExpression": {
      if (node.operator !== "+") return null;
      const [left, right] = [node.left, node.right].map((part) => textOf(part, find, depth + 1));
      return typeof left === "string" && typeof right === "string" ? left + right : null;
    }
    case "Identifier":
      return find(node.name);
    case "MemberExpression":
      return environmentOf(node);
    default:
      return null;
  }
};

/** Rejects texts with a literal `${name}`, which a step would read as a variable. */
const literal = (text: string): string | null => (hasVariables(text) ? null : text);

/** Converts `process.env.NAME` to the variable `${NAME}`. */
const environmentOf = (node: Extract<Expression, { type: "MemberExpression" }>): string | null => {
  const object = bare(node.object);
  if (object?.type !== "MemberExpression") return null;
  const root = bare(object.object);
  const isEnvironment =
    root?.type === "Identifier" &&
    root.name === "process" &&
    object.property.type === "Identifier" &&
    object.property.name === "env";
  const name = isEnvironment ? propertyOf(node) : null;
  return name !== null && /^[A-Za-z_]\w{0,99}$/.test(name) ? `$\{${name}}` : null;
};

/** The name in `a.name` or `a["name"]`; null if it is computed. */
export const propertyOf = (
  node: Extract<Expression, { type: "MemberExpression" }>,
): string | null => {
  const { property } = node;
  if (!node.computed && property.type === "Identifier") return property.name;
  return property.type === "StringLiteral" ? property.value : null;
};

/** A constant text or regular expression; null for any other expression. */
export const wordsOf = (expression: unknown, find: FindText): Words | null => {
  const node = bare(expression);
  if (node?.type === "RegExpLiteral") return { regex: node.pattern, flags: node.flags };
  const text = textOf(node, find);
  return text === null ? null : { text };
};

/** A literal integer, also negative; null for any other expression. */
export const integerOf = (expression: unknown): number | null => {
  const node = bare(expression);
  if (node?.type === "UnaryExpression" && node.operator === "-") {
    const value = integerOf(node.argument);
    return value === null ? null : -value;
  }
  return node?.type === "NumericLiteral" && Number.isInteger(node.value) ? node.value : null;
};

/** The properties of an object literal; null if one is computed, a method or a spread. */
export const propertiesOf = (expression: unknown): ReadonlyMap<string, Expression> | null => {
  const node = bare(expression);
  if (node?.type !== "ObjectExpression") return null;
  const found = new Map<string, Expression>();
  for (const property of (node as ObjectLiteral).properties) {
    if (property.type !== "ObjectProperty" || property.computed) return null;
    const { key, value } = property;
    const name =
      key.type === "Identifier" ? key.name : key.type === "StringLiteral" ? key.value : null;
    if (name === null) return null;
    found.set(name, value as Expression);
  }
  return found;
};

export const isTrue = (expression: unknown): boolean => {
  const node = bare(expression);
  return node?.type === "BooleanLiteral" && node.value;
};

/** The object of a call (null for a plain function), its method and its arguments. Null if the method is computed. */
export const callOf = (
  node: Call,
): {
  readonly on: Expression | null;
  readonly method: string;
  readonly args: readonly unknown[];
} | null => {
  const callee = bare(node.callee);
  if (callee?.type === "Identifier") return { on: null, method: callee.name, args: node.arguments };
  if (callee?.type !== "MemberExpression") return null;
  const method = propertyOf(callee);
  return method === null ? null : { on: bare(callee.object), method, args: node.arguments };
};

/** The statements of a function expression; null for any other expression. */
export const bodyOf = (given: unknown): readonly Statement[] | null => {
  const node = bare(given);
  if (node?.type !== "ArrowFunctionExpression" && node?.type !== "FunctionExpression") return null;
  if (node.body.type === "BlockStatement") return node.body.body;
  return [
    { ...node.body, type: "ExpressionStatement", expression: node.body } as unknown as Statement,
  ];
};
