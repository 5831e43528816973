import { type DestinationStream, type Logger as PinoLogger, pino } from "pino";
import { withoutCredentials } from "./credentials.ts";

export type Logger = PinoLogger;

export const LOG_LEVELS = ["trace", "debug", "info", "warn", "error", "fatal", "silent"] as const;

export type LogLevel = (typeof LOG_LEVELS)[number];

/** Fields whose values are redacted in the first three levels of a log line. */
const SECRET_FIELDS = [
  "authorization",
  "cookie",
  '["set-cookie"]',
  '["x-api-key"]',
  "password",
  "new_password",
  "password_hash",
  "passwordHash",
  "token",
  "access_token",
  "refresh_token",
  "accessToken",
  "refreshToken",
  "key",
  "api_key",
  "apiKey",
  "master_key",
  "masterKey",
  "secret",
];

const at = (parent: string, field: string): string =>
  field.startsWith("[") ? `${parent}${field}` : `${parent}.${field}`;

const redactedPaths = SECRET_FIELDS.flatMap((field) => [field, at("*", field), at("*.*", field)]);

/**
 * Creates the logger of a process: JSON lines on stdout or `destination`. Secret fields become `[redacted]`,
 * and passwords in connection strings are removed from error messages.
 */
export const createLogger = (
  options: { level?: LogLevel; role?: string; destination?: DestinationStream } = {},
): Logger => {
  const settings = {
    level: options.level ?? "info",
    base: options.role === undefined ? {} : { role: options.role },
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: { paths: redactedPaths, censor: "[redacted]" },
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: describeError, error: describeError },
  };
  return options.destination ? pino(settings, options.destination) : pino(settings);
};

/** A child logger whose lines have the correlation id of a request, run or job. */
export const withCorrelation = (logger: Logger, correlationId: string): Logger =>
  logger.child({ correlation_id: correlationId });

const describeError = (error: unknown): unknown => {
  if (!(error instanceof Error)) return error;
  const { type, message, stack, ...rest } = pino.stdSerializers.err(error);
  const code: unknown = rest.code;
  return {
    type,
    message: withoutCredentials(message),
    stack: withoutCredentials(stack),
    ...(typeof code === "string" || typeof code === "number" ? { code } : {}),
  };
};
