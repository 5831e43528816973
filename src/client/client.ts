import createClient, { type Client } from "openapi-fetch";
import type { operations, paths } from "./schema.ts";

export type { components, operations, paths } from "./schema.ts";

export type RunledgerClient = Client<paths>;

/** The service, and who asks: nobody, a key of `POST /api/v1/api-keys`, or somebody who is signed in. */
export type ClientOptions = {
  /** The service's address without a path, such as `https://tests.example.org`. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** The access token of a session, in place of a key. */
  readonly accessToken?: string;
  /** Which organisation a session speaks for; a key has its own. */
  readonly organizationId?: string;
  /** In place of the global `fetch`: for a proxy, or certificates of one's own. */
  readonly fetch?: (request: Request) => Promise<Response>;
};

/**
 * A typed client of the HTTP API, from its OpenAPI document: `client.GET("/api/v1/cli/tests", { params: … })`. Each call
 * answers `data`, or `error` with the service's `detail`, and the `response`; it rejects where there is no answer.
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

/** The JSON that an operation answers with a status, such as `Answer<"readCloudRun", 200>`. */
export type Answer<
  Operation extends keyof operations,
  Status extends number,
> = operations[Operation] extends {
  responses: Record<Status, { content: { "application/json": infer Body } }>;
}
  ? Body
  : never;
