import type { Findings, Place } from "../imported.ts";
import { type CallReader, readCall } from "./calls.ts";
import { createScope, type Scope, UNKNOWN } from "./scope.ts";
import { createStepWriter } from "./stepWriter.ts";
import { createTabs } from "./tabs.ts";
import { bare, type Call, callOf, type Expression, type Statement } from "./values.ts";

export type TestFile = {
  readonly source: string;
  readonly findings: Findings;
  readonly baseUrl: string | null;
  /** Top-level constants of the file. */
  readonly constants: ReadonlyMap<string, string>;
};

type Reader = CallReader & { readonly source: string; readonly scope: Scope };

const MAX_NESTING = 20;
const CONDITIONAL = "Conditions, loops and try are not supported: their statements are skipped.";

/** Reads the bodies of the hooks of a test and of the test itself, in order. `pages`: names of the page. */
export const readBodies = (
  bodies: readonly (readonly Statement[])[],
  { source, findings, baseUrl, constants }: TestFile,
  pages: readonly string[],
): void => {
  const tabs = createTabs(findings);
  const scope = createScope(pages, constants, tabs);
  const writer = createStepWriter(findings, tabs);
  const reader: Reader = { source, scope, findings, baseUrl, names: scope.names, tabs, writer };
  for (const body of bodies) for (const each of body) readStatement(reader, each, 0);
  writer.end();
};

type Node = {
  readonly start?: number | null;
  readonly end?: number | null;
  readonly loc?: { readonly start: { readonly line: number } } | null;
};

const placeOf = ({ source }: Reader, { start, end, loc }: Node): Place => {
  const text = source.slice(start ?? 0, end ?? 0).split("\n")[0] ?? "";
  return { line: loc?.start.line ?? 1, text };
};

const readStatement = (reader: Reader, node: Statement, depth: number): void => {
  switch (node.type) {
    case "EmptyStatement":
    case "ImportDeclaration":
    case "FunctionDeclaration":
    case "TSTypeAliasDeclaration":
    case "TSInterfaceDeclaration":
    case "ReturnStatement":
      return;
    case "BlockStatement":
      if (depth < MAX_NESTING) {
        for (const inner of node.body) readStatement(reader, inner, depth + 1);
      }
      return;
    case "VariableDeclaration":
      for (const { id, init } of node.declarations) {
        const isConstant = node.kind === "const";
        readDeclaration(reader, id, init ?? null, isConstant, placeOf(reader, node));
      }
      return;
    case "ExpressionStatement":
      readExpression(reader, node.expression, placeOf(reader, node), depth);
      return;
    case "IfStatement":
    case "ForStatement":
    case "ForOfStatement":
    case "ForInStatement":
    case "WhileStatement":
    case "DoWhileStatement":
    case "SwitchStatement":
    case "TryStatement":
      reader.findings.warn(placeOf(reader, node), CONDITIONAL);
      return;
    default:
      reader.findings.warn(placeOf(reader, node), UNKNOWN);
  }
};

const readDeclaration = (
  reader: Reader,
  id: { type: string },
  init: Expression | null,
  isConstant: boolean,
  place: Place,
): void => {
  if (id.type === "ArrayPattern") {
    readDestructuring(reader, id as { elements?: unknown[] } & typeof id, init, place);
    return;
  }
  if (id.type !== "Identifier") {
    reader.findings.warn(place, UNKNOWN);
    return;
  }
  const { name } = id as unknown as { name: string };
  const problem = reader.scope.declare(name, init, isConstant);
  if (problem !== null) reader.findings.warn(place, problem);
};

/** Reads `const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByText("Open").click()])`. */
const readDestructuring = (
  reader: Reader,
  id: { elements?: unknown[] },
  init: Expression | null,
  place: Place,
): void => {
  const all = promiseAll(init);
  if (!all) {
    reader.findings.warn(place, UNKNOWN);
    return;
  }
  for (const [index, element] of all.entries()) {
    const node = bare(element);
    const call = node?.type === "CallExpression" ? callOf(node as Call) : null;
    if (call?.method !== "waitForEvent") {
      if (node) readExpression(reader, node, place, 0);
      continue;
    }
    const named = id.elements?.[index] as { type: string; name?: string } | null | undefined;
    if (named?.name) reader.scope.declareEvent(named.name, call.args[0]);
  }
};

const readExpression = (reader: Reader, given: Expression, place: Place, depth: number): void => {
  const node = bare(given);
  const all = promiseAll(node);
  if (all) {
    for (const each of all) {
      const inner = bare(each);
      if (inner) readExpression(reader, inner, place, depth + 1);
    }
    return;
  }
  if (node?.type === "CallExpression" && depth < MAX_NESTING) {
    readCall(reader, node as Call, place, (body) => {
      for (const inner of body) readStatement(reader, inner, depth + 1);
    });
    return;
  }
  // An awaited promise of something that no step is about.
  if (node?.type === "Identifier" && reader.scope.isIgnored(node.name)) return;
  reader.findings.warn(place, UNKNOWN);
};

/** The elements of `Promise.all([…])`; null for any other expression. */
const promiseAll = (init: unknown): readonly unknown[] | null => {
  const node = bare(init);
  const call = node?.type === "CallExpression" ? callOf(node as Call) : null;
  const isAll =
    call?.method === "all" && call.on?.type === "Identifier" && call.on.name === "Promise";
  const list = isAll ? bare(call.args[0]) : null;
  return list?.type === "ArrayExpression" ? list.elements : null;
};
