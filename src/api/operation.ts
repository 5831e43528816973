import type { z } from "zod";
import type { CommandContext } from "../commands/kernel/commandLoop.ts";
import type { Receipt } from "../commands/kernel/receipt.ts";
import type { Permission, Standing } from "../domain/organizations/permissions.ts";
import type { Services } from "./services.ts";

/** Tags of the spec's tag map that have operations. */
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
 * How a caller may prove who it is (operations.md, "Who may call"):
 * `none`; `member`: session or API key; `session`: session only, no organisation needed;
 * `admin`: as session, of a person whose verified address is in ADMIN_EMAILS;
 * `organization`: as member, of the organisation whose id is in the path (`X-Org-Id` may name no other);
 * `apiKey`: API key only; `download`: as member, or the refresh cookie alone;
 * `refreshCookie`: the handler reads the cookie itself.
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

/** Who is calling, once the credential was checked. */
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
      /** The organisation that the call is about; null only for operations of mode `session`. */
      readonly organizationId: string | null;
      readonly standing: Standing | null;
    };

/** The caller as an operation of each mode sees it: no check that the types already made. */
type PrincipalOf<Mode extends AuthMode> = Mode extends "member" | "organization" | "download"
  ? Principal & { readonly organizationId: string; readonly standing: Standing }
  : Mode extends "apiKey"
    ? Extract<Principal, { kind: "api_key" }>
    : Mode extends "session" | "admin"
      ? Extract<Principal, { kind: "session" }>
      : null;

export type Cookie = {
  readonly name: string;
  /** null removes it. */
  readonly value: string | null;
  readonly maxAgeSeconds?: number;
  /** Where it must be sent when another site leads back here, whatever the setting says. */
  readonly sameSite?: "lax";
};

/** What a handler answers. With a receipt, the answer waits until the read models have caught up with it. */
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
  /** Actor, organisation and correlation of the call: what a command needs besides its data. */
  readonly context: CommandContext;
  readonly request: {
    readonly ip: string;
    readonly userAgent: string;
    readonly cookies: Readonly<Record<string, string | undefined>>;
    readonly headers: Readonly<Record<string, string | string[] | undefined>>;
    /** The versions that `If-Match` lets through, in operations with `ifMatch`; null when it asks for none. */
    readonly ifMatch: readonly number[] | null;
    /** In operations with `rawBody`; empty otherwise. */
    readonly rawBody: Buffer;
    /** Aborted when the caller has gone away, or the service stops. */
    readonly signal: AbortSignal;
  };
};

/** A response that is not JSON: a download or a picture. */
export type BinaryResponse = { readonly contentType: string; readonly description: string };

/**
 * One operation: everything that the router, the validator, the serialiser, OpenAPI and the typed
 * client know about it, in one object.
 */
export type Operation = {
  /** `operationId`: verb and noun, `queueCloudRun`. */
  readonly id: string;
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Under /api/v1, in OpenAPI's notation: `/tests/{id}/steps`. */
  readonly path: string;
  readonly tag: Tag;
  readonly summary: string;
  readonly auth: AuthMode;
  /** null: anyone whom `auth` lets in. */
  readonly permission: Permission | null;
  readonly params?: z.ZodType;
  readonly query?: z.ZodType;
  readonly body?: z.ZodType;
  /** By status: a Zod schema for JSON, null for no body, or a binary response. */
  readonly responses: Readonly<Record<number, z.ZodType | BinaryResponse | null>>;
  /** Statuses of errors that it can answer besides those that every operation can (400, 401, 403, 429, 500, 503 …). */
  readonly errors?: readonly number[];
  /**
   * Fields of body or query that the contract names and this release does not take yet: sent, they are
   * refused with 422 "… is not available yet" instead of being ignored. They are not in openapi.json.
   */
  readonly later?: readonly string[];
  /** Changes what has a version, and takes `If-Match`: the handler passes `request.ifMatch` on to the command, stale is 412. */
  readonly ifMatch?: true;
  /** Its body is taken as it comes, whatever its type: what signs it signs the bytes. */
  readonly rawBody?: true;
  /**
   * Takes multipart/form-data: instead of JSON (`only`) or besides it. The form's fields are the body, and its one
   * file, of `maxBytes` at most, is an `upload` (src/api/edge/multipart.ts) under its own name. JSON may be as long.
   */
  readonly multipart?: {
    readonly maxBytes: number;
    readonly only: boolean;
    /** Media types of a file that may be the body itself, in place of JSON: it is then the field `file`. */
    readonly types?: readonly string[];
  };
  /** Hands something of the organisation out as a file: noted in its audit, with the id in the path, before it is. */
  readonly exports?: { readonly what: string; readonly format: string };
  readonly example?: {
    readonly body?: unknown;
    readonly response?: unknown;
    /** Of the answer with another status than the first that has a body. */
    readonly accepted?: unknown;
  };
  readonly handler: (input: never) => Promise<OperationResponse>;
};

type Output<Schema> = Schema extends z.ZodType ? z.output<Schema> : undefined;

/** Defines an operation; the handler's input is typed by the operation's own schemas. */
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
 * Whether an operation takes an `Idempotency-Key`: all that change something for a caller who is known. Not
 * those whose answers hold secrets, which are never kept (operations.md, "Writes"): there the header says nothing.
 */
export const takesIdempotencyKey = ({ method, auth, path }: Operation): boolean =>
  method !== "GET" &&
  auth !== "none" &&
  auth !== "refreshCookie" &&
  !SECRETIVE.some((prefix) => path === prefix || path.startsWith(`${prefix}/`));

const SECRETIVE = ["/auth", "/api-keys"];
