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
import { type SeleniumCommand, seleniumCommands, type Translation } from "./commands.ts";

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

/** `run` may go so deep, and one test may come to so many commands by it. */
const MAX_RUNS = 10;
const MAX_COMMANDS = 2_000;

/**
 * Reads a project of Selenium IDE (`.side`), a test of ours for each of its tests. Commands without an equal are
 * warnings whose line is the command's number in its test. Throws DomainError `import.unreadable` for what is no project.
 */
export const readSelenium = (value: unknown): readonly ImportItem[] => {
  const file = fileSchema.safeParse(value);
  if (!file.success) throw unreadable("it is no project of Selenium IDE: it has no list of tests");
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
        problem: "It is no test of Selenium IDE: it has no commands.",
      };
    }
    const name = distinct(asName(test.data.name, `Test ${index + 1}`));
    const findings = createFindings();
    const reading = createReading(url, byName, findings);
    reading.all(test.data.commands, [test.data.name]);
    return itemOf(name, findings);
  });
};

/** What opens a block whose commands run only sometimes, or more than once. */
const OPENING = new Set(["if", "while", "times", "do", "forEach"]);
const CLOSING = new Set(["end", "repeatIf"]);
const BETWEEN = new Set(["else", "elseIf"]);

const createReading = (
  baseUrl: string,
  byName: ReadonlyMap<string, readonly unknown[]>,
  findings: Findings,
) => {
  const constants = new Map<string, string>();
  const frames: string[] = [];
  /** Answers to dialogs that are announced before the step that opens them. */
  let announced: { place: Place; translation: Translation } | null = null;
  let depth = 0;
  let count = 0;

  const put = (text: string): string =>
    text.replace(/\$\{(\w+)\}/g, (whole, name: string) => constants.get(name) ?? whole);

  const emit = (
    place: Place,
    { steps, note }: Translation,
    disabled: boolean,
    said: string,
  ): void => {
    let taken = false;
    for (const step of steps) {
      const description = steps.length === 1 ? said : "";
      if (findings.step(place, { ...step, description, disabled })) taken = true;
    }
    if (note !== null && (taken || steps.length === 0)) findings.warn(place, note);
  };

  const one = (given: Command, place: Place, chain: readonly string[]): void => {
    // A command that is switched off stands behind two slashes.
    const disabled = given.command.startsWith("//");
    const name = given.command.replace(/^\/\//, "").trim();
    if (name === "" || name.startsWith("#")) return;
    if (OPENING.has(name) && !disabled) {
      depth += 1;
      findings.warn(
        place,
        "A test runs from its first step to its last: what stands in this block is left out.",
      );
      return;
    }
    if (CLOSING.has(name) && !disabled) {
      depth = Math.max(0, depth - 1);
      return;
    }
    if (BETWEEN.has(name) && depth > 0) return;
    if (depth > 0) {
      findings.warn(place, "It stands in a block that runs only sometimes, or more than once.");
      return;
    }
    const said = asName(given.comment ?? "", "");
    if (name === "store" && !disabled) {
      const value = put(given.target);
      if (hasVariables(value))
        findings.warn(place, "A variable can be stored from an element alone.");
      else constants.set(given.value.trim(), value);
      return;
    }
    if (name === "run" && !disabled) {
      const called = put(given.target).trim();
      const commands = byName.get(called);
      if (!commands)
        findings.warn(
          place,
          `There is no test ${JSON.stringify(called.slice(0, 100))} in this file.`,
        );
      else if (chain.includes(called)) findings.warn(place, "The test would run itself.");
      else if (chain.length > MAX_RUNS) findings.warn(place, "Tests run each other too deeply.");
      else all(commands, [...chain, called]);
      return;
    }
    const command: SeleniumCommand = {
      name,
      target: put(given.target),
      value: put(given.value),
      baseUrl,
      frames,
    };
    const translate = Object.hasOwn(seleniumCommands, name) ? seleniumCommands[name] : undefined;
    if (!translate) {
      findings.warn(place, `Selenium IDE's ${name.slice(0, 60)} has no equal here.`);
      return;
    }
    const translation = translate(command);
    if (translation.isAnnouncement) {
      announced = { place, translation };
      return;
    }
    emit(place, translation, disabled, said);
    if (announced !== null && translation.steps.length > 0 && !disabled) {
      emit(announced.place, announced.translation, false, "");
      announced = null;
    }
  };

  const all = (commands: readonly unknown[], chain: readonly string[]): void => {
    const outside = depth;
    for (const [index, raw] of commands.entries()) {
      count += 1;
      const parsed = commandSchema.safeParse(raw);
      if (!parsed.success) {
        findings.warn({ line: index + 1, text: "" }, "It is no command: it has no name.");
        continue;
      }
      const { command, target, value } = parsed.data;
      const shown = [command, target, value].filter(Boolean).join(" | ");
      const place = {
        line: index + 1,
        text: chain.length > 1 ? `${chain.at(-1)}: ${shown}` : shown,
      };
      if (count > MAX_COMMANDS) {
        if (count === MAX_COMMANDS + 1) {
          findings.warn(
            place,
            `A test has more than ${MAX_COMMANDS} commands; from here on they are left out.`,
          );
        }
        return;
      }
      one(parsed.data, place, chain);
    }
    depth = outside;
  };

  return { all };
};
