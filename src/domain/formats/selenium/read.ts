import { z } from "zod";
import { hasVariables } from "../../catalogue/values.ts";
import {
  asName,
  createFindings,
  distinctNames,
  type Findings,
  type ImportItem,
  itemOf,
  type Place,
  unreadable,
} from "../imported.ts";
import { seleniumCommands } from "./commands.ts";
import type { SeleniumCommand, Translation } from "./translation.ts";

const commandSchema = z.object({
  command: z.string(),
  target: z.string().default(""),
  value: z.string().default(""),
  comment: z.string().nullish(),
  opensWindow: z.boolean().optional(),
  windowHandleName: z.string().optional(),
});

const testSchema = z.object({
  name: z.string().default(""),
  commands: z.array(z.unknown()),
});

const fileSchema = z.object({
  url: z.string().default(""),
  tests: z.array(z.unknown()),
});

type Command = z.output<typeof commandSchema>;

/** Whether a JSON value looks like a project of Selenium IDE. */
export const isSeleniumProject = (value: unknown): boolean => {
  const parsed = z.object({ tests: z.array(z.unknown()) }).safeParse(value);
  if (!parsed.success) return false;
  const [first] = parsed.data.tests;
  return z.object({ commands: z.array(z.unknown()) }).safeParse(first).success;
};

/** Maximum depth of `run` commands. */
const MAX_RUNS = 10;
/** Maximum number of commands of a test, including those of the tests that it runs. */
const MAX_COMMANDS = 2_000;

/**
 * Reads a project of Selenium IDE (`.side`). Unsupported commands become warnings, whose line is the number of the
 * command in its test. Throws DomainError `import.unreadable` if the value is not a project.
 */
export const readSelenium = (value: unknown): readonly ImportItem[] => {
  const file = fileSchema.safeParse(value);
  if (!file.success)
    throw unreadable("it is not a project of Selenium IDE: it has no list of tests");
  const { url, tests } = file.data;
  const distinct = distinctNames();
  const read = tests.map((test) => testSchema.safeParse(test));
  const byName = new Map<string, readonly unknown[]>();
  for (const test of read) {
    if (test.success && !byName.has(test.data.name)) byName.set(test.data.name, test.data.commands);
  }
  return read.map((test, index): ImportItem => {
    if (!test.success) {
      return {
        ok: false,
        name: null,
        problem: "This is not a test of Selenium IDE: it has no commands.",
      };
    }
    const name = distinct(asName(test.data.name, `Test ${index + 1}`));
    const findings = createFindings();
    readCommands(newReading(url, byName, findings), test.data.commands, [test.data.name]);
    return itemOf(name, findings);
  });
};

/** Commands that start, end and divide blocks, which run conditionally or repeatedly. */
const BLOCK_START = new Set(["if", "while", "times", "do", "forEach"]);
const BLOCK_END = new Set(["end", "repeatIf"]);
const BLOCK_BRANCH = new Set(["else", "elseIf"]);

/** The state of reading one test. */
type Reading = {
  readonly baseUrl: string;
  readonly commandsByTest: ReadonlyMap<string, readonly unknown[]>;
  readonly findings: Findings;
  readonly constants: Map<string, string>;
  readonly frames: string[];
  /** The answer to the dialog that the next step opens. */
  announced: { readonly place: Place; readonly translation: Translation } | null;
  /** Number of open blocks. */
  depth: number;
  /** Number of commands read. */
  count: number;
};

const newReading = (
  baseUrl: string,
  commandsByTest: ReadonlyMap<string, readonly unknown[]>,
  findings: Findings,
): Reading => ({
  baseUrl,
  commandsByTest,
  findings,
  constants: new Map(),
  frames: [],
  announced: null,
  depth: 0,
  count: 0,
});

/** `chain`: names of the test and of the tests that it runs, down to this one. */
const readCommands = (
  reading: Reading,
  commands: readonly unknown[],
  chain: readonly string[],
): void => {
  const { findings } = reading;
  const outerDepth = reading.depth;
  for (const [index, raw] of commands.entries()) {
    reading.count += 1;
    const line = index + 1;
    const parsed = commandSchema.safeParse(raw);
    if (!parsed.success) {
      findings.warn({ line, text: "" }, "This is not a command: it has no name.");
      continue;
    }
    const { command, target, value } = parsed.data;
    const shown = [command, target, value].filter(Boolean).join(" | ");
    const place = { line, text: chain.length > 1 ? `${chain.at(-1)}: ${shown}` : shown };
    if (reading.count > MAX_COMMANDS) {
      if (reading.count === MAX_COMMANDS + 1) {
        findings.warn(
          place,
          `A test has at most ${MAX_COMMANDS} commands. This and all further commands are skipped.`,
        );
      }
      return;
    }
    readCommand(reading, parsed.data, place, chain);
  }
  reading.depth = outerDepth;
};

