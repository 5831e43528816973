import type { Findings, Place } from "../imported.ts";
import { createCalls } from "./calls.ts";
import { createScope, UNKNOWN } from "./names.ts";
import { createTabs } from "./tabs.ts";
import { createTaking } from "./taking.ts";
import { bare, type Call, callOf, type Expression, type Statement } from "./values.ts";

/** What a test is read with: settings of its file, and where what is found goes. */
type Reading = {
  readonly source: string;
  readonly findings: Findings;
  readonly baseUrl: string | null;
  /** Constants of the file, outside of the test. */
  readonly constants: ReadonlyMap<string, string>;
};

const MAX_NESTING = 20;
const SOMETIMES = "A test runs from its first step to its last: what stands in here is left out.";

/** Reads the bodies of a test, and of what runs before it, one after the other. `pages`: what the page is called. */
export const readBodies = (
  bodies: readonly (readonly Statement[])[],
  reading: Reading,
  pages: readonly string[],
): void => {
  const { findings, source, baseUrl } = reading;
  const tabs = createTabs(findings);
  const scope = createScope(pages, reading.constants, tabs);
  const taking = createTaking(findings, tabs);
  const called = createCalls({ findings, baseUrl, names: scope.names, tabs, taking });

  const placeOf = (node: {
    start?: number | null;
    end?: number | null;
    loc?: { start: { line: number } } | null;
  }): Place => {
    const text = source.slice(node.start ?? 0, node.end ?? 0).split("\n")[0] ?? "";
    return { line: node.loc?.start.line ?? 1, text };
  };

  const statement = (node: Statement, depth: number): void => {
    switch (node.type) {
      case "EmptyStatement":
      case "ImportDeclaration":
      case "FunctionDeclaration":
      case "TSTypeAliasDeclaration":
      case "TSInterfaceDeclaration":
      case "ReturnStatement":
        return;
      case "BlockStatement":
        if (depth < MAX_NESTING) for (const inner of node.body) statement(inner, depth + 1);
        return;
      case "VariableDeclaration":
        for (const { id, init } of node.declarations)
          declare(id, init ?? null, node.kind === "const", placeOf(node));
        return;
      case "ExpressionStatement":
        expression(node.expression, placeOf(node), depth);
        return;
      case "IfStatement":
      case "ForStatement":
      case "ForOfStatement":
      case "ForInStatement":
      case "WhileStatement":
      case "DoWhileStatement":
      case "SwitchStatement":
      case "TryStatement":
        findings.warn(placeOf(node), SOMETIMES);
        return;
      default:
        findings.warn(placeOf(node), UNKNOWN);
    }
  };

  const declare = (
    id: { type: string },
    init: Expression | null,
    isConstant: boolean,
    place: Place,
  ): void => {
    if (id.type === "ArrayPattern") {
      destructure(id as { elements?: unknown[] } & typeof id, init, place);
      return;
    }
    if (id.type !== "Identifier") {
      findings.warn(place, UNKNOWN);
      return;
    }
    const { name } = id as unknown as { name: string };
    const problem = scope.declare(name, init, isConstant);
    if (problem !== null) findings.warn(place, problem);
  };

  /** `const [popup] = await Promise.all([page.waitForEvent("popup"), page.getByText("Open").click()])` */
  const destructure = (
    id: { elements?: unknown[] },
    init: Expression | null,
    place: Place,
  ): void => {
    const all = promiseAll(init);
    if (!all) {
      findings.warn(place, UNKNOWN);
      return;
    }
    for (const [index, element] of all.entries()) {
      const node = bare(element);
      const call = node?.type === "CallExpression" ? callOf(node as Call) : null;
      if (call?.method !== "waitForEvent") {
        if (node) expression(node, place, 0);
        continue;
      }
      const named = id.elements?.[index] as { type: string; name?: string } | null | undefined;
      if (named?.name) scope.declareEvent(named.name, call.args[0]);
    }
  };

  const expression = (given: Expression, place: Place, depth: number): void => {
    const node = bare(given);
    const all = promiseAll(node);
    if (all) {
      for (const each of all) {
        const inner = bare(each);
        if (inner) expression(inner, place, depth + 1);
      }
      return;
    }
    if (node?.type === "CallExpression" && depth < MAX_NESTING) {
      called(node as Call, place, (body) => {
        for (const inner of body) statement(inner, depth + 1);
      });
      return;
    }
    // The promise of something that no step is about.
    if (node?.type === "Identifier" && scope.isNothing(node.name)) return;
    findings.warn(place, UNKNOWN);
  };

  for (const body of bodies) for (const each of body) statement(each, 0);
  taking.end();
};

/** The calls of `Promise.all([…])`; null for anything else. */
const promiseAll = (init: unknown): readonly unknown[] | null => {
  const node = bare(init);
  const call = node?.type === "CallExpression" ? callOf(node as Call) : null;
  const isAll =
    call?.method === "all" && call.on?.type === "Identifier" && call.on.name === "Promise";
  const list = isAll ? bare(call.args[0]) : null;
  return list?.type === "ArrayExpression" ? list.elements : null;
};
