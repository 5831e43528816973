import { z } from "zod";
import type { CommandContext } from "../commands/kernel/commandLoop.ts";
import type { Receipt } from "../commands/kernel/receipt.ts";
import type { Permission, Standing } from "../domain/organizations/permissions.ts";
import type { Services } from "./services.ts";

/** The tags of operations. */
export type Tag =
  | "Authentication"
  | "OAuth"
  | "Sessions"
  | "Email Verification"
  | "Settings"
  | "Connection"
  | "Organizations"
  | "Members"
  | "Invites"
  | "API Keys"
  | "Projects"
  | "Folders"
  | "Tags"
  | "Test Sets"
  | "Test Set Items"
  | "Tests"
  | "Test Steps"
  | "Parse"
  | "Import"
  | "Export"
  | "Test Export"
  | "Runner"
  | "Runs"
  | "Executions"
  | "Screenshots"
  | "Baselines"
  | "Reports"
  | "CLI"
  | "Schedules"
  | "Notifications"
  | "Plan"
  | "PlanChange"
  | "Catalog"
  | "Entitlements"
  | "Usage"
  | "Dashboard"
  | "Admin"
  | "Health";

/**
 * How callers authenticate:
 * `none`: not at all. `member`: session or API key. `session`: session only, without an organisation.
 * `admin`: session of a user whose verified address is in ADMIN_EMAILS.
 * `organization`: like `member`, for the organisation in the path; `X-Org-Id` must not name another one.
 * `apiKey`: API key only. `download`: like `member`, or the refresh cookie alone.
 * `refreshCookie`: the handler reads the cookie.
 */
export type AuthMode =
  | "none"
  | "member"
  | "organization"
  | "session"
  | "admin"
  | "apiKey"
  | "download"
  | "refreshCookie";

/** The authenticated caller. */
export type Principal =
  | {
      readonly kind: "api_key";
      readonly keyId: string;
      readonly keyName: string;
      readonly organizationId: string;
      readonly standing: Extract<Standing, "api_key">;
    }
  | {
      readonly kind: "session";
      readonly userId: string;
      readonly sessionId: string;
      /** The active organisation; null only in the modes `session` and `admin`. */
      readonly organizationId: string | null;
      readonly standing: Standing | null;
    };

/** The principal that a handler of each mode receives. */
type PrincipalOf<Mode extends AuthMode> = Mode extends "member" | "organization" | "download"
  ? Principal & { readonly organizationId: string; readonly standing: Standing }
  : Mode extends "apiKey"
    ? Extract<Principal, { kind: "api_key" }>
    : Mode extends "session" | "admin"
      ? Extract<Principal, { kind: "session" }>
      : null;

export type Cookie = {
  readonly name: string;
  /** Null removes the cookie. */
  readonly value: string | null;
  readonly maxAgeSeconds?: number;
  /** Overrides the setting COOKIE_SAMESITE for cookies that must survive a redirect from another site. */
  readonly sameSite?: "lax";
};

/** The response of a handler. With a receipt, it is sent once the read models have passed the write. */
export type OperationResponse = {
  readonly status: number;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly cookies?: readonly Cookie[];
  readonly receipt?: Receipt;
};

export type HandlerInput<Params, Query, Body, Mode extends AuthMode> = {
  readonly params: Params;
  readonly query: Query;
  readonly body: Body;
  readonly principal: PrincipalOf<Mode>;
  readonly services: Services;
  /** Actor, organisation and correlation id for commands. */
  readonly context: CommandContext;
  readonly request: {
    readonly ip: string;
    readonly userAgent: string;
    readonly cookies: Readonly<Record<string, string | undefined>>;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    /** The versions accepted by `If-Match`, in operations with `ifMatch`; null without the header. */
    readonly ifMatch: readonly number[] | null;
    /** In operations with `rawBody`; empty otherwise. */
    readonly rawBody: Buffer;
    /** Aborted when the caller disconnects or the service stops. */
    readonly signal: AbortSignal;
  };
};

