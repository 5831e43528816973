import { parse } from "@babel/parser";
import {
  asName,
  createFindings,
  distinctNames,
  type ImportItem,
  itemOf,
  unreadable,
} from "../imported.ts";
import { readBodies } from "./steps.ts";
import {
  bare,
  bodyOf,
  type Call,
  callOf,
  integerOf,
  type Program,
  propertiesOf,
  propertyOf,
  type Statement,
  textOf,
} from "./values.ts";

/** In characters. Parsing so many takes less than a second. */
const MAX_LENGTH = 500_000;
const MAX_TESTS = 5_000;
const MAX_NESTING = 20;

/**
 * Reads tests that Playwright's code generator writes, in TypeScript or JavaScript: one for each `test(…)`, or one for a
 * script that drives a browser. Does not execute code. Unsupported statements become warnings with their line. Throws
 * DomainError `import.unreadable` if the source is not TypeScript or contains no test.
 */
export const readPlaywright = (source: string): readonly ImportItem[] => {
  if (source.length > MAX_LENGTH) throw unreadable(`a program has up to ${MAX_LENGTH} characters`);
  const { body } = programOf(source);
  const constants = constantsOf(body);
  const tests = testsIn(body, emptyContext);
  if (tests.length > MAX_TESTS) throw unreadable(`it has more than ${MAX_TESTS} tests. Split it`);
  const distinct = distinctNames();
  const found = tests.length > 0 ? tests : scriptIn(body);
  if (found.length === 0) throw unreadable("it contains no test(…) of Playwright");
  return found.map((test) => {
    const name = distinct(
      asName([...test.titles, test.title].filter(Boolean).join(" › "), "Recorded test"),
    );
    const findings = createFindings();
    for (const { line, text, message } of test.notes) findings.warn({ line, text }, message);
    const { settings } = test;
    const baseUrl = settings.get("baseURL") ?? null;
    const viewport = settings.get("viewport");
    if (viewport !== undefined)
      findings.step({ line: 1, text: "" }, { action: "set_viewport", value: viewport });
    readBodies([...test.before, test.body], { source, findings, baseUrl, constants }, test.pages);
    return itemOf(name, findings, { tags: test.tags });
  });
};

const programOf = (source: string): Program => {
  try {
    return parse(source, {
      sourceType: "module",
      plugins: ["typescript"],
      allowReturnOutsideFunction: true,
      allowAwaitOutsideFunction: true,
    }).program;
  } catch (error) {
    if (error instanceof RangeError) throw unreadable("it is nested too deeply");
    const message = error instanceof Error ? error.message.split("\n")[0] : "";
    throw unreadable(`it is not TypeScript: ${(message ?? "").slice(0, 200)}`);
  }
};

type Note = { readonly line: number; readonly text: string; readonly message: string };

/** Context of the tests of a file or of a `describe`. */
type Context = {
  readonly titles: readonly string[];
  readonly before: readonly (readonly Statement[])[];
  /** `baseURL` and `viewport` of `test.use`. */
  readonly settings: ReadonlyMap<string, string>;
  readonly notes: readonly Note[];
  readonly tags: readonly string[];
  /** Names of the page. */
  readonly pages: readonly string[];
};

type Found = Context & {
  readonly title: string;
  readonly body: readonly Statement[];
};

const emptyContext: Context = {
  titles: [],
  before: [],
  settings: new Map(),
  notes: [],
  tags: [],
  pages: [],
};

const noText = (): null => null;

const testsIn = (body: readonly Statement[], outer: Context, depth = 0): Found[] => {
  const calls = body.flatMap((node) => {
    const call = testCallOf(node);
    return call ? [{ ...call, node }] : [];
  });
  let context = outer;
  for (const { name, args, node } of calls) context = withHook(context, name, args, node);
  return calls.flatMap(({ name, args, node }): Found[] => {
    if (/^describe(?:\.(?:only|serial|parallel|skip|fixme))*$/.test(name)) {
      const inner = bodyOf(args.at(-1));
      const title = textOf(args[0], noText);
      if (!inner || depth > MAX_NESTING) return [];
      return testsIn(
        inner,
        {
          ...context,
          titles: title ? [...context.titles, title] : context.titles,
          tags: [...context.tags, ...tagsOf(title ?? "", args)],
        },
        depth + 1,
      );
    }
    const title = textOf(args[0], noText);
    const inner = bodyOf(args.at(-1));
    if (!/^(?:|only|skip|fixme|fail)$/.test(name) || title === null || !inner) return [];
    const notes =
      name === "" || name === "only"
        ? context.notes
        : [
            ...context.notes,
            noteOf(node, `test.${name} is ignored: the test runs like any other.`),
          ];
    return [
      {
        ...context,
        notes,
        title,
        tags: [...new Set([...context.tags, ...tagsOf(title, args)])],
        body: inner,
        pages: [...context.pages, ...pagesOf(args.at(-1))],
      },
    ];
  });
};

