import path from "node:path";
import type { BlobSettings } from "./blobs/openBlobStore.ts";
import { findConflicts } from "./config/conflicts.ts";
import { type Parsed, ROLES, S3_ADDRESS, Settings } from "./config/settings.ts";
import { LOOPBACK } from "./config/valueTypes.ts";
import { isTracingEnabled } from "./tracing/enabled.ts";

export { ROLES, type Role } from "./config/settings.ts";

/** The environment of a process, read by its entry point alone. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** All invalid settings. The message is for the operator and contains no secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Wrong settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** Names of the settings, for the documentation's own test. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape);

/** The settings of a process. Times in ms; null means "not set": the embedded part is used. */
export type Config = ReturnType<typeof toConfig>;

/**
 * Reads the settings. An empty value counts as not set. Throws ConfigError with every problem: the name of the setting
 * and the expected value.
 */
export const loadConfig = (environment: Environment): Config => {
  const given = Object.fromEntries(
    SETTING_NAMES.flatMap((name) => {
      const value = environment[name]?.trim();
      return value ? [[name, value]] : [];
    }),
  );
  const parsed = Settings.safeParse(given);
  if (!parsed.success) {
    throw new ConfigError(
      parsed.error.issues.map((issue) => `${issue.path.join(".")} should be ${issue.message}`),
    );
  }
  const problems = findConflicts(parsed.data);
  if (problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.data);
};

const blobStoreOf = (settings: Parsed): BlobSettings => {
  const { BLOB_STORE: store } = settings;
  const [, bucket, prefix = ""] = S3_ADDRESS.exec(store ?? "") ?? [];
  if (bucket === undefined) {
    const folder =
      store === null
        ? path.join(settings.DATA_DIR, "blobs")
        : decodeURIComponent(new URL(store).pathname);
    return { kind: "folder", folder };
  }
  return { kind: "s3", bucket, prefix, ...s3Of(settings) };
};

const s3Of = (settings: Parsed) => {
  const { AWS_ACCESS_KEY_ID: accessKeyId, AWS_SECRET_ACCESS_KEY: secretAccessKey } = settings;
  const { AWS_SESSION_TOKEN: sessionToken, AWS_REGION: region } = settings;
  const { S3_ENDPOINT: endpoint, S3_PATH_STYLE: pathStyle } = settings;
  return {
    ...{ endpoint, region },
    // S3-compatible servers rarely support virtual-hosted buckets.
    pathStyle: pathStyle === undefined ? endpoint !== null : pathStyle === "true",
    credentials:
      accessKeyId === null || secretAccessKey === null
        ? null
        : { accessKeyId, secretAccessKey, ...(sessionToken === null ? {} : { sessionToken }) },
  };
};

const modelOf = ({ LLM_BASE_URL, LLM_API_KEY, LLM_MODEL }: Parsed) =>
  LLM_BASE_URL === null || LLM_MODEL === null
    ? null
    : { baseUrl: LLM_BASE_URL, apiKey: LLM_API_KEY, model: LLM_MODEL };

const clientOf = (issuer: string, clientId: string | null, clientSecret: string | null) =>
  clientId === null || clientSecret === null ? null : { issuer, clientId, clientSecret };

const toConfig = (settings: Parsed) => ({
  dataDir: settings.DATA_DIR,
  roles: settings.ROLES,
  ...serverOf(settings),
  ...backendsOf(settings),
  ...mailOf(settings),
  ...paymentsOf(settings),
  ...signInOf(settings),
  ...executionOf(settings),
  ...telemetryOf(settings),
  masterKey: settings.MASTER_KEY,
  /** Null: no language model interprets lines that the grammar does not understand. */
  languageModel: modelOf(settings),
  byoKeyEnabled: settings.BYO_KEY_ENABLED === "true",
});

