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

/** A run as a runner reads it. */
export type CloudRun = Answer<"readCloudRun", 200>;
export type QueueBody = NonNullable<
  operations["queueCloudRun"]["requestBody"]
>["content"]["application/json"];
export type QueuedRuns = Answer<"queueCloudRun", 202>;
export type TestSummary = Answer<"listCliTests", 200>["items"][number];
export type TestSpecs = Answer<"readCliSpecs", 200>;

/** The service answered, and not with what was asked for. */
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
   * Asks the service. A call that gets no answer, or 503, or 429 for its rate, or 404 from read models that have not
   * come to what was written before, is made again for `patienceMs` (5 s): it must be one that can come twice (a GET,
   * or with an Idempotency-Key).
   * Throws ServiceError with the exit code that the answer stands for; CommandError when there is no answer.
   */
  ask<Data>(call: Call<Data>, options?: AskOptions): Promise<Data>;
};

type AskOptions = {
  /** Ends the call, with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
  /** How long one answer may take. */
  readonly timeoutMs?: number;
  readonly patienceMs?: number;
  /** Told before each pause: what went wrong. */
  readonly onTrouble?: (message: string) => void;
};

const TIMEOUT_MS = 60_000;
const PATIENCE_MS = 5_000;
const LONGEST_PAUSE_MS = 5_000;

/** The service over HTTP, as the commands use it. */
export const connect = ({ server, apiKey }: Connection): Service =>
  serviceWithClient(server, runledgerClient({ baseUrl: server, apiKey }));

/** The service through a client, whoever that speaks for. */
export const serviceWithClient = (server: string, client: RunledgerClient): Service => {
  client.use(readAfterWrite());
  const tryOnce = async <Data>(
    call: Call<Data>,
    asked: AbortSignal | undefined,
    timeoutMs: number,
  ): Promise<{ readonly data: Data } | Trouble> => {
    const late = AbortSignal.timeout(timeoutMs);
    try {
      const reply = await call(client, asked ? AbortSignal.any([asked, late]) : late);
      return reply.data === undefined ? refusalOf(reply, server) : { data: reply.data };
    } catch (error) {
      asked?.throwIfAborted();
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
        const isLast = !outcome.mayComeAgain || performance.now() + waitMs > deadline;
        if (isLast) throw outcome.error;
        options.onTrouble?.(outcome.error.message);
        await pause(waitMs, undefined, signal ? { signal } : {});
      }
    },
  };
};

type Trouble = {
  readonly error: CommandError;
  readonly mayComeAgain: boolean;
  /** How long the service asked to be left alone. */
  readonly waitMs: number | null;
};

/** What an answer that is none of what was asked for comes to. */
const refusalOf = ({ error, response }: Reply<unknown>, server: string): Trouble => {
  const { status } = response;
  const detail = detailOf(error) ?? `${server} answered ${status}.`;
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
    mayComeAgain:
      status === 503 ||
      (status === 429 && !isQuota) ||
      (status === 404 && isReadModelLagging(response)),
    waitMs,
  };
};

const adviceFor = (status: number, server: string): string =>
  status === 401
    ? ` Is RUNLEDGER_API_KEY a key of ${server} that was not revoked?`
    : status === 404
      ? " `runledger tests list` shows what there is."
      : "";

const detailOf = (error: unknown): string | null =>
  typeof error === "object" && error !== null && "detail" in error ? String(error.detail) : null;

const noAnswer = (server: string, error: unknown): Trouble => {
  const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = cause instanceof Error && "code" in cause ? String(cause.code) : String(cause);
  const why = error instanceof Error && error.name === "TimeoutError" ? "no answer in time" : code;
  return {
    error: new ServiceError(
      `${server} cannot be reached (${why}). Does it run, and is the address right (--server or RUNLEDGER_URL)?`,
      exitCodes.unavailable,
      0,
    ),
    mayComeAgain: true,
    waitMs: null,
  };
};
