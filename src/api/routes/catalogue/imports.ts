import { z } from "zod";
import { readImportFile } from "../../../commands/catalogue/importFiles.ts";
import type { CommandContext } from "../../../commands/kernel/context.ts";
import { importFormats } from "../../../domain/formats/detectFormat.ts";
import { ApiError } from "../../apiError.ts";
import { type Upload, upload } from "../../edge/multipart.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id, idParams, timestamp } from "../../schemas.ts";
import type { Services } from "../../services.ts";
import { owned } from "../kernel/ownership.ts";
import { parseWarning } from "./content.ts";
import { testExample, textExample, warningExample } from "./examples.ts";
import { placeOf } from "./places.ts";

/** The maximum size of a file, in bytes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;
/** Files with more tests are imported in the background. */
const MAX_AT_ONCE = 100;

const importedItem = z
  .object({
    position: z.int().positive().describe("The position in the file, from 1."),
    name: z.string().nullable(),
    status: z
      .enum(["created", "valid", "refused"])
      .describe("`valid` in a dry run: the test would be created."),
    test_id: id.nullable(),
    step_count: z.int().nullable(),
    detail: z.string().nullable().describe("The reason of a refusal."),
    warnings: z.array(parseWarning),
  })
  .meta({ id: "ImportResult", description: "The result of importing one test." });

type ImportedItem = z.output<typeof importedItem>;

const itemExample: ImportedItem = {
  position: 1,
  name: "Sign in",
  status: "created",
  test_id: testExample.id,
  step_count: 2,
  detail: null,
  warnings: [warningExample],
};

const place = {
  format: z.enum(importFormats).optional(),
  project_id: id.nullable().optional(),
  folder_id: id.nullable().optional(),
};

/** Media types of a body that is the file itself. A JSON array is one too. */
const FILE_TYPES = [
  ...["application/yaml", "application/x-yaml", "text/yaml", "text/x-yaml"],
  ...["text/x-gherkin", "application/zip", "text/typescript", "text/plain"],
];

const importTests = defineOperation({
  id: "importTests",
  method: "POST",
  path: "/tests/import",
  tag: "Import",
  summary:
    "Import tests from JSON, YAML, a bundle, Selenium IDE, Gherkin, Playwright, or a ZIP of such files, with a result for each",
  auth: "member",
  permission: "catalogue:write",
  query: z.object({
    dry_run: z
      .enum(["true", "false"], "must be true or false")
      .default("false")
      .transform((text) => text === "true"),
    // The fields of a form, for a body that is the file itself.
    format: place.format,
    project_id: id.optional(),
    folder_id: id.optional(),
  }),
  body: z.union(
    [
      z.strictObject({
        content: z.string("is required, the text of the file").min(1, "must not be empty"),
        file_name: z
          .string()
          .max(255)
          .optional()
          .describe(
            "The file name, whose extension determines the format if `format` is absent and the content is ambiguous.",
          ),
        ...place,
      }),
      z.strictObject({ file: upload, ...place }),
    ],
    "must have content, the text of a file, or be a form with a file",
  ),
  multipart: { maxBytes: MAX_FILE_BYTES, only: false, types: FILE_TYPES },
  responses: {
    200: z.object({
      dry_run: z.boolean(),
      created: z.int(),
      refused: z.int(),
      items: z.array(importedItem),
    }),
    /** The response for more than 100 tests, which are imported in the background. */
    202: z.object({ import_id: id, total: z.int() }),
  },
  errors: [403, 413, 415],
  example: {
    body: { content: JSON.stringify([{ name: "Sign in", text: textExample }]) },
    response: { dry_run: false, created: 1, refused: 0, items: [itemExample] },
    accepted: { import_id: "019a5a6e-3f05-7000-8000-5a1de1f0a011", total: 250 },
  },
  handler: async ({ body, query, context, services }) => {
    const { file, name } = fileOf(body);
    const format = body.format ?? query.format;
    const items = await readImportFile({ bytes: file, name, format });
    const how = {
      ...(await checkedPlace(services, context, { ...placeIn(query), ...placeIn(body) })),
      dryRun: query.dry_run,
    };
    const { commands } = services.catalogue;
    if (items.length > MAX_AT_ONCE) {
      const whole = { bytes: file, name, format: format ?? null };
      const importId = await commands.openImport(context, whole, items.length, how);
      return {
        status: 202,
        body: { import_id: importId, total: items.length },
        headers: { location: `/api/v1/tests/imports/${importId}` },
      };
    }
    const numbered = items.map((item, index) => ({ item, position: index + 1 }));
    const { answers, receipt } = await commands.importTests(context, numbered, how);
    const count = (wanted: ImportedItem["status"]) =>
      answers.filter(({ status }) => status === wanted).length;
    return {
      status: 200,
      body: {
        dry_run: query.dry_run,
        created: count("created"),
        refused: count("refused"),
        items: answers,
      },
      receipt,
    };
  },
});

