import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import {
  asFailure,
  type CallFailure,
  code,
  incompleteAppends,
  invalidArgument,
  MAX_APPEND_BYTES,
  MAX_PARTIAL_BYTES,
  timedOut,
  tooLarge,
  toServiceError,
  unavailable,
} from "../failures.ts";
import type { ServerCall } from "../grpc/call.ts";
import type { BatchRequest } from "../protocol/batchAppend.ts";
import {
  checkId,
  checkProposed,
  checkStreamName,
  countedSizeOf,
  sizeOf,
} from "../protocol/fields.ts";
import type { Expected, ProposedEvent } from "../records.ts";
import type { Writer } from "../write/writer.ts";
import { writeFailure, writeResult } from "./batchAppendResponses.ts";

/** A call of BatchAppend. Responses to written appends are encoded already. */
export type BatchCall = ServerCall<BatchRequest, BatchAppendResp | Buffer>;

/** An append whose final message has not arrived yet. */
type PartialAppend = {
  readonly correlationBytes: Buffer;
  readonly stream: string;
  readonly expected: Expected;
  readonly deadline: number | undefined;
  readonly events: ProposedEvent[];
  /** Bytes in memory. */
  bytes: number;
  /** Bytes that count towards the limit of an append. */
  countedBytes: number;
};

/** One call of BatchAppend. */
type BatchStream = {
  readonly writer: Writer;
  readonly call: BatchCall;
  /** By correlation id. */
  readonly partial: Map<string, PartialAppend>;
  partialBytes: number;
  /** Appends that wait for their commit. */
  pending: number;
  pendingBytes: number;
  /** The caller does not take its responses. */
  isBlocked: boolean;
  /** The caller has sent its last message. */
  hasEnded: boolean;
  isClosed: boolean;
  /** Stops the timer and the listeners. */
  close(): void;
};

const SWEEP_MS = 100;

/** Bytes of pending appends from which on a call is paused, until there are half as many. */
const MAX_PENDING_BYTES = 16 * 1024 * 1024;
/** The assumed overhead of an append besides its events. */
const APPEND_BYTES = 4_096;

/**
 * Serves BatchAppend: many appends over one stream, each with a correlation id and exactly one response.
 *
 * An append that fails with UNAVAILABLE ends the whole stream: only that makes a client reconnect. The
 * stream never ends with OK while an append is pending, because the client would wait for its response
 * forever.
 */
export const answerBatchAppend = (writer: Writer, call: BatchCall, stopping: AbortSignal): void => {
  const batch: BatchStream = {
    writer,
    call,
    partial: new Map(),
    partialBytes: 0,
    pending: 0,
    pendingBytes: 0,
    isBlocked: false,
    hasEnded: false,
    isClosed: false,
    close: () => {
      batch.isClosed = true;
      clearInterval(sweep);
      stopping.removeEventListener("abort", stop);
    },
  };
  const sweep = setInterval(() => failOverdue(batch), SWEEP_MS);
  sweep.unref();
  const stop = (): void => abort(batch, unavailable("the event log is stopping"));
  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  call.on("drain", () => {
    batch.isBlocked = false;
    resumeIfReady(batch);
  });
  call.on("cancelled", batch.close);
  call.on("close", batch.close);
  call.on("data", (request: BatchRequest) => {
    if (batch.isClosed) return;
    try {
      receive(batch, request);
    } catch (error) {
      abort(batch, asFailure(error));
    }
  });
  call.on("end", () => {
    batch.hasEnded = true;
    endIfDone(batch);
  });
};

