import { createHash } from "node:crypto";
import type { CommandContext } from "../../commands/kernel/commandLoop.ts";
import { idsFrom } from "../../platform/ids.ts";
import type { Logger } from "../../platform/logger.ts";
import type { Begun, Claim, IdempotencyKeys } from "../../stores/kernel/idempotencyKeys.ts";
import { ApiError } from "../apiError.ts";
import type { OperationResponse, Principal } from "../operation.ts";
import { errorResponseOf } from "./errorResponses.ts";

/** A request with an Idempotency-Key. */
export type IdempotentCall = {
  /** Value of the header. */
  readonly key: string;
  readonly principal: Principal;
  readonly method: string;
  /** With the query string. */
  readonly url: string;
  /** The parsed body, if the operation has one. */
  readonly body: unknown;
  readonly ifMatch: string | undefined;
  readonly context: CommandContext;
};

/** Interval for renewing the claim of a request in progress, in milliseconds. */
const RENEW_MS = 1_500;

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Executes a request once per Idempotency-Key, principal, method, path and organisation, and returns the stored
 * response to repeats (decision 010). A request without a response, because its process ended or a part was
 * unavailable, is executed again with the same ids. A 4xx response releases the key. Throws ApiError 400 for a malformed
 * key, 409 while the first request is in progress or if the key was used for another request.
 */
export const executeOnce = async (
  keys: IdempotencyKeys,
  logger: Pick<Logger, "warn">,
  call: IdempotentCall,
  act: (context: CommandContext) => Promise<OperationResponse>,
): Promise<OperationResponse> => {
  const begun = await keys.begin(requestOf(call));
  if (begun.kind !== "claimed") return answerBegun(begun);
  const { claim, again } = begun;
  // If the outcome cannot be stored, a repeat executes the request again with the same ids.
  const trying = (work: Promise<void>): Promise<void> =>
    work.catch((error: unknown) => {
      logger.warn({ err: error }, "cannot store the outcome of a request with an Idempotency-Key");
    });
  const renewing = setInterval(() => void keys.renew(claim).catch(() => undefined), RENEW_MS);
  try {
    const ids = idsFrom(claim.seed);
    const answer = await act({ ...call.context, ids, ...(again ? { again } : {}) });
    await trying(settle(keys, claim, answer));
    return answer;
  } catch (error) {
    const { status } = errorResponseOf(error);
    await trying(isRefusal(status) ? keys.forget(claim) : keys.leaveOpen(claim));
    throw error;
  } finally {
    clearInterval(renewing);
  }
};

/** Whether nothing was changed, so that the same request may succeed later. */
const isRefusal = (status: number): boolean => status >= 400 && status < 500;

const settle = (keys: IdempotencyKeys, claim: Claim, answer: OperationResponse): Promise<void> => {
  if (isRefusal(answer.status)) return keys.forget(claim);
  if (answer.status >= 500) return keys.leaveOpen(claim);
  return keys.answer(claim, encode(answer));
};

/** Serialises a response with its receipt, so that a repeat waits for the read models like the first request. */
const encode = ({ status, body, headers = {}, receipt }: OperationResponse): string => {
  const position = receipt?.position ?? null;
  if (position === null) return JSON.stringify({ status, body, headers });
  const place = String(position);
  const kept = { ...headers, "x-log-position": place };
  return JSON.stringify({ status, body, headers: kept, receipt: { ...receipt, position: place } });
};

type KeptAnswer = Pick<OperationResponse, "status" | "body" | "headers"> & {
  readonly receipt?: { readonly position: string; readonly eventTypes: readonly string[] };
};

const decode = (kept: string): OperationResponse => {
  const { receipt, ...answer }: KeptAnswer = JSON.parse(kept);
  if (!receipt) return answer;
  return { ...answer, receipt: { ...receipt, position: BigInt(receipt.position) } };
};

const answerBegun = (begun: Exclude<Begun, { kind: "claimed" }>): OperationResponse => {
  switch (begun.kind) {
    case "answered":
      return decode(begun.answer);
    case "inFlight":
      throw new ApiError(
        409,
        "The first request with this Idempotency-Key is still in progress. Repeat it in a moment to get the response.",
        { "retry-after": "1" },
      );
    case "otherContent":
      throw new ApiError(
        409,
        "This Idempotency-Key was used for another request: the body, the query or If-Match differs. Use a new key for a new request.",
      );
  }
};

const requestOf = ({ key, principal, method, url, body, ifMatch }: IdempotentCall) => {
  if (!KEY.test(key)) {
    throw new ApiError(
      400,
      "Idempotency-Key must have 1 to 255 visible ASCII characters and no space: a UUID, for example.",
    );
  }
  const [path = "", query = ""] = url.split("?", 2);
  return {
    principal:
      principal.kind === "api_key" ? `api_key:${principal.keyId}` : `user:${principal.userId}`,
    organizationId: principal.organizationId,
    method,
    path,
    key,
    content: JSON.stringify([query, sorted(body), ifMatch ?? null]),
  };
};

/** Normalises the order of object keys. */
const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== "object" || value === null) return value;
  if (Buffer.isBuffer(value)) return createHash("sha256").update(value).digest("hex");
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  // Wrapped, to distinguish an object from an array of pairs.
  return { entries: entries.map(([name, part]) => [name, sorted(part)]) };
};
