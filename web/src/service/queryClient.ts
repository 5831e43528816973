import { QueryClient } from "@tanstack/react-query";
import { ServiceError } from "./errors.ts";

const MAX_RETRIES = 2;
const RETRIED: ReadonlySet<number> = new Set([0, 429, 503]);

/** Repeats reads that a later attempt may answer, after the time that the service names. */
export const queryClient = new QueryClient({
  defaultOptions: {
    queries: {
      staleTime: 5_000,
      retry: (failures, error) =>
        failures < MAX_RETRIES && error instanceof ServiceError && RETRIED.has(error.status),
      retryDelay: (failures, error) => {
        const seconds = error instanceof ServiceError ? error.retryAfter : null;
        return seconds === null ? 500 * 2 ** failures : Math.min(seconds, 10) * 1_000;
      },
    },
  },
});
