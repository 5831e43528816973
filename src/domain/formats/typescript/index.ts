import type { StepInput } from "../../catalogue/step.ts";
import { actionDefinitions, isAction } from "../../catalogue/vocabulary.ts";
import { inScriptOrder, leavingFrames, storedBy, switches } from "../script/order.ts";
import { scriptTarget } from "../script/target.ts";
import { expressionOf, oneLine, scriptVariables } from "../script/text.ts";
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
  const { steps } = document;
  const names = scriptVariables(
    steps.flatMap(({ target, value }) => [target, value]),
    storedBy(steps),
  );
  const isSwitched = switches(steps);
  const root = isSwitched ? "root" : "page";
  const ordered = inScriptOrder(steps);
  const leaving = leavingFrames(ordered);
  const active = steps.filter(({ disabled }) => !disabled);
  const endsInDialog = /_dialog$/.test(active.at(-1)?.action ?? "");
  const body = [
    ...(isSwitched ? [`${INDENT}let page = first;\n${INDENT}let root: Root = page;`] : []),
    ...ordered.map(({ step, position }) =>
      writeStep(step, position, names, root, leaving.has(position)),
    ),
    ...(endsInDialog ? [`${INDENT}await dialogsAnswered();`] : []),
  ].join("\n\n");
  const variables = [...names].map(([variable, name]) => {
    const setting = `process.env.TEST_${name.slice("var_".length).toUpperCase()}`;
    // Values of secrets are never exported: without the variable the test fails before its first step.
    return SECRET.test(variable)
      ? `const ${name} = ${setting} ?? missing(${typescriptString(variable)});`
      : `let ${name} = ${setting} ?? "";`;
  });
  const missing = variables.some((line) => line.includes("missing("))
    ? [
        'const missing = (name: string): never => {\n  throw new Error("There is no value for " + name);\n};',
      ]
    : [];
  const runtime = runtimeFor(body);
  const code = [...runtime, body].join("\n");
  const types = ["Frame", "Locator", "Page"].filter((name) =>
    new RegExp(`\\b${name}\\b`).test(code),
  );
  const api = [
    ...(/\bexpect\(/.test(code) ? ["expect"] : []),
    "test",
    ...types.map((name) => `type ${name}`),
  ];
  return `${[
    [
      typescriptComment(document.name),
      "// Exported by Runledger. To run: npm install -D @playwright/test && npx playwright install chromium && npx playwright test",
      `import { ${api.join(", ")} } from "@playwright/test";`,
    ].join("\n"),
    ...(code.includes("BASE_URL")
      ? [`const BASE_URL = process.env.BASE_URL ?? ${typescriptString(options.baseUrl ?? "")};`]
      : []),
    ...missing,
    ...(variables.length > 0 ? [variables.join("\n")] : []),
    ...runtime,
    [
      `test(${typescriptString(document.name)}, async ({ ${isSwitched ? "page: first" : "page"} }) => {`,
      `${INDENT}test.setTimeout(1_800_000);`,
      ...(body === "" ? [] : ["", body]),
      "});",
    ].join("\n"),
  ].join("\n\n")}\n`;
};

const typescriptComment = (text: string): string => `// ${oneLine(text)}`.trimEnd();

const writeStep = (
  step: StepInput,
  position: number,
  names: ReadonlyMap<string, string>,
  root: string,
  isLeaving: boolean,
): string => {
  const said = step.description || [step.action, step.target, step.value].filter(Boolean).join(" ");
  const leave = isLeaving ? `\n${INDENT}root = page;` : "";
  const comment = `${INDENT}${typescriptComment(`${position}. ${said}`)}`;
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
    : { candidates: "[]", locator: "page" };
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