const receive = (batch: BatchStream, request: BatchRequest): void => {
  const { correlationId: key } = request;
  if (key === "") throw invalidArgument("The correlation id is missing");
  checkId(key);
  if (request.options && !batch.partial.has(key)) begin(batch, key, request);
  const append = batch.partial.get(key);
  // Without options and a partial append, the message belongs to an append that has failed already.
  if (!append) return;
  try {
    addEvents(batch, append, request);
  } catch (error) {
    forget(batch, key, append);
    fail(batch, append, error);
    return;
  }
  if (!request.isFinal) {
    if (batch.partialBytes > MAX_PARTIAL_BYTES) abort(batch, incompleteAppends());
    return;
  }
  forget(batch, key, append);
  if (append.deadline !== undefined && append.deadline <= Date.now()) {
    fail(batch, append, timedOut());
  } else submit(batch, append);
};

const begin = (batch: BatchStream, key: string, request: BatchRequest): void => {
  const { correlationBytes, options } = request;
  if (!options?.expected) throw invalidArgument("The append needs an expected revision");
  batch.partial.set(key, {
    correlationBytes,
    stream: checkStreamName(options.stream),
    expected: options.expected,
    deadline: options.deadline,
    events: [],
    bytes: 0,
    countedBytes: 0,
  });
  batch.partialBytes += APPEND_BYTES;
};

const addEvents = (batch: BatchStream, append: PartialAppend, request: BatchRequest): void => {
  for (const message of request.proposed) {
    const event = checkProposed(message);
    const bytes = sizeOf(event);
    append.bytes += bytes;
    append.countedBytes += countedSizeOf(event);
    batch.partialBytes += bytes;
    if (append.countedBytes > MAX_APPEND_BYTES) throw tooLarge();
    append.events.push(event);
  }
};

const forget = (batch: BatchStream, key: string, append: PartialAppend): void => {
  batch.partial.delete(key);
  batch.partialBytes -= append.bytes + APPEND_BYTES;
};

/** Passes a complete append to the writer. */
const submit = (batch: BatchStream, append: PartialAppend): void => {
  batch.pending += 1;
  batch.pendingBytes += append.bytes + APPEND_BYTES;
  if (batch.pendingBytes > MAX_PENDING_BYTES) batch.call.pause();
  batch.writer
    .append(append, { deadline: append.deadline, isGone: () => batch.isClosed })
    .then(
      (result) => respond(batch, writeResult(append, result)),
      (error: unknown) => fail(batch, append, error),
    )
    .finally(() => {
      batch.pending -= 1;
      batch.pendingBytes -= append.bytes + APPEND_BYTES;
      resumeIfReady(batch);
      endIfDone(batch);
    });
};

const respond = (batch: BatchStream, response: BatchAppendResp | Buffer): void => {
  if (batch.isClosed || batch.call.write(response)) return;
  // No further requests are read from a caller that does not take its responses.
  batch.isBlocked = true;
  batch.call.pause();
};

const resumeIfReady = ({ isBlocked, pendingBytes, call }: BatchStream): void => {
  if (!isBlocked && pendingBytes <= MAX_PENDING_BYTES / 2 && call.isPaused()) call.resume();
};

const fail = (batch: BatchStream, append: PartialAppend, error: unknown): void => {
  const failure = asFailure(error);
  if (failure.code === code.UNAVAILABLE) abort(batch, failure);
  else respond(batch, writeFailure(failure, append));
};

/** Ends the call with a failure. */
const abort = (batch: BatchStream, failure: CallFailure): void => {
  if (batch.isClosed) return;
  batch.call.emit("error", toServiceError(failure));
  batch.close();
};

const endIfDone = (batch: BatchStream): void => {
  if (!batch.hasEnded || batch.pending > 0 || batch.isClosed) return;
  if (batch.partial.size > 0) {
    abort(batch, invalidArgument("The call ended before the final message of an append"));
    return;
  }
  batch.close();
  batch.call.end();
};

const failOverdue = (batch: BatchStream): void => {
  const now = Date.now();
  for (const [key, append] of batch.partial) {
    if (append.deadline === undefined || append.deadline > now) continue;
    forget(batch, key, append);
    fail(batch, append, timedOut());
  }
  endIfDone(batch);
};
