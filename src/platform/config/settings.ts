import path from "node:path";
import { z } from "zod";
import { databaseUrlProblem, withExplicitTls } from "../database/connectionString.ts";
import { eventLogUrlProblem } from "../eventLog/connectionString.ts";
import { LOG_LEVELS } from "../logger.ts";
import {
  allowed,
  anchors,
  hasProtocol,
  isOrigin,
  isSender,
  issuer,
  list,
  masterKey,
  natsUrlProblem,
  prices,
  refused,
  trustProxy,
  unless,
  urlOf,
  webAddress,
  wholeNumber,
} from "./valueTypes.ts";

/** The roles of a process of the service. */
export const ROLES = [
  "api",
  "projections",
  "dispatcher",
  "scheduler",
  "notifier",
  "executor",
] as const;

export type Role = (typeof ROLES)[number];

const isRole = (text: string): text is Role => (ROLES as readonly string[]).includes(text);

const roles = z.string().transform((text, context): readonly Role[] => {
  const named = list(text);
  if (named.length === 1 && named[0] === "all") return ROLES;
  const known = named.filter(isRole);
  if (named.length === 0 || known.length < named.length) {
    context.addIssue({
      code: "custom",
      message: `"all", or some of ${ROLES.join(", ")} with commas between`,
    });
    return z.NEVER;
  }
  return ROLES.filter((role) => known.includes(role));
});

/** A bucket and the prefix of its keys. */
export const S3_ADDRESS =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)?\/?)?$/;

/** The payment provider: `dev` charges nothing. */
const PAYMENT_PROVIDERS = ["dev", "provider-a", "provider-b"] as const;

/** Each setting: its type and its default. */
export const Settings = z.object({
  PORT: wholeNumber(0, 65_535).default(3000),
  HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/, refused("an address to listen on, such as 127.0.0.1"))
    .default("127.0.0.1"),
  DATA_DIR: z
    .string()
    .default(".data")
    .transform((folder) => path.resolve(folder)),
  ROLES: roles.default(ROLES),
  PUBLIC_URL: webAddress.nullable().default(null),
  WEB_BASE_URL: webAddress.nullable().default(null),
  CORS_ORIGINS: z
    .string()
    .transform(list)
    .refine(
      (origins) => origins.every(isOrigin),
      refused("origins with commas between, such as https://app.example.org (no path, no *)"),
    )
    .default([]),
  COOKIE_SAMESITE: z.enum(["strict", "lax", "none"], refused("strict, lax or none")).default("lax"),
  EVENTSTORE_URL: z.string().superRefine(unless(eventLogUrlProblem)).nullable().default(null),
  DATABASE_URL: urlOf(
    ["postgres", "postgresql"],
    "a connection string such as postgres://user:password@host:5432/runledger",
  )
    .superRefine(unless((text) => (URL.canParse(text) ? databaseUrlProblem(text) : null)))
    .transform((text) => (URL.canParse(text) ? withExplicitTls(text) : text))
    .nullable()
    .default(null),
  NATS_URL: z.string().superRefine(unless(natsUrlProblem)).nullable().default(null),
  BLOB_STORE: z
    .string()
    .refine(
      (text) => hasProtocol(text, ["file"]) || S3_ADDRESS.test(text),
      refused("a folder, as file:///path, or a bucket, as s3://bucket/prefix"),
    )
    .nullable()
    .default(null),
  S3_ENDPOINT: webAddress.nullable().default(null),
  S3_PATH_STYLE: z.enum(["true", "false"], refused("true or false")).optional(),
  AWS_REGION: z.string().default("us-east-1"),
  AWS_ACCESS_KEY_ID: z.string().nullable().default(null),
  AWS_SECRET_ACCESS_KEY: z.string().nullable().default(null),
  AWS_SESSION_TOKEN: z.string().nullable().default(null),
  SMTP_URL: urlOf(
    ["smtp", "smtps"],
    "a mail server such as smtp://user:password@mail.example.org:587",
  )
    .nullable()
    .default(null),
  MAIL_FROM: z
    .string()
    .refine(isSender, refused("a sender such as Runledger <mail@example.org>"))
    .nullable()
    .default(null),
  MASTER_KEY: masterKey.nullable().default(null),
  PAYMENT_PROVIDER: z.enum(PAYMENT_PROVIDERS, refused(PAYMENT_PROVIDERS.join(", "))).default("dev"),
  PROVIDER_A_WEBHOOK_SECRET: z.string().nullable().default(null),
  PROVIDER_A_PRICES: prices.default({}),
  PROVIDER_A_API_KEY: z.string().nullable().default(null),
  PROVIDER_A_API_URL: webAddress.nullable().default(null),
  PROVIDER_B_SECRET_KEY: z.string().nullable().default(null),
  PROVIDER_B_WEBHOOK_SECRET: z.string().nullable().default(null),
  PROVIDER_B_PRICES: prices.default({}),
  PROVIDER_B_API_URL: webAddress.nullable().default(null),
  OAUTH_GOOGLE_ISSUER: issuer.default("https://accounts.google.com"),
  OAUTH_GOOGLE_CLIENT_ID: z.string().nullable().default(null),
  OAUTH_GOOGLE_CLIENT_SECRET: z.string().nullable().default(null),
  OAUTH_MICROSOFT_ISSUER: issuer.default("https://login.microsoftonline.com/common/v2.0"),
  OAUTH_MICROSOFT_CLIENT_ID: z.string().nullable().default(null),
  OAUTH_MICROSOFT_CLIENT_SECRET: z.string().nullable().default(null),
  ADMIN_EMAILS: z
    .string()
    .transform(list)
    .refine(
      (addresses) => addresses.every((address) => /^[^\s<>@,]+@[^\s<>@,]+$/.test(address)),
      refused("e-mail addresses with commas between, such as ops@example.org"),
    )
    .default([]),
  AUDIT_ANCHORS: anchors.default([]),
  EXECUTION_NETWORK: z.enum(["open", "public"], refused("open or public")).optional(),
  EXECUTOR_CONCURRENCY: wholeNumber(1, 64).default(2),
  TRUST_PROXY: trustProxy.default(false),
  EXECUTION_ALLOW: allowed.default([]),
  BROWSER_PATH_CHROMIUM: z.string().nullable().default(null),
  BROWSER_PATH_FIREFOX: z.string().nullable().default(null),
  BROWSER_PATH_WEBKIT: z.string().nullable().default(null),
  BYO_KEY_ENABLED: z.enum(["true", "false"], refused("true or false")).default("false"),
  LLM_BASE_URL: webAddress.nullable().default(null),
  LLM_API_KEY: z.string().nullable().default(null),
  LLM_MODEL: z.string().max(200).nullable().default(null),
  RATE_LIMIT: z.enum(["on", "off"], refused("on or off")).default("on"),
  METRICS_PORT: wholeNumber(0, 65_535).nullable().default(null),
  METRICS_HOST: z
    .string()
    .regex(/^[A-Za-z0-9.:-]+$/, refused("an address to listen on, such as 127.0.0.1"))
    .default("127.0.0.1"),
  OTEL_EXPORTER_OTLP_ENDPOINT: webAddress.nullable().default(null),
  OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: webAddress.nullable().default(null),
  OTEL_TRACES_EXPORTER: z.string().nullable().default(null),
  OTEL_SDK_DISABLED: z.string().default("false"),
  LOG_LEVEL: z.enum(LOG_LEVELS, refused(LOG_LEVELS.join(", "))).default("info"),
});

/** The settings of a process, each read by itself. */
export type Parsed = z.output<typeof Settings>;
