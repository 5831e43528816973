import type { UUID } from "@eventstore/db-client/generated/shared_pb.js";
import type {
  BatchAppendReq,
  BatchAppendResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import { status as code, type ServerDuplexStream } from "@grpc/grpc-js";
import type { Message } from "google-protobuf";
import {
  asFailure,
  type CallFailure,
  invalidArgument,
  MAX_APPEND_BYTES,
  timedOut,
  tooLarge,
  toServiceError,
  unavailable,
} from "./failures.ts";
import { AnyMessage, GoogleEmpty, shared, status, streams } from "./protocol.ts";
import type { AppendResult, Expected, ProposedEvent } from "./records.ts";
import {
  readId,
  readNumber,
  readProposed,
  readStreamName,
  sizeOf,
  writeStreamName,
} from "./wire.ts";
import type { Writer } from "./writer.ts";

type BatchCall = ServerDuplexStream<BatchAppendReq, BatchAppendResp>;

/** An append of which more messages may come. */
type Gathering = {
  readonly correlationId: UUID;
  readonly stream: string;
  readonly expected: Expected;
  readonly deadline: number | undefined;
  readonly events: ProposedEvent[];
  bytes: number;
};

const SWEEP_MS = 100;

/**
 * Serves BatchAppend: many appends over one stream, each known by its correlation id, each answered once.
 *
 * An append that the database could not take ends the whole stream with UNAVAILABLE: it is the one
 * answer that makes a client reconnect. The stream never ends well with an append unanswered, for the
 * client would wait for it without end.
 */
export const answerBatchAppend = (writer: Writer, call: BatchCall, stopping: AbortSignal): void => {
  const gathering = new Map<string, Gathering>();
  let pending = 0;
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
  const respond = (
    append: Pick<Gathering, "correlationId" | "stream">,
    response: BatchAppendResp,
  ): void => {
    if (ended) return;
    call.write(
      response
        .setCorrelationId(append.correlationId)
        .setStreamIdentifier(writeStreamName(append.stream)),
    );
  };
  const fail = (append: Gathering, error: unknown): void => {
    const failure = asFailure(error);
    if (failure.code === code.UNAVAILABLE) breakOff(failure);
    else respond(append, writeFailure(failure));
  };

  const receive = (request: BatchAppendReq): void => {
    const correlationId = request.getCorrelationId();
    if (!correlationId) throw invalidArgument("The correlation id is missing");
    const key = readId(correlationId);
    const options = request.getOptions();
    if (options && !gathering.has(key)) {
      const stream = readStreamName(options.getStreamIdentifier());
      gathering.set(key, {
        correlationId,
        stream,
        expected: readExpected(options),
        deadline: options.getDeadline()?.toDate().getTime(),
        events: [],
        bytes: 0,
      });
    }
    const append = gathering.get(key);
    // The rest of an append that has been answered already.
    if (!append) return;
    try {
      for (const message of request.getProposedMessagesList()) {
        const event = readProposed(message);
        append.bytes += sizeOf(event);
        if (append.bytes > MAX_APPEND_BYTES) throw tooLarge();
        append.events.push(event);
      }
    } catch (error) {
      gathering.delete(key);
      fail(append, error);
      return;
    }
    if (!request.getIsFinal()) return;
    gathering.delete(key);
    if (append.deadline !== undefined && append.deadline <= Date.now()) {
      fail(append, timedOut());
      return;
    }
    pending += 1;
    writer
      .append(append, { deadline: append.deadline, isGone: () => ended })
      .then(
        (result) => respond(append, writeResult(append, result)),
        (error: unknown) => fail(append, error),
      )
      .finally(() => {
        pending -= 1;
        endWhenDone();
      });
  };

  const sweep = setInterval(() => {
    const now = Date.now();
    for (const [key, append] of gathering) {
      if (append.deadline === undefined || append.deadline > now) continue;
      gathering.delete(key);
      fail(append, timedOut());
    }
    endWhenDone();
  }, SWEEP_MS);
  sweep.unref();

  stopping.addEventListener("abort", stop);
  if (stopping.aborted) stop();
  call.on("cancelled", leave);
  call.on("close", leave);
  call.on("data", (request: BatchAppendReq) => {
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

const readExpected = (options: BatchAppendReq.Options): Expected => {
  if (options.hasStreamPosition()) {
    return { kind: "revision", revision: readNumber(options.getStreamPosition()) };
  }
  if (options.hasNoStream()) return { kind: "no_stream" };
  if (options.hasStreamExists()) return { kind: "stream_exists" };
  if (options.hasAny()) return { kind: "any" };
  throw invalidArgument("The append does not say what it expects of the stream");
};

const writeResult = (append: Gathering, result: AppendResult): BatchAppendResp => {
  const response = new streams.BatchAppendResp();
  if (result.kind === "wrong_expected_version") {
    return response.setError(
      writeStatus(
        code.ALREADY_EXISTS,
        "WrongExpectedVersion",
        writeWrongVersion(append.expected, result.current),
        "event_store.client.WrongExpectedVersion",
      ),
    );
  }
  const success = new streams.BatchAppendResp.Success();
  if (result.revision === null) success.setNoStream(new GoogleEmpty());
  else success.setCurrentRevision(String(result.revision));
  if (result.position === null) success.setNoPosition(new GoogleEmpty());
  else {
    success.setPosition(
      new shared.AllStreamPosition()
        .setCommitPosition(String(result.position))
        .setPreparePosition(String(result.position)),
    );
  }
  return response.setSuccess(success);
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
