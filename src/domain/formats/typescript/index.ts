import type { StepInput } from "../../catalogue/step.ts";
import { actionDefinitions, isAction } from "../../catalogue/vocabulary.ts";
import { inScriptOrder, leavingFrames, storedBy, switches } from "../script/order.ts";
import { scriptTarget } from "../script/target.ts";
import { expressionOf, oneLine, scriptVariables, stepTitle } from "../script/text.ts";
import type { TestDocument } from "../testDocument.ts";
import { runtimeFor } from "./runtime.ts";
import { typescriptLocators } from "./target.ts";
import { typescriptString } from "./text.ts";

type TypescriptOptions = {
  /** The base of relative paths if BASE_URL is not set. */
  readonly baseUrl?: string;
};

const SECRET = /^secret\./i;
const INDENT = "  ";

/**
 * A test as a test of Playwright in TypeScript (@playwright/test 1.51 or newer) in a file by itself: BASE_URL,
 * TEST_<VARIABLE> and TIMEOUT come from the environment. Same document and options, same bytes.
 */
export const toTypescript = (document: TestDocument, options: TypescriptOptions = {}): string => {
  const { name, steps } = document;
  const names = scriptVariables(
    steps.flatMap(({ target, value }) => [target, value]),
    storedBy(steps),
  );
  const isSwitched = switches(steps);
  const body = bodyOf(steps, names, isSwitched);
  const runtime = runtimeFor(body);
  const code = [...runtime, body].join("\n");
  return `${[
    [
      typescriptComment(name),
      "// Exported by Runledger. To run: npm install -D @playwright/test && npx playwright install chromium && npx playwright test",
      importOf(code),
    ].join("\n"),
    ...(code.includes("BASE_URL")
      ? [`const BASE_URL = process.env.BASE_URL ?? ${typescriptString(options.baseUrl ?? "")};`]
      : []),
    ...variablesOf(names),
    ...runtime,
    [
      `test(${typescriptString(name)}, async ({ ${isSwitched ? "page: first" : "page"} }) => {`,
      `${INDENT}test.setTimeout(1_800_000);`,
      ...(body === "" ? [] : ["", body]),
      "});",
    ].join("\n"),
  ].join("\n\n")}\n`;
};

const bodyOf = (
  steps: readonly StepInput[],
  names: ReadonlyMap<string, string>,
  isSwitched: boolean,
): string => {
  const root = isSwitched ? "root" : "page";
  const ordered = inScriptOrder(steps);
  const leaving = leavingFrames(ordered);
  const active = steps.filter(({ disabled }) => !disabled);
  const endsInDialog = /_dialog$/.test(active.at(-1)?.action ?? "");
  return [
    ...(isSwitched ? [`${INDENT}let page = first;\n${INDENT}let root: Root = page;`] : []),
    ...ordered.map(({ step, position }) =>
      writeStep(step, position, names, root, leaving.has(position)),
    ),
    ...(endsInDialog ? [`${INDENT}await dialogsAnswered();`] : []),
  ].join("\n\n");
};

const MISSING =
  'const missing = (name: string): never => {\n  throw new Error("There is no value for " + name);\n};';

/** Declarations of the variables. Values of secrets are never exported: without a value the test fails at its start. */
const variablesOf = (names: ReadonlyMap<string, string>): string[] => {
  const lines = [...names].map(([variable, name]) => {
    const setting = `process.env.TEST_${name.slice("var_".length).toUpperCase()}`;
    return SECRET.test(variable)
      ? `const ${name} = ${setting} ?? missing(${typescriptString(variable)});`
      : `let ${name} = ${setting} ?? "";`;
  });
  const hasSecret = [...names.keys()].some((variable) => SECRET.test(variable));
  return [...(hasSecret ? [MISSING] : []), ...(lines.length > 0 ? [lines.join("\n")] : [])];
};

/** The import of the names that the code uses. */
const importOf = (code: string): string => {
  const types = ["Frame", "Locator", "Page"].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(code),
  );
  const names = [
    ...(/\bexpect\(/.test(code) ? ["expect"] : []),
    "test",
    ...types.map((name) => `type ${name}`),
  ];
  return `import { ${names.join(", ")} } from "@playwright/test";`;
};

const typescriptComment = (text: string): string => `// ${oneLine(text)}`.trimEnd();

const writeStep = (
  step: StepInput,
  position: number,
  names: ReadonlyMap<string, string>,
  root: string,
  isLeaving: boolean,
): string => {
  const leave = isLeaving ? `\n${INDENT}root = page;` : "";
  const comment = `${INDENT}${typescriptComment(stepTitle(step, position))}`;
  const statement = `${statementOf(step, names, root)};`;
  if (step.disabled) return `${comment} (disabled)\n${INDENT}// ${statement}`;
  if (!step.optional) return `${comment}${leave}\n${INDENT}${statement}`;
  return [
    `${comment} (optional)${leave}`,
    `${INDENT}try {`,
    `${INDENT}${INDENT}${statement}`,
    `${INDENT}} catch (problem) {`,
    `${INDENT}${INDENT}console.log(${typescriptString(`step ${position} is optional and failed:`)}, problem);`,
    `${INDENT}}`,
  ].join("\n");
};

const statementOf = (step: StepInput, names: ReadonlyMap<string, string>, root: string): string => {
  if (!isAction(step.action)) {
    return `throw new Error(${typescriptString(`No such action: ${step.action}`)})`;
  }
  const definition = actionDefinitions[step.action];
  const str = (text: string) => expressionOf(text, names, typescriptString);
  const writing = { language: typescriptLocators, str, root };
  const hasTarget = step.target.trim() !== "";
  const target = hasTarget
    ? scriptTarget(step.target, definition.purpose, writing)
    : { candidates: "[]", locator: "page", at: null };
  return definition.typescript({
    ...target,
    hasTarget,
    value: str(step.value),
    raw: step.value,
    rawTarget: step.target,
    text: str,
    element: (other) => scriptTarget(other, "look", writing).locator,
    variable: (name) => names.get(name) ?? "_",
    pattern: str(step.value),
  });
};
