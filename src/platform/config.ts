import { isIP } from "node:net";
import path from "node:path";
import { z } from "zod";
import type { BlobSettings } from "./blobs/openBlobStore.ts";
import { readNatsUrl } from "./bus/readNatsUrl.ts";
import { databaseUrlProblem, withExplicitTls } from "./database/connectionString.ts";
import { eventLogUrlProblem } from "./eventLog/connectionString.ts";
import { LOG_LEVELS } from "./logger.ts";
import { parseMasterKey } from "./masterKey.ts";
import { asksForTraces } from "./tracing/asked.ts";

/** What a process of the service does. */
export const ROLES = [
  "api",
  "projections",
  "dispatcher",
  "scheduler",
  "notifier",
  "executor",
] as const;

export type Role = (typeof ROLES)[number];

/** The environment of a process, read by its entry point alone. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** Settings that are wrong, all of them at once; the message is for the operator and holds no secret. */
export class ConfigError extends Error {
  readonly problems: readonly string[];

  constructor(problems: readonly string[]) {
    super(`Wrong settings:\n${problems.map((problem) => `  ${problem}`).join("\n")}`);
    this.name = "ConfigError";
    this.problems = problems;
  }
}

/** A bucket, and what the keys in it begin with. */
const S3_ADDRESS =
  /^s3:\/\/([a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/([A-Za-z0-9._-]+(?:\/[A-Za-z0-9._-]+)*)?\/?)?$/;

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|::1)$/;

const refused = (expected: string) => ({ error: expected });

const wholeNumber = (min: number, max: number) => {
  const expected = `a whole number from ${min} to ${max}`;
  return z
    .string()
    .regex(/^\d{1,9}$/, refused(expected))
    .transform(Number)
    .refine((value) => value >= min && value <= max, refused(expected));
};

const urlOf = (protocols: readonly string[], expected: string) =>
  z.string().refine((text) => hasProtocol(text, protocols), refused(expected));

const hasProtocol = (text: string, protocols: readonly string[]): boolean =>
  protocols.some((protocol) => text.startsWith(`${protocol}://`)) && URL.canParse(text);

