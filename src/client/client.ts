import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./schema.ts";

export type RunledgerClient = Client<paths>;

/** A typed client of the HTTP API. `baseUrl` is the service's address without a path; the key is one of `POST /api/v1/api-keys`. */
export const runledgerClient = (options: { baseUrl: string; apiKey: string }): RunledgerClient =>
  createClient<paths>({
    baseUrl: options.baseUrl,
    headers: { Authorization: `Bearer ${options.apiKey}` },
  });