const serverOf = (settings: Parsed) => ({
  port: settings.PORT,
  host: settings.HOST,
  /** null: the address it listens on. */
  publicUrl: settings.PUBLIC_URL,
  /** null: the same as publicUrl. */
  webBaseUrl: settings.WEB_BASE_URL,
  corsOrigins: settings.CORS_ORIGINS,
  cookieSameSite: settings.COOKIE_SAMESITE,
  trustProxy: settings.TRUST_PROXY,
  rateLimit: settings.RATE_LIMIT === "on",
});

const backendsOf = (settings: Parsed) => ({
  eventstoreUrl: settings.EVENTSTORE_URL,
  databaseUrl: settings.DATABASE_URL,
  natsUrl: settings.NATS_URL,
  blobStore: blobStoreOf(settings),
});

const mailOf = (settings: Parsed) => ({
  /** null: mail is written to files in `mailFolder`. */
  smtpUrl: settings.SMTP_URL,
  mailFolder: path.join(settings.DATA_DIR, "outbox"),
  mailFrom: settings.MAIL_FROM ?? "Runledger <runledger@localhost>",
});

const paymentsOf = (settings: Parsed) => ({
  paymentProvider: settings.PAYMENT_PROVIDER,
  providerA: {
    webhookSecret: settings.PROVIDER_A_WEBHOOK_SECRET,
    prices: settings.PROVIDER_A_PRICES,
    apiKey: settings.PROVIDER_A_API_KEY,
    /** null: the provider's own. */
    apiUrl: settings.PROVIDER_A_API_URL,
  },
  providerB: {
    secretKey: settings.PROVIDER_B_SECRET_KEY,
    webhookSecret: settings.PROVIDER_B_WEBHOOK_SECRET,
    prices: settings.PROVIDER_B_PRICES,
    /** null: the provider's own. */
    apiUrl: settings.PROVIDER_B_API_URL,
  },
});

const signInOf = (settings: Parsed) => ({
  /** Null disables the sign-in. */
  oauth: {
    google: clientOf(
      settings.OAUTH_GOOGLE_ISSUER,
      settings.OAUTH_GOOGLE_CLIENT_ID,
      settings.OAUTH_GOOGLE_CLIENT_SECRET,
    ),
    microsoft: clientOf(
      settings.OAUTH_MICROSOFT_ISSUER,
      settings.OAUTH_MICROSOFT_CLIENT_ID,
      settings.OAUTH_MICROSOFT_CLIENT_SECRET,
    ),
  },
  /** Addresses of the administrators of the service. */
  adminEmails: settings.ADMIN_EMAILS,
});

const executionOf = (settings: Parsed) => {
  // A separate executor is in a network of its own, whatever address the service listens on.
  const onLaptop = LOOPBACK.test(settings.HOST) && settings.ROLES.length === ROLES.length;
  const network: "open" | "public" = onLaptop ? "open" : "public";
  return {
    /** The places that receive checkpoints of the log. */
    auditAnchors: settings.AUDIT_ANCHORS,
    /** The access to buckets. */
    s3: s3Of(settings),
    executionNetwork: settings.EXECUTION_NETWORK ?? network,
    executorConcurrency: settings.EXECUTOR_CONCURRENCY,
    /** Further hosts and networks that tests may reach under `public`. */
    executionAllow: settings.EXECUTION_ALLOW,
    /** Null: the executor searches for the browser. */
    browserPaths: {
      chromium: settings.BROWSER_PATH_CHROMIUM,
      firefox: settings.BROWSER_PATH_FIREFOX,
      webkit: settings.BROWSER_PATH_WEBKIT,
    },
  };
};

const telemetryOf = (settings: Parsed) => ({
  /** Null disables the metrics. */
  metricsPort: settings.METRICS_PORT,
  metricsHost: settings.METRICS_HOST,
  /** Whether traces are sent; OpenTelemetry's SDK reads its own settings. */
  tracing: isTracingEnabled(settings),
  logLevel: settings.LOG_LEVEL,
});