/** Reads `test("…")`, `test.describe("…")` and so on: the name behind `test.` and the arguments. */
const testCallOf = (
  node: Statement,
): { readonly name: string; readonly args: readonly unknown[] } | null => {
  if (node.type !== "ExpressionStatement") return null;
  const expression = bare(node.expression);
  if (expression?.type !== "CallExpression") return null;
  const names: string[] = [];
  let callee = bare(expression.callee);
  while (callee?.type === "MemberExpression" && names.length < 4) {
    const property = propertyOf(callee);
    if (property === null) return null;
    names.unshift(property);
    callee = bare(callee.object);
  }
  if (callee?.type !== "Identifier") return null;
  if (callee.name === "test" || callee.name === "it")
    return { name: names.join("."), args: expression.arguments };
  return callee.name === "describe"
    ? { name: ["describe", ...names].join("."), args: expression.arguments }
    : null;
};

const noteOf = (node: Statement, message: string): Note => ({
  line: node.loc?.start.line ?? 1,
  text: "",
  message,
});

const withHook = (
  context: Context,
  name: string,
  args: readonly unknown[],
  node: Statement,
): Context => {
  switch (name) {
    case "beforeEach": {
      const body = bodyOf(args.at(-1));
      if (!body) return context;
      const pages = [...context.pages, ...pagesOf(args.at(-1))];
      return { ...context, before: [...context.before, body], pages };
    }
    case "beforeAll":
    case "afterAll":
    case "afterEach":
      return {
        ...context,
        notes: [...context.notes, noteOf(node, `test.${name} is not supported.`)],
      };
    case "use":
      return withSettings(context, args[0], node);
    default:
      return context;
  }
};

const withSettings = (context: Context, given: unknown, node: Statement): Context => {
  const settings = new Map(context.settings);
  const properties = propertiesOf(given);
  const notes = [...context.notes];
  const other = () =>
    notes.push(noteOf(node, "test.use: only viewport and baseURL are supported."));
  if (!properties) other();
  for (const [key, value] of properties ?? []) {
    const size = propertiesOf(value);
    const [width, height] = [integerOf(size?.get("width")), integerOf(size?.get("height"))];
    const text = textOf(value, noText);
    if (key === "viewport" && width !== null && height !== null)
      settings.set(key, `${width}x${height}`);
    else if (key === "baseURL" && text !== null) settings.set(key, text);
    else other();
  }
  return { ...context, settings, notes };
};

const TAG = /(?:^|\s)@([\p{L}\p{N}_-]+)/gu;

/** Reads tags from the title and from the details, `{ tag: "@smoke" }`. */
const tagsOf = (title: string, args: readonly unknown[]): string[] => {
  const given = bare(args.length > 2 ? propertiesOf(args[1])?.get("tag") : null);
  const listed = given?.type === "ArrayExpression" ? given.elements : [given];
  const texts = listed.flatMap((each) => textOf(each, noText) ?? []);
  const titled = Array.from(title.matchAll(TAG), (match) => match[1] ?? "");
  return [
    ...new Set([...titled, ...texts.map((text) => asName(text.replace(/^@/, ""), ""))]),
  ].filter(Boolean);
};

/** Reads the name of the page from the parameters, `{ page }` or `{ page: shop }`. Defaults to `page`. */
const pagesOf = (given: unknown): readonly string[] => {
  const node = bare(given);
  if (node?.type !== "ArrowFunctionExpression" && node?.type !== "FunctionExpression")
    return ["page"];
  const [first] = node.params;
  if (first?.type !== "ObjectPattern") return ["page"];
  const names = first.properties.flatMap((property) => {
    if (property.type !== "ObjectProperty" || property.key.type !== "Identifier") return [];
    const isPage = property.key.name === "page" && property.value.type === "Identifier";
    return isPage && property.value.type === "Identifier" ? [property.value.name] : [];
  });
  return names.length > 0 ? names : ["page"];
};

/** Reads a script that opens a browser, at top level or in a function that is called immediately. */
const scriptIn = (body: readonly Statement[]): Found[] => {
  const functions = body.flatMap((node) => {
    if (node.type !== "ExpressionStatement") return [];
    const expression = bare(node.expression);
    if (expression?.type !== "CallExpression") return [];
    const inner = bodyOf(expression.callee) ?? bodyOf(callOf(expression as Call)?.args.at(-1));
    return inner ? [inner] : [];
  });
  const statements = functions[0] ?? body.filter(({ type }) => type !== "ImportDeclaration");
  const usesPage = JSON.stringify(statements, (key, value) =>
    key === "loc" ? undefined : value,
  ).includes('"name":"goto"');
  if (!usesPage) return [];
  return [{ ...emptyContext, title: "", body: statements, pages: ["page"] }];
};

/** Top-level constants with a known text. */
const constantsOf = (body: readonly Statement[]): ReadonlyMap<string, string> => {
  const found = new Map<string, string>();
  for (const node of body) {
    if (node.type !== "VariableDeclaration" || node.kind !== "const") continue;
    for (const { id, init } of node.declarations) {
      const text =
        id.type === "Identifier" ? textOf(init, (name) => found.get(name) ?? null) : null;
      if (id.type === "Identifier" && text !== null) found.set(id.name, text);
    }
  }
  return found;
};
