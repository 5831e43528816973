import { z } from "zod";
import { reportFormats } from "../../../domain/resultImports/report.ts";
import { ApiError } from "../../apiError.ts";
import { upload } from "../../edge/multipart.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id } from "../../schemas.ts";
import { runSummaryExample } from "../runs/examples.ts";

/** The maximum size of a report, in bytes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

const imported = z
  .object({
    run_id: id,
    duplicate: z
      .boolean()
      .describe(
        "Whether the same file was imported into this project before. Nothing was recorded then.",
      ),
    format: z.enum(reportFormats),
    status: z.enum(["passed", "failed", "errored"]),
    tests: z.int().describe("The number of executed tests in the report."),
    skipped: z.int().describe("The number of skipped tests in the report. They are not recorded."),
  })
  .meta({ id: "ResultImport", description: "The outcome of importing a report." });

const importResults = defineOperation({
  id: "importResults",
  method: "POST",
  path: "/runs/import",
  tag: "Runs",
  summary:
    "Import results from JUnit XML or Playwright's JSON report, without using quota; a repeated file is recorded once",
  auth: "member",
  permission: "runs:dispatch",
  query: z.object({
    project_id: id
      .optional()
      .describe("The project of the tests. The same report in another project means other tests."),
  }),
  multipart: {
    maxBytes: MAX_FILE_BYTES,
    only: false,
    types: ["application/xml", "text/xml", "application/json"],
  },
  body: z.strictObject(
    { file: upload, project_id: id.optional() },
    "must be the report, as the request body or as the file of a form",
  ),
  responses: { 200: imported },
  errors: [403, 413, 415],
  example: {
    response: {
      run_id: runSummaryExample.id,
      duplicate: false,
      format: "junit",
      status: "failed",
      tests: 186,
      skipped: 4,
    },
  },
  handler: async ({ body, query, context, principal, services }) => {
    const projectId = query.project_id ?? body.project_id ?? null;
    if (query.project_id !== undefined && (body.project_id ?? projectId) !== projectId) {
      throw new ApiError(422, "project_id: the query and the form name different projects");
    }
    if (projectId !== null && !context.again) {
      const found = await services.catalogue.queries.findProject(projectId);
      if (!found) throw new ApiError(422, `project_id: there is no project ${projectId}.`);
      if (found.organization_id !== principal.organizationId) {
        throw new ApiError(403, "The project belongs to another organisation.");
      }
    }
    const { commands } = services.resultImports;
    const done = await commands.importResults(context, body.file.bytes, projectId);
    const { runId, duplicate, format, status, tests, skipped, receipt } = done;
    return {
      status: 200,
      body: { run_id: runId, duplicate, format, status, tests, skipped },
      headers: { location: `/api/v1/runs/${runId}` },
      receipt,
    };
  },
});

/** Imports of other tools' results. */
export const resultImportOperations: readonly Operation[] = [importResults];
