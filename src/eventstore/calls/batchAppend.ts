import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { Message } from "google-protobuf";
import { type BatchRequest, encodeBatchSuccess } from "../protocol/batchAppend.ts";
import {
  asFailure,
  CallFailure,
  code,
  invalidArgument,
  MAX_APPEND_BYTES,
  timedOut,
  tooLarge,
  toServiceError,
  unavailable,
} from "../failures.ts";
import type { ServerCall } from "../grpc/call.ts";
import { AnyMessage, GoogleEmpty, shared, status, streams } from "../protocol/messages.ts";
import type { AppendResult, Expected, ProposedEvent } from "../records.ts";
import { checkId, checkProposed, checkStreamName, sizeOf, writeStreamName } from "../protocol/fields.ts";
import type { Writer } from "../write/writer.ts";

/** Appends that were written are answered in bytes, the rest as messages. */
export type BatchCall = ServerCall<BatchRequest, BatchAppendResp | Buffer>;

/** An append of which more messages may come. */
type Gathering = {
  readonly correlationBytes: Buffer;
  readonly stream: string;
  readonly expected: Expected;
  readonly deadline: number | undefined;
  readonly events: ProposedEvent[];
  bytes: number;
};

const SWEEP_MS = 100;

/** A caller whose appends wait for their commit with so many bytes is not listened to until there are half as many. */
const MAX_WAITING_BYTES = 16 * 1024 * 1024;
/** So many bytes may be in appends that were begun and not finished. */
const MAX_GATHERING_BYTES = 64 * 1024 * 1024;
/** What an append counts besides its events. */
const APPEND_BYTES = 4_096;

/**
 * Serves BatchAppend: many appends over one stream, each known by its correlation id, each answered once.
 *
 * An append that the database could not take ends the whole stream with UNAVAILABLE: it is the one
 * answer that makes a client reconnect. The stream never ends well with an append unanswered, for the
 * client would wait for it without end.
 */
export const answerBatchAppend = (writer: Writer, call: BatchCall, stopping: AbortSignal): void => {
  const gathering = new Map<string, Gathering>();
  let gatheringBytes = 0;
  let pending = 0;
  let pendingBytes = 0;
  let answersWait = false;
  let callerIsDone = false;
  let ended = false;

  const leave = (): void => {
    ended = true;
    clearInterval(sweep);
    stopping.removeEventListener("abort", stop);
  };
  const breakOff = (failure: CallFailure): void => {
    if (ended) return;
    call.emit("error", toServiceError(failure));
    leave();
  };
  const stop = (): void => breakOff(unavailable("the event log is stopping"));
  const endWhenDone = (): void => {
    if (!callerIsDone || pending > 0 || ended) return;
    if (gathering.size > 0) {
      breakOff(invalidArgument("An append was begun and not finished"));
      return;
    }
    leave();
    call.end();
  };
  const respond = (response: BatchAppendResp | Buffer): void => {
    if (ended || call.write(response)) return;
    // Who does not take the answers is asked nothing more.
    answersWait = true;
    call.pause();
  };
  const listenAgain = (): void => {
    if (!answersWait && pendingBytes <= MAX_WAITING_BYTES / 2 && call.isPaused()) call.resume();
  };
  const forget = (key: string, append: Gathering): void => {
    gathering.delete(key);
    gatheringBytes -= append.bytes + APPEND_BYTES;
  };
  const fail = (append: Gathering, error: unknown): void => {
    const failure = asFailure(error);
    if (failure.code === code.UNAVAILABLE) breakOff(failure);
    else respond(address(writeFailure(failure), append));
  };

  const receive = (request: BatchRequest): void => {
    const { correlationId: key, options } = request;
    if (key === "") throw invalidArgument("The correlation id is missing");
    checkId(key);
    if (options && !gathering.has(key)) {
      const { expected } = options;
      if (!expected) throw invalidArgument("The append does not say what it expects of the stream");
      gathering.set(key, {
        correlationBytes: request.correlationBytes,
        stream: checkStreamName(options.stream),
        expected,
        deadline: options.deadline,
        events: [],
        bytes: 0,
      });
      gatheringBytes += APPEND_BYTES;
    }
    const append = gathering.get(key);
    // The rest of an append that has been answered already.
    if (!append) return;
    try {
      for (const message of request.proposed) {
        const event = checkProposed(message);
        const bytes = sizeOf(event);
        append.bytes += bytes;
        gatheringBytes += bytes;
        if (append.bytes > MAX_APPEND_BYTES) throw tooLarge();
        append.events.push(event);
      }
    } catch (error) {
      forget(key, append);
      fail(append, error);
      return;
    }
    if (!request.isFinal) {
      if (gatheringBytes > MAX_GATHERING_BYTES) breakOff(tooManyBegun());
      return;
    }
    forget(key, append);
    if (append.deadline !== undefined && append.deadline <= Date.now()) {
      fail(append, timedOut());
      return;
    }
    pending += 1;
    pendingBytes += append.bytes + APPEND_BYTES;
    if (pendingBytes > MAX_WAITING_BYTES) call.pause();
    writer
      .append(append, { deadline: append.deadline, isGone: () => ended })
      .then(
        (result) => respond(writeResult(append, result)),
        (error: unknown) => fail(append, error),
      )
      .finally(() => {
        pending -= 1;
        pendingBytes -= append.bytes + APPEND_BYTES;
        listenAgain();
        endWhenDone();
      });
  };

  const sweep = setInterval(() => {
    const now = Date.now();
    for (const [key, append] of gathering) {
      if (append.deadline === undefined || append.deadline > now) continue;
      forget(key, append);
      fail(append, timedOut());
    }
    endWhenDone();
  }, SWEEP_MS);
  sweep.unref();

  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  call.on("drain", () => {
    answersWait = false;
    listenAgain();
  });
  call.on("cancelled", leave);
  call.on("close", leave);
  call.on("data", (request: BatchRequest) => {
    if (ended) return;
    try {
      receive(request);
    } catch (error) {
      breakOff(asFailure(error));
    }
  });
  call.on("end", () => {
    callerIsDone = true;
    endWhenDone();
  });
};