const webAddress = urlOf(
  ["http", "https"],
  "an http(s) address such as https://runledger.example.org",
)
  .refine((text) => !/[?#]/.test(text), refused("an address without ? and #"))
  // These are shown: in links, tokens and messages.
  .refine((text) => !/^[^/]*\/\/[^/]*@/.test(text), refused("an address without user and password"))
  .transform((text) => text.replace(/\/+$/, ""));

/** Tokens of a provider are worth what the connection to it is: without TLS on this very machine alone. */
const issuer = webAddress.refine(
  (text) => text.startsWith("https://") || LOOPBACK.test(hostOf(text)),
  refused("the https address of an OpenID Connect provider, such as https://accounts.google.com"),
);

const hostOf = (text: string): string =>
  URL.canParse(text) ? new URL(text).hostname.replace(/^\[|\]$/g, "") : "";

const list = (text: string): string[] =>
  text
    .split(",")
    .map((item) => item.trim())
    .filter((item) => item !== "");

const isOrigin = (text: string): boolean =>
  hasProtocol(text, ["http", "https"]) && new URL(text).origin === text;

/** One address, with or without a name before it. */
const isSender = (text: string): boolean =>
  /^([^<>@,\p{Cc}]*<[^\s<>@,]+@[^\s<>@,]+>|[^\s<>@,]+@[^\s<>@,]+)$/u.test(text);

/** A setting whose text is looked at by a function that says what it should be instead. */
const unless =
  (problemOf: (text: string) => string | null) =>
  (text: string, context: z.core.$RefinementCtx<string>): void => {
    const message = problemOf(text);
    if (message !== null) context.addIssue({ code: "custom", message });
  };

const natsUrlProblem = (text: string): string | null => {
  const read = readNatsUrl(text);
  return "problem" in read ? read.problem : null;
};

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

const isAllowed = (one: string): boolean => {
  const [address = "", prefix, ...rest] = one.split("/");
  const family = isIP(address);
  if (family === 0) return /^(\*\.)?[a-z0-9_-]+(\.[a-z0-9_-]+)*$/i.test(one);
  const most = family === 4 ? 32 : 128;
  return rest.length === 0 && (prefix === undefined || (/^\d+$/.test(prefix) && +prefix <= most));
};

const allowed = z
  .string()
  .transform(list)
  .refine(
    (all) => all.every(isAllowed),
    refused("hosts and networks with commas between: shop.internal, *.internal, 10.1.0.0/16"),
  );

const trustProxy = z.string().transform((text, context): boolean | number | string[] => {
  if (text === "true" || text === "false") return text === "true";
  if (/^\d{1,2}$/.test(text)) return Number(text);
  const addresses = list(text);
  if (addresses.length > 0 && addresses.every((item) => /^[0-9a-f.:]+(\/\d{1,3})?$/i.test(item))) {
    return addresses;
  }
  context.addIssue({
    code: "custom",
    message: "true, false, the number of proxies in front, or their addresses (10.0.0.0/8)",
  });
  return z.NEVER;
});

/** Who takes the money: `dev` takes none. */
const PAYMENT_PROVIDERS = ["dev", "provider-a", "provider-b"] as const;

const priced = z.record(
  z.string().min(1).max(200),
  z.strictObject({
    plan: z.enum(["starter", "team", "business"]),
    interval: z.enum(["month", "year"]),
  }),
);

const prices = z.string().transform((text, context): z.output<typeof priced> => {
  try {
    return priced.parse(JSON.parse(text));
  } catch {
    context.addIssue({
      code: "custom",
      message:
        'JSON from price ids to plans, such as {"pri_1": {"plan": "team", "interval": "month"}}',
    });
    return z.NEVER;
  }
});

const masterKey = z.string().transform((text, context): Buffer => {
  const key = parseMasterKey(text);
  if (key) return key;
  context.addIssue({
    code: "custom",
    message: "32 random bytes as 64 hex digits or base64: openssl rand -hex 32",
  });
  return z.NEVER;
});

const Settings = z.object({
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
  NODE_ENV: z.string().default("production"),
  LOG_LEVEL: z.enum(LOG_LEVELS, refused(LOG_LEVELS.join(", "))).default("info"),
});

/** Names of the settings, for the documentation's own test. */
export const SETTING_NAMES: readonly string[] = Object.keys(Settings.shape);

/** The settings of a process. Times in ms; null means "not set": the embedded part is used. */
export type Config = ReturnType<typeof toConfig>;

/** Reads the settings. Throws ConfigError with every problem, each with the setting's name and what it should be. An empty value counts as not set. */
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
  const problems = contradictions(parsed.data);
  if (problems.length > 0) throw new ConfigError(problems);
  return toConfig(parsed.data);
};

type Parsed = z.output<typeof Settings>;

const contradictions = (settings: Parsed): string[] => {
  const problems: string[] = [];
  if (settings.EXECUTION_NETWORK === "open" && !LOOPBACK.test(settings.HOST)) {
    problems.push(
      `EXECUTION_NETWORK should be public: HOST is ${settings.HOST}, and whoever reaches it could have tests open addresses inside your network`,
    );
  }
  if (settings.COOKIE_SAMESITE === "none" && !settings.PUBLIC_URL?.startsWith("https://")) {
    problems.push(
      "PUBLIC_URL should be the service's https address: browsers take a cookie of COOKIE_SAMESITE=none over https alone",
    );
  }
  if (settings.SMTP_URL !== null && settings.MAIL_FROM === null) {
    problems.push(
      "MAIL_FROM should be set: with SMTP_URL, mail leaves the house and needs a sender that may be answered",
    );
  }
  for (const name of ["GOOGLE", "MICROSOFT"] as const) {
    const [id, secret] = [`OAUTH_${name}_CLIENT_ID`, `OAUTH_${name}_CLIENT_SECRET`] as const;
    if ((settings[id] === null) === (settings[secret] === null)) continue;
    problems.push(
      settings[id] === null
        ? `${id} should be set, as ${secret} is: the client that the provider knows this service as`
        : `${secret} should be set, as ${id} is: what the provider gave this service with it`,
    );
  }
  for (const [one, other] of [
    ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"],
    ["AWS_SECRET_ACCESS_KEY", "AWS_ACCESS_KEY_ID"],
  ] as const) {
    if (settings[one] === null && settings[other] !== null) {
      problems.push(`${one} should be set, as ${other} is: one is of no use without the other`);
    }
  }
  if (settings.LLM_BASE_URL !== null && settings.LLM_MODEL === null) {
    problems.push("LLM_MODEL should be set, as LLM_BASE_URL is: the name of the model to ask");
  }
  if (settings.ROLES.length < ROLES.length) {
    for (const name of ["EVENTSTORE_URL", "DATABASE_URL", "NATS_URL"] as const) {
      if (settings[name] === null) {
        problems.push(
          `${name} should be set: with some of the ROLES alone, this process shares log, tables and bus with others`,
        );
      }
    }
  }
  return problems;
};

const blobStoreOf = (settings: Parsed): BlobSettings => {
  const { BLOB_STORE: store, AWS_ACCESS_KEY_ID: accessKeyId } = settings;
  const [, bucket, prefix = ""] = S3_ADDRESS.exec(store ?? "") ?? [];
  if (bucket === undefined) {
    const folder =
      store === null
        ? path.join(settings.DATA_DIR, "blobs")
        : decodeURIComponent(new URL(store).pathname);
    return { kind: "folder", folder };
  }
  const { AWS_SECRET_ACCESS_KEY: secretAccessKey, AWS_SESSION_TOKEN: sessionToken } = settings;
  const { S3_ENDPOINT: endpoint, S3_PATH_STYLE: pathStyle, AWS_REGION: region } = settings;
  return {
    ...{ kind: "s3", bucket, prefix, endpoint, region },
    // Servers of others are seldom reached by a host for each bucket.
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

const toConfig = (settings: Parsed) => {
  // An executor apart is in somebody's network, whatever address it listens on itself.
  const onLaptop = LOOPBACK.test(settings.HOST) && settings.ROLES.length === ROLES.length;
  return {
    port: settings.PORT,
    host: settings.HOST,
    dataDir: settings.DATA_DIR,
    roles: settings.ROLES,
    /** null: the address it listens on. */
    publicUrl: settings.PUBLIC_URL,
    /** null: the same as publicUrl. */
    webBaseUrl: settings.WEB_BASE_URL,
    corsOrigins: settings.CORS_ORIGINS,
    cookieSameSite: settings.COOKIE_SAMESITE,
    eventstoreUrl: settings.EVENTSTORE_URL,
    databaseUrl: settings.DATABASE_URL,
    natsUrl: settings.NATS_URL,
    blobStore: blobStoreOf(settings),
    /** null: mail is written to files in `mailFolder`. */
    smtpUrl: settings.SMTP_URL,
    mailFolder: path.join(settings.DATA_DIR, "outbox"),
    mailFrom: settings.MAIL_FROM ?? "Runledger <runledger@localhost>",
    masterKey: settings.MASTER_KEY,
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
    /** null: nobody signs in there. */
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
    /** Who looks after the whole service. */
    adminEmails: settings.ADMIN_EMAILS,
    executionNetwork: settings.EXECUTION_NETWORK ?? (onLaptop ? "open" : "public"),
    executorConcurrency: settings.EXECUTOR_CONCURRENCY,
    trustProxy: settings.TRUST_PROXY,
    /** Hosts and networks that tests may reach under `public` besides. */
    executionAllow: settings.EXECUTION_ALLOW,
    /** null: found. */
    browserPaths: {
      chromium: settings.BROWSER_PATH_CHROMIUM,
      firefox: settings.BROWSER_PATH_FIREFOX,
      webkit: settings.BROWSER_PATH_WEBKIT,
    },
    /** null: no model is asked about lines that are not understood. */
    languageModel: modelOf(settings),
    byoKeyEnabled: settings.BYO_KEY_ENABLED === "true",
    rateLimit: settings.RATE_LIMIT === "on",
    /** null: nobody is told metrics. */
    metricsPort: settings.METRICS_PORT,
    metricsHost: settings.METRICS_HOST,
    /** Traces are sent: where to and how is read by OpenTelemetry's SDK itself. */
    tracing: asksForTraces(settings),
    /** What helps who writes programs against it, and nobody else: GraphQL tells its schema. */
    development: settings.NODE_ENV === "development",
    logLevel: settings.LOG_LEVEL,
  };
};
