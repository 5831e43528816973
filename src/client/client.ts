import createClient, { type Client } from "openapi-fetch";
import type { operations, paths } from "./schema.ts";

export type { components, operations, paths } from "./schema.ts";
export type * from "./types.ts";

export type RunledgerClient = Client<paths>;

/** The address of the service and, optionally, the credentials. */
export type ClientOptions = {
  /** The service's address without a path, such as `https://tests.example.org`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The access token of a session, instead of a key. */
  readonly accessToken?: string;
  /** The organisation of a session; a key has its own. */
  readonly organizationId?: string;
  /** Replaces the global `fetch`, for example for a proxy or custom certificates. */
  readonly fetch?: (request: Request) => Promise<Response>;
};

/**
 * A typed client of the HTTP API, generated from its OpenAPI document: `client.GET("/api/v1/cli/tests", { params: … })`.
 * A call resolves to `data` or `error` (with the service's `detail`) and the `response`; it rejects if there is no
 * response.
 */
export const runledgerClient = (options: ClientOptions): RunledgerClient => {
  const bearer = options.apiKey ?? options.accessToken;
  return createClient<paths>({
    baseUrl: options.baseUrl,
    ...(options.fetch && { fetch: options.fetch }),
    headers: {
      ...(bearer !== undefined && { Authorization: `Bearer ${bearer}` }),
      ...(options.organizationId !== undefined && { "X-Org-Id": options.organizationId }),
    },
  });
};

/** The JSON of an operation's response with a status: `Answer<"readCloudRun", 200>`. */
export type Answer<
  Operation extends keyof operations,
  Status extends number,
> = operations[Operation] extends {
  responses: Record<Status, { content: { "application/json": infer Body } }>;
}
  ? Body
  : never;
