import type {
  AppendReq,
  AppendResp,
  DeleteReq,
  DeleteResp,
  TombstoneReq,
  TombstoneResp,
} from "@eventstore/db-client/generated/streams_pb.js";
import type { Server, ServerReadableStream, ServerUnaryCall, sendUnaryData } from "@grpc/grpc-js";
import { answerAppend } from "./appendCall.ts";
import { answerBatchAppend, type BatchCall } from "./batchAppendCall.ts";
import { decodeBatchRequest } from "./batchCodec.ts";
import { answerDelete, answerTombstone } from "./deleteCall.ts";
import { asFailure, CallFailure, toServiceError, unavailable } from "./failures.ts";
import { type Crowd, createOutlet, type ReadCall } from "./outlet.ts";
import { features, ServerFeaturesService, StreamsService } from "./protocol.ts";
import { answerRead, readReadRequest } from "./read.ts";
import type { Reader } from "./reader.ts";
import { answerSubscription } from "./subscribe.ts";
import type { Tail } from "./tail.ts";
import { serializeAnswer } from "./wire.ts";
import type { EngineLogger, Writer } from "./writer.ts";

/** The release of EventStoreDB whose behaviour this engine is held to. */
const SERVER_VERSION = "23.10.0";

type SupportedMethods = InstanceType<(typeof features)["SupportedMethods"]>;

/**
 * Adds to a gRPC server the services that are built: all of Streams, and
 * ServerFeatures. Every other method answers UNIMPLEMENTED. `stopping` ends what is open with UNAVAILABLE.
 */
export const addServices = (
  server: Server,
  deps: {
    reader: Reader;
    writer: Writer;
    tail: Tail;
    logger: EngineLogger;
    stopping: AbortSignal;
    crowd: Crowd;
  },
): void => {
  const { writer, stopping } = deps;
  const { append, batchAppend, delete: remove, read, tombstone } = StreamsService;
  server.addService(
    {
      append,
      batchAppend: {
        ...batchAppend,
        requestDeserialize: decodeBatchRequest,
        responseSerialize: serializeAnswer,
      },
      delete: remove,
      read: { ...read, responseSerialize: serializeAnswer },
      tombstone,
    },
    {
      append: (call: ServerReadableStream<AppendReq, AppendResp>, cb: sendUnaryData<AppendResp>) =>
        answerAppend(writer, call, cb),
      batchAppend: (call: BatchCall) => answerBatchAppend(writer, call, stopping),
      delete: (call: ServerUnaryCall<DeleteReq, DeleteResp>, cb: sendUnaryData<DeleteResp>) =>
        answerDelete(writer, call, cb),
      read: (call: ReadCall) => serveRead(call, deps),
      tombstone: (
        call: ServerUnaryCall<TombstoneReq, TombstoneResp>,
        cb: sendUnaryData<TombstoneResp>,
      ) => answerTombstone(writer, call, cb),
    },
  );
  server.addService(ServerFeaturesService, {
    getSupportedMethods: (
      _call: ServerUnaryCall<unknown, unknown>,
      callback: sendUnaryData<SupportedMethods>,
    ) => callback(null, supportedMethods()),
  });
};

const serveRead = (
  call: ReadCall,
  deps: {
    reader: Reader;
    tail: Tail;
    logger: EngineLogger;
    stopping: AbortSignal;
    crowd: Crowd;
  },
): void => {
  const { stopping, logger } = deps;
  const outlet = createOutlet(call, deps.crowd);
  const serve = async (): Promise<void> => {
    const request = readReadRequest(call.request);
    const answer = request.count === null ? answerSubscription : answerRead;
    await answer(deps, request, outlet);
  };
  const fail = (error: unknown): void => {
    if (outlet.signal.aborted) return;
    if (!(error instanceof CallFailure))
      logger.warn({ err: error }, "A read of the event log failed");
    call.emit("error", toServiceError(asFailure(error)));
  };
  const stop = (): void => fail(unavailable("the event log is stopping"));
  stopping.addEventListener("abort", stop);
  serve()
    .then(() => call.end(), fail)
    .finally(() => stopping.removeEventListener("abort", stop));
  if (stopping.aborted) stop();
};

/** Only what is built is advertised: the db-client chooses its ways by this list. */
const supportedMethods = (): SupportedMethods => {
  const answer = new features.SupportedMethods().setEventStoreServerVersion(SERVER_VERSION);
  for (const method of ["append", "batchappend", "delete", "read", "tombstone"]) {
    answer.addMethods(
      new features.SupportedMethod()
        .setServiceName("event_store.client.streams.Streams")
        .setMethodName(method),
    );
  }
  return answer;
};