const readCommand = (
  reading: Reading,
  given: Command,
  place: Place,
  chain: readonly string[],
): void => {
  // Selenium IDE disables a command with two leading slashes.
  const disabled = given.command.startsWith("//");
  const name = given.command.replace(/^\/\//, "").trim();
  if (name === "" || name.startsWith("#")) return;
  if (isInBlock(reading, name, disabled, place)) return;
  if (name === "store" && !disabled) storeConstant(reading, given, place);
  else if (name === "run" && !disabled) runTest(reading, given, place, chain);
  else translate(reading, name, given, disabled, place);
};

/** Skips commands that start, end or are inside a block. */
const isInBlock = (reading: Reading, name: string, disabled: boolean, place: Place): boolean => {
  if (BLOCK_START.has(name) && !disabled) {
    reading.depth += 1;
    reading.findings.warn(
      place,
      "Conditions and loops are not supported: the commands of this block are skipped.",
    );
    return true;
  }
  if (BLOCK_END.has(name) && !disabled) {
    reading.depth = Math.max(0, reading.depth - 1);
    return true;
  }
  if (reading.depth === 0) return false;
  if (!BLOCK_BRANCH.has(name)) {
    reading.findings.warn(place, "The command is in a condition or loop and is skipped.");
  }
  return true;
};

const withConstants = ({ constants }: Reading, text: string): string =>
  text.replace(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole);

const storeConstant = (reading: Reading, given: Command, place: Place): void => {
  const value = withConstants(reading, given.target);
  if (hasVariables(value)) {
    reading.findings.warn(place, "A variable can only be stored from an element.");
  } else reading.constants.set(given.value.trim(), value);
};

const runTest = (
  reading: Reading,
  given: Command,
  place: Place,
  chain: readonly string[],
): void => {
  const { findings, commandsByTest } = reading;
  const called = withConstants(reading, given.target).trim();
  const commands = commandsByTest.get(called);
  if (!commands) {
    findings.warn(place, `There is no test ${JSON.stringify(called.slice(0, 100))} in this file.`);
  } else if (chain.includes(called)) findings.warn(place, "The test would run itself.");
  else if (chain.length > MAX_RUNS) {
    findings.warn(place, `Tests run each other at most ${MAX_RUNS} levels deep.`);
  } else readCommands(reading, commands, [...chain, called]);
};

const translate = (
  reading: Reading,
  name: string,
  given: Command,
  disabled: boolean,
  place: Place,
): void => {
  const toSteps = Object.hasOwn(seleniumCommands, name) ? seleniumCommands[name] : undefined;
  if (!toSteps) {
    reading.findings.warn(place, `The command ${name.slice(0, 60)} is not supported.`);
    return;
  }
  const command: SeleniumCommand = {
    name,
    target: withConstants(reading, given.target),
    value: withConstants(reading, given.value),
    baseUrl: reading.baseUrl,
    frames: reading.frames,
  };
  const translation = toSteps(command);
  if (translation.isAnnouncement) {
    reading.announced = { place, translation };
    return;
  }
  addSteps(reading, place, translation, { disabled, description: asName(given.comment ?? "", "") });
  const { announced } = reading;
  if (announced !== null && translation.steps.length > 0 && !disabled) {
    addSteps(reading, announced.place, announced.translation, { disabled: false, description: "" });
    reading.announced = null;
  }
};

const addSteps = (
  { findings }: Reading,
  place: Place,
  { steps, note }: Translation,
  { disabled, description }: { readonly disabled: boolean; readonly description: string },
): void => {
  let isAdded = false;
  for (const step of steps) {
    const own = steps.length === 1 ? description : "";
    if (findings.step(place, { ...step, description: own, disabled })) isAdded = true;
  }
  if (note !== null && (isAdded || steps.length === 0)) findings.warn(place, note);
};
