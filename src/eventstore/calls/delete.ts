import type {
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import { asFailure, invalidArgument, toServiceError, wrongExpectedVersion } from "../failures.ts";
import { onRequest, type ServerCall } from "../grpc/call.ts";
import { readNumber, readStreamName } from "../protocol/fields.ts";
import { shared, streams } from "../protocol/messages.ts";
import type { Append, AppendResult, Expected } from "../records.ts";
import type { Writer } from "../write/writer.ts";

type Request = DeleteReq | TombstoneReq;

/** Serves Delete: hides the stream's events until the next append. */
export const answerDelete = (writer: Writer, call: ServerCall<DeleteReq, DeleteResp>): void =>
  answer(writer, call, "soft", (position) => {
    const response = new streams.DeleteResp();
    if (position === null) return response.setNoPosition(new shared.Empty());
    return response.setPosition(
      new streams.DeleteResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });

/** Serves Tombstone: closes the stream for appends and reads permanently. */
export const answerTombstone = (
  writer: Writer,
  call: ServerCall<TombstoneReq, TombstoneResp>,
): void =>
  answer(writer, call, "hard", (position) => {
    const response = new streams.TombstoneResp();
    if (position === null) return response.setNoPosition(new shared.Empty());
    return response.setPosition(
      new streams.TombstoneResp.Position().setCommitPosition(position).setPreparePosition(position),
    );
  });

const answer = <Asked extends Request, Response>(
  writer: Writer,
  call: ServerCall<Asked, Response>,
  deletion: "soft" | "hard",
  write: (position: string | null) => Response,
): void => {
  let isGone = false;
  call.on("cancelled", () => {
    isGone = true;
  });
  const caller = { deadline: call.deadline, isGone: () => isGone };
  const remove = async (request: Request): Promise<Response> => {
    const append = readDeletion(request, deletion);
    const result: AppendResult = await writer.append(append, caller);
    if (result.kind === "wrong_expected_version") {
      throw wrongExpectedVersion(append.stream, asNumber(append.expected), result.current ?? -1);
    }
    return write(result.position === null ? null : String(result.position));
  };
  onRequest(call, (request) => {
    remove(request).then(
      (response) => {
        call.write(response);
        call.end();
      },
      (error: unknown) => call.emit("error", toServiceError(asFailure(error))),
    );
  });
};

const readDeletion = (request: Request, deletion: "soft" | "hard"): Append => {
  const options = request.getOptions();
  if (!options) throw invalidArgument("The deletion has no options");
  const stream = readStreamName(options.getStreamIdentifier());
  return { stream, expected: readExpected(options), events: [], deletion };
};

const readExpected = (options: DeleteReq.Options | TombstoneReq.Options): Expected => {
  if (options.hasRevision()) {
    return { kind: "revision", revision: readNumber(options.getRevision()) };
  }
  if (options.hasNoStream()) return { kind: "no_stream" };
  if (options.hasStreamExists()) return { kind: "stream_exists" };
  if (options.hasAny()) return { kind: "any" };
  throw invalidArgument("The deletion needs an expected revision");
};

/** The numbers of expected revisions in EventStoreDB's trailers. */
const asNumber = (expected: Expected): number => {
  switch (expected.kind) {
    case "revision":
      return expected.revision;
    case "no_stream":
      return -1;
    case "any":
      return -2;
    case "stream_exists":
      return -4;
  }
};
