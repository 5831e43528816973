import type { Findings, Place } from "./imported.ts";
import {
  actionOf,
  claimOf,
  keyboardOf,
  type Outcome,
  pageActionOf,
  pageClaimOf,
} from "./playwrightActions.ts";
import { type Names, type Spot, spotOf } from "./playwrightLocatorCalls.ts";
import { targetOfParts } from "./playwrightLocators.ts";
import {
  bare,
  type Call,
  callOf,
  type Expression,
  propertyOf,
  type Statement,
  textOf,
} from "./playwrightValues.ts";

/** What a name was given. */
type Value =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "spot"; readonly spot: Spot }
  /** A tab that is about to open. */
  | { readonly kind: "popup" }
  /** Something that no step is about: a browser, a download that is awaited. */
  | { readonly kind: "nothing" };

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
const UNKNOWN = "It is not known what this comes to as a step.";

/** Reads the bodies of a test, and of what runs before it, one after the other. `pages`: what the page is called. */
export const readBodies = (
  bodies: readonly (readonly Statement[])[],
  reading: Reading,
  pages: readonly string[],
): void => {
  const { findings, source } = reading;
  const scope = new Map<string, Value>();
  for (const name of pages) scope.set(name, { kind: "spot", spot: tabSpot(0) });
  let tabs = 1;
  let here: Spot = tabSpot(0);
  /** The tab that opened last and was not gone to yet: it may need its time to open. */
  let fresh: number | null = null;
  let pending: { readonly place: Place; readonly outcome: Outcome } | null = null;

  const names: Names = {
    text: (name) => {
      const value = scope.get(name);
      if (value) return value.kind === "text" ? value.text : null;
      return reading.constants.get(name) ?? null;
    },
    spot: (name) => {
      const value = scope.get(name);
      return value?.kind === "spot" ? value.spot : null;
    },
  };

  const placeOf = (node: {
    start?: number | null;
    end?: number | null;
    loc?: { start: { line: number } } | null;
  }): Place => {
    const text = source.slice(node.start ?? 0, node.end ?? 0).split("\n")[0] ?? "";
    return { line: node.loc?.start.line ?? 1, text };
  };

  /** Goes to the tab and into the frame that a step is about. */
  const goTo = (spot: Spot, place: Place): void => {
    if (spot.tab !== here.tab) {
      findings.step(place, {
        action: "switch_tab",
        target: spot.tab === fresh ? "last" : `${spot.tab + 1}`,
      });
      fresh = null;
      here = tabSpot(spot.tab);
    }
    const wanted = spot.frames.map(targetOfParts);
    if (wanted.join("\n") === here.frames.map(targetOfParts).join("\n")) return;
    if (here.frames.length > 0) findings.step(place, { action: "switch_frame" });
    for (const target of wanted) findings.step(place, { action: "switch_frame", target });
    here = { ...spot, parts: [] };
  };

  const take = (outcome: Outcome, place: Place, spot: Spot | null): void => {
    if (spot && outcome.steps.length > 0) goTo(spot, place);
    let taken = false;
    for (const step of outcome.steps) {
      if (findings.step(place, { ...step, description: "" })) taken = true;
    }
    if (outcome.note !== null && (taken || outcome.steps.length === 0))
      findings.warn(place, outcome.note);
    if (taken && pending) {
      const { place: announced, outcome: answer } = pending;
      pending = null;
      for (const step of answer.steps) findings.step(announced, { ...step, description: "" });
    }
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
    scope.delete(name);
    const value = init && valueGiven(init);
    if (value?.kind === "text" && !isConstant) {
      findings.warn(place, "It may change while the program runs.");
      return;
    }
    if (value) scope.set(name, value);
    else if (init) findings.warn(place, UNKNOWN);
  };

  const valueGiven = (init: Expression): Value | null => {
    const node = bare(init);
    if (!node) return null;
    const text = textOf(node, names.text);
    if (text !== null) return { kind: "text", text };
    if (node.type === "Identifier") {
      const value = scope.get(node.name);
      if (value?.kind !== "popup") return value ?? null;
      return { kind: "spot", spot: opened() };
    }
    const spot = spotOf(node, names);
    if (spot) return { kind: "spot", spot };
    const call = node.type === "CallExpression" ? callOf(node as Call) : null;
    if (!call) return null;
    if (call.method === "waitForEvent") return eventOf(call.args[0]);
    if (call.method === "newPage" && tabs === 1) return { kind: "spot", spot: tabSpot(0) };
    const isSetUp = [
      "launch",
      "newContext",
      "waitForResponse",
      "waitForRequest",
      "connect",
    ].includes(call.method);
    return isSetUp ? { kind: "nothing" } : null;
  };

  const eventOf = (given: unknown): Value => {
    const name = textOf(given, names.text);
    return name === "popup" || name === "page" ? { kind: "popup" } : { kind: "nothing" };
  };

  const opened = (): Spot => {
    fresh = tabs;
    tabs += 1;
    return tabSpot(fresh);
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
      const event = eventOf(call.args[0]);
      if (!named?.name) continue;
      scope.set(named.name, event.kind === "popup" ? { kind: "spot", spot: opened() } : event);
    }
  };

  const promiseAll = (init: unknown): readonly unknown[] | null => {
    const node = bare(init);
    const call = node?.type === "CallExpression" ? callOf(node as Call) : null;
    const isAll =
      call?.method === "all" && call.on?.type === "Identifier" && call.on.name === "Promise";
    const list = isAll ? bare(call.args[0]) : null;
    return list?.type === "ArrayExpression" ? list.elements : null;
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
      called(node as Call, place, depth);
      return;
    }
    // The promise of something that no step is about.
    if (node?.type === "Identifier" && scope.get(node.name)?.kind === "nothing") return;
    findings.warn(place, UNKNOWN);
  };

  const called = (node: Call, place: Place, depth: number): void => {
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
      for (const inner of body) statement(inner, depth + 1);
      return;
    }
    if (isChore(on, method)) return;
    const keyboard =
      on.type === "MemberExpression" && propertyOf(on) === "keyboard"
        ? spotOf(on.object, names)
        : null;
    if (keyboard) {
      const outcome = keyboardOf(method, args, names.text);
      if (outcome) take(outcome, place, { ...here, tab: keyboard.tab });
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
    take(
      outcome,
      place,
      isOfPage
        ? { ...here, tab: spot.tab, ...(spot.tab === here.tab ? {} : { frames: [] }) }
        : spot,
    );
  };

  /** `page.click("#save")`, as it was written before there were locators. */
  const onPage = (method: string, args: readonly unknown[]): Outcome | null => {
    const page = pageActionOf(method, args, names.text, reading.baseUrl);
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
    take(
      outcome,
      place,
      spot.parts.length > 0
        ? spot
        : { ...here, tab: spot.tab, ...(spot.tab === here.tab ? {} : { frames: [] }) },
    );
  };

  /** `page.once("dialog", dialog => dialog.accept())`: an answer for the dialog that the next step opens. */
  const listens = (args: readonly unknown[], place: Place): void => {
    if (textOf(args[0], names.text) !== "dialog") {
      findings.warn(place, UNKNOWN);
      return;
    }
    const text = JSON.stringify(args[1] ?? null, (key, value) =>
      [
        "loc",
        "start",
        "end",
        "comments",
        "leadingComments",
        "trailingComments",
        "innerComments",
        "extra",
      ].includes(key)
        ? undefined
        : value,
    );
    const isAccepted = text.includes('"name":"accept"');
    if (!isAccepted && !text.includes('"name":"dismiss"')) {
      findings.warn(place, UNKNOWN);
      return;
    }
    const answer = isAccepted ? acceptedWith(text) : null;
    const step = isAccepted
      ? { action: "accept_dialog", value: answer ?? "" }
      : { action: "dismiss_dialog" };
    pending = { place, outcome: { steps: [step], note: null } };
  };

  for (const body of bodies) for (const each of body) statement(each, 0);
  if (pending !== null) {
    findings.warn(
      (pending as { place: Place }).place,
      "No step comes after it that could open a dialog.",
    );
  }
};

