import { createRequire } from "node:module";
import path from "node:path";
import {
  cruise,
  type ICruiseOptions,
  type ICruiseResult,
  type IViolation,
} from "dependency-cruiser";
import extractTsConfig from "dependency-cruiser/config-utl/extract-ts-config";

/**
 * Checks the layers of src and web against .dependency-cruiser.cjs, and the rules themselves against
 * test/fixtures/brokenLayers, which breaks each of them: a rule that finds nothing there has lost its bite.
 */
const root = path.resolve(import.meta.dirname, "..");
const FIXTURE = path.join(root, "test/fixtures/brokenLayers");

type Rule = { name: string; comment?: string };
type Rules = { forbidden: Rule[]; options: ICruiseOptions };

const rules: Rules = createRequire(import.meta.url)("../.dependency-cruiser.cjs");

const violationsIn = async (baseDir: string): Promise<readonly IViolation[]> => {
  const { output } = await cruise(
    ["src", "web/src"],
    {
      ...rules.options,
      baseDir,
      validate: true,
      ruleSet: { forbidden: rules.forbidden },
    } as ICruiseOptions,
    undefined,
    { tsConfig: extractTsConfig(path.join(root, "tsconfig.json")) },
  );
  return (output as ICruiseResult).summary.violations;
};

const say = (line: string): void => {
  process.stdout.write(`${line}\n`);
};

const real = await violationsIn(root);
for (const { from, to, rule } of real) {
  const why = rules.forbidden.find(({ name }) => name === rule.name)?.comment ?? "";
  say(`${from} → ${to}\n  ${rule.name}: ${why}`);
}

const bitten = new Set((await violationsIn(FIXTURE)).map(({ rule }) => rule.name));
const toothless = rules.forbidden.filter(({ name }) => !bitten.has(name));
for (const { name } of toothless) {
  say(`The rule ${name} finds nothing in the fixture that breaks it: it no longer bites.`);
}

if (real.length + toothless.length > 0) process.exit(1);
say(`layers: ${rules.forbidden.length} rules hold, and each bites the fixture that breaks it`);
