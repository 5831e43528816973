import type { BatchAppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import type { Message } from "google-protobuf";
import { type CallFailure, code, MAX_APPEND_BYTES } from "../failures.ts";
import { encodeBatchSuccess } from "../protocol/batchAppend.ts";
import { writeStreamName } from "../protocol/fields.ts";
import { AnyMessage, GoogleEmpty, shared, status, streams } from "../protocol/messages.ts";
import type { AppendResult, Expected } from "../records.ts";

/** The append that a response belongs to. */
export type Answered = {
  /** The encoded correlation id, returned in the form in which it was received. */
  readonly correlationBytes: Buffer;
  readonly stream: string;
  readonly expected: Expected;
};

/** Encodes the result of an append. A written append is encoded by hand, other results as messages. */
export const writeResult = (append: Answered, result: AppendResult): BatchAppendResp | Buffer => {
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
  // An append without events has no position.
  return address(response.setSuccess(success.setNoPosition(new GoogleEmpty())), append);
};

/** Encodes the failure of an append. */
export const writeFailure = (failure: CallFailure, append: Answered): BatchAppendResp => {
  const { detail, typeName } = detailOf(failure);
  const { message } = failure;
  const response = new streams.BatchAppendResp();
  return address(response.setError(writeStatus(failure.code, message, detail, typeName)), append);
};

const detailOf = (failure: CallFailure): { detail: Message; typeName: string } => {
  if (failure.trailers.exception === "stream-deleted") {
    return { detail: new shared.StreamDeleted(), typeName: "event_store.client.StreamDeleted" };
  }
  if (failure.trailers.exception === "maximum-append-size-exceeded") {
    return {
      detail: new shared.MaximumAppendSizeExceeded().setMaxappendsize(MAX_APPEND_BYTES),
      typeName: "event_store.client.MaximumAppendSizeExceeded",
    };
  }
  if (failure.code === code.DEADLINE_EXCEEDED) {
    return { detail: new shared.Timeout(), typeName: "event_store.client.Timeout" };
  }
  return {
    detail: new shared.BadRequest().setMessage(failure.message),
    typeName: "event_store.client.BadRequest",
  };
};

/** Adds the correlation id and the stream name. */
const address = (response: BatchAppendResp, append: Answered): BatchAppendResp =>
  response
    .setCorrelationId(shared.UUID.deserializeBinary(append.correlationBytes))
    .setStreamIdentifier(writeStreamName(append.stream));

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
