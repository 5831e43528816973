import { z } from "zod";
import { reportFormats } from "../../../domain/resultImports/report.ts";
import { ApiError } from "../../apiError.ts";
import { upload } from "../../edge/multipart.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { id } from "../../schemas.ts";
import { runSummaryExample } from "../runs/examples.ts";

/** operations.md, "Limits", in bytes. */
const MAX_FILE_BYTES = 20 * 1024 * 1024;

const imported = z.object({
  run_id: id,
  /** The same file was imported for this project before: nothing was recorded now. */
  duplicate: z.boolean(),
  format: z.enum(reportFormats),
  status: z.enum(["passed", "failed", "errored"]),
  /** How many tests the report tells of that were run. */
  tests: z.int(),
  /** How many it names besides. They are not recorded. */
  skipped: z.int(),
});

const importResults = defineOperation({
  id: "importResults",
  method: "POST",
  path: "/runs/import",
  tag: "Runs",
  summary:
    "Take over what other tools found: JUnit XML, or the report of Playwright's reporter json. Nothing is run, no quota is taken; the same file again records nothing",
  auth: "member",
  permission: "runs:dispatch",
  query: z.object({
    /** The project that the tests belong to: in another one they are other tests. */
    project_id: id.optional(),
  }),
  multipart: {
    maxBytes: MAX_FILE_BYTES,
    only: false,
    types: ["application/xml", "text/xml", "application/json"],
  },
  body: z.strictObject(
    { file: upload, project_id: id.optional() },
    "must be the report: as the body, or as the file of a form",
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
      throw new ApiError(
        422,
        "project_id: names one project in the address and another in the form",
      );
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

/** Results of other tools. */
export const resultImportOperations: readonly Operation[] = [importResults];
