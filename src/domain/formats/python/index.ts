import type { StepInput } from "../../catalogue/step.ts";
import { hasVariables, parsePattern } from "../../catalogue/values.ts";
import { actionDefinitions, isAction } from "../../catalogue/vocabulary.ts";
import { inScriptOrder, leavingFrames, storedBy, switches } from "../script/order.ts";
import { scriptTarget } from "../script/target.ts";
import { expressionOf, oneLine, scriptVariables, stepTitle } from "../script/text.ts";
import type { TestDocument } from "../testDocument.ts";
import { runtimeFor } from "./runtime.ts";
import { pythonLocators } from "./target.ts";
import { pythonRegExp, pythonString } from "./text.ts";

export type PythonOptions = {
  /** The base of relative paths if BASE_URL is not set. */
  readonly baseUrl?: string;
  /** Defaults of variables. A secret (`secret.…`) never gets one. */
  readonly variables?: Readonly<Record<string, string>>;
};

const pythonComment = (text: string): string => `# ${oneLine(text)}`.trimEnd();

const SECRET = /^secret\./i;
const INDENT = "    ";

/**
 * A test as a Playwright script in Python (sync API, Playwright 1.43 or newer) that runs by itself:
 * BASE_URL, TEST_<VARIABLE> and TIMEOUT come from the environment. Same document and options, same bytes.
 */
export const toPython = (document: TestDocument, options: PythonOptions = {}): string => {
  const { steps } = document;
  const stored = storedBy(steps);
  const names = scriptVariables(
    steps.flatMap(({ target, value }) => [target, value]),
    stored,
  );
  const root = switches(steps) ? "root" : "page";
  const ordered = inScriptOrder(steps);
  const leaving = leavingFrames(ordered);
  const written = ordered.map(({ step, position }) =>
    writeStep(step, position, names, root, leaving.has(position)),
  );
  // A function of comments alone is none.
  const isIdle = steps.every(({ disabled }) => disabled);
  const kept = stored.map((name) => names.get(name));
  const body = [
    ...(kept.length > 0 ? [`${INDENT}global ${kept.join(", ")}`] : []),
    ...(root === "root" ? [`${INDENT}root = page`] : []),
    ...written,
    ...(isIdle ? [`${INDENT}pass`] : []),
  ].join("\n\n");

  const variables = [...names].map(([variable, name]) => {
    const setting = pythonString(`TEST_${name.slice("var_".length).toUpperCase()}`);
    if (SECRET.test(variable)) return `${name} = os.environ[${setting}]`;
    const given = options.variables ?? {};
    const value = Object.hasOwn(given, variable) ? (given[variable] ?? "") : "";
    return `${name} = os.environ.get(${setting}, ${pythonString(value)})`;
  });
  const runtime = runtimeFor(body);
  const code = [...runtime, body].join("\n");
  const modules = ["base64", "functools", "itertools", "os", "re", "time"].filter(
    (module) => module === "os" || code.includes(`${module}.`),
  );
  const api = ["Error", "expect"].filter((name) => new RegExp(`\\b${name}\\b`).test(body));
  return [
    [
      pythonComment(document.name),
      "# Exported by Runledger. To run: pip install playwright && playwright install chromium",
      ...modules.map((module) => `import ${module}`),
      ...(code.includes("Path(") ? ["from pathlib import Path"] : []),
      "",
      `from playwright.sync_api import ${[...api, "sync_playwright"].join(", ")}`,
      "",
      `BASE_URL = os.environ.get("BASE_URL", ${pythonString(options.baseUrl ?? "")})`,
      ...variables,
    ].join("\n"),
    ...runtime,
    `def run(page):\n${body}`,
    MAIN,
    'if __name__ == "__main__":\n    main()\n',
  ].join("\n\n\n");
};

const MAIN = `def main():
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            headless="HEADED" not in os.environ,
            executable_path=os.environ.get("BROWSER_PATH_CHROMIUM") or None,
        )
        context = browser.new_context(base_url=BASE_URL or None)
        try:
            run(context.new_page())
        finally:
            context.close()
            browser.close()
    print("passed")`;

const writeStep = (
  step: StepInput,
  position: number,
  names: ReadonlyMap<string, string>,
  root: string,
  isLeaving: boolean,
): string => {
  const leave = isLeaving ? `\n${INDENT}root = page` : "";
  const comment = `${INDENT}${pythonComment(stepTitle(step, position))}`;
  const statement = statementOf(step, names, root);
  if (step.disabled) return `${comment} (disabled)\n${INDENT}# ${statement}`;
  if (!step.optional) return `${comment}${leave}\n${INDENT}${statement}`;
  return [
    `${comment} (optional)${leave}`,
    `${INDENT}try:`,
    `${INDENT}${INDENT}${statement}`,
    `${INDENT}except (AssertionError, Error) as problem:`,
    `${INDENT}${INDENT}print(${pythonString(`step ${position} is optional and failed:`)}, problem)`,
  ].join("\n");
};

const statementOf = (step: StepInput, names: ReadonlyMap<string, string>, root: string): string => {
  if (!isAction(step.action)) {
    return `raise NotImplementedError(${pythonString(`No such action: ${step.action}`)})`;
  }
  const definition = actionDefinitions[step.action];
  const str = (text: string) => expressionOf(text, names, pythonString);
  const hasTarget = step.target.trim() !== "";
  const writing = { language: pythonLocators, str, root };
  const target = hasTarget
    ? scriptTarget(step.target, definition.purpose, writing)
    : { candidates: "", locator: "page", at: null };
  return definition.python({
    ...target,
    hasTarget,
    value: str(step.value),
    raw: step.value,
    rawTarget: step.target,
    text: str,
    element: (other) => scriptTarget(other, "look", writing).locator,
    variable: (name) => names.get(name) ?? "_",
    pattern: patternOf(step.value, step.action === "assert_url", str),
  });
};

const patternOf = (raw: string, isAddress: boolean, str: (text: string) => string): string => {
  const pattern = parsePattern(raw);
  const dynamic = `pattern(${str(raw)}${isAddress ? ", address=True" : ""})`;
  if (hasVariables(raw) || pattern.kind === "wildcard") return dynamic;
  return pattern.kind === "regex" ? pythonRegExp(pattern.source, pattern.flags) : str(raw);
};