/** The text that a dialog is accepted with, of the program's nodes as JSON. */
const acceptedWith = (json: string): string | null => {
  const match =
    /"name":"accept"\}[^[]*"arguments":\[\{"type":"StringLiteral","value":("(?:[^"\\]|\\.)*")/.exec(
      json,
    );
  return match ? (JSON.parse(match[1] ?? '""') as string) : null;
};

const tabSpot = (tab: number): Spot => ({ tab, frames: [], parts: [] });

/** Tidying up, tracing and settings of the run: no part of the test. */
const isChore = (on: Expression, method: string): boolean => {
  if (on.type !== "Identifier")
    return on.type === "MemberExpression" && propertyOf(on) === "tracing";
  if (["context", "browser"].includes(on.name))
    return ["close", "storageState", "newPage"].includes(method);
  return on.name === "test" && ["setTimeout", "slow", "info", "skip", "fixme"].includes(method);
};

type Expectation = {
  /** What is looked at; null for a value. */
  readonly spot: Spot | null;
  readonly matcher: string;
  readonly isDenied: boolean;
  readonly args: readonly unknown[];
};

/** Reads `expect(…).toBe…(…)`, with `not` and `soft`; null for any other call. */
const expectationOf = (node: Call, names: Names): Expectation | null => {
  const call = callOf(node);
  if (!call?.on) return null;
  let on: Expression | null = call.on;
  let isDenied = false;
  if (on.type === "MemberExpression" && propertyOf(on) === "not") {
    isDenied = true;
    on = bare(on.object);
  }
  if (on?.type !== "CallExpression") return null;
  const inner = callOf(on as Call);
  const isSoft =
    inner?.method === "soft" && inner.on?.type === "Identifier" && inner.on.name === "expect";
  if (!inner || !(isSoft || (inner.on === null && inner.method === "expect"))) return null;
  return { spot: spotOf(inner.args[0], names), matcher: call.method, isDenied, args: call.args };
};

/** The statements of a function; null for anything else. */
export const bodyOf = (given: unknown): readonly Statement[] | null => {
  const node = bare(given);
  if (node?.type !== "ArrowFunctionExpression" && node?.type !== "FunctionExpression") return null;
  if (node.body.type === "BlockStatement") return node.body.body;
  return [
    { ...node.body, type: "ExpressionStatement", expression: node.body } as unknown as Statement,
  ];
};
