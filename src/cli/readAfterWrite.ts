import type { Middleware } from "openapi-fetch";

/**
 * Has questions wait for what was written through the same client (operations.md, "Reads after writes"): a run that was
 * just queued is there when it is asked for, also where the read models are behind.
 */
export const readAfterWrite = (): Middleware => {
  let newest: bigint | null = null;
  return {
    onRequest: ({ request }) => {
      if (request.method === "GET" && newest !== null) {
        request.headers.set("x-min-position", String(newest));
      }
      return request;
    },
    onResponse: ({ response }) => {
      const position = response.headers.get("x-log-position");
      if (position === null) return;
      const written = BigInt(position);
      if (newest === null || written > newest) newest = written;
    },
  };
};

/** Whether an answer did not wait any longer for the read models: what it does not have may be there yet. */
export const isReadModelLagging = (response: Response): boolean =>
  response.headers.get("x-read-model-lag") === "true";
