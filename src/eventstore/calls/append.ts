import type { AppendReq, AppendResp } from "@eventstore/db-client/generated/streams_pb.js";
import {
  asFailure,
  incompleteAppends,
  invalidArgument,
  MAX_APPEND_BYTES,
  MAX_PARTIAL_BYTES,
  tooLarge,
  toServiceError,
} from "../failures.ts";
import type { ServerCall } from "../grpc/call.ts";
import {
  countedSizeOf,
  readNumber,
  readProposed,
  readStreamName,
  sizeOf,
} from "../protocol/fields.ts";
import { shared, streams } from "../protocol/messages.ts";
import type { Append, AppendResult, Expected, ProposedEvent } from "../records.ts";
import type { Writer } from "../write/writer.ts";

/** Serves Append: options, then one event per message; the response follows the last message. */
export const answerAppend = (writer: Writer, call: ServerCall<AppendReq, AppendResp>): void => {
  let isGone = false;
  let head: { stream: string; expected: Expected } | null = null;
  const events: ProposedEvent[] = [];
  let countedBytes = 0;
  let bytes = 0;
  let answered = false;

  const answer = (error: unknown, response?: AppendResp): void => {
    if (answered) return;
    answered = true;
    if (response) {
      call.write(response);
      call.end();
    } else call.emit("error", toServiceError(asFailure(error)));
  };

  const leave = (): void => {
    isGone = true;
  };
  call.on("cancelled", leave);
  call.on("error", leave);
  call.on("data", (request: AppendReq) => {
    if (answered) return;
    try {
      const options = request.getOptions();
      const proposed = request.getProposedMessage();
      if (options) {
        head = {
          stream: readStreamName(options.getStreamIdentifier()),
          expected: readExpected(options),
        };
      } else if (proposed) {
        const event = readProposed(proposed);
        countedBytes += countedSizeOf(event);
        if (countedBytes > MAX_APPEND_BYTES) throw tooLarge();
        bytes += sizeOf(event);
        if (bytes > MAX_PARTIAL_BYTES) throw incompleteAppends();
        events.push(event);
      }
    } catch (error) {
      answer(error);
    }
  });
  call.on("end", () => {
    if (answered) return;
    if (!head) {
      answer(invalidArgument("The append has no options"));
      return;
    }
    const append: Append = { ...head, events };
    const caller = { deadline: call.deadline, isGone: () => isGone };
    writer.append(append, caller).then(
      (result) => answer(null, writeResult(append, result)),
      (error: unknown) => answer(error),
    );
  });
};

const readExpected = (options: AppendReq.Options): Expected => {
  if (options.hasRevision())
    return { kind: "revision", revision: readNumber(options.getRevision()) };
  if (options.hasNoStream()) return { kind: "no_stream" };
  if (options.hasStreamExists()) return { kind: "stream_exists" };
  if (options.hasAny()) return { kind: "any" };
  throw invalidArgument("The append needs an expected revision");
};

const writeResult = (append: Append, result: AppendResult): AppendResp => {
  const response = new streams.AppendResp();
  if (result.kind === "wrong_expected_version") {
    return response.setWrongExpectedVersion(writeWrongVersion(append.expected, result.current));
  }
  const success = new streams.AppendResp.Success();
  if (result.revision === null) success.setNoStream(new shared.Empty());
  else success.setCurrentRevision(String(result.revision));
  if (result.position === null) success.setNoPosition(new shared.Empty());
  else {
    success.setPosition(
      new streams.AppendResp.Position()
        .setCommitPosition(String(result.position))
        .setPreparePosition(String(result.position)),
    );
  }
  return response.setSuccess(success);
};

const writeWrongVersion = (
  expected: Expected,
  current: number | null,
): AppendResp.WrongExpectedVersion => {
  const wrong = new streams.AppendResp.WrongExpectedVersion();
  if (current === null) wrong.setCurrentNoStream(new shared.Empty());
  else wrong.setCurrentRevision(String(current));
  switch (expected.kind) {
    case "revision":
      return wrong.setExpectedRevision(String(expected.revision));
    case "no_stream":
      return wrong.setExpectedNoStream(new shared.Empty());
    case "stream_exists":
      return wrong.setExpectedStreamExists(new shared.Empty());
    case "any":
      return wrong.setExpectedAny(new shared.Empty());
  }
};
