import { z } from "zod";
import { evidenceFiles } from "../../../domain/runs/executions/evidence.ts";
import { browserName } from "../../../domain/runs/verdict.ts";
import type { Artifact } from "../../../projections/runs/evidence.ts";
import { ApiError } from "../../apiError.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id, idParams, timestamp } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { deletedText, mustBeKept } from "./access.ts";

/** A file of one attempt in one browser. If the file is missing, `absent` gives the reason. */
const artifact = z
  .object({
    name: z.enum(evidenceFiles),
    attempt: z.int(),
    browser: browserName,
    content_type: z.string(),
    bytes: z.int(),
    url: z.string().nullable(),
    absent: z.string().nullable(),
    kept_at: timestamp,
  })
  .meta({ id: "Artifact", description: "A file recorded by an execution." });

const executionId = "0199c2a1-0c4f-7d02-9e33-0a1b2c3d4e5f";

const urlOf = (of: Pick<Artifact, "execution_id" | "name" | "attempt" | "browser">): string =>
  `/api/v1/executions/${of.execution_id}/artifacts/${of.name}?attempt=${of.attempt}&browser=${of.browser}`;

const listArtifacts = defineOperation({
  id: "listArtifacts",
  method: "GET",
  path: "/executions/{id}/artifacts",
  tag: "Executions",
  summary: "List the artifacts of an execution: trace, console, HAR, video",
  auth: "download",
  permission: "results:read",
  params: idParams,
  responses: { 200: z.object({ items: z.array(artifact), next_cursor: z.null() }) },
  example: {
    response: {
      items: [
        {
          name: "console.json",
          attempt: 1,
          browser: "chromium",
          content_type: "application/json",
          bytes: 1_204,
          url: `/api/v1/executions/${executionId}/artifacts/console.json?attempt=1&browser=chromium`,
          absent: null,
          kept_at: "2025-11-21T10:00:02.300Z",
        },
      ],
      next_cursor: null,
    },
  },
  handler: async ({ params, principal, services }) => {
    const { queries } = services.runs;
    owned(await queries.findExecutionSummary(params.id), principal, "execution");
    const found = await queries.artifactsOf(params.id);
    const deletion = (await queries.deletionsOf([params.id])).get(params.id);
    const items = found.map((one) => ({
      ...one,
      url: one.blob_key === null ? null : urlOf(one),
      absent: one.absent ?? (deletion ? deletedText(deletion) : null),
    }));
    return { status: 200, body: { items, next_cursor: null } };
  },
});

const readArtifact = defineOperation({
  id: "readArtifact",
  method: "GET",
  path: "/executions/{id}/artifacts/{name}",
  tag: "Executions",
  summary: "Download an artifact of an execution, by default of its last attempt and first browser",
  auth: "download",
  permission: "results:read",
  params: z.object({
    id,
    name: z.enum(evidenceFiles, `must be one of ${evidenceFiles.join(", ")}`),
  }),
  query: z.object({
    attempt: z
      .union([z.literal("last"), z.coerce.number().int().positive().max(2_147_483_647)])
      .default("last"),
    browser: browserName.optional(),
  }),
  responses: { 200: binary("*/*", "The file") },
  errors: [410],
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.runs;
    const summary = await queries.findExecutionSummary(params.id);
    await mustBeKept(services, owned(summary, principal, "execution"));
    const found = (await queries.artifactsOf(params.id)).filter(
      (one) =>
        one.name === params.name &&
        (query.attempt === "last" || one.attempt === query.attempt) &&
        (query.browser === undefined || one.browser === query.browser),
    );
    const last = Math.max(...found.map(({ attempt }) => attempt));
    const wanted = found.find(({ attempt }) => attempt === last);
    if (!wanted) throw new ApiError(404, `The execution has no ${params.name}.`);
    const blob = wanted.blob_key === null ? null : await services.blobs.get(wanted.blob_key);
    if (!blob) {
      throw new ApiError(404, `There is no ${params.name}: ${wanted.absent ?? "it was deleted."}`);
    }
    return {
      status: 200,
      body: blob.bytes,
      headers: {
        "content-type": wanted.content_type,
        "content-disposition": `attachment; filename="${wanted.browser}-${wanted.attempt}-${params.name}"`,
      },
    };
  },
});

/** Artifacts of executions other than screenshots. */
export const artifactOperations: readonly Operation[] = [listArtifacts, readArtifact];
