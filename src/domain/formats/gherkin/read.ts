import { AstBuilder, compile, Errors, GherkinClassicTokenMatcher, Parser } from "@cucumber/gherkin";
import type { GherkinDocument, Pickle, PickleStep, Scenario, Step } from "@cucumber/messages";
import { dataOfPlain, plainDataSchema, type TestData } from "../../catalogue/testData.ts";
import { parseEnglish } from "../../english/parse.ts";
import { quote } from "../../english/words.ts";
import {
  asName,
  createFindings,
  distinctNames,
  type Findings,
  type ImportItem,
  itemOf,
  unreadable,
} from "../imported.ts";
import { type GherkinNote, readNote } from "./notes.ts";

/** In characters. Parsing so many takes less than a second. */
const MAX_LENGTH = 2_000_000;
/** Maximum number of steps of all scenarios, with outlines expanded. */
const MAX_STEPS_OF_FILE = 200_000;

/**
 * Reads a feature: one test for each scenario and each row of examples, with the steps of the background first. Steps that the
 * English grammar does not understand become warnings with their line. Throws DomainError `import.unreadable` if the source is
 * not Gherkin or not English.
 */
export const readGherkin = (source: string): readonly ImportItem[] => {
  if (source.length > MAX_LENGTH) throw unreadable(`a feature has up to ${MAX_LENGTH} characters`);
  const newId = counted();
  const document = parse(source, newId);
  const { feature } = document;
  if (!feature) throw unreadable("it contains no Feature");
  if (!/^en\b/.test(feature.language)) {
    throw unreadable(`its language is ${feature.language}, but only English is supported`);
  }
  mustBeBounded(document);
  const known = stepsOf(document);
  const notes = notesOf(document);
  const distinct = distinctNames();
  return compile(document, "", newId).map((pickle) => {
    const name = distinct(asName(pickle.name, asName(feature.name, "Scenario")));
    return readScenario(name, pickle, known, notes);
  });
};

const counted = (): (() => string) => {
  let count = 0;
  return () => {
    count += 1;
    return String(count);
  };
};

const parse = (source: string, newId: () => string): GherkinDocument => {
  try {
    return new Parser(new AstBuilder(newId), new GherkinClassicTokenMatcher()).parse(source);
  } catch (error) {
    if (!(error instanceof Errors.GherkinException)) throw error;
    const [first = error] = error.errors ?? [];
    const reason = first.message.replace(/^\((\d+):\d+\): /, "line $1: ").slice(0, 300);
    throw unreadable(`it is not Gherkin: ${reason}`);
  }
};

/** Scenarios and backgrounds of a feature and its rules. */
const partsOf = ({ feature }: GherkinDocument) => {
  const children = feature?.children ?? [];
  const inner = children.flatMap(({ rule }) => rule?.children ?? []);
  const all = [...children, ...inner];
  return {
    scenarios: all.flatMap(({ scenario }) => scenario ?? []),
    backgrounds: all.flatMap(({ background }) => background ?? []),
  };
};

const mustBeBounded = (document: GherkinDocument): void => {
  const { scenarios, backgrounds } = partsOf(document);
  const before = backgrounds.reduce((sum, { steps }) => sum + steps.length, 0);
  const rowsOf = ({ examples }: Scenario) =>
    examples.length === 0 ? 1 : examples.reduce((sum, { tableBody }) => sum + tableBody.length, 0);
  const total = scenarios.reduce(
    (sum, scenario) => sum + rowsOf(scenario) * (before + scenario.steps.length + 1),
    0,
  );
  if (total > MAX_STEPS_OF_FILE) {
    throw unreadable(`with its examples it has more than ${MAX_STEPS_OF_FILE} steps. Split it`);
  }
};

const stepsOf = (document: GherkinDocument): ReadonlyMap<string, Step> => {
  const { scenarios, backgrounds } = partsOf(document);
  const steps = [...backgrounds, ...scenarios].flatMap((part) => part.steps);
  return new Map(steps.map((step) => [step.id, step]));
};

/** Notes by line. */
const notesOf = ({ comments }: GherkinDocument): ReadonlyMap<number, GherkinNote> =>
  new Map(
    comments.flatMap(({ location, text }) => {
      const note = readNote(text);
      return note ? [[location.line, note] as const] : [];
    }),
  );

/** A sentence and its position in the file. */
type Line = {
  readonly text: string;
  /** The text with the keyword that `And` repeats. */
  readonly alone: string;
  readonly at: number;
  readonly note: GherkinNote | null;
};

