import { z } from "zod";
import { fileKey } from "../../../commands/catalogue/files.ts";
import { fileNameProblem, MAX_FILE_BYTES } from "../../../domain/catalogue/projects/files.ts";
import type { FileRow } from "../../../projections/catalogue/environmentQueries.ts";
import { ApiError } from "../../apiError.ts";
import { upload } from "../../edge/multipart.ts";
import { defineOperation, type Operation } from "../../operation.ts";
import { binary, id, idParams, pageOf, pageQuery, timestamp, toPage } from "../../schemas.ts";
import { owned } from "../kernel/ownership.ts";
import { projectExample } from "./examples.ts";

const projectFile = z
  .object({
    id,
    project_id: id,
    name: z.string(),
    size: z.int().describe("In bytes."),
    content_type: z.string(),
    sha256: z.string(),
    created_at: timestamp,
  })
  .meta({ id: "ProjectFile", description: "A file for upload steps." });

const fileExample = {
  id: "0199c29f-55ee-7f66-9077-8192a3b4c5d6",
  project_id: projectExample.id,
  name: "invoice.pdf",
  size: 48_213,
  content_type: "application/pdf",
  sha256: "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08",
  created_at: projectExample.created_at,
};

const fileName = z.string().transform((text, check) => {
  const name = text.normalize("NFC");
  const problem = fileNameProblem(name);
  if (problem !== null) check.addIssue(problem);
  return name;
});

const fileParams = z.object({ id, name: fileName });

const fileBody = ({ organization_id: _, ...row }: FileRow) => row;

const listFiles = defineOperation({
  id: "listFiles",
  method: "GET",
  path: "/projects/{id}/files",
  tag: "Projects",
  summary: "List the upload files of a project, newest first",
  auth: "member",
  permission: "results:read",
  params: idParams,
  query: pageQuery,
  responses: { 200: pageOf(projectFile) },
  example: { response: { items: [fileExample], next_cursor: null } },
  handler: async ({ params, query, principal, services }) => {
    const { queries } = services.catalogue;
    owned(await queries.findProject(params.id), principal, "project");
    const rows = await queries.listFiles(params.id, query);
    return { status: 200, body: toPage(rows.map(fileBody), query.limit) };
  },
});

const addFile = defineOperation({
  id: "addFile",
  method: "POST",
  path: "/projects/{id}/files",
  tag: "Projects",
  summary: "Store a file for upload steps, replacing one of the same name; at most 20 MiB",
  auth: "member",
  permission: "catalogue:write",
  params: idParams,
  multipart: { maxBytes: MAX_FILE_BYTES, only: true },
  body: z.strictObject({
    file: upload,
    name: fileName.optional().describe("Defaults to the name of the uploaded file."),
  }),
  responses: { 201: projectFile },
  example: { response: fileExample },
  handler: async ({ params, body, context, principal, services }) => {
    const { commands, queries } = services.catalogue;
    if (!context.again) owned(await queries.findProject(params.id), principal, "project");
    const { fileName: given, contentType, bytes } = body.file;
    const name = body.name ?? given.normalize("NFC");
    const problem = fileNameProblem(name);
    if (problem !== null) throw new ApiError(422, `name: ${problem}`);
    const kept = { name, contentType: typeOf(contentType), bytes };
    const written = await commands.addFile(context, params.id, kept);
    const { fileId, size, sha256 } = written.state;
    return {
      status: 201,
      body: {
        id: fileId,
        project_id: params.id,
        name,
        size,
        content_type: kept.contentType,
        sha256,
        created_at: written.at ?? services.clock().toISOString(),
      },
      receipt: written.receipt,
    };
  },
});

/** A valid media type for a header; `application/octet-stream` if it is malformed. */
const typeOf = (contentType: string): string =>
  /^[\w.+-]{1,60}\/[\w.+-]{1,60}$/.test(contentType) ? contentType : "application/octet-stream";

const readFile = defineOperation({
  id: "readFile",
  method: "GET",
  path: "/projects/{id}/files/{name}",
  tag: "Projects",
  summary: "Download a file of a project",
  auth: "member",
  permission: "results:read",
  params: fileParams,
  responses: { 200: binary("application/octet-stream", "The content of the file") },
  handler: async ({ params, principal, services }) => {
    const { queries } = services.catalogue;
    owned(await queries.findProject(params.id), principal, "project");
    const row = await queries.findFile(params.id, params.name);
    const blob = row && (await services.blobs.get(fileKey(row.project_id, row.id)));
    if (!row || !blob) throw new ApiError(404, "The project has no file of this name.");
    return {
      status: 200,
      body: blob.bytes,
      headers: {
        // A browser must not render uploaded content in the origin of the service.
        "content-type": "application/octet-stream",
        "content-disposition": `attachment; filename="${plainly(row.name)}"; filename*=UTF-8''${encodeURIComponent(row.name)}`,
      },
    };
  },
});

/** A file name for clients that support only ASCII (RFC 6266, appendix D). */
const plainly = (name: string): string => name.replace(/[^\w. ()-]/g, "_");

const removeFile = defineOperation({
  id: "removeFile",
  method: "DELETE",
  path: "/projects/{id}/files/{name}",
  tag: "Projects",
  summary: "Delete a file of a project",
  auth: "member",
  permission: "catalogue:write",
  params: fileParams,
  responses: { 204: null },
  handler: async ({ params, context, principal, services }) => {
    const { commands, queries } = services.catalogue;
    if (!context.again) {
      owned(await queries.findProject(params.id), principal, "project");
      if (!(await queries.findFile(params.id, params.name))) {
        throw new ApiError(404, "The project has no file of this name.");
      }
    }
    return { status: 204, receipt: await commands.removeFile(context, params.id, params.name) };
  },
});

export const fileOperations: readonly Operation[] = [listFiles, addFile, readFile, removeFile];