/** The place that a query or a body names. */
const placeIn = ({ project_id, folder_id }: Parameters<typeof checkedPlace>[2]) => ({
  ...(project_id !== undefined && { project_id }),
  ...(folder_id !== undefined && { folder_id }),
});

/** The bytes and the name of the sent text or file. */
const fileOf = (
  body: { readonly content: string; readonly file_name?: string | undefined } | { file: Upload },
): { readonly file: Uint8Array; readonly name: string } => {
  if ("file" in body) return { file: body.file.bytes, name: body.file.fileName };
  return { file: Buffer.from(body.content), name: body.file_name ?? "" };
};

/** The target folder or project. Throws ApiError 422 if it does not exist, 403 if it is foreign, before any import. */
const checkedPlace = async (
  services: Services,
  context: CommandContext,
  body: {
    readonly project_id?: string | null | undefined;
    readonly folder_id?: string | null | undefined;
  },
): Promise<{ readonly projectId: string | null; readonly folderId: string | null }> => {
  const { projectId = null, folderId = null } = await placeOf(services, context, body);
  if (projectId !== null && !context.again) {
    const found = await services.catalogue.queries.findProject(projectId);
    if (!found) throw new ApiError(422, `project_id: there is no project ${projectId}.`);
    if (found.organization_id !== context.organizationId) {
      throw new ApiError(403, "The project belongs to another organisation.");
    }
  }
  return { projectId, folderId };
};

/** The default page size. */
const PAGE = 50;

const readImport = defineOperation({
  id: "readImport",
  method: "GET",
  path: "/tests/imports/{id}",
  tag: "Import",
  summary: "Read the progress and the results of a background import",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: z.object({
    limit: z.coerce.number("must be a number from 1 to 100").int().min(1).max(100).default(PAGE),
    cursor: z.coerce
      .number("must be the next_cursor of the page before")
      .int()
      .min(0)
      .default(0)
      .describe("The `next_cursor` of the previous page: the position of its last item."),
  }),
  responses: {
    200: z.object({
      id,
      status: z.enum(["running", "finished"]),
      dry_run: z.boolean(),
      total: z.int(),
      done: z.int(),
      created: z.int(),
      refused: z.int(),
      created_at: timestamp,
      finished_at: timestamp.nullable(),
      items: z.array(importedItem),
      next_cursor: z.int().nullable(),
    }),
  },
  example: {
    response: {
      id: testExample.id,
      status: "running",
      dry_run: false,
      total: 5_000,
      done: 1,
      created: 1,
      refused: 0,
      created_at: testExample.created_at,
      finished_at: null,
      items: [itemExample],
      next_cursor: null,
    },
  },
  handler: async ({ params, query, principal, services }) => {
    const { commands } = services.catalogue;
    const found = await commands.findImport(params.id);
    const own = owned(
      found && { ...found, organization_id: found.organizationId },
      principal,
      "import",
    );
    const answers = await commands.listImportAnswers(own.id, query.cursor, query.limit);
    const items = answers.slice(0, query.limit);
    const { created = 0, refused = 0, valid = 0 } = own.counts;
    return {
      status: 200,
      body: {
        id: own.id,
        status: own.finishedAt === null ? "running" : "finished",
        dry_run: own.request.dryRun,
        total: own.total,
        done: created + refused + valid,
        created,
        refused,
        created_at: own.createdAt,
        finished_at: own.finishedAt,
        items,
        next_cursor: answers.length > query.limit ? (items.at(-1)?.position ?? null) : null,
      },
    };
  },
});

export const importOperations: readonly Operation[] = [importTests, readImport];