/** A response that is not JSON: a download or a picture. */
export type BinaryResponse = {
  readonly contentType: string;
  readonly description: string;
  /** The content of a JSON file, for the documentation. */
  readonly schema?: z.ZodType;
};

/**
 * The contract and the handler of an operation. The router, validation, serialiser, OpenAPI, GraphQL and the typed
 * client derive from it.
 */
export type Operation = {
  /** `operationId`: verb and noun, `queueCloudRun`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Under /api/v1, in OpenAPI's notation: `/tests/{id}/steps`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  /** Details beyond the summary, in sentences. */
  readonly description?: string;
  readonly auth: AuthMode;
  /** Null allows every caller that `auth` accepts. */
  readonly permission: Permission | null;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** By status: a Zod schema for JSON, null for no body, or a binary response. */
  readonly responses: Readonly<Record<number, z.ZodType | BinaryResponse | null>>;
  /** Error statuses other than those that derive from the contract (400, 401, 403, 429, 500, 503 …). */
  readonly errors?: readonly number[];
  /**
   * Contract fields of body or query that this release does not support: they are rejected with 422 instead of being
   * ignored, and are not in openapi.json.
   */
  readonly later?: readonly string[];
  /** Changes a versioned resource and accepts `If-Match`. The handler passes `request.ifMatch` to the command, which refuses a stale version with 412. */
  readonly ifMatch?: true;
  /** Maximum size of the JSON body. Default: 1 MiB. */
  readonly maxBodyBytes?: number;
  /** Passes the unparsed body to the handler, because its signature covers the bytes. */
  readonly rawBody?: true;
  /**
   * Accepts multipart/form-data instead of JSON (`only`) or besides it. The form fields are the body; the file is an
   * `Upload` (src/api/edge/multipart.ts) of at most `maxBytes`, which also limits JSON.
   */
  readonly multipart?: {
    readonly maxBytes: number;
    readonly only: boolean;
    /**
     * Media types of a body that is the file itself, the field `file`. A JSON array is such a file; a JSON object too if
     * `application/json` is listed, else it is the body with its fields.
     */
    readonly types?: readonly string[];
  };
  /** Exports data of the organisation as a file. The audit log records the export with the id in the path before the response. */
  readonly exports?: { readonly what: string; readonly format: string };
  readonly example?: {
    readonly body?: unknown;
    readonly response?: unknown;
    /** The example of the 202 response, if another status has a body too. */
    readonly accepted?: unknown;
  };
  readonly handler: (input: never) => Promise<OperationResponse>;
};

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Defines an operation. Its schemas determine the type of the handler's input. */
export const defineOperation = <
  const Mode extends AuthMode,
  Params extends z.ZodType | undefined = undefined,
  Query extends z.ZodType | undefined = undefined,
  Body extends z.ZodType | undefined = undefined,
>(
  operation: Omit<Operation, "auth" | "params" | "query" | "body" | "handler"> & {
    readonly auth: Mode;
    readonly params?: Params;
    readonly query?: Query;
    readonly body?: Body;
    readonly handler: (
      input: HandlerInput<Output<Params>, Output<Query>, Output<Body>, Mode>,
    ) => Promise<OperationResponse>;
  },
): Operation => operation as Operation;

/**
 * Whether an operation accepts an `Idempotency-Key`: every authenticated write, except operations whose responses
 * contain secrets, which must not be stored.
 */
export const takesIdempotencyKey = ({ method, auth, path }: Operation): boolean =>
  method !== "GET" &&
  auth !== "none" &&
  auth !== "refreshCookie" &&
  !SECRET_RESPONSES.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

/** Whether an operation returns a list, with the paging parameter \`limit\`. */
export const isList = ({ method, query }: Operation): boolean =>
  method === "GET" && query instanceof z.ZodObject && "limit" in query.shape;

const SECRET_RESPONSES = ["/auth", "/api-keys"];
