import type { Middleware } from "openapi-fetch";

/**
 * Makes reads wait for the writes of the same client: sends the newest `X-Log-Position` of a response as
 * `X-Min-Position` of later GET requests.
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

/** Whether the read models had not caught up with the client's writes: a 404 may be temporary. */
export const isReadModelLagging = (response: Response): boolean =>
  response.headers.get("x-read-model-lag") === "true";