const tooManyBegun = (): CallFailure =>
  new CallFailure(code.RESOURCE_EXHAUSTED, "Too many appends were begun and not finished");

/** Says whose answer it is. */
const address = (
  response: BatchAppendResp,
  append: Pick<Gathering, "correlationBytes" | "stream">,
): BatchAppendResp =>
  response
    .setCorrelationId(shared.UUID.deserializeBinary(append.correlationBytes))
    .setStreamIdentifier(writeStreamName(append.stream));

const writeResult = (append: Gathering, result: AppendResult): BatchAppendResp | Buffer => {
  const response = new streams.BatchAppendResp();
  if (result.kind === "wrong_expected_version") {
    response.setError(
      writeStatus(
        code.ALREADY_EXISTS,
        "WrongExpectedVersion",
        writeWrongVersion(append.expected, result.current),
        "event_store.client.WrongExpectedVersion",
      ),
    );
    return address(response, append);
  }
  const { revision, position } = result;
  if (revision !== null && position !== null) {
    return encodeBatchSuccess({
      correlationBytes: append.correlationBytes,
      stream: append.stream,
      revision,
      position,
    });
  }
  const success = new streams.BatchAppendResp.Success();
  if (revision === null) success.setNoStream(new GoogleEmpty());
  else success.setCurrentRevision(String(revision));
  // An append without events has no place in the log.
  return address(response.setSuccess(success.setNoPosition(new GoogleEmpty())), append);
};

const writeFailure = (failure: CallFailure): BatchAppendResp => {
  const response = new streams.BatchAppendResp();
  if (failure.trailers.exception === "stream-deleted") {
    return response.setError(
      writeStatus(
        failure.code,
        failure.message,
        new shared.StreamDeleted(),
        "event_store.client.StreamDeleted",
      ),
    );
  }
  if (failure.trailers.exception === "maximum-append-size-exceeded") {
    return response.setError(
      writeStatus(
        failure.code,
        failure.message,
        new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES),
        "event_store.client.MaximumAppendSizeExceeded",
      ),
    );
  }
  if (failure.code === code.DEADLINE_EXCEEDED) {
    return response.setError(
      writeStatus(
        failure.code,
        failure.message,
        new shared.Timeout(),
        "event_store.client.Timeout",
      ),
    );
  }
  return response.setError(
    writeStatus(
      failure.code,
      failure.message,
      new shared.BadRequest().setMessage(failure.message),
      "event_store.client.BadRequest",
    ),
  );
};

const writeStatus = (
  statusCode: number,
  message: string,
  detail: Message,
  typeName: string,
): InstanceType<(typeof status)["Status"]> => {
  const any = new AnyMessage();
  any.pack(detail.serializeBinary(), typeName);
  return new status.Status().setCode(statusCode).setMessage(message).setDetails(any);
};

const writeWrongVersion = (
  expected: Expected,
  current: number | null,
): InstanceType<(typeof shared)["WrongExpectedVersion"]> => {
  const wrong = new shared.WrongExpectedVersion();
  if (current === null) wrong.setCurrentNoStream(new GoogleEmpty());
  else wrong.setCurrentStreamRevision(String(current));
  switch (expected.kind) {
    case "revision":
      return wrong.setExpectedStreamPosition(String(expected.revision));
    case "no_stream":
      return wrong.setExpectedNoStream(new GoogleEmpty());
    case "stream_exists":
      return wrong.setExpectedStreamExists(new GoogleEmpty());
    case "any":
      return wrong.setExpectedAny(new GoogleEmpty());
  }
};
