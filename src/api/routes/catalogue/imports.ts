import { z } from "zod";
import { type CommandContext, partOf } from "../../../commands/kernel/context.ts";
import { joinReceipts, nothingRecorded, type Receipt } from "../../../commands/kernel/receipt.ts";
import { importFormats } from "../../../domain/catalogue/formats/detectFormat.ts";
import type { ImportedTest, ImportItem } from "../../../domain/catalogue/formats/imported.ts";
import { readImport } from "../../../domain/catalogue/formats/readImport.ts";
import { DomainError } from "../../../domain/kernel/errors.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { type Content, contentOfSteps, contentOfText, parseWarning } from "./content.ts";
import { testExample, textExample, warningExample } from "./examples.ts";
import { type Place, placeOf } from "./places.ts";

/** So many tests are written at a time. */
const ABREAST = 8;
/** So many are taken at once. */
const MAX_AT_ONCE = 100;

const importedItem = z.object({
  /** Its place in the file, from 1. */
  position: z.int().positive(),
  name: z.string().nullable(),
  /** `valid` in a dry run: it would be created. */
  status: z.enum(["created", "valid", "refused"]),
  test_id: id.nullable(),
  step_count: z.int().nullable(),
  /** Why it was refused. */
  detail: z.string().nullable(),
  warnings: z.array(parseWarning),
});

type ImportedItem = z.output<typeof importedItem>;
type Outcome = { readonly item: ImportedItem; readonly receipt: Receipt };

const importTests = defineOperation({
  id: "importTests",
  method: "POST",
  path: "/tests/import",
  tag: "Import",
  summary: "Create tests from a file of JSON, YAML or a bundle, with an answer for each",
  auth: "member",
  permission: "catalogue:write",
  query: z.object({
    dry_run: z
      .enum(["true", "false"], "must be true or false")
      .default("false")
      .transform((text) => text === "true"),
  }),
  body: z.strictObject({
    content: z.string("is required, the text of the file").min(1, "must not be empty"),
    format: z.enum(importFormats).optional(),
    project_id: id.nullable().optional(),
    folder_id: id.nullable().optional(),
  }),
  responses: {
    200: z.object({
      dry_run: z.boolean(),
      created: z.int(),
      refused: z.int(),
      items: z.array(importedItem),
    }),
  },
  errors: [403],
  example: {
    body: { content: JSON.stringify([{ name: "Sign in", text: textExample }]) },
    response: {
      dry_run: false,
      created: 1,
      refused: 0,
      items: [
        {
          position: 1,
          name: "Sign in",
          status: "created",
          test_id: testExample.id,
          step_count: 2,
          detail: null,
          warnings: [warningExample],
        },
      ],
    },
  },
  handler: async ({ body, query, context, services }) => {
    const found = readImport(body.content, body.format);
    if (found.length > MAX_AT_ONCE) {
      const problem = `it has ${found.length} tests, and ${MAX_AT_ONCE} are taken at once. Divide it`;
      throw new ApiError(422, `content: the file cannot be read: ${problem}.`);
    }
    const place = await placeOf(services, context, body);
    const outcomes: Outcome[] = [];
    for (let start = 0; start < found.length; start += ABREAST) {
      const some = found
        .slice(start, start + ABREAST)
        .map((item, index) =>
          take(services, context, item, { place, dryRun: query.dry_run, at: start + index }),
        );
      outcomes.push(...(await Promise.all(some)));
    }
    const items = outcomes.map(({ item }) => item);
    const count = (status: ImportedItem["status"]) =>
      items.filter((item) => item.status === status).length;
    return {
      status: 200,
      body: {
        dry_run: query.dry_run,
        created: count("created"),
        refused: count("refused"),
        items,
      },
      receipt: joinReceipts(outcomes.map(({ receipt }) => receipt)),
    };
  },
});

/** Takes one test of the file over; what is wrong with it is its own answer. Throws what would be wrong with each of them. */
const take = async (
  services: Services,
  context: CommandContext,
  item: ImportItem,
  how: { readonly place: Place; readonly dryRun: boolean; readonly at: number },
): Promise<Outcome> => {
  const base = { position: how.at + 1, name: item.name, test_id: null, step_count: null };
  const refused = (detail: string): Outcome => ({
    item: { ...base, status: "refused", detail, warnings: [] },
    receipt: nothingRecorded,
  });
  if (!item.ok) return refused(item.problem);
  let content: Content;
  try {
    content = contentOf(item.test);
  } catch (error) {
    if (error instanceof ApiError && error.status === 422) return refused(error.message);
    throw error;
  }
  const { steps } = content;
  const warnings = [...item.warnings, ...content.warnings];
  const told = {
    ...base,
    step_count: steps.length,
    detail: null,
    warnings: warnings.map((one) => ({ ...one, suggestions: [...one.suggestions] })),
  };
  if (how.dryRun) return { item: { ...told, status: "valid" }, receipt: nothingRecorded };
  const { name, language, platform } = item.test;
  const { projectId = null, folderId = null } = how.place;
  try {
    const written = await services.catalogue.commands.createTest(
      partOf(context, `test ${how.at}`),
      { name, language, platform, projectId, folderId, text: content.text, steps },
    );
    return {
      item: { ...told, status: "created", test_id: written.id },
      receipt: written.receipt,
    };
  } catch (error) {
    // The place is that of all of them.
    if (!(error instanceof DomainError) || !error.code.startsWith("test.")) throw error;
    return refused(error.message);
  }
};

/** Steps are taken as the file has them, with the words that they came from where it has both; else the words are read. */
const contentOf = ({ text, steps }: ImportedTest): Content => {
  if (steps === undefined) return contentOfText(text);
  return { ...contentOfSteps(steps), text };
};

export const importOperations: readonly Operation[] = [importTests];
