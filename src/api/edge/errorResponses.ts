import { DomainError } from "../../domain/kernel/errors.ts";
import { unavailablePart } from "../../platform/availability.ts";
import { isSchemaMismatch, isTransient } from "../../platform/database/database.ts";
import { type PartName, PartUnavailableError, partTitles } from "../../platform/partHealth.ts";
import { PasswordsBusyError } from "../../stores/identity/passwords.ts";
import { ApiError } from "../apiError.ts";
import { statusOfCode } from "../errors.ts";

export type ErrorResponse = {
  readonly status: number;
  readonly detail: string;
  readonly headers: Readonly<Record<string, string>>;
  /** A fault of ours: the error itself goes to the log, never to the caller. */
  readonly isFault: boolean;
};

/** How long a caller should wait before it tries again what a part that is down refused, in seconds. */
const RETRY_SECONDS = "1";

/** What a caller is told of an error. Nothing of a 5xx but that it happened: no stack, no SQL, no address. */
export const errorResponseOf = (error: unknown): ErrorResponse => {
  if (error instanceof ApiError) {
    return withBearer({
      status: error.status,
      detail: error.message,
      headers: error.headers,
      isFault: false,
    });
  }
  if (error instanceof DomainError) return answerToDomain(error);
  const part = unavailablePart(error);
  if (part !== null) return away(part, error);
  if (isTransient(error)) {
    return unavailable(
      "The database could not take this just now. Look whether it was done, or try again.",
    );
  }
  if (isSchemaMismatch(error)) {
    return unavailable(
      "What this reads is not there as this release knows it: after an upgrade it is built anew. Try again.",
    );
  }
  if (error instanceof PasswordsBusyError) return busy;
  return answerToFramework(error) ?? fault;
};

/** No fault of ours: a crowd signs in. */
const busy: ErrorResponse = {
  status: 503,
  detail: "Too many people sign in at this moment. Nothing was changed; try again.",
  headers: { "retry-after": "5" },
  isFault: false,
};

const fault: ErrorResponse = {
  status: 500,
  detail: "Something went wrong on our side. The X-Request-Id of this answer names it in our log.",
  headers: {},
  isFault: true,
};

/**
 * Which part it is, and what that means: a command may have written before the part went away, so that nothing
 * was changed is not known here. The log has been told of the part once already, not for each call.
 */
const away = (part: PartName, error: unknown): ErrorResponse => {
  const what =
    error instanceof PartUnavailableError ? error.message : `${partTitles[part]} cannot be reached`;
  return {
    ...unavailable(`${what} just now. Look whether it was done, or try again.`),
    isFault: false,
  };
};

const unavailable = (detail: string): ErrorResponse => ({
  status: 503,
  detail,
  headers: { "retry-after": RETRY_SECONDS },
  isFault: true,
});

/** A code without a status is a fault of ours: the table in `src/api/errors.ts` must name every code. */
const answerToDomain = (error: DomainError): ErrorResponse => {
  const status = statusOfCode[error.code];
  if (status === undefined) return fault;
  const { link, retryAfter } = error.details;
  return withBearer({
    status,
    detail: error.message,
    headers: {
      ...(typeof link === "string" ? { link } : {}),
      ...(typeof retryAfter === "number" ? { "retry-after": String(retryAfter) } : {}),
      ...(status === 503 && typeof retryAfter !== "number" ? { "retry-after": RETRY_SECONDS } : {}),
    },
    isFault: status >= 500,
  });
};

const withBearer = (answer: ErrorResponse): ErrorResponse =>
  answer.status === 401
    ? { ...answer, headers: { "www-authenticate": "Bearer", ...answer.headers } }
    : answer;

/** What Fastify itself refuses, said for a person. */
const frameworkDetails: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL:
    "The URL is malformed: a % is not followed by two hexadecimal digits, or they are no UTF-8.",
  FST_ERR_MAX_PARAM_LENGTH: "A part of the path is too long.",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Send the body as application/json.",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The body is not as long as Content-Length says.",
  FST_ERR_CTP_BODY_TOO_LARGE: "The body is larger than 1 MiB.",
};

const answerToFramework = (error: unknown): ErrorResponse | null => {
  if (!(error instanceof Error)) return null;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return null;
  const known = typeof code === "string" ? frameworkDetails[code] : undefined;
  return {
    status: statusCode,
    detail: known ?? (statusCode === 416 ? "The file has no such range." : "Bad request."),
    headers: {},
    isFault: false,
  };
};
