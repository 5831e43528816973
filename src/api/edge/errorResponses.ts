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
  /** Whether the error is logged. Its text is never sent to the caller. */
  readonly isFault: boolean;
};

/** `Retry-After` for an unavailable part, in seconds. */
const RETRY_SECONDS = "1";

/** Converts an error to a response. A 5xx reveals no stack, SQL or address. */
export const errorResponseOf = (error: unknown): ErrorResponse => {
  if (error instanceof ApiError) {
    return withAuthenticateHeader({
      status: error.status,
      detail: error.message,
      headers: error.headers,
      isFault: false,
    });
  }
  if (error instanceof DomainError) return domainResponse(error);
  const part = unavailablePart(error);
  if (part !== null) return unavailablePartResponse(part, error);
  if (isTransient(error)) {
    return unavailable(
      "The database is temporarily unavailable. Check whether the request was processed, or try again.",
    );
  }
  if (isSchemaMismatch(error)) {
    return unavailable("This read model is being rebuilt after an upgrade. Try again.");
  }
  if (error instanceof PasswordsBusyError) return busy;
  return frameworkResponse(error) ?? fault;
};

const busy: ErrorResponse = {
  status: 503,
  detail: "Too many concurrent sign-ins. Nothing was changed; try again.",
  headers: { "retry-after": "5" },
  isFault: false,
};

const fault: ErrorResponse = {
  status: 500,
  detail: "Internal error. The X-Request-Id of this response identifies it in the log.",
  headers: {},
  isFault: true,
};

/**
 * The outcome is unknown: a command may have been recorded before the part became unavailable. Not logged here: the
 * availability of parts is logged once, not per request.
 */
const unavailablePartResponse = (part: PartName, error: unknown): ErrorResponse => {
  const problem =
    error instanceof PartUnavailableError ? error.message : `${partTitles[part]} cannot be reached`;
  return {
    ...unavailable(
      `${problem} at the moment. Check whether the request was processed, or try again.`,
    ),
    isFault: false,
  };
};

const unavailable = (detail: string): ErrorResponse => ({
  status: 503,
  detail,
  headers: { "retry-after": RETRY_SECONDS },
  isFault: true,
});

/** `src/api/errors.ts` must list every code; an unlisted one is an internal error. */
const domainResponse = (error: DomainError): ErrorResponse => {
  const status = statusOfCode[error.code];
  if (status === undefined) return fault;
  const { link, retryAfter } = error.details;
  return withAuthenticateHeader({
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

const withAuthenticateHeader = (answer: ErrorResponse): ErrorResponse =>
  answer.status === 401
    ? { ...answer, headers: { "www-authenticate": "Bearer", ...answer.headers } }
    : answer;

/** Messages for errors of Fastify. */
const frameworkDetails: Readonly<Record<string, string>> = {
  FST_ERR_BAD_URL:
    "The URL is malformed: a % is not followed by two hexadecimal digits, or the result is not valid UTF-8.",
  FST_ERR_MAX_PARAM_LENGTH: "A part of the path is too long.",
  FST_ERR_CTP_INVALID_MEDIA_TYPE: "Send the body as application/json.",
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: "The length of the body differs from Content-Length.",
  FST_ERR_CTP_BODY_TOO_LARGE: "The body is larger than 1 MiB.",
};

const frameworkResponse = (error: unknown): ErrorResponse | null => {
  if (!(error instanceof Error)) return null;
  const { code, statusCode } = error as { code?: unknown; statusCode?: unknown };
  if (typeof statusCode !== "number" || statusCode < 400 || statusCode > 499) return null;
  const known = typeof code === "string" ? frameworkDetails[code] : undefined;
  return {
    status: statusCode,
    detail:
      known ??
      (statusCode === 416 ? "The file does not contain the requested range." : "Bad request."),
    headers: {},
    isFault: false,
  };
};
