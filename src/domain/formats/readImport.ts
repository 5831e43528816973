import { isAlias, isNode, parseAllDocuments, visit } from "yaml";
import { z } from "zod";
import { MAX_STEPS } from "../catalogue/step.ts";
import { MAX_TAGS_OF_TEST } from "../catalogue/tags.ts";
import { dataOfPlain, plainDataSchema } from "../catalogue/testData.ts";
import { DomainError } from "../kernel/errors.ts";
import { issueMessage } from "../kernel/issueMessage.ts";
import { displayName } from "../organizations/names.ts";
import { BUNDLE_FORMAT } from "./bundle.ts";
import { formatOfContent, type ImportFormat } from "./detectFormat.ts";
import { readGherkin } from "./gherkin/read.ts";
import { type ImportItem, unreadable } from "./imported.ts";
import { readPlaywright } from "./playwright/read.ts";
import { isSeleniumProject, readSelenium } from "./selenium/read.ts";

/** More tests than this are not in one file. */
export const MAX_ITEMS = 10_000;
/** YAML takes long to read: a file of this many characters is read in well under a second. */
const MAX_YAML = 300_000;

const draft = z.object({
  action: z.string(),
  target: z.string().optional(),
  value: z.string().optional(),
  description: z.string().optional(),
  optional: z.boolean().optional(),
  disabled: z.boolean().optional(),
});

const imported = z.object({
  name: displayName,
  language: z.literal("en", "must be en, the only supported language").default("en"),
  platform: z.literal("web", "must be web, the only supported platform").default("web"),
  text: z.string().default(""),
  steps: z.array(draft).optional(),
  data: plainDataSchema.transform(dataOfPlain).optional(),
  tags: z.array(displayName).max(MAX_TAGS_OF_TEST).default([]),
});

/**
 * Reads a file of tests. A malformed test is reported with its reason, and the others are read. Throws DomainError
 * `import.unreadable` if the file as a whole cannot be read: truncated, in another format, or with too many tests. YAML
 * with aliases, tags or duplicate keys is rejected because its meaning is not visible in the file.
 */
export const readImport = (content: string, format?: ImportFormat): readonly ImportItem[] => {
  const text = content.replace(/^\uFEFF/, "");
  const items = itemsOf(text, format ?? formatOfContent(text), format === undefined);
  if (items.length === 0) throw unreadable("there is no test in it");
  if (items.length > MAX_ITEMS) {
    throw unreadable(`it has ${items.length} tests, and ${MAX_ITEMS} are taken at once. Divide it`);
  }
  return items;
};

const itemsOf = (text: string, format: ImportFormat, isGuessed: boolean): readonly ImportItem[] => {
  switch (format) {
    case "gherkin":
      return readGherkin(text);
    case "playwright":
      return readPlaywright(text);
    case "side":
      return readSelenium(parseJson(text));
    case "yaml":
      return listOf(parseYaml(text)).map(readItem);
    case "json": {
      const found = parseJson(text);
      return isGuessed && isSeleniumProject(found)
        ? readSelenium(found)
        : listOf(found).map(readItem);
    }
    case "bundle": {
      const found = parseJson(text);
      if (!isBundle(found)) {
        throw unreadable(`it does not say that it is a bundle ("format": "${BUNDLE_FORMAT}")`);
      }
      return listOf(found).map(readItem);
    }
  }
};

const readItem = (item: unknown): ImportItem => {
  const count = countOfSteps(item);
  if (count > MAX_STEPS) {
    const problem = `steps: a test has ${MAX_STEPS} steps at most; this one has ${count}`;
    return { ok: false, name: nameOf(item), problem };
  }
  const parsed = imported.safeParse(item);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join(".") || "the test";
    const problem = `${where}: ${issue ? issueMessage(issue) : "is wrong"}`;
    return { ok: false, name: nameOf(item), problem };
  }
  const { data } = parsed;
  if (data.text.trim() === "" && data.steps === undefined) {
    return { ok: false, name: data.name, problem: "text: text or steps is required" };
  }
  return { ok: true, name: data.name, test: data, warnings: [] };
};

/** Counted before they are looked at one by one: there may be a million. */
const countOfSteps = (item: unknown): number => {
  if (typeof item !== "object" || item === null || !Object.hasOwn(item, "steps")) return 0;
  const { steps } = item as { readonly steps: unknown };
  return Array.isArray(steps) ? steps.length : 0;
};

const nameOf = (item: unknown): string | null => {
  const parsed = z.object({ name: displayName }).safeParse(item);
  return parsed.success ? parsed.data.name : null;
};

const isBundle = (value: unknown): boolean =>
  z.object({ format: z.literal(BUNDLE_FORMAT), version: z.literal(1) }).safeParse(value).success;

const listOf = (value: unknown): readonly unknown[] => {
  if (Array.isArray(value)) return value;
  const several = z.object({ tests: z.array(z.unknown()) }).safeParse(value);
  return several.success ? several.data.tests : [value];
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw unreadable("it is not JSON, or broken off");
  }
};

const parseYaml = (text: string): unknown => {
  if (text.length > MAX_YAML) throw unreadable(`YAML is read up to ${MAX_YAML} characters`);
  if (isTooDeep(text)) throw unreadable("it is nested too deeply");
  let values: unknown[];
  try {
    const documents = [...parseAllDocuments(text, { uniqueKeys: true, version: "1.2" })];
    for (const document of documents) {
      const [error] = document.errors;
      if (error) throw unreadable(error.message.split("\n")[0] ?? "it is not YAML");
      visit(document, (_, node) => {
        if (isAlias(node))
          throw unreadable("it has an alias (*). Repeat the aliased value instead");
        if (isNode(node) && node.tag !== undefined && !PLAIN_TAGS.has(node.tag)) {
          throw unreadable(`it has a tag (${node.tag.slice(0, 40)}): leave it out`);
        }
      });
    }
    values = documents.map((document) => document.toJS({ maxAliasCount: 0 }));
  } catch (error) {
    if (error instanceof DomainError) throw error;
    // The YAML reader failed, for example because nesting exceeded its stack.
    throw unreadable("it is not YAML that can be read");
  }
  return values.length === 1 ? values[0] : values;
};

/** Tags that the reader gives by itself to texts, numbers, lists and maps. */
const PLAIN_TAGS: ReadonlySet<string> = new Set(
  ["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`),
);

/** Real files nest less deeply, and the YAML reader takes seconds and overflows its stack on deeper ones. */
const MAX_BRACKETS = 500;
const MAX_DASHES = /(?:[-?][ \t]+){50}/;

const isTooDeep = (text: string): boolean => {
  if (MAX_DASHES.test(text)) return true;
  let depth = 0;
  for (const character of text) {
    if (character === "[" || character === "{") depth += 1;
    else if ((character === "]" || character === "}") && depth > 0) depth -= 1;
    if (depth > MAX_BRACKETS) return true;
  }
  return false;
};
