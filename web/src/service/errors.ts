/** A refused or failed call. `status` is 0 if the service did not answer. */
export class ServiceError extends Error {
  readonly status: number;
  /** Seconds to wait before a repetition; null if the service named none. */
  readonly retryAfter: number | null;
  readonly requestId: string | null;

  constructor(status: number, message: string, response?: Response) {
    super(message);
    this.name = "ServiceError";
    this.status = status;
    const seconds = Number(response?.headers.get("retry-after") ?? Number.NaN);
    this.retryAfter = Number.isFinite(seconds) ? seconds : null;
    this.requestId = response?.headers.get("x-request-id") ?? null;
  }
}

/** The message of an error, for a person. */
export const messageOf = (error: unknown): string =>
  error instanceof Error ? error.message : String(error);

export const statusOf = (error: unknown): number =>
  error instanceof ServiceError ? error.status : 0;
