import { setTimeout as pause } from "node:timers/promises";
import {
  type Answer,
  type operations,
  type RunledgerClient,
  runledgerClient,
} from "../client/client.ts";
import type { Connection } from "./connection.ts";
import { CommandError, exitCodes } from "./exitCodes.ts";
import { isReadModelLagging, readAfterWrite } from "./readAfterWrite.ts";

/** A run as `readCloudRun` returns it. */
export type CloudRun = Answer<"readCloudRun", 200>;
export type QueueBody = NonNullable<
  operations["queueCloudRun"]["requestBody"]
>["content"]["application/json"];
export type QueuedRuns = Answer<"queueCloudRun", 202>;
export type TestSummary = Answer<"listCliTests", 200>["items"][number];
export type TestSpecs = Answer<"readCliSpecs", 200>;

/** An error response of the service; `status` is 0 if it did not answer. */
export class ServiceError extends CommandError {
  readonly status: number;

  constructor(message: string, exitCode: number, status: number) {
    super(message, exitCode);
    this.name = "ServiceError";
    this.status = status;
  }
}

type Reply<Data> = {
  readonly data?: Data | undefined;
  readonly error?: unknown;
  readonly response: Response;
};

type Call<Data> = (client: RunledgerClient, signal: AbortSignal) => Promise<Reply<Data>>;

export type Service = {
  readonly server: string;
  /**
   * Calls the service. Retries for `patienceMs` (5 s) if there is no answer, on 503, on a rate limit (429) and on 404
   * from lagging read models. The call must be idempotent: a GET, or with an Idempotency-Key.
   * Throws ServiceError with the exit code for the response's status.
   */
  ask<Data>(call: Call<Data>, options?: AskOptions): Promise<Data>;
};

type AskOptions = {
  /** Cancels the call. */
  readonly signal?: AbortSignal | undefined;
  /** Time limit of one attempt. */
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  /** Called before each pause with the reason of the retry. */
  readonly onRetry?: (message: string) => void;
};

const TIMEOUT_MS = 60_000;
const PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;

/** Connects with an API key. */
export const connect = ({ server, apiKey }: Connection): Service =>
  serviceWithClient(server, runledgerClient({ baseUrl: server, apiKey }));

/** Uses an existing client with its own credentials. */
export const serviceWithClient = (server: string, client: RunledgerClient): Service => {
  client.use(readAfterWrite());
  const tryOnce = async <Data>(
    call: Call<Data>,
    signal: AbortSignal | undefined,
    timeoutMs: number,
  ): Promise<{ readonly data: Data } | Failure> => {
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const reply = await call(client, signal ? AbortSignal.any([signal, late]) : late);
      return reply.data === undefined ? failureOf(reply, server) : { data: reply.data };
    } catch (error) {
      signal?.throwIfAborted();
      return noAnswer(server, error);
    }
  };

  return {
    server,
    ask: async (call, options = {}) => {
      const { signal, timeoutMs = TIMEOUT_MS, patienceMs = PATIENCE_MS } = options;
      const deadline = performance.now() + patienceMs;
      for (let attempt = 1; ; attempt += 1) {
        const outcome = await tryOnce(call, signal, timeoutMs);
        if ("data" in outcome) return outcome.data;
        const waitMs = outcome.waitMs ?? Math.min(LONGEST_PAUSE_MS, 100 * 2 ** attempt);
        const isLast = !outcome.isRetryable || performance.now() + waitMs > deadline;
        if (isLast) throw outcome.error;
        options.onRetry?.(outcome.error.message);
        await pause(waitMs, undefined, signal ? { signal } : {});
      }
    },
  };
};

type Failure = {
  readonly error: CommandError;
  readonly isRetryable: boolean;
  /** The Retry-After of the response. */
  readonly waitMs: number | null;
};

/** Classifies an error response. */
const failureOf = ({ error, response }: Reply<unknown>, server: string): Failure => {
  const { status } = response;
  const detail = detailOf(error) ?? `${server} returned ${status}.`;
  const retryAfter = Number(response.headers.get("retry-after") ?? Number.NaN);
  const waitMs = Number.isFinite(retryAfter) ? retryAfter * 1_000 : null;
  const isQuota = status === 429 && waitMs === null;
  const exitCode = isQuota
    ? exitCodes.quota
    : status >= 500 || status === 429 || status === 408 || detailOf(error) === null
      ? exitCodes.unavailable
      : exitCodes.usage;
  return {
    error: new ServiceError(`${detail}${adviceFor(status, server)}`, exitCode, status),
    isRetryable:
      status === 503 ||
      (status === 429 && !isQuota) ||
      (status === 404 && isReadModelLagging(response)),
    waitMs,
  };
};

const adviceFor = (status: number, server: string): string =>
  status === 401
    ? ` Check that RUNLEDGER_API_KEY is a key of ${server} and is not revoked.`
    : status === 404
      ? " `runledger tests list` shows the existing tests."
      : "";

const detailOf = (error: unknown): string | null =>
  typeof error === "object" && error !== null && "detail" in error ? String(error.detail) : null;

const noAnswer = (server: string, error: unknown): Failure => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  const why = error instanceof Error && error.name === "TimeoutError" ? "no answer in time" : code;
  return {
    error: new ServiceError(
      `${server} cannot be reached (${why}). Check that it runs and that the address is correct (--server or RUNLEDGER_URL).`,
      exitCodes.unavailable,
      0,
    ),
    isRetryable: true,
    waitMs: null,
  };
};
