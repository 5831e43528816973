import multipart, { type MultipartFile, type MultipartValue } from "@fastify/multipart";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { z } from "zod";
import { ApiError } from "../apiError.ts";
import type { Operation } from "../operation.ts";

/** A file of a form. */
export type Upload = {
  /** File name from the client, without folders; empty if it sent none. */
  readonly fileName: string;
  readonly contentType: string;
  readonly bytes: Buffer;
};

/** Schema of the file field in the body of an operation with `multipart`. */
export const upload = z
  .custom<Upload>(
    (value) => typeof value === "object" && value !== null && "bytes" in value,
    "is required and must be a file",
  )
  .meta({ type: "string", format: "binary" });

const MAX_FIELDS = 20;
const MAX_FIELD_BYTES = 64 * 1024;
/** Allowance for boundaries, headers and fields besides the file, in bytes. */
export const FORM_OVERHEAD_BYTES = 256 * 1024;

/** Accepts multipart/form-data besides JSON in this scope. */
export const acceptForms = async (app: FastifyInstance): Promise<void> => {
  await app.register(multipart);
};

/** Accepts files of these media types as bodies, besides forms, in this scope. */
export const acceptFileBodies = async (
  app: FastifyInstance,
  types: readonly string[],
): Promise<void> => {
  await app.register(multipart);
  // A file in JSON replaces the parsed body; otherwise JSON stays the body with its fields.
  if (types.includes("application/json")) app.removeContentTypeParser("application/json");
  app.addContentTypeParser([...types], { parseAs: "buffer" }, (_request, body, done) =>
    done(null, body),
  );
};

/**
 * Reads the body of an operation with `multipart`: the fields of a form with its file as an Upload, a file body or
 * a JSON array as the field `file`, or a parsed JSON object. Throws ApiError 400 for a malformed form, 413 if the file is too large, 415 if the
 * operation requires a form.
 */
export const readMultipartBody = async (
  request: FastifyRequest,
  { maxBytes, only, types }: NonNullable<Operation["multipart"]>,
): Promise<unknown> => {
  if (!request.isMultipart()) {
    if (only) throw new ApiError(415, "Send the file as multipart/form-data.");
    const { body } = request;
    const bytes = types && Array.isArray(body) ? Buffer.from(JSON.stringify(body)) : body;
    if (!Buffer.isBuffer(bytes)) return body;
    const contentType = request.headers["content-type"] ?? "";
    return { file: { fileName: "", contentType, bytes } satisfies Upload };
  }
  if (Number(request.headers["content-length"] ?? 0) > maxBytes + FORM_OVERHEAD_BYTES) {
    throw tooLarge(maxBytes);
  }
  const fields = new Map<string, unknown>();
  const limits = {
    fileSize: maxBytes,
    files: 1,
    fields: MAX_FIELDS,
    fieldSize: MAX_FIELD_BYTES,
    parts: MAX_FIELDS + 1,
    headerPairs: 100,
  };
  try {
    for await (const part of request.parts({ limits })) {
      const value = part.type === "file" ? await fileOf(part) : textOf(part);
      if (fields.has(part.fieldname)) {
        throw new ApiError(422, `${part.fieldname}: occurs twice in the form`);
      }
      fields.set(part.fieldname, value);
    }
  } catch (error) {
    throw refusalOf(error, maxBytes);
  }
  return Object.fromEntries(fields);
};

const fileOf = async (part: MultipartFile): Promise<Upload> => {
  const bytes = await part.toBuffer();
  return { fileName: part.filename ?? "", contentType: part.mimetype, bytes };
};

const textOf = (part: MultipartValue): string => {
  const { fieldname, value } = part;
  if (part.fieldnameTruncated || part.valueTruncated) {
    throw new ApiError(413, `${fieldname.slice(0, 100)}: is longer than 64 KiB`);
  }
  if (typeof value !== "string") throw new ApiError(422, `${fieldname}: must be plain text`);
  return value;
};

const tooLarge = (maxBytes: number): ApiError =>
  new ApiError(413, `The file is larger than ${Math.floor(maxBytes / 1024 / 1024)} MiB.`, {
    connection: "close",
  });

/** Converts errors of the form parser. */
const refusalOf = (error: unknown, maxBytes: number): ApiError => {
  if (error instanceof ApiError) return error;
  const { code } = error as { code?: unknown };
  if (code === "FST_REQ_FILE_TOO_LARGE") return tooLarge(maxBytes);
  if (code === "FST_FILES_LIMIT") return new ApiError(422, "A form can contain only one file.");
  if (code === "FST_PARTS_LIMIT" || code === "FST_FIELDS_LIMIT") {
    return new ApiError(413, `A form can contain at most ${MAX_FIELDS} fields.`);
  }
  return new ApiError(400, "The body is not valid multipart/form-data.");
};