const readScenario = (
  name: string,
  pickle: Pickle,
  known: ReadonlyMap<string, Step>,
  notes: ReadonlyMap<number, GherkinNote>,
): ImportItem => {
  const lines = pickle.steps.flatMap((step): Line[] => {
    const written = known.get(step.astNodeIds[0] ?? "");
    const at = written?.location.line ?? pickle.location?.line ?? 1;
    const note = notes.get(at - 1) ?? null;
    const keyword = written?.keyword.trim() ?? "*";
    const start = /^[A-Za-z]+$/.test(keyword) ? `${keyword} ` : "";
    return linesOf(step).map((text, index) => ({
      text: `${index === 0 ? start : "And "}${text}`,
      alone: `${KEYWORDS[step.type ?? ""] ?? ""}${text}`,
      at,
      note,
    }));
  });
  const text = lines.map((line) => line.text).join("\n");
  const tags = [...new Set(pickle.tags.map((tag) => asName(tag.name.slice(1), "")))].filter(
    Boolean,
  );
  const findings = createFindings();
  const hasNotes = lines.some(({ note }) => note !== null);
  // A note applies to the steps of its line, so lines with notes are parsed one by one.
  const parts = hasNotes ? lines.map((line) => [line]) : [lines];
  for (const part of parts) {
    const [first] = part;
    const { step: whole, data: _, ...ownFields } = first?.note ?? {};
    if (first && whole) {
      findings.step({ line: first.at, text: first.text }, { ...whole, ...ownFields });
      continue;
    }
    const read = parseEnglish(part.map((line) => (hasNotes ? line.alone : line.text)).join("\n"));
    for (const step of read.steps) {
      findings.step({ line: first?.at ?? 1, text: step.description }, { ...step, ...ownFields });
    }
    for (const warning of read.warnings) {
      findings.warnings.push({ ...warning, line: part[warning.line - 1]?.at ?? warning.line });
    }
  }
  // With notes, the text alone does not define the steps.
  const data = dataAbove(pickle, notes, findings);
  return itemOf(name, findings, { tags, text: hasNotes ? "" : text, data });
};

/** Data from the note above a scenario. Adds a warning if it is invalid. */
const dataAbove = (
  { location }: Pickle,
  notes: ReadonlyMap<number, GherkinNote>,
  findings: Findings,
): TestData | undefined => {
  const above = (location?.line ?? 1) - 1;
  const { data } = notes.get(above) ?? {};
  if (data === undefined) return undefined;
  const read = plainDataSchema.safeParse(data);
  if (read.success) return dataOfPlain(read.data);
  const [issue] = read.error.issues;
  const where = ["data", ...(issue?.path ?? [])].join(".");
  findings.warn(
    { line: above, text: "# runledger: {" },
    `${where} ${issue?.message ?? "is invalid"}`,
  );
  return undefined;
};

const KEYWORDS: Readonly<Record<string, string>> = {
  Context: "Given ",
  Action: "When ",
  Outcome: "Then ",
};

/** The sentences of a step, including those of its table or text. */
const linesOf = ({ text, argument }: PickleStep): readonly string[] => {
  const { docString, dataTable } = argument ?? {};
  if (docString) return [`${text.replace(/\s*:\s*$/, "")} ${quote(docString.content)}`];
  if (!dataTable) return [text];
  const rows = dataTable.rows.map(({ cells }) => cells.map(({ value }) => value));
  return sentencesOfTable(text, rows) ?? [`${text} (with a table of ${rows.length} rows)`];
};

/** Sentences that introduce a table of fields to fill, of expected texts, or of elements to click. */
const FILLING = /^(?:i|we|the user) (?:fill|enter|type|set|complete|provide|input)\b/i;
const CLAIMING =
  /^(?:(?:i|we|the user) (?:should )?(?:see|not see)|(?:i|we|the user) should not see)\b/i;
const CLICKING = /^(?:i|we|the user) (?:click|press|tap|check|tick|uncheck|untick)\b/i;
const HEADER =
  /^(?:field|label|name|element|key|input|text|value|item|button|link|message|option)s?$/i;

const sentencesOfTable = (
  text: string,
  rows: readonly (readonly string[])[],
): readonly string[] | null => {
  const width = rows[0]?.length ?? 0;
  const hasHeader = rows.length > 1 && (rows[0] ?? []).every((cell) => HEADER.test(cell.trim()));
  const body = hasHeader ? rows.slice(1) : rows;
  if (width === 2 && FILLING.test(text)) {
    return body.map(([field = "", value = ""]) => `I fill ${quote(field)} with ${quote(value)}`);
  }
  if (width !== 1) return null;
  if (CLAIMING.test(text)) {
    const isAbsent = /\bnot see\b/i.test(text);
    return body.map(([cell = ""]) => `I should ${isAbsent ? "not " : ""}see ${quote(cell)}`);
  }
  const verb = CLICKING.exec(text)?.[0];
  return verb === undefined ? null : body.map(([cell = ""]) => `${verb} ${quote(cell)}`);
};
